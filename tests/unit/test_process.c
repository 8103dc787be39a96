/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_process.c - the processes that hold a card: names from /proc. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/host/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_file(const char *root, const char *name, const char *text, size_t len)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	fclose(file);
}

static void remove_tree(const char *root)
{
	static const char *const names[] = { "proc/77/cmdline", "proc/77/comm", "proc/77/status",
		"proc/77/cgroup", "proc/77", "proc", "etc/passwd", "etc", "" };
	char path[256];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		remove(path);
	}
}

static void a_process_is_described_below_any_root(void **state)
{
	static const char raw[] = " python3\0run\n.py\0\033[31m\0\xc3\xa9\0";
	static const char status[] = "Name:\tpython3\nUid:\t1000\t1000\t1000\t1000\n";
	static const char passwd[] =
		"root:x:0:0::/root:/bin/sh\njoe:x:1000:1000::/home/joe:/bin/sh\n";
	static const char boot[] = "cpu  1 2 3\nintr 5 6 7\nbtime 1700000000\nprocesses 9\n";
	static const char stat[] = "77 (a ) 9 b) S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 "
		"123456789 10 11\n";
	char root[] = "/tmp/test_process.XXXXXX", path[256];
	struct process p = { .device = 3 };

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/77", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/etc", root);
	mkdir(path, 0755);
	put_file(root, "proc/77/comm", "python3\n", 8);
	process_describe(root, 77, &p);
	assert_string_equal(p.command, "python3");
	assert_string_equal(p.user, "?");

	assert_int_equal(p.started, 0);
	assert_int_equal(p.pinned, -1);

	put_file(root, "proc/stat", boot, sizeof(boot) - 1);
	put_file(root, "proc/77/stat", stat, sizeof(stat) - 1);
	put_file(root, "proc/77/cmdline", raw, sizeof(raw) - 1);
	put_file(root, "proc/77/status", status, sizeof(status) - 1);
	put_file(root, "proc/77/cgroup", "0::/lxc/box\n", 12);
	process_describe(root, 77, &p);
	assert_int_equal(p.pid, 77);
	assert_int_equal(p.device, 3);
	assert_string_equal(p.user, "1000");
	assert_string_equal(p.command, "python3 run .py \\x1b[31m \\xc3\\xa9");
	assert_string_equal(p.container, "lxc:box");
	assert_int_equal(p.started / 1000000000,
		1700000000 + 123456789 / sysconf(_SC_CLK_TCK));

	put_file(root, "etc/passwd", passwd, sizeof(passwd) - 1);
	process_describe(root, 77, &p);
	assert_string_equal(p.user, "joe");
	remove_tree(root);
}

/* The last number of NSpid, if that line is there or the text has all of them. */
static void a_process_is_seen_as_in_its_own_namespace(void **state)
{
	static const struct {
		const char *status;
		pid_t seen_as;
		int64_t uid;
	} cases[] = {
		{ "Name:\tx\nUid:\t7\t8\t9\t9\nNSpid:\t77\n", 77, 7 },
		{ "Name:\tx\nNSpid:\t77\t12\t3\nVmPeak:\t9 kB\n", 3, -1 },
		{ "Name:\tx\nUid:\t7\nNSpid:\t77\t12", 12, 7 },
		{ "Name:\tx\nUid:\t7\n", 77, 7 },
		{ "Name:\tx\nUid:\t-7\nNSpid:\t\n", 0, -1 },
		{ "Name:\tx\nUid:\t4294967296\nNSpid:\t77\t99999999999\n", 0, -1 },
		{ "", 0, -1 },
	};
	char root[] = "/tmp/test_process.XXXXXX", path[256], groups[5000];
	struct process p;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/77", root);
	mkdir(path, 0755);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put_file(root, "proc/77/status", cases[i].status, strlen(cases[i].status));
		process_describe(root, 77, &p);
		assert_int_equal(p.seen_as, cases[i].seen_as);
		assert_int_equal(p.uid, cases[i].uid);
		assert_false(p.has_memory);
	}
	memset(groups, '1', sizeof(groups));
	put_file(root, "proc/77/status", groups, sizeof(groups));
	process_describe(root, 77, &p);
	assert_int_equal(p.seen_as, 0);
	remove_tree(root);
}

static void a_process_that_went_has_question_marks(void **state)
{
	struct process p;

	(void)state;
	assert_false(process_describe("/proc/none", 5, &p));
	assert_string_equal(p.user, "?");
	assert_string_equal(p.command, "?");
	assert_string_equal(p.container, "");
	assert_false(process_describe("/", 0, &p));
	assert_int_equal(p.pid, 0);
	assert_string_equal(p.command, "?");
}

static void our_own_process_has_our_name(void **state)
{
	struct process p;

	(void)state;
	assert_true(process_describe("/", getpid(), &p));
	assert_non_null(strstr(p.command, "test_process"));
	assert_string_not_equal(p.user, "?");
	assert_int_equal(p.seen_as, getpid());
	assert_int_equal(p.uid, getuid());
}

static void a_long_command_is_cut_between_escapes(void **state)
{
	char root[] = "/tmp/test_process.XXXXXX", path[256], raw[600];
	struct process p;
	size_t len;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/77", root);
	mkdir(path, 0755);
	memset(raw, 0x80, sizeof(raw));
	put_file(root, "proc/77/cmdline", raw, sizeof(raw));
	process_describe(root, 77, &p);
	len = strlen(p.command);
	assert_int_equal(len % 4, 0);
	assert_true(len > 240);
	remove_tree(root);
}

static void processes_sort_by_device_then_pid(void **state)
{
	struct process p[] = { { .device = 1, .pid = 5 }, { .device = 0, .pid = 9 },
			       { .device = 1, .pid = 2 } };

	(void)state;
	qsort(p, ARRAY_LEN(p), sizeof(p[0]), process_compare);
	assert_int_equal(p[0].pid, 9);
	assert_int_equal(p[1].pid, 2);
	assert_int_equal(p[2].pid, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_described_below_any_root),
		cmocka_unit_test(a_process_is_seen_as_in_its_own_namespace),
		cmocka_unit_test(a_process_that_went_has_question_marks),
		cmocka_unit_test(our_own_process_has_our_name),
		cmocka_unit_test(a_long_command_is_cut_between_escapes),
		cmocka_unit_test(processes_sort_by_device_then_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
