/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that is run for each thing that happens: what it is given, that nobody waits for
 * it, and that nothing of it is left, whatever it does and however we end.
 */
#include "config.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hook.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define LONG_TIME (60 * CLOCK_SECOND)

static char dir[64], program[96];

/* A program of these lines, which finds its folder in $D. */
static void write_program(const char *lines)
{
	FILE *f = fopen(program, "w");

	fprintf(f, "#!/bin/sh\n%s\n", lines);
	fclose(f);
	chmod(program, 0755);
}

static int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/tt-smi-hook.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(program, sizeof(program), "%s/program", dir);
	setenv("D", dir, 1);
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static struct hook *open_hook(int64_t limit)
{
	const struct hook_config c = { .path = program, .prefix = "TT_SMI_ALERT_",
		.limit = limit };
	struct error e = { 0 };
	struct hook *h;

	if (hook_open(&c, &h, &e) < 0)
		fail_msg("%s", e.text);
	return h;
}

static void ask(struct hook *h, const char *name)
{
	char facts[64];
	int n = snprintf(facts, sizeof(facts), "TT_SMI_ALERT_NAME=%s", name);

	hook_ask(h, facts, (size_t)n + 1);
}

/* Let it finish, for as long as it takes. */
static struct hook_counts finish(struct hook *h)
{
	struct pollfd p = { .fd = hook_end_fd(h), .events = POLLIN };
	struct hook_counts counts;

	hook_end(h);
	assert_int_equal(poll(&p, 1, 60000), 1);
	hook_close(h, &counts);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return counts;
}

static bool has_file(const char *name, char *text, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return file_read_at(AT_FDCWD, path, text, size) > 0;
}

static void await_file(const char *name, char *text, size_t size)
{
	for (int i = 0; i < 6000 && !has_file(name, text, size); i++)
		usleep(10000);
	assert_true(has_file(name, text, size));
}

/* The process whose number is in a file; 0: there is no such file. */
static pid_t pid_in(const char *name)
{
	uint64_t pid = 0;
	char text[32];

	if (has_file(name, text, sizeof(text)))
		assert_true(parse_u64(text, &pid));
	return (pid_t)pid;
}

static bool lives(const char *name)
{
	struct proc_stat stat;
	const pid_t pid = pid_in(name);

	return pid && proc_stat_read(pid, &stat) && stat.state != 'Z';
}

static void await_death(const char *name)
{
	for (int i = 0; i < 6000 && lives(name); i++)
		usleep(10000);
	assert_false(lives(name));
}

static void each_run_has_its_facts_in_order(void **state)
{
	static const char facts[] = "TT_SMI_ALERT_NAME=first\0TT_SMI_ALERT_VALUE=a b\"$(c)\n";
	char text[256];
	struct hook_counts counts;
	struct hook *h;

	(void)state;
	setenv("TT_SMI_ALERT_OLD", "not ours", 1);
	write_program("printf '%s|%s|%s|%s;' \"$TT_SMI_ALERT_NAME\" \"$TT_SMI_ALERT_VALUE\" "
		"\"$#\" \"${TT_SMI_ALERT_OLD-none}\" >>$D/said");
	h = open_hook(LONG_TIME);
	hook_ask(h, facts, sizeof(facts));
	ask(h, "second");
	counts = finish(h);
	unsetenv("TT_SMI_ALERT_OLD");
	assert_true(has_file("said", text, sizeof(text)));
	assert_string_equal(text, "first|a b\"$(c)\n|0|none;second||0|none;");
	assert_int_equal(counts.asked, 2);
	assert_int_equal(counts.ran, 2);
	assert_int_equal(counts.failed, 0);
	assert_string_equal(counts.trouble, "");
}

