/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/record_file.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void whole_numbers_are_strict(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} cases[] = {
		{ "0", true, 0 }, { "12\n", true, 12 }, { "-7", true, -7 },
		{ "9223372036854775807", true, INT64_MAX }, { "9223372036854775808", false, 0 },
		{ "", false, 0 }, { "\n", false, 0 }, { "12abc", false, 0 }, { " 1", false, 0 },
		{ "1\n\n", false, 0 }, { "+1", false, 0 }, { "0x10", false, 0 }, { "-", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t v = 42;

		assert_int_equal(parse_i64(cases[i].text, &v), cases[i].ok);
		assert_int_equal(v, cases[i].ok ? cases[i].value : 42);
	}
}

static void decimals_round_to_the_scale(void **state)
{
	static const struct {
		const char *text;
		int64_t scale;
		bool ok;
		int64_t value;
	} cases[] = {
		{ "0.72", 1000, true, 720 }, { "0.7249", 1000, true, 725 },
		{ "0.72449", 1000, true, 724 },
		{ "-3.5", 10, true, -35 }, { "71", 1000, true, 71000 }, { "2.5", 1, true, 3 },
		{ "2.49999", 1, true, 2 }, { ".5", 10, false, 0 }, { "5.", 10, false, 0 },
		{ "1e3", 10, false, 0 }, { "nan", 10, false, 0 },
		{ "99999999999999999999", 1, false, 0 },
		/* What rounding gives can be read again, and the limit is the type's. */
		{ "9223372035.9999999995", 1000000000, true, 9223372036000000000 },
		{ "9223372036", 1000000000, true, 9223372036000000000 },
		{ "9223372036.854775807", 1000000000, true, INT64_MAX },
		{ "9223372036.854775808", 1000000000, false, 0 },
		{ "9223372036.8547758075", 1000000000, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t v = 42;

		assert_int_equal(parse_decimal(cases[i].text, cases[i].scale, &v), cases[i].ok);
		assert_int_equal(v, cases[i].ok ? cases[i].value : 42);
	}
}

static void hex_size_seconds_and_versions(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} times[] = {
		{ "30", 30000000000 }, { "0.5s", 500000000 }, { "500ms", 500000000 },
		{ "0.5ms", 500000 }, { "1.5m", 90000000000 }, { "2h", 7200000000000 },
		{ "1d", 86400000000000 }, { "0s", 0 },
	};
	static const char *const no_times[] = { "", "s", "-1s", "+1s", "1e3", "1 s", "1S", "1sm",
		"1us", ".", "1.2.3s", "1ms ", "0x1s", "213504d", "99999999999h",
		"1111111111111111111111111111111s" };
	uint64_t u;
	uint32_t w;
	int64_t ns;

	(void)state;
	assert_true(parse_hex("0100018611902010\n", &u) && u == 0x0100018611902010);
	assert_true(parse_hex("0x3F", &u) && u == 0x3f);
	assert_false(parse_hex("0x", &u) || parse_hex("g", &u) || parse_hex("11112222333344445",
		&u));
	assert_true(parse_size("16k", &u) && u == 16384);
	assert_true(parse_size("2G", &u) && u == 2ULL << 30);
	assert_false(parse_size("k", &u) || parse_size("1kk", &u) || parse_size("99999999999G",
		&u));
	assert_true(parse_seconds("0.01", &ns) && ns == 10000000);
	assert_false(parse_seconds("-1", &ns) || parse_seconds("", &ns));
	for (size_t i = 0; i < ARRAY_LEN(times); i++)
		assert_true(parse_duration(times[i].text, &ns) && ns == times[i].ns);
	for (size_t i = 0; i < ARRAY_LEN(no_times); i++)
		assert_false(parse_duration(no_times[i], &ns));
	assert_true(parse_version4("18.7.0.0\n", &w) && w == 0x12070000);
	assert_true(parse_version4("1.34", &w) && w == 0x01220000);
	assert_false(parse_version4("1.2.3.4.5", &w) || parse_version4("256", &w) ||
		     parse_version4("1..2", &w));
}

