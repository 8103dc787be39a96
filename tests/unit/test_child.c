/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of our own: what they inherit, and that none is left behind, not
 * even one that cannot be killed.  That one is made here: this file's kill()
 * stands in front of libc's and spares it.
 */
#include "config.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static pid_t immortal;

int kill(pid_t pid, int number)
{
	return pid == immortal ? 0 : (int)syscall(SYS_kill, pid, number);
}

static int wait_for_end(void *arg, int fd)
{
	char byte;

	(void)arg;
	while (recv(fd, &byte, 1, 0) > 0)
		;
	return 7;
}

static _Noreturn int never_end(void *arg, int fd)
{
	(void)arg, (void)fd;
	for (;;)
		pause();
}

static void start_with(struct child *c, int (*run)(void *, int), void *arg)
{
	const struct child_config how = { .run = run, .arg = arg, .dies_with_parent = true };
	struct error e;

	if (child_start(c, &how, &e) < 0)
		fail_msg("%s", e.text);
}

static void start(struct child *c, int (*run)(void *, int))
{
	start_with(c, run, NULL);
}

static bool we_have_children(void)
{
	return waitpid(-1, NULL, WNOHANG) == 0;
}

/* What the child finds, told in one packet. */
struct finds {
	int n_open;
	int open[64];
	bool null[3];
	bool blocked, handled, ignored;
	bool has_size_signal;		/* SIGXFSZ ends it */
};

static bool leads_to_null(int fd)
{
	char name[32], path[32] = "";

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return readlink(name, path, sizeof(path) - 1) > 0 && strcmp(path, "/dev/null") == 0;
}

static int look_around(void *arg, int fd)
{
	static struct finds f;
	struct sigaction act;
	struct dirent *entry;
	sigset_t set;
	DIR *dir;

	(void)arg;
	for (int i = 0; i < 3; i++)
		f.null[i] = leads_to_null(i);
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int n = 1; n < 32; n++) {
		f.blocked |= sigismember(&set, n) == 1;
		sigaction(n, NULL, &act);
		f.handled |= act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN;
		if (n == SIGXFSZ)
			f.has_size_signal = act.sa_handler != SIG_IGN;
		else
			f.ignored |= act.sa_handler == SIG_IGN;
	}
	dir = opendir("/proc/self/fd");
	while (dir && (entry = readdir(dir))) {
		int number = (int)strtol(entry->d_name, NULL, 10);

		if (number > 2 && number != fd && number != dirfd(dir))
			f.open[f.n_open++] = number;
	}
	send(fd, &f, sizeof(f), MSG_NOSIGNAL);
	return 0;
}

static struct finds find(const struct child_config *how)
{
	struct child c;
	struct finds f;
	struct error e;

	assert_int_equal(child_start(&c, how, &e), 0);
	assert_int_equal(recv(c.fd, &f, sizeof(f), 0), sizeof(f));
	child_end(&c, 10 * CLOCK_SECOND);
	assert_int_equal(c.status, 0);
	return f;
}

static void a_child_keeps_the_listed_descriptors_and_no_other(void **state)
{
	int kept[] = { open("/proc/version", O_RDONLY), open("/proc/uptime", O_RDONLY) };
	int pipes[2], high = fcntl(kept[0], F_DUPFD, 200);
	struct finds f;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	f = find(&(struct child_config){ .run = look_around, .keep = kept, .n_keep = 2 });
	assert_int_equal(f.n_open, 2);
	assert_true((f.open[0] == kept[0] && f.open[1] == kept[1]) ||
		(f.open[0] == kept[1] && f.open[1] == kept[0]));
	for (int i = 0; i < 3; i++)
		assert_true(f.null[i]);
	kept[0] = 1;
	f = find(&(struct child_config){ .run = look_around, .keep = kept, .n_keep = 1 });
	assert_int_equal(f.n_open, 0);
	assert_true(f.null[0] && !f.null[1] && f.null[2]);
	close(pipes[0]), close(pipes[1]), close(high), close(kept[1]);
}

