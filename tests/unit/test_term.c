/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program on a terminal that this test holds the other end of: one that
 * stands still, is huge, or has a light background; and whatever ends the
 * program gives the terminal back.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/text.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

#define PATIENCE 60000		/* ms for what an idle machine does in a few */
#define ENTER	 "\033[?1049h"	/* xterm's second screen */
#define LEAVE	 "\033[?1049l"
#define PASTE_ON "\033[?2004h"	/* pasted text comes in brackets */
#define PASTE_OFF "\033[?2004l"
#define QUESTION "\033]11;?"
#define LIGHT	 "1;38;5;24m"	/* headings on light backgrounds, and on dark ones */
#define DARK	 "1;38;5;80m"

struct tty {
	int fd, slave;
	pid_t pid;
	struct termios found;
	struct strbuf seen;
	bool ended;
	int status;
};

static char folder[] = "/tmp/test-term.XXXXXX";

/* The arguments of tt-smi as one text; more of the environment as NAME=VALUE. */
static void start(struct tty *t, int w, int h, const char *environment, const char *args)
{
	struct winsize size = { .ws_col = (unsigned short)w, .ws_row = (unsigned short)h };
	struct strbuf command = { 0 };

	*t = (struct tty){ .fd = -1 };
	assert_int_equal(openpty(&t->fd, &t->slave, NULL, NULL, &size), 0);
	tcgetattr(t->slave, &t->found);
	strbuf_printf(&command, "cd %s && unset COLORFGBG COLORTERM && exec env "
		"TERM=xterm-256color %s \"$TT_SMI\" %s", folder, environment, args);
	t->pid = fork();
	assert_true(t->pid >= 0);
	if (t->pid == 0) {
		signal(SIGHUP, SIG_DFL);	/* also where the tests run under nohup */
		setsid();
		ioctl(t->slave, TIOCSCTTY, 0);
		for (int fd = 0; fd < 3; fd++)
			dup2(t->slave, fd);
		close(t->slave);
		close(t->fd);
		execl("/bin/sh", "sh", "-c", command.text, (char *)NULL);
		_exit(127);
	}
	strbuf_clear(&command);
}

/* Read what has come within ms milliseconds; false when nothing has. */
static bool take(struct tty *t, int ms)
{
	struct pollfd in = { .fd = t->fd, .events = POLLIN };
	static char buf[65536];
	ssize_t n;

	if (poll(&in, 1, ms) <= 0 || !(in.revents & POLLIN))
		return false;
	n = read(t->fd, buf, sizeof(buf));
	if (n > 0)
		strbuf_add(&t->seen, buf, (size_t)n);
	return n > 0;
}

static size_t count(const struct tty *t, const char *text)
{
	size_t n = 0;

	for (const char *at = t->seen.text; at && (at = strstr(at, text)); at += strlen(text))
		n++;
	return n;
}

static bool sees(struct tty *t, const char *text)
{
	for (int64_t end = clock_mono() + PATIENCE * CLOCK_MS; clock_mono() < end;) {
		if (count(t, text) > 0)
			return true;
		take(t, 50);
	}
	print_message("# '%s' has not come\n", text);
	return false;
}