static void strbuf_writes_numbers_as_printf_would(void **state)
{
	static const int64_t values[] = { 0, 1, -1, 9, 10, 99, 125, -125, 71500, 999999, 40250,
		INT64_MAX, -INT64_MAX };
	struct strbuf b = { 0 };
	char want[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		strbuf_clear(&b);
		strbuf_put_i64(&b, values[i]);
		snprintf(want, sizeof(want), "%lld", (long long)values[i]);
		assert_string_equal(b.text, want);
	}
	static const struct {
		int64_t value, scale;
		int decimals;
		const char *want;
	} fixed[] = {
		{ 71500, 1000, 1, "71.5" }, { 864, 1000, 2, "0.86" }, { 865, 1000, 2, "0.87" },
		{ -250, 1000, 1, "-0.3" }, { -40, 1000, 1, "0.0" }, { 5, 1, 2, "5.00" },
		{ 999999, 1000000, 3, "1.000" }, { 0, 1000, 0, "0" }, { 500, 1000, 0, "1" },
	};
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		strbuf_clear(&b);
		strbuf_put_fixed(&b, fixed[i].value, fixed[i].scale, fixed[i].decimals);
		assert_string_equal(b.text, fixed[i].want);
	}
	strbuf_clear(&b);
	strbuf_put_decimal(&b, 71500, 1000);
	strbuf_putc(&b, ' ');
	strbuf_put_decimal(&b, -1, 1000000);
	strbuf_putc(&b, ' ');
	strbuf_put_decimal(&b, 3000, 1000);
	assert_string_equal(b.text, "71.5 -0.000001 3");
	strbuf_clear(&b);
}

static void json_comes_out_one_key_a_line(void **state)
{
	struct strbuf b = { 0 };
	struct json_out j;

	(void)state;
	json_out_init(&j, &b, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "a", "x\"\\\n\xff\xc3\xa9\xc2\x9b\xc2\xa0\x7f\u202e\U000e0041");
	json_begin(&j, "list", '[');
	json_int(&j, NULL, 1);
	json_decimal(&j, NULL, 2500, 1000);
	json_end(&j, ']');
	json_begin(&j, "none", '[');
	json_end(&j, ']');
	json_hex(&j, "h", 0x3f59ea);
	json_null(&j, "n");
	json_bool(&j, "t", true);
	json_end(&j, '}');
	assert_string_equal(b.text,
		"{\n    \"a\": \"x\\\"\\\\\\u000a\\ufffd\xc3\xa9\\u009b\xc2\xa0\\u007f\\u202e\\udb40\\udc41\",\n    \"list\": [\n"
		"        1,\n        2.5\n    ],\n    \"none\": [],\n    \"h\": \"0x3f59ea\",\n"
		"    \"n\": null,\n    \"t\": true\n}\n");
	strbuf_clear(&b);
}

/* A tie goes where the binary fraction lies: 0.795 is a little more, 40.25 is exact. */
static void json_pads_numbers_as_printf_would(void **state)
{
	static const struct {
		int64_t value, scale;
		int decimals, width;
	} cases[] = {
		{ 25000, 1000, 1, 5 }, { 795, 1000, 2, 4 }, { 865, 1000, 2, 4 },
		{ 40250, 1000, 1, 4 },
		{ 44312, 1000, 1, 4 }, { -5500, 1000, 0, 4 }, { 0, 1000, 1, 5 }, { 85, 1, 0, 3 },
		{ 1350, 1, 0, 4 }, { 999999, 1000, 1, 4 }, { 7, 1, 2, 4 }, { 2500, 1000, 0, 1 },
	};
	char want[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = { 0 };
		struct json_out j;

		json_out_init(&j, &b, true);
		json_begin(&j, NULL, '[');
		json_fixed(&j, NULL, cases[i].value, cases[i].scale, cases[i].decimals,
			cases[i].width);
		json_end(&j, ']');
		snprintf(want, sizeof(want), "[\"%*.*f\"]\n", cases[i].width, cases[i].decimals,
			(double)cases[i].value / (double)cases[i].scale);
		assert_string_equal(b.text, want);
		strbuf_clear(&b);
	}
}

static void json_goes_in_strictly(void **state)
{
	static const char good[] =
		"{\"a\": \" 85\", \"b\": 0.5, \"w\": \"0x1f\", \"n\": null, \"l\": [1,2]}\n";
	static const char *const bad[] = { "", "{", "{} x", "{\"a\":1,}", "nul", "[1" };
	struct json *doc;
	struct error e;
	int64_t v;
	uint32_t w;

	(void)state;
	assert_int_equal(json_parse(good, sizeof(good) - 1, &doc, &e), 0);
	assert_true(json_get_scaled(json_get(doc, "a"), 1000, &v) && v == 85000);
	assert_true(json_get_scaled(json_get(doc, "b"), 1000, &v) && v == 500);
	assert_true(json_get_word(json_get(doc, "w"), &w) && w == 0x1f);
	assert_true(json_is_null(json_get(doc, "n")));
	assert_false(json_get_word(json_get(doc, "missing"), &w) ||
		     json_get_word(json_get(doc, "a"), &w));
	assert_null(json_get(json_get(doc, "l"), "x"));
	json_free(doc);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(json_parse(bad[i], strlen(bad[i]), &doc, &e), -EINVAL);
}

