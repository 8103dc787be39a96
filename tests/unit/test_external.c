/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of what may leave with --external: what is on it, and that nothing else gets past it. */
#include "config.h"
#include "base/json.h"
#include "base/mem.h"
#include "telemetry/external.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define FOLDER	"tree/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/"
#define NODE	FOLDER "tenstorrent/tenstorrent!0/"

/* A line that a list names; `leaves` NULL: as it is. */
static const struct {
	const char *path, *line, *leaves;
} lines[] = {
	{ NODE "tt_aiclk", "800", NULL },
	{ NODE "tt_serial", "0000040112345678", "0000040100000001" },
	{ NODE "tt_asic_id", "0011223344556601", "0000000000000001" },
	{ NODE "tt_card_type", "p150a", NULL },
	{ NODE "tt_fw_bundle_ver", "18.7.0.0", NULL },
	{ NODE "pcie_perf_counters/mst_rd_data_word_received0", "124", NULL },
	{ FOLDER "hwmon/hwmon3/temp1_input", "42125", NULL },
	{ FOLDER "current_link_speed", "32.0 GT/s PCIe", NULL },
	{ FOLDER "max_link_speed", "Unknown", NULL },
	{ FOLDER "resource", "0x00000000fe800000 0x00000000fe8fffff 0x0000000000140204",
		"0x0000000000000001 0x0000000000000001 0x0000000000140204" },
	{ FOLDER "aer_dev_fatal", "TOTAL_ERR_FATAL 0", NULL },
	{ FOLDER "driver", "../../../../bus/pci/drivers/tenstorrent", NULL },
	{ "tree/proc/sys/kernel/osrelease", "6.1.0-56-amd64", "6.1.0-56" },
	{ "tree/proc/cpuinfo", "flags\t\t: fpu avx2 stranger hypervisor",
		"flags\t\t: avx2 hypervisor" },
	{ "tree/proc/meminfo", "MemTotal:         468416 kB", NULL },
	{ "tree/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"",
		"PRETTY_NAME=\"Debian GNU/Linux 12\"" },
	{ "driver.log", "[    2.500000] <4> tenstorrent 0000:01:00.0: Device is unresponsive, cannot reset.",
		NULL },
	{ "driver.log", "[    2.500000] <4> tenstorrent: Loading Tenstorrent AI driver module v2.10.0",
		NULL },
	{ "driver.log", "[   12.000001] <3> pcieport 0000:00:04.0: AER: Corrected error received: "
		"0000:01:00.0", NULL },
	{ "driver.log", "[   12.000001] <3> tenstorrent 0000:01:00.0: PCIe Bus Error: "
		"severity=Corrected, type=Physical Layer, (Receiver ID)", NULL },
	{ "driver.log", "[   12.000001] <3> tenstorrent 0000:01:00.0:   device [1e52:b140] error "
		"status/mask=00000001/0000e000", NULL },
	{ "driver.log", "[   12.000001] <3> tenstorrent 0000:01:00.0:    [ 0] RxErr                  "
		"(First)", NULL },
	{ "cards.rec", "look 0", NULL },
	{ "cards.rec", "attr tt_aiclk = 800", NULL },
	{ "cards.rec", "attr tt_serial = 0000040112345678", "attr tt_serial = 0000040100000001" },
	{ "cards.rec", "attr ../max_link_width ! 2", NULL },
	{ "cards.rec", "acquire ! 11 [held] python has it", "acquire ! 11 [held]" },
	{ "cards.rec", "read 8,0 10074124 3 = 00000401 12345678 0000035b",
		"read 8,0 10074124 3 = 00000401 00000001 0000035b" },
	{ "cards.rec", "holders 0 partial = 4242", NULL },
	{ "ipmi/fru.txt", " Board Product         : Galaxy X12345", " Board Product         : Galaxy" },
	{ "ipmi/sel.txt", "   1 | 11/23/2026 | 10:12:13 | Power Supply #0x21 | Failure detected | Asserted",
		NULL },
};

/* Each is put into every line, alone and with neighbours: nothing of it may come out. */
static const char *const secrets[] = { "secret-host", "alice", "job-4711-train",
	"02:1a:2b:3c:4d:5e", "021a2b3c4d5e", "10.77.33.99", "fe80::21a:2bff:fe3c", "/home/alice/model.pt",
	"python3 train.py --key=abc", "00000401DEADBEE1", "0x401deadbee1", "4411256127201", "deadbee1",
	"DEAD-BEE1", "x00000401deadbee1y", "_deadbee1_", "SN:deadbee1", "\xce\xb1lice" };

static bool put_line(const char *path, const char *line, struct strbuf *to)
{
	size_t left_out;

	to->len = 0;
	strbuf_puts(to, "");
	assert_true(external_put(to, path, line, strlen(line), &left_out));
	assert_true(left_out <= 1);
	return left_out == 0;
}