static void press(struct tty *t, const char *keys)
{
	assert_int_equal(write(t->fd, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Wait for its end, reading what it writes or not. */
static bool ends(struct tty *t, bool reading)
{
	for (int64_t end = clock_mono() + PATIENCE * CLOCK_MS; clock_mono() < end;) {
		if (waitpid(t->pid, &t->status, WNOHANG) == t->pid) {
			t->ended = true;
			return true;
		}
		if (!reading || !take(t, 20))
			usleep(10000);
	}
	return false;
}

static void finish(struct tty *t)
{
	if (!t->ended) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	close(t->fd);
	close(t->slave);
	strbuf_clear(&t->seen);
}

static void assert_given_back(struct tty *t)
{
	struct termios now = { 0 };

	while (take(t, 0))
		;
	tcgetattr(t->slave, &now);
	assert_memory_equal(&now, &t->found, sizeof(now));
	assert_true(count(t, LEAVE) > 0);
	assert_true(count(t, "\033[?1000l") > 0);
	assert_true(count(t, PASTE_OFF) > 0);
	assert_true(count(t, "\033[?25h") > 0);
}

/* Lines of all files that the pattern names. */
static size_t lines(const char *pattern)
{
	char path[200];
	size_t n = 0;
	glob_t g;

	snprintf(path, sizeof(path), "%s/%s", folder, pattern);
	if (glob(path, 0, NULL, &g) != 0)
		return 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "re");

		for (int c; f && (c = fgetc(f)) != EOF;)
			n += c == '\n';
		if (f)
			fclose(f);
	}
	globfree(&g);
	return n;
}

/* t: the terminal that is read meanwhile, or NULL. */
static bool grows(struct tty *t, const char *pattern, size_t by)
{
	size_t before = lines(pattern);

	for (int64_t end = clock_mono() + PATIENCE * CLOCK_MS; clock_mono() < end; usleep(20000)) {
		if (lines(pattern) >= before + by)
			return true;
		while (t && take(t, 0))
			;
	}
	return false;
}

/* Until it cannot be written to any more. */
static bool stands(struct tty *t)
{
	struct pollfd out = { .fd = t->slave, .events = POLLOUT };

	for (int64_t end = clock_mono() + PATIENCE * CLOCK_MS; clock_mono() < end; usleep(1000)) {
		if (poll(&out, 1, 0) == 0)
			return true;
		press(t, "12345");
	}
	return false;
}

static void a_terminal_that_is_not_read_stops_neither_rows_nor_the_end(void **state)
{
	struct tty t;

	(void)state;
	start(&t, 200, 60, "", "--sim '4*p150a' -i 0.02");
	assert_true(sees(&t, "trained"));
	press(&t, "d");
	assert_true(grows(&t, "tt-smi-logs/*/0_*.csv", 5));
	assert_true(stands(&t));
	assert_true(grows(NULL, "tt-smi-logs/*/0_*.csv", 50));
	kill(t.pid, SIGTERM);
	assert_true(ends(&t, false));
	assert_true(WIFSIGNALED(t.status) && WTERMSIG(t.status) == SIGTERM);
	assert_given_back(&t);
	finish(&t);
}

static void ctrl_s_stops_neither_rows_nor_the_end(void **state)
{
	struct tty t;

	(void)state;
	start(&t, 200, 60, "", "--sim '4*p150a' -i 0.02");
	assert_true(sees(&t, "trained"));
	press(&t, "d");
	assert_true(grows(&t, "tt-smi-logs/*/0_*.csv", 5));
	press(&t, "\023");
	assert_true(stands(&t));
	assert_true(grows(NULL, "tt-smi-logs/*/0_*.csv", 50));
	press(&t, "q");
	assert_true(ends(&t, false));
	assert_true(WIFEXITED(t.status) && WEXITSTATUS(t.status) == 0);
	assert_given_back(&t);
	finish(&t);
}

static void ctrl_s_and_ctrl_q_leave_a_whole_picture(void **state)
{
	struct tty t;

	(void)state;
	start(&t, 120, 40, "", "--sim p150a");
	assert_true(sees(&t, "Bus ID"));
	press(&t, "\023");
	press(&t, "2");
	usleep(200000);
	strbuf_clear(&t.seen);
	press(&t, "\021");
	assert_true(sees(&t, "Vcore"));
	press(&t, "q");
	assert_true(ends(&t, true));
	assert_given_back(&t);
	finish(&t);
}

static void ctrl_s_stops_neither_the_rows_nor_the_end_of_a_dump_without_display(void **state)
{
	struct tty t;

	(void)state;
	start(&t, 80, 24, "", "-d -dir still --sim p150a -i 0.02");
	assert_true(sees(&t, "samples"));
	press(&t, "\023");
	assert_true(grows(NULL, "still/0_*.csv", 100));
	kill(t.pid, SIGTERM);
	assert_true(ends(&t, false));
	finish(&t);
}

static void every_signal_gives_the_terminal_back(void **state)
{
	static const int signals[] = { SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2,
		SIGXCPU, SIGSYS, SIGTRAP, SIGVTALRM, SIGPROF, SIGIO, SIGSEGV, SIGABRT };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		struct tty t;

		start(&t, 100, 30, "", "--sim p150a");
		assert_true(sees(&t, "p150a"));
		if (signals[i] == SIGQUIT)
			press(&t, "\034");
		else
			kill(t.pid, signals[i]);
		if (!ends(&t, true))
			fail_msg("signal %d has not ended it", signals[i]);
		assert_true(WIFSIGNALED(t.status));
		assert_int_equal(WTERMSIG(t.status), signals[i]);
		assert_given_back(&t);
		assert_true(count(&t, PASTE_ON) > 0);
		finish(&t);
	}
}

static void each_mode_that_has_the_terminal_gives_it_back(void **state)
{
	static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGUSR1, SIGUSR2, SIGALRM };
	static const struct {
		const char *args, *there;
		bool has_screen;
	} modes[] = {
		{ "-b host --threads 1 --workload matmul --dtype float32 -dur 1000 --sim p150a",
			"Burn-in", true },
		{ "-wr 0 --sim p150a", "[y/N]", false },
		{ "-wr --sim p150a", "then Enter", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(modes) * ARRAY_LEN(signals); i++) {
		const int number = signals[i % ARRAY_LEN(signals)];
		const size_t m = i / ARRAY_LEN(signals);
		struct termios now = { 0 };
		struct tty t;

		start(&t, 100, 30, "", modes[m].args);
		assert_true(sees(&t, modes[m].there));
		kill(t.pid, number);
		assert_true(ends(&t, true));
		assert_true(WIFSIGNALED(t.status) && WTERMSIG(t.status) == number);
		while (take(&t, 0))
			;
		tcgetattr(t.slave, &now);
		assert_memory_equal(&now, &t.found, sizeof(now));
		assert_true(count(&t, PASTE_ON) > 0 && count(&t, PASTE_OFF) > 0);
		assert_true(!modes[m].has_screen || count(&t, LEAVE) > 0);
		finish(&t);
	}
}

