/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program in our place: whose a process is, what is left, and that nothing stays a zombie. */
#include "config.h"
#include "base/child.h"
#include "base/program.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void start(struct program *p, const char *script)
{
	char sh[] = "sh", c[] = "-c", text[128];
	char *argv[] = { sh, c, text, NULL };
	struct error e;

	snprintf(text, sizeof(text), "%s", script);
	assert_int_equal(program_start(p, argv, &e), 0);
}

static void await(struct program *p)
{
	struct pollfd fd = { .fd = program_fd(), .events = POLLIN };

	while (!program_has_ended(p))
		poll(&fd, 1, -1);
}

static pid_t read_pid(int fd)
{
	char text[32] = "";

	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	return (pid_t)strtol(text, NULL, 10);
}

static void what_it_starts_is_its_own_also_once_it_has_ended(void **state)
{
	struct program_left left[2];
	struct program p;
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], 9), 9);
	start(&p, "(sleep 60 & echo $! >&9) & wait; exit 3");
	pid = read_pid(ends[0]);
	assert_int_equal(program_whose(&p, p.pid), PROGRAM_OWN);
	await(&p);
	assert_int_equal(program_exit_code(&p), 3);
	assert_int_equal(program_whose(&p, pid), PROGRAM_OWN);
	assert_int_equal(program_whose(&p, 1), PROGRAM_OTHER);
	assert_int_equal(program_list_left(&p, left, 2), 1);
	assert_int_equal(left[0].pid, pid);
	kill(pid, SIGKILL);
	while (program_list_left(&p, left, 2) > 0)
		poll(NULL, 0, 1);
	while (program_whose(&p, pid) != PROGRAM_UNKNOWN) {
		program_has_ended(&p);
		poll(NULL, 0, 1);
	}
	close(ends[0]);
	close(ends[1]);
	close(9);
}

static int idle(void *arg, int fd)
{
	char byte;

	(void)arg;
	return read(fd, &byte, 1) > 0;
}

static void our_own_children_are_left_to_who_started_them(void **state)
{
	const struct child_config how = { .run = idle };
	struct program_left left[2];
	struct child c;
	struct program p;
	struct error e;

	(void)state;
	assert_int_equal(child_start(&c, &how, &e), 0);
	start(&p, "exit 0");
	assert_int_equal(program_whose(&p, c.pid), PROGRAM_OTHER);
	await(&p);
	assert_int_equal(program_list_left(&p, left, 2), 0);
	assert_true(child_is_ours(c.pid));
	child_kill(&c);
	for (int i = 0; i < 100; i++)
		program_has_ended(&p);
	child_end(&c, 0);
	assert_int_equal(c.status, SIGKILL);
}

static void what_cannot_be_started_says_why(void **state)
{
	char missing[] = "/proc/none/program", root[] = "/";
	char *none[] = { missing, NULL }, *folder[] = { root, NULL };
	struct program p;
	struct error e;

	(void)state;
	assert_int_equal(program_start(&p, none, &e), -ENOENT);
	assert_int_equal(program_start(&p, folder, &e), -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_starts_is_its_own_also_once_it_has_ended),
		cmocka_unit_test(our_own_children_are_left_to_who_started_them),
		cmocka_unit_test(what_cannot_be_started_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