static void files_are_whole_or_not_there(void **state)
{
	char dir[] = "/tmp/test_base.XXXXXX", path[64], sub[64], name[128];
	struct file_new f;
	struct error e;
	char text[32];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(sub, sizeof(sub), "%s/a/b", dir);
	assert_int_equal(file_new_open(&f, path, false, &e), 0);
	assert_int_equal(file_write_all(f.fd, "hello", 5), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(file_new_keep(&f, &e), 0);
	assert_int_equal(file_read_at(-1, path, text, sizeof(text)), 5);
	assert_int_equal(file_read_at(-1, path, text, 5), -EFBIG);
	assert_int_equal(file_new_open(&f, path, false, &e), -EEXIST);
	assert_int_equal(file_new_open(&f, path, true, &e), 0);
	assert_int_equal(file_new_draft(&f, "draft of it", 11, &e), 0);
	assert_int_equal(file_write_all(f.fd, "it", 2), 0);
	assert_int_equal(file_read_at(-1, path, text, sizeof(text)), 11);
	assert_int_equal(file_new_keep(&f, &e), 0);
	assert_int_equal(file_read_at(-1, path, text, sizeof(text)), 2);
	assert_int_equal(file_new_open(&f, path, true, &e), 0);
	file_new_discard(&f);
	assert_int_equal(file_free_name(path, "", name, sizeof(name)), 0);
	assert_true(strlen(name) == strlen(path) + 2 && strcmp(name + strlen(path), "-2") == 0);
	assert_int_equal(file_make_dirs(sub, &e), 0);
	assert_int_equal(file_make_dirs(sub, &e), 0);
	assert_int_equal(file_make_dirs(path, &e), -ENOTDIR);
	unlink(path);
	rmdir(sub);
	snprintf(sub, sizeof(sub), "%s/a", dir);
	rmdir(sub);
	assert_int_equal(rmdir(dir), 0);	/* nothing was left behind */
}

static void the_same_file_may_have_two_names(void **state)
{
	char folder[] = "/tmp/test_base_same_XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_true(file_is_same("a", "./a"));
	assert_false(file_is_same("a", "b"));
	assert_false(file_is_same("a", "/a"));
	assert_false(file_is_same("none/a", "none/a"));
	assert_int_equal(fclose(fopen("a", "w")), 0);
	assert_true(file_is_same("a", "./a"));
	assert_false(file_is_same("a", "b"));
	assert_int_equal(symlink("a", "b"), 0);
	assert_true(file_is_same("a", "b"));
	assert_int_equal(unlink("a") + unlink("b") + chdir("/") + rmdir(folder), 0);
}

static void a_name_taken_while_we_wrote_is_not_replaced(void **state)
{
	char dir[] = "/tmp/test_base.XXXXXX", path[64], text[8];
	struct file_new f;
	struct error e;
	FILE *other;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out", dir);
	assert_int_equal(file_new_open(&f, path, false, &e), 0);
	other = fopen(path, "w");
	fputs("theirs", other);
	fclose(other);
	assert_int_equal(file_new_keep(&f, &e), -EEXIST);
	assert_int_equal(file_read_at(-1, path, text, sizeof(text)), 6);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

/* Each container may have a process of our number, and one that was killed. */
static void what_a_process_of_our_number_left_is_in_nobodys_way(void **state)
{
	char dir[] = "/tmp/test_base.XXXXXX", path[64], left[96], text[8];
	struct error e;
	FILE *other;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(left, sizeof(left), "%s.%ld.tmp", path, (long)getpid());
	other = fopen(left, "w");
	fputs("theirs", other);
	fclose(other);
	for (int i = 0; i < 2; i++)
		assert_int_equal(file_new_write(path, "ours", 4, &e), 0);
	assert_int_equal(file_read_at(-1, path, text, sizeof(text)), 4);
	assert_int_equal(file_read_at(-1, left, text, sizeof(text)), 6);
	unlink(path);
	unlink(left);
	assert_int_equal(rmdir(dir), 0);
}

static int entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *entry; (entry = readdir(d));)
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Whatever ends this process at any moment, a half file is never found. */
static void a_file_has_no_name_before_it_is_whole(void **state)
{
	char dir[] = "/tmp/tt-smi-test.XXXXXX", path[64];
	struct error e = { 0 };
	struct file_new f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out", dir);
	for (int i = 0; i < 3; i++) {
		char text[32] = "";

		/* One that is new, then one that is replaced, then one that is given up. */
		assert_int_equal(file_new_open(&f, path, i > 0, &e), 0);
		if (!f.nameless) {
			file_new_discard(&f);
			unlink(path);
			rmdir(dir);
			skip();
		}
		assert_int_equal(write(f.fd, i ? "second" : "one", i ? 6 : 3), i ? 6 : 3);
		assert_int_equal(entries(dir), i > 0);
		if (i < 2)
			assert_int_equal(file_new_keep(&f, &e), 0);
		else
			file_new_discard(&f);
		assert_int_equal(entries(dir), 1);
		assert_int_equal(file_read_at(-1, path, text, sizeof(text)), i ? 6 : 3);
		assert_string_equal(text, i ? "second" : "one");
	}
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void no_text_commands_a_terminal(void **state)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{ "plain", "plain" }, { "\033[2J", "\\x1b[2J" }, { "a\nb\tc\r", "a\\x0ab\\x09c\\x0d" },
		{ "\177", "\\x7f" }, { "71 °C ü 漢 😀", "71 °C ü 漢 😀" },
		{ "\302\233A", "\\xc2\\x9bA" }, { "\233A", "\\x9bA" }, { "\303", "\\xc3" },
		{ "\300\233", "\\xc0\\x9b" }, { "\340\202\233", "\\xe0\\x82\\x9b" },
		{ "\355\240\200", "\\xed\\xa0\\x80" }, { "\364\220\200\200", "\\xf4\\x90\\x80\\x80" },
		{ "a\u00adb", "a\\xc2\\xadb" }, { "\u061c", "\\xd8\\x9c" },
		{ "a\u200bb\u200f", "a\\xe2\\x80\\x8bb\\xe2\\x80\\x8f" }, { "\u200a", "\u200a" },
		{ "\u2028\u202a", "\\xe2\\x80\\xa8\\xe2\\x80\\xaa" }, { "\u202f", "\u202f" },
		{ "\u202e\u2066", "\\xe2\\x80\\xae\\xe2\\x81\\xa6" }, { "\u2070", "\u2070" },
		{ "\ufeff", "\\xef\\xbb\\xbf" }, { "\ufe0f", "\\xef\\xb8\\x8f" },
		{ "\U000e0041", "\\xf3\\xa0\\x81\\x81" }, { "\U000e1000", "\U000e1000" },
		{ "", "" },
	};
	struct error e;
	char text[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(text_plain(text, sizeof(text), cases[i].text), cases[i].plain);
		(fail)(&e, -EINVAL, "%s", cases[i].text);
		assert_string_equal(e.text, cases[i].plain);
	}
	/* What is cut is cut between characters. */
	assert_string_equal(text_plain(text, 4, "ab\033"), "ab");
	assert_string_equal(text_plain(text, 4, "ab\303\274"), "ab");
	assert_string_equal(text_plain(text, 5, "ab\303\274"), "ab\303\274");
}