static void on_signal(int number)
{
	(void)number;
}

static void a_child_has_no_handler_and_no_mask_of_ours(void **state)
{
	struct finds f;
	sigset_t set, old;

	(void)state;
	signal(SIGUSR1, on_signal);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	f = find(&(struct child_config){ .run = look_around });
	assert_false(f.blocked || f.handled || f.ignored || f.has_size_signal);
	f = find(&(struct child_config){ .run = look_around, .ignores_terminal = true });
	assert_true(f.ignored);
	assert_false(f.blocked || f.handled);
	/* And ours are as they were. */
	sigprocmask(SIG_SETMASK, &old, &set);
	assert_true(sigismember(&set, SIGINT) && sigismember(&set, SIGTERM) &&
		!sigismember(&set, SIGHUP));
	signal(SIGUSR1, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

static void a_child_ends_when_its_socket_closes_and_is_reaped(void **state)
{
	struct child c[20], *all[ARRAY_LEN(c)];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(c); i++) {
		start(&c[i], wait_for_end);
		all[i] = &c[i];
		assert_false(child_has_ended(&c[i]));
	}
	child_end_all(all, ARRAY_LEN(c), 30 * CLOCK_SECOND);
	for (size_t i = 0; i < ARRAY_LEN(c); i++)
		assert_true(WIFEXITED(c[i].status) && WEXITSTATUS(c[i].status) == 7);
	assert_false(we_have_children());
	child_end(&c[0], 0);
	child_end(&(struct child){ 0 }, 0);
}

static void a_child_that_does_not_end_is_killed_and_reaped(void **state)
{
	struct child c;

	(void)state;
	start(&c, never_end);
	child_end(&c, CLOCK_MS);
	assert_int_equal(c.pid, 0);
	while (child_reap_lost() > 0)
		poll(NULL, 0, 1);
	assert_false(we_have_children());
}

static void one_that_cannot_be_killed_is_accounted_until_it_can(void **state)
{
	struct child c;

	(void)state;
	start(&c, never_end);
	immortal = c.pid;
	child_end(&c, 0);
	assert_int_equal(c.pid, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(child_reap_lost(), 1);
	assert_true(we_have_children());
	c.pid = immortal;
	immortal = 0;
	kill(c.pid, SIGKILL);
	while (child_reap_lost() > 0)
		poll(NULL, 0, 1);
	assert_false(we_have_children());
}

/* A parent that starts a child and is killed; both tell their pid first. */
static int be_a_parent(void *arg, int fd)
{
	const bool *dies = arg;
	const struct child_config how = { .run = never_end, .keep = &fd, .n_keep = 1,
		.dies_with_parent = *dies };
	struct child c;

	if (child_start(&c, &how, NULL) == 0)
		send(fd, &c.pid, sizeof(c.pid), MSG_NOSIGNAL);
	return never_end(NULL, fd);
}

static void a_child_dies_with_its_parent_only_when_asked(void **state)
{
	(void)state;
	for (int dies = 0; dies < 2; dies++) {
		bool flag = dies == 1;
		struct child c;
		pid_t grandchild;
		struct pollfd p;
		ssize_t n;

		assert_int_equal(child_start(&c, &(struct child_config){ .run = be_a_parent,
			.arg = &flag }, NULL), 0);
		n = recv(c.fd, &grandchild, sizeof(grandchild), 0);
		assert_int_equal(n, sizeof(grandchild));
		p = (struct pollfd){ .fd = c.fd, .events = POLLIN };
		child_kill(&c);
		/* The grandchild holds the socket's other end for as long as it lives. */
		if (dies) {
			assert_int_equal(poll(&p, 1, 30000), 1);
		} else {
			while (!child_has_ended(&c))
				poll(NULL, 0, 1);
			assert_int_equal(poll(&p, 1, 50), 0);
			kill(grandchild, SIGKILL);
			assert_int_equal(poll(&p, 1, 30000), 1);
		}
		child_end(&c, CLOCK_SECOND);
	}
}

static int start_without_room(void *arg, int fd)
{
	const struct rlimit none = { 1, 1 };
	struct error e = { 0 };
	struct child c;

	(void)arg;
	if (geteuid() == 0 && setuid(65534) < 0)
		return 1;
	setrlimit(RLIMIT_NPROC, &none);
	if (child_start(&c, &(struct child_config){ .run = wait_for_end }, &e) == 0) {
		/* Some containers do not count. */
		child_end(&c, CLOCK_SECOND);
		e.code = 0;
	}
	send(fd, &e, sizeof(e), MSG_NOSIGNAL);
	return c.pid != 0;
}

static void with_no_process_left_the_error_says_so(void **state)
{
	struct child c;
	struct error e;

	(void)state;
	start(&c, start_without_room);
	assert_int_equal(recv(c.fd, &e, sizeof(e), 0), sizeof(e));
	child_end(&c, 10 * CLOCK_SECOND);
	assert_int_equal(c.status, 0);
	if (e.code == 0)
		skip();
	assert_int_equal(e.code, -EAGAIN);
	assert_non_null(strstr(e.text, "cannot start a process"));
}

static int start_with_closed_descriptors(void *arg, int fd)
{
	struct child c;
	int low;

	(void)arg;
	for (int i = 0; i < 3; i++)
		close(i);
	if (child_start(&c, &(struct child_config){ .run = look_around }, NULL) < 0)
		return 1;
	low = c.fd;
	if (send(fd, &low, sizeof(low), MSG_NOSIGNAL) < 0)
		return 1;
	child_end(&c, 10 * CLOCK_SECOND);
	return c.status != 0;
}

static void a_socket_never_takes_the_place_of_a_standard_descriptor(void **state)
{
	struct child c;
	int low = 0;

	(void)state;
	start(&c, start_with_closed_descriptors);
	assert_int_equal(recv(c.fd, &low, sizeof(low), 0), sizeof(low));
	assert_true(low > 2);
	child_end(&c, 10 * CLOCK_SECOND);
	assert_int_equal(c.status, 0);
}

static void a_child_that_is_stopped_is_known_to_be(void **state)
{
	struct child c;

	(void)state;
	start(&c, wait_for_end);
	assert_false(child_is_stopped(&c));
	for (int i = 0; i < 2; i++) {
		kill(c.pid, SIGSTOP);
		while (!child_is_stopped(&c))
			poll(NULL, 0, 1);
		assert_true(child_is_stopped(&c));
		assert_false(child_has_ended(&c));
		kill(c.pid, SIGCONT);
		while (child_is_stopped(&c))
			poll(NULL, 0, 1);
	}
	child_end(&c, 60 * CLOCK_SECOND);
	assert_true(WIFEXITED(c.status));
	assert_false(child_is_stopped(&c));
}

/* Sends the time three times, each so many seconds after the last, and stays. */
static int send_times(void *arg, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	const int64_t began = clock_mono();

	for (int i = 1; i <= 3; i++) {
		clock_sleep_until(began + i * *(int *)arg * CLOCK_SECOND);
		send(fd, arg, sizeof(int), MSG_NOSIGNAL);
	}
	clock_wait(&p, 1, INT64_MAX);
	return 0;
}

/* Has work to do for a while, and sends whether the time stood still. */
static int work_a_while(void *arg, int fd)
{
	const int64_t began = clock_mono(), until = clock_steady() + 100 * CLOCK_MS;
	bool stood;

	(void)arg;
	while (clock_steady() < until)
		;
	stood = clock_mono() == began;
	send(fd, &stood, sizeof(stood), MSG_NOSIGNAL);
	return 0;
}

static void begin_virtual_time(void)
{
	setenv("TT_SMI_VIRTUAL_TIME", "1795252364", 1);
	clock_init();
}

static void virtual_time_moves_from_deadline_to_deadline(void **state)
{
	static const int expected[] = { 10, 20, 25, 30, 50, 75 };
	int seconds[] = { 10, 25 }, got;
	struct child c[2], *all[] = { &c[0], &c[1] };
	struct pollfd p[2];
	size_t n = 0;
	int64_t began;

	(void)state;
	begin_virtual_time();
	began = clock_mono();
	for (int i = 0; i < 2; i++) {
		start_with(&c[i], send_times, &seconds[i]);
		p[i] = (struct pollfd){ .fd = c[i].fd, .events = POLLIN };
	}
	assert_int_equal(clock_wait(p, 2, began + 5 * CLOCK_SECOND), 0);
	assert_int_equal(clock_mono() - began, 5 * CLOCK_SECOND);
	while (n < ARRAY_LEN(expected)) {
		assert_int_equal(clock_wait(p, 2, began + 100 * CLOCK_SECOND) > 0, true);
		for (int i = 0; i < 2; i++)
			if (recv(c[i].fd, &got, sizeof(got), MSG_DONTWAIT) > 0)
				assert_int_equal((clock_mono() - began) / CLOCK_SECOND,
					expected[n++]);
	}
	child_end_all(all, 2, 30 * CLOCK_SECOND);
}

static void virtual_time_stands_while_a_child_has_work(void **state)
{
	struct child c;
	struct pollfd p = { .events = POLLIN };
	bool stood = false;
	int64_t began;

	(void)state;
	begin_virtual_time();
	began = clock_mono();
	start(&c, work_a_while);
	p.fd = c.fd;
	assert_int_equal(clock_wait(&p, 1, began + CLOCK_SECOND), 1);
	assert_int_equal(clock_mono(), began);
	assert_int_equal(recv(c.fd, &stood, sizeof(stood), 0), sizeof(stood));
	assert_true(stood);
	child_end(&c, 30 * CLOCK_SECOND);
}

static int leave_at_once(void *arg, int fd)
{
	clock_leave();
	return never_end(arg, fd);
}

/* Whichever of the two processes is the first to go on after the fork. */
static void virtual_time_does_not_wait_for_one_that_left(void **state)
{
	struct child c;

	(void)state;
	begin_virtual_time();
	for (int i = 0; i < 100; i++) {
		const int64_t until = clock_mono() + CLOCK_SECOND;

		start(&c, leave_at_once);
		assert_int_equal(clock_sleep_until(until), 0);
		assert_int_equal(clock_mono(), until);
		child_end(&c, 0);
	}
}

static void virtual_time_does_not_wait_for_the_dead(void **state)
{
	struct child c;
	int64_t began;

	(void)state;
	begin_virtual_time();
	began = clock_mono();
	start(&c, never_end);
	child_kill(&c);
	assert_int_equal(clock_sleep_until(began + 3600 * CLOCK_SECOND), 0);
	assert_int_equal(clock_mono() - began, 3600 * CLOCK_SECOND);
	child_end(&c, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_keeps_the_listed_descriptors_and_no_other),
		cmocka_unit_test(a_child_has_no_handler_and_no_mask_of_ours),
		cmocka_unit_test(a_child_ends_when_its_socket_closes_and_is_reaped),
		cmocka_unit_test(a_child_that_does_not_end_is_killed_and_reaped),
		cmocka_unit_test(one_that_cannot_be_killed_is_accounted_until_it_can),
		cmocka_unit_test(a_child_dies_with_its_parent_only_when_asked),
		cmocka_unit_test(with_no_process_left_the_error_says_so),
		cmocka_unit_test(a_socket_never_takes_the_place_of_a_standard_descriptor),
		cmocka_unit_test(a_child_that_is_stopped_is_known_to_be),
		/* From here on time is virtual. */
		cmocka_unit_test(virtual_time_moves_from_deadline_to_deadline),
		cmocka_unit_test(virtual_time_stands_while_a_child_has_work),
		cmocka_unit_test(virtual_time_does_not_wait_for_one_that_left),
		cmocka_unit_test(virtual_time_does_not_wait_for_the_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