static void it_has_our_environment_alone(void **state)
{
	const int mine = open("/dev/zero", O_RDONLY);	/* without O_CLOEXEC */
	char text[4096];

	(void)state;
	write_program("ls -l /proc/$$/fd >$D/said.new\n"
		"read line && echo input $line >>$D/said.new\n"
		"(: </dev/tty) 2>/dev/null && echo a terminal >>$D/said.new\n"
		"while read -r line; do echo \"$line\"; done </proc/$$/status >>$D/said.new\n"
		"echo to nobody; echo to nobody >&2; exec <&- >&-\n"
		"mv $D/said.new $D/said");
	signal(SIGUSR1, SIG_IGN);
	struct hook *h = open_hook(LONG_TIME);
	ask(h, "one");
	assert_int_equal(finish(h).failed, 0);
	signal(SIGUSR1, SIG_DFL);
	close(mine);
	assert_true(has_file("said", text, sizeof(text)));
	assert_non_null(strstr(text, " 0 -> /dev/null\n"));
	assert_non_null(strstr(text, " 2 -> /dev/null\n"));
	assert_null(strstr(text, "zero"));
	assert_null(strstr(text, "socket"));
	assert_null(strstr(text, "pipe"));
	assert_null(strstr(text, "input"));
	assert_null(strstr(text, "terminal"));
	/* Those from 32 on are the C library's. */
	assert_int_equal(strtoull(strstr(text, "SigBlk:") + 7, NULL, 16) & INT32_MAX, 0);
	assert_int_equal(strtoull(strstr(text, "SigIgn:") + 7, NULL, 16) & INT32_MAX, 0);
}

static void one_runs_at_a_time(void **state)
{
	char text[256];
	struct hook *h;

	(void)state;
	write_program("mkdir $D/here || echo two >>$D/wrong\nsleep 0.05\nrmdir $D/here\n"
		"echo $TT_SMI_ALERT_NAME >>$D/said");
	h = open_hook(LONG_TIME);
	for (int i = 0; i < 5; i++)
		ask(h, "x");
	assert_int_equal(finish(h).ran, 5);
	assert_false(has_file("wrong", text, sizeof(text)));
	assert_true(has_file("said", text, sizeof(text)));
	assert_string_equal(text, "x\nx\nx\nx\nx\n");
}