static void a_listed_line_leaves(void **state)
{
	struct strbuf to = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		if (!put_line(lines[i].path, lines[i].line, &to))
			fail_msg("%s: '%s' stays", lines[i].path, lines[i].line);
		assert_string_equal(to.text, lines[i].leaves ? lines[i].leaves : lines[i].line);
	}
	strbuf_clear(&to);
}

/* A word of a register is any 32 bits, and its address is ours. */
static bool is_register(const char *line, const char *p)
{
	return strncmp(line, "read ", 5) == 0 && p > line + 5;
}

/* The word in place of, before, and behind each word of the line. */
static void nothing_else_leaves(void **state)
{
	struct strbuf line = { 0 }, to = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		for (size_t w = 0; w < ARRAY_LEN(secrets); w++)
			for (const char *p = lines[i].line; *p; p++)
				for (int how = 0; how < 3; how++) {
					const size_t len = strcspn(p, " ");

					if ((p > lines[i].line && p[-1] != ' ') ||
						is_register(lines[i].line, p))
						break;
					line.len = 0;
					strbuf_add(&line, lines[i].line,
						(size_t)(p - lines[i].line));
					strbuf_add(&line, p, how == 1 ? len : 0);
					strbuf_puts(&line, secrets[w]);
					strbuf_add(&line, p, how == 2 ? len : 0);
					strbuf_puts(&line, p + len);
					put_line(lines[i].path, line.text, &to);
					if (strstr(to.text, secrets[w]))
						fail_msg("%s: '%s' leaves as '%s'", lines[i].path,
							line.text, to.text);
				}
	strbuf_clear(&line);
	strbuf_clear(&to);
}

static void a_file_without_a_list_stays(void **state)
{
	static const char *const paths[] = { "new.txt", "tree/proc/sys/kernel/hostname",
		"tree/etc/passwd", NODE "tt_new", "tree/sys/devices/alice/0000:01:00.0/vendor",
		FOLDER "../../vendor", "tree/sys/bus/pci/devices/alice", "" };
	struct strbuf to = { 0 };
	size_t left_out;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		assert_false(external_put(&to, paths[i], "800\n", 4, &left_out));
		assert_int_equal(to.len, 0);
	}
	strbuf_clear(&to);
}

static void texts_of_json_go_by_their_key(void **state)
{
	static const struct {
		const char *key, *text, *leaves;
	} texts[] = {
		{ "bdf", "0000:01:00.0", "0000:01:00.0" }, { "bdf", "alice", NULL },
		{ "board_type", "n300 L", "n300 L" }, { "board_type", "alice", "N/A" },
		{ "board_id", "0000040112345678", "0000040100000001" },
		{ "Kernel", "6.1.0-56-alice", "6.1.0-56" }, { "Kernel", "alice", "N/A" },
		{ "Distro", "Ubuntu 24.04.1 LTS", "Ubuntu 24.04.1" }, { "Distro", "alice", "N/A" },
		{ "Hostname", "alice", "N/A" }, { "cmdline", "python3", "N/A" },
		{ "reason", "alice", NULL }, { "value", "19.11.0.0", "19.11.0.0" },
		{ "value", "10.77.33.99", NULL }, { "cm_fw", "10.77.33.99", NULL },
		{ "cm_fw", "0.32.0.0", "0.32.0.0" }, { "id", "dram", "dram" }, { "id", "alice", NULL },
		{ "a new key", "800", NULL }, { NULL, "800", NULL },
	};

	(void)state;
	external_set(true);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *leaves = external_text(texts[i].key, texts[i].text);

		if (texts[i].leaves)
			assert_string_equal(leaves, texts[i].leaves);
		else
			assert_null(leaves);
	}
	external_set(false);
	assert_string_equal(external_text("Hostname", "alice"), "alice");
	external_set(true);
	for (size_t i = 0; throttle_reasons[i]; i++)
		assert_non_null(external_text("value", throttle_reasons[i]));
	for (size_t i = 0; busy_sources[i]; i++)
		assert_non_null(external_text("value", busy_sources[i]));
	assert_null(external_text("value", "alice"));
	external_set(false);
}

/* JSON as it is written: a key without a row, and the elements of an array. */
static void json_is_limited(void **state)
{
	struct strbuf to = { 0 };
	struct json_out j;

	(void)state;
	external_set(true);
	json_out_init(&j, &to, true);
	json_begin(&j, NULL, '{');
	json_text(&j, "unlisted", "alice");
	json_hex(&j, "raw", 0xdeadbee1);
	json_begin(&j, "files", '[');
	json_text(&j, NULL, NODE "tt_aiclk");
	json_text(&j, NULL, "tree/home/alice");
	json_end(&j, ']');
	json_end(&j, '}');
	external_set(false);
	assert_string_equal(to.text, "{\"unlisted\": null, \"raw\": null, \"files\": [\"" NODE
		"tt_aiclk\", null]}\n");
	strbuf_clear(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_listed_line_leaves),
		cmocka_unit_test(nothing_else_leaves),
		cmocka_unit_test(a_file_without_a_list_stays),
		cmocka_unit_test(texts_of_json_go_by_their_key),
		cmocka_unit_test(json_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