static void write_farewell(void)
{
	(void)!write(STDERR_FILENO, "restored, ", 10);
}

static void want_of_memory_is_an_error_and_no_crash(void **state)
{
	char text[64] = "";
	int out[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0) {
		dup2(out[1], STDERR_FILENO);
		mem_at_end(write_farewell);
		mem_share(SIZE_MAX / 4);
		_exit(0);
	}
	close(out[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_true(read(out[0], text, sizeof(text) - 1) > 0);
	close(out[0]);
	assert_string_equal(text, "restored, tt-smi: out of memory\n");
}

/* In a process of its own, since time stays so. */
static bool pace_is_kept(void)
{
	const int64_t since = clock_real() - clock_mono(), steady = clock_steady();
	int64_t mono, began;

	clock_set_pace(50);
	began = mono = clock_mono();
	poll(NULL, 0, 20);
	if (clock_mono() != mono || mono < steady ||
		clock_span(5 * CLOCK_SECOND) != CLOCK_SECOND / 10)
		return false;
	clock_sleep_until(mono += 5 * CLOCK_SECOND);
	for (int i = 0; i < 500; i++)
		clock_sleep_until(mono += 10 * CLOCK_MS);
	return clock_mono() == mono && clock_steady() - steady >= (mono - began) / 50 &&
		llabs(clock_real() - clock_mono() - since) < CLOCK_SECOND;
}

static void at_a_pace_time_passes_faster_while_all_wait(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(pace_is_kept() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	clock_set_pace(1);
	assert_false(clock_is_virtual());
	assert_int_equal(clock_span(CLOCK_SECOND), CLOCK_SECOND);
}

static void virtual_time_moves_only_by_waiting(void **state)
{
	(void)state;
	setenv("TT_SMI_VIRTUAL_TIME", "1795252364", 1);
	clock_init();
	assert_true(clock_is_virtual());
	assert_int_equal(clock_mono(), 0);
	assert_int_equal(clock_sleep_until(5 * CLOCK_SECOND), 0);
	assert_int_equal(clock_mono(), 5 * CLOCK_SECOND);
	assert_int_equal(clock_real(), 1795252369 * CLOCK_SECOND);
	clock_sleep_until(CLOCK_SECOND);
	assert_int_equal(clock_mono(), 5 * CLOCK_SECOND);
}

static void each_code_has_a_word_of_its_own(void **state)
{
	(void)state;
	for (enum code c = CODE_NONE + 1; c < CODES; c++) {
		assert_true(strlen(code_word(c)) > 1);
		assert_int_equal(code_named(code_word(c)), c);
	}
	assert_string_equal(code_word(CODE_NONE), "");
	assert_string_equal(code_word(CODES), "");
	assert_int_equal(code_named("nonsense"), CODE_NONE);
	assert_int_equal(code_named(""), CODE_NONE);
	assert_int_equal(code_named(NULL), CODE_NONE);
	assert_int_equal(code_find(0), CODE_NONE);
	assert_int_equal(code_find(-EPERM), CODE_NO_PERMISSION);
	assert_int_equal(code_find(-EDOM), CODE_FAILED);
}

static void an_error_keeps_its_code(void **state)
{
	struct error e, outer;

	(void)state;
	assert_int_equal((fail)(&e, -ENOSPC, "a"), -ENOSPC);
	assert_int_equal(e.word, CODE_NO_SPACE);
	assert_int_equal(fail_as(&e, CODE_DRIVER_OLD, -EPERM, "b"), -EPERM);
	assert_int_equal(e.word, CODE_DRIVER_OLD);
	assert_int_equal(fail_because(&outer, -EPERM, &e, "c: %s", e.text), -EPERM);
	assert_int_equal(outer.code, -EPERM);
	assert_int_equal(outer.word, CODE_DRIVER_OLD);
	assert_string_equal(outer.text, "c: b");
	assert_int_equal(fail_because(&outer, -EIO, &e, "another errno"), -EIO);
	assert_int_equal(outer.word, CODE_IO_ERROR);
	errno = EACCES;
	assert_int_equal(fail_errno(&e, "d"), -EACCES);
	assert_int_equal(e.word, CODE_NO_PERMISSION);
}

/* A path of any length, of characters of one to four bytes, leaves the message its cause. */
static void an_error_keeps_its_cause(void **state)
{
	static const char *const letters[] = { "a", "\303\251", "\342\202\254",
		"\360\237\230\200" };
	static const size_t lengths[] = { 1, 200, 960, 1000, 1010, 1024, 1200, 4000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(letters) * ARRAY_LEN(lengths); i++) {
		const char *letter = letters[i % ARRAY_LEN(letters)];
		const size_t bytes = lengths[i / ARRAY_LEN(letters)];
		struct strbuf path = { 0 };
		struct error e;

		strbuf_put_times(&path, letter, bytes / strlen(letter) + 1);
		errno = EACCES;
		fail_errno(&e, "/%s: cannot open", path.text);
		assert_int_equal(strncmp(e.text, "/", 1), 0);
		assert_non_null(strstr(e.text, ": cannot open: Permission denied"));
		assert_null(strstr(e.text, "\\x"));
		assert_true(bytes < 900 || strlen(e.text) > 900);
		assert_int_equal(strstr(e.text, "...") != NULL, path.len > 990);
		for (const char *at = e.text; *at; at += utf8_len(at))
			assert_int_not_equal(utf8_len(at), 0);
		strbuf_clear(&path);
	}
}

static void put_word(const void *from, struct strbuf *to)
{
	strbuf_printf(to, "%s\n", (const char *)from);
}

static bool parse_one(char *lines, void *to)
{
	const char *line = record_file_line(&lines);

	snprintf(to, 8, "%s", line ? line : "none");
	return !record_file_line(&lines);
}

static void a_record_file_is_whole_or_refused(void **state)
{
	static const struct record_file words = { .head = "words 1", .max = 64, .put = put_word,
		.parse = parse_one };
	static const struct {
		const char *text;
		size_t len;
		const char *word;	/* NULL: it is refused */
	} cases[] = {
		{ "words 1\none\nend\n", 16, "one" },
		{ "words 1\nend\n", 12, "none" },
		{ "words 1\nend\nend\n", 16, "end" },
		{ "words 1\none\ntwo\nend\n", 20, NULL },
		{ "words 1\none\nend\n\n", 17, NULL },
		{ "words 1\no\0e\nend\n", 16, NULL },
		{ "words 12\none\nend\n", 17, NULL },
		{ "words 2\none\nend\n", 16, NULL },
	};
	struct strbuf text = { 0 };
	char word[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(record_file_parse(&words, cases[i].text, cases[i].len, word),
			cases[i].word != NULL);
		if (cases[i].word)
			assert_string_equal(word, cases[i].word);
	}
	record_file_put(&words, "one", &text);
	assert_string_equal(text.text, cases[0].text);
	for (size_t cut = 0; cut < text.len; cut++)
		assert_false(record_file_parse(&words, text.text, cut, word));
	strbuf_clear(&text);
}

static void words_of_a_list_stand_between_separators(void **state)
{
	const char *list = " ,a, bcdef\tg,";
	char word[4];

	(void)state;
	assert_true(parse_word(&list, ", \t", word, sizeof(word)));
	assert_string_equal(word, "a");
	assert_true(parse_word(&list, ", \t", word, sizeof(word)));
	assert_string_equal(word, "bcd");
	assert_true(parse_word(&list, ", \t", word, sizeof(word)));
	assert_string_equal(word, "g");
	assert_false(parse_word(&list, ", \t", word, sizeof(word)));
}

static void items_are_joined_until_the_buffer_is_full(void **state)
{
	char list[10] = "";

	(void)state;
	text_join(list, sizeof(list), ", ", "%d", 1);
	assert_string_equal(list, "1");
	text_join(list, sizeof(list), " and ", "%d", 2);
	assert_string_equal(list, "1 and 2");
	text_join(list, sizeof(list), ", ", "%s", "three");
	assert_string_equal(list, "1 and 2, ");
	text_join(list, sizeof(list), ", ", "%s", "four");
	assert_string_equal(list, "1 and 2, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_strict),
		cmocka_unit_test(words_of_a_list_stand_between_separators),
		cmocka_unit_test(items_are_joined_until_the_buffer_is_full),
		cmocka_unit_test(decimals_round_to_the_scale),
		cmocka_unit_test(hex_size_seconds_and_versions),
		cmocka_unit_test(strbuf_writes_numbers_as_printf_would),
		cmocka_unit_test(json_comes_out_one_key_a_line),
		cmocka_unit_test(json_pads_numbers_as_printf_would),
		cmocka_unit_test(json_goes_in_strictly),
		cmocka_unit_test(files_are_whole_or_not_there),
		cmocka_unit_test(the_same_file_may_have_two_names),
		cmocka_unit_test(a_name_taken_while_we_wrote_is_not_replaced),
		cmocka_unit_test(what_a_process_of_our_number_left_is_in_nobodys_way),
		cmocka_unit_test(a_file_has_no_name_before_it_is_whole),
		cmocka_unit_test(no_text_commands_a_terminal),
		cmocka_unit_test(want_of_memory_is_an_error_and_no_crash),
		cmocka_unit_test(at_a_pace_time_passes_faster_while_all_wait),
		cmocka_unit_test(virtual_time_moves_only_by_waiting),
		cmocka_unit_test(each_code_has_a_word_of_its_own),
		cmocka_unit_test(an_error_keeps_its_code),
		cmocka_unit_test(an_error_keeps_its_cause),
		cmocka_unit_test(a_record_file_is_whole_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