static void what_fails_is_counted_with_its_trouble(void **state)
{
	static const struct {
		const char *lines, *trouble;
	} table[] = {
		{ "exit 3", "exit code 3" },
		{ "kill -9 $$", "killed by signal 9" },
		{ "chmod a-x $0; exit 0", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct hook_counts counts;
		struct hook *h;

		write_program(table[i].lines);
		h = open_hook(LONG_TIME);
		ask(h, "one");
		counts = finish(h);
		assert_int_equal(counts.ran, 1);
		assert_int_equal(counts.failed, *table[i].trouble != 0);
		assert_string_equal(counts.trouble, table[i].trouble);
	}
}

static void what_cannot_be_run_later_is_a_failure(void **state)
{
	struct hook_counts counts;
	struct hook *h;

	(void)state;
	write_program("exit 0");
	h = open_hook(LONG_TIME);
	unlink(program);
	ask(h, "one");
	counts = finish(h);
	assert_int_equal(counts.failed, 1);
	assert_string_equal(counts.trouble, "not started: No such file or directory");
	write_program("exit 0");
	h = open_hook(LONG_TIME);
	chmod(program, 04755);
	ask(h, "one");
	counts = finish(h);
	assert_int_equal(counts.failed, 1);
	assert_string_equal(counts.trouble, "not started: Invalid argument");
}

static void what_may_not_be_run_is_refused_before(void **state)
{
	char path[128];

	(void)state;
	write_program("exit 0");
	for (int i = 0; i < 7; i++) {
		struct error e = { 0 };
		const char *said[] = { "absolute path", "absolute path", "No such file",
			"not a regular file", "Permission denied", "somebody else", "somebody else" };

		snprintf(path, sizeof(path), "%s", i == 0 ? "sh" : i == 1 ? "./program" :
			i == 2 ? "/proc/none/at all" : i == 3 ? dir : program);
		chmod(program, i == 4 ? 0644 : i == 5 ? 04755 : i == 6 ? 02755 : 0755);
		assert_true(file_prove_program(path, &e) < 0);
		if (!strstr(e.text, said[i]))
			fail_msg("%d: %s", i, e.text);
	}
}

static void a_program_that_hangs_is_ended(void **state)
{
	struct hook_counts counts;
	char text[32];
	struct hook *h;

	(void)state;
	write_program("trap '' TERM INT HUP\necho $$ >$D/pid\nsleep 600 & echo $! >$D/second\n"
		"sleep 600");
	/* A busy machine may end it before it has come to where it hangs. */
	for (int64_t t = CLOCK_SECOND / 10; !has_file("second", text, sizeof(text)); t *= 4) {
		h = open_hook(t);
		ask(h, "one");
		counts = finish(h);
		assert_int_equal(counts.failed, 1);
		assert_string_equal(counts.trouble, "still running, and ended");
		assert_true(t < 60 * CLOCK_SECOND);
	}
	assert_false(lives("pid"));
	assert_false(lives("second"));
}

static void what_it_left_running_ends_with_it(void **state)
{
	char text[32];
	struct hook *h;

	(void)state;
	write_program("sleep 600 & echo $! >$D/here\n"
		"setsid sh -c 'echo $$ >$D/away; exec sleep 600' &\n"
		"until [ -s $D/away ]; do sleep 0.01; done");
	h = open_hook(LONG_TIME);
	ask(h, "one");
	assert_int_equal(finish(h).failed, 0);
	assert_true(has_file("here", text, sizeof(text)));
	assert_true(has_file("away", text, sizeof(text)));
	assert_false(lives("here"));
	assert_false(lives("away"));
}

static void nobody_waits_for_it_and_what_is_too_much_is_counted(void **state)
{
	enum { MANY = 5000 };
	struct hook_counts counts;
	char text[32];
	struct hook *h;

	(void)state;
	write_program("echo $$ >$D/pid; exec sleep 600");
	h = open_hook(LONG_TIME);
	for (int i = 0; i < MANY; i++)
		ask(h, "one");
	await_file("pid", text, sizeof(text));
	hook_close(h, &counts);
	assert_int_equal(counts.asked, MANY);
	assert_int_equal(counts.ran, 1);
	assert_false(lives("pid"));
	/* Each that has room is run. */
	write_program("exit 0");
	h = open_hook(LONG_TIME);
	for (int i = 0; i < MANY; i++)
		ask(h, "one");
	counts = finish(h);
	assert_true(counts.ran > 0 && counts.ran <= MANY);
	h = open_hook(LONG_TIME);
	for (int i = 0; i < 20; i++)
		ask(h, "one");
	assert_int_equal(finish(h).ran, 20);
}

/* A process that asks and is killed. */
static _Noreturn int ask_and_wait(void *arg, int fd)
{
	struct hook *h = open_hook(LONG_TIME);

	(void)arg, (void)fd;
	ask(h, "one");
	for (;;)
		pause();
}

static void it_ends_when_we_are_killed(void **state)
{
	const struct child_config how = { .run = ask_and_wait };
	struct child c;
	struct error e;
	char text[32];

	(void)state;
	write_program("sleep 600 & echo $! >$D/second\necho $PPID >$D/server\necho $$ >$D/pid\n"
		"exec sleep 600");
	assert_int_equal(child_start(&c, &how, &e), 0);
	await_file("pid", text, sizeof(text));
	assert_true(lives("pid") && lives("second") && lives("server"));
	child_kill(&c);
	child_end(&c, LONG_TIME);
	await_death("pid");
	await_death("second");
	await_death("server");
}

static void a_server_that_is_killed_is_no_trouble(void **state)
{
	struct hook_counts counts;
	char text[32];
	struct hook *h;

	(void)state;
	write_program("echo $PPID >$D/server; echo $$ >$D/pid; exec sleep 600");
	h = open_hook(LONG_TIME);
	ask(h, "one");
	await_file("pid", text, sizeof(text));
	kill(pid_in("server"), SIGKILL);
	await_death("pid");
	for (int i = 0; i < 100; i++)
		ask(h, "more");
	hook_end(h);
	hook_close(h, &counts);
	assert_int_equal(counts.asked, 101);
	assert_int_equal(counts.ran, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_run_has_its_facts_in_order, begin, end),
		cmocka_unit_test_setup_teardown(it_has_our_environment_alone, begin, end),
		cmocka_unit_test_setup_teardown(one_runs_at_a_time, begin, end),
		cmocka_unit_test_setup_teardown(what_fails_is_counted_with_its_trouble, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_run_later_is_a_failure, begin, end),
		cmocka_unit_test_setup_teardown(what_may_not_be_run_is_refused_before, begin, end),
		cmocka_unit_test_setup_teardown(a_program_that_hangs_is_ended, begin, end),
		cmocka_unit_test_setup_teardown(what_it_left_running_ends_with_it, begin, end),
		cmocka_unit_test_setup_teardown(nobody_waits_for_it_and_what_is_too_much_is_counted,
			begin, end),
		cmocka_unit_test_setup_teardown(it_ends_when_we_are_killed, begin, end),
		cmocka_unit_test_setup_teardown(a_server_that_is_killed_is_no_trouble, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
