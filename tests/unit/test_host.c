/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine around the cards, from made-up trees: what passes, what is a note, what fails. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/host/host.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char root[64];

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = strchr(full + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void drop(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	assert_int_equal(unlink(full), 0);
}

/* A machine with nothing to say about it. */
static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/tt-smi-host.XXXXXX");
	assert_non_null(mkdtemp(root));
	put("etc/os-release", "NAME=x\nPRETTY_NAME=\"Ubuntu 22.04.5 LTS\"\n");
	put("proc/meminfo", "MemTotal:       131583216 kB\n");
	put("proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
	put("proc/cpuinfo", "flags : fpu\n");
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static const struct host_check *check_of(const struct host *h, const char *name)
{
	size_t i = 0;

	while (i + 1 < h->n_checks && strcmp(h->checks[i].name, name) != 0)
		i++;
	assert_string_equal(h->checks[i].name, name);
	return &h->checks[i];
}

static void expect(const char *driver, const char *name, enum host_verdict verdict,
	const char *text)
{
	struct host h;
	const struct host_check *c;

	host_read(root, driver, &h);
	c = check_of(&h, name);
	if (c->verdict != verdict || strcmp(c->text, text) != 0)
		fail_msg("%s: %s, \"%s\"; to be %s, \"%s\"", name, host_verdict_name(c->verdict),
			c->text, host_verdict_name(verdict), text);
}

static void a_machine_as_upstream_wants_it_passes_throughout(void **state)
{
	struct host h;

	(void)state;
	host_read(root, "2.10.0", &h);
	assert_int_equal(h.n_checks, 5);
	for (size_t i = 0; i < h.n_checks; i++)
		assert_int_equal(h.checks[i].verdict, HOST_PASS);
	assert_string_equal(h.distro, "Ubuntu 22.04.5 LTS");
	assert_string_equal(h.memory, "125.49 GB");
	assert_string_equal(h.driver, "TT-KMD 2.10.0");
}

static void another_distribution_is_a_note_and_never_wrong(void **state)
{
	static const char *const names[] = { "Debian GNU/Linux 12 (bookworm)",
		"Debian GNU/Linux 13 (trixie)", "Fedora Linux 42", "Ubuntu 20.04.6 LTS" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char text[128];

		snprintf(text, sizeof(text), "PRETTY_NAME=\"%s\"\n", names[i]);
		put("etc/os-release", text);
		expect("2.10.0", "Distro", HOST_NOTE, "tested upstream on Ubuntu 22.04 and 24.04");
	}
	put("etc/os-release", "PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n");
	expect("2.10.0", "Distro", HOST_PASS, "Ubuntu 24.04.1 LTS");
}

static void a_container_is_a_note_about_resets(void **state)
{
	static const char *const marks[] = { ".dockerenv", "run/.containerenv",
		"run/systemd/container" };

	(void)state;
	expect("2.10.0", "Reset", HOST_PASS, "possible");
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		put(marks[i], "");
		expect("2.10.0", "Reset", HOST_NOTE,
			"in a container: holders outside are not seen");
		drop(marks[i]);
	}
}

static void little_memory_is_a_note(void **state)
{
	(void)state;
	put("proc/meminfo", "MemTotal:       16000000 kB\n");
	expect("2.10.0", "Memory", HOST_NOTE, "upstream recommends 32 GB or more");
}

static void a_missing_driver_fails_and_says_what_to_do(void **state)
{
	(void)state;
	expect("", "Driver", HOST_FAIL, "not loaded: install TT-KMD and modprobe tenstorrent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_machine_as_upstream_wants_it_passes_throughout, begin, end),
		cmocka_unit_test_setup_teardown(
			another_distribution_is_a_note_and_never_wrong, begin, end),
		cmocka_unit_test_setup_teardown(a_container_is_a_note_about_resets, begin, end),
		cmocka_unit_test_setup_teardown(little_memory_is_a_note, begin, end),
		cmocka_unit_test_setup_teardown(
			a_missing_driver_fails_and_says_what_to_do, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