static void ctrl_backslash_and_a_crash_give_the_modes_back_in_a_dump(void **state)
{
	static const int signals[] = { SIGQUIT, SIGSEGV, SIGUSR1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		struct termios now = { 0 };
		struct tty t;

		start(&t, 80, 24, "", "-d -i 0.1 --sim p150a");
		assert_true(sees(&t, "samples"));
		tcgetattr(t.slave, &now);
		assert_int_equal(now.c_lflag & ECHO, 0);
		kill(t.pid, signals[i]);
		assert_true(ends(&t, true));
		tcgetattr(t.slave, &now);
		assert_memory_equal(&now, &t.found, sizeof(now));
		finish(&t);
	}
}

static long peak_kb(pid_t pid)
{
	char path[64], line[200];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

static void a_terminal_of_30000_by_30000_cells_costs_little(void **state)
{
	struct tty t;

	(void)state;
	start(&t, 30000, 30000, "", "--sim p150a");
	assert_true(sees(&t, "p150a"));
	press(&t, "2");
	assert_true(sees(&t, "Vcore"));
	assert_in_range(peak_kb(t.pid), 1000, 300000);
	press(&t, "q");
	assert_true(ends(&t, true));
	assert_given_back(&t);
	finish(&t);
}

/* Start, answer the question for the background, and return what colours are used then. */
static void check_theme(const char *environment, const char *args, const char *answer,
	bool asks, bool light)
{
	struct tty t;

	start(&t, 120, 40, environment, args);
	assert_true(sees(&t, "p150a"));
	assert_true(sees(&t, "Bus ID"));
	assert_int_equal(count(&t, QUESTION), asks);
	if (answer) {
		press(&t, answer);
		press(&t, "\033[?62;22c");
	}
	if (light) {
		assert_true(sees(&t, LIGHT));
		strbuf_clear(&t.seen);
	}
	press(&t, "2");
	assert_true(sees(&t, "Vcore"));
	assert_int_equal(count(&t, LIGHT) > 0, light);
	assert_int_equal(count(&t, DARK) > 0, !light);
	press(&t, "q");
	assert_true(ends(&t, true));
	finish(&t);
}

static void the_colours_are_those_for_the_background(void **state)
{
	static const char white[] = "\033]11;rgb:ffff/ffff/ffff\033\\";
	static const char black[] = "\033]11;rgb:00/00/00\007";
	static const char sim[] = "--sim p150a", on_dark[] = "--sim p150a -t default";
	static const char on_light[] = "--sim p150a -t dark";

	(void)state;
	check_theme("", sim, white, true, true);
	check_theme("", sim, black, true, false);
	check_theme("", sim, "", true, false);
	check_theme("COLORFGBG='0;default;15'", sim, NULL, true, true);
	check_theme("COLORFGBG='15;0'", sim, NULL, true, false);
	check_theme("COLORFGBG='0;15'", on_dark, white, false, false);
	check_theme("", on_light, black, false, true);
}

static void the_first_picture_does_not_wait_for_the_answer(void **state)
{
	struct tty t;

	(void)state;
	/* The first answer never comes: sees() alone would do, but the order tells more. */
	start(&t, 120, 40, "", "--sim p150a");
	assert_true(sees(&t, "System Management"));
	assert_true(strstr(t.seen.text, QUESTION) < strstr(t.seen.text, "System Management"));
	press(&t, "q");
	assert_true(ends(&t, true));
	finish(&t);
}

/* What is not taken in time is typed into the shell. */
static void an_answer_at_the_end_is_not_typed_into_the_shell(void **state)
{
	struct tty t;
	int left = -1;

	(void)state;
	start(&t, 120, 40, "", "--sim p150a");
	assert_true(sees(&t, QUESTION));
	press(&t, "q\033]11;rgb:ffff/ffff/ffff\033\\\033[?62;22c");
	assert_true(ends(&t, true));
	ioctl(t.slave, FIONREAD, &left);
	assert_int_equal(left, 0);
	assert_given_back(&t);
	finish(&t);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_that_is_not_read_stops_neither_rows_nor_the_end),
		cmocka_unit_test(ctrl_s_stops_neither_rows_nor_the_end),
		cmocka_unit_test(ctrl_s_and_ctrl_q_leave_a_whole_picture),
		cmocka_unit_test(
			ctrl_s_stops_neither_the_rows_nor_the_end_of_a_dump_without_display),
		cmocka_unit_test(every_signal_gives_the_terminal_back),
		cmocka_unit_test(each_mode_that_has_the_terminal_gives_it_back),
		cmocka_unit_test(ctrl_backslash_and_a_crash_give_the_modes_back_in_a_dump),
		cmocka_unit_test(a_terminal_of_30000_by_30000_cells_costs_little),
		cmocka_unit_test(the_colours_are_those_for_the_background),
		cmocka_unit_test(the_first_picture_does_not_wait_for_the_answer),
		cmocka_unit_test(an_answer_at_the_end_is_not_typed_into_the_shell),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
