/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.c - child processes, from start to end; threads, and what the kernel knows of a process.
 *
 * A child that keeps a stray descriptor keeps another program's pipe open.  A child
 * that is not waited for stays a zombie where process 1 reaps nothing, as in most
 * containers.  So the wait for its end is bounded, but never skipped.
 */
#include "config.h"
#include "base/child.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE       (200 * CLOCK_MS)	/* for a killed process to be gone */
#define CLOSE_RANGE 436			/* close_range(2), younger than some headers */
#define PIDFD_OPEN  434
#define FD_GUESS    4096		/* close up to here where the kernel has no close_range */
#define MOST_KNOWN  4096

struct pids {
	pid_t *pid;
	size_t n;
};

static struct pids ours, lost;	/* all not reaped yet, and those that no caller waits for */

/* The processes that child_start() started and that still run this program; shared by them all. */
static struct known {
	_Atomic pid_t pid[MOST_KNOWN];	/* 0: unused */
} *known;

/* Add a process (from 0) or drop one (to 0). */
static void change_known(pid_t from, pid_t to)
{
	for (size_t i = 0; known && i < MOST_KNOWN; i++) {
		pid_t seen = from;

		if (atomic_compare_exchange_strong(&known->pid[i], &seen, to))
			return;
	}
}

bool child_is_known(pid_t pid)
{
	for (size_t i = 0; known && i < MOST_KNOWN; i++)
		if (atomic_load(&known->pid[i]) == pid)
			return true;
	return false;
}

static void add_pid(struct pids *to, pid_t pid)
{
	to->pid = mem_realloc(to->pid, (to->n + 1) * sizeof(*to->pid));
	to->pid[to->n++] = pid;
}

static void drop_pid(struct pids *from, size_t at)
{
	from->pid[at] = from->pid[--from->n];
	if (from->n > 0)
		return;
	free(from->pid);
	from->pid = NULL;
}

static size_t find_pid(const struct pids *in, pid_t pid)
{
	size_t i = 0;

	while (i < in->n && in->pid[i] != pid)
		i++;
	return i;
}

static const int terminal_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };

/* Keep it off 0 to 2, even if ours are closed: in the child, /dev/null would replace it. */
static int move_up(int *fd)
{
	int up;

	if (*fd > 2)
		return 0;
	up = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (up < 0)
		return -1;
	close(*fd);
	*fd = up;
	return 0;
}

static int make_socket(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	if (move_up(&ends[0]) == 0 && move_up(&ends[1]) == 0)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return -1;
}

static bool is_kept(const struct child_config *how, int fd)
{
	for (size_t i = 0; i < how->n_keep; i++)
		if (how->keep[i] == fd)
			return true;
	return false;
}

static void close_between(int first, int last)
{
	if (first > last ||
	    syscall(CLOSE_RANGE, (unsigned)first, last < INT32_MAX ? (unsigned)last : ~0U, 0) == 0)
		return;
	for (int fd = first; fd <= last && fd < FD_GUESS; fd++)
		close(fd);
}

static void close_others(const struct child_config *how, int socket)
{
	int from = 3;

	for (;;) {
		int next = socket >= from ? socket : INT32_MAX;

		for (size_t i = 0; i < how->n_keep; i++)
			if (how->keep[i] >= from && how->keep[i] < next)
				next = how->keep[i];
		if (next == INT32_MAX)
			break;
		close_between(from, next - 1);
		from = next + 1;
	}
	close_between(from, INT32_MAX);
}

/* Without /dev/null, use a descriptor that can be neither read nor written. */
static void leave_terminal(const struct child_config *how)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		null = open("/", O_PATH | O_CLOEXEC);
	for (int fd = 0; fd <= 2; fd++)
		if (!is_kept(how, fd) && fd != null)
			dup2(null, fd);
	if (null > 2)
		close(null);
}

static void reset_signals(const struct child_config *how)
{
	sigset_t none;

	for (int n = 1; n < 32; n++)
		signal(n, SIG_DFL);
	for (size_t i = 0; how->ignores_terminal && i < ARRAY_LEN(terminal_signals); i++)
		signal(terminal_signals[i], SIG_IGN);
	/* A file at its size limit is an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void begin_child(const struct child_config *how, int fd, pid_t parent,
	void *place)
{
	change_known(0, getpid());
	if (how->dies_with_parent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
	}
	close_others(how, fd);
	leave_terminal(how);
	reset_signals(how);
	clock_after_fork(place, 0);
	_exit(how->run(how->arg, fd));
}

int child_become(const char *path, char *const argv[], char *const envp[], struct error *e)
{
	const int r = file_prove_program(path, e);

	if (r < 0)
		return r;
	signal(SIGXFSZ, SIG_DFL);
	change_known(getpid(), 0);
	clock_leave();
	execve(path, argv, envp);
	return fail_errno(e, "%s: cannot be run", path);
}

int child_start(struct child *c, const struct child_config *how, struct error *e)
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;
	int ends[2];
	void *place;

	*c = (struct child){ .fd = -1 };
	if (make_socket(ends) < 0)
		return fail_errno(e, "cannot make a socket for a new process");
	if (!known)
		known = mem_share(sizeof(*known));
	/* Block signals, so that no handler of ours runs in the child. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	place = clock_before_fork();
	pid = fork();
	if (pid == 0)
		begin_child(how, ends[1], parent, place);
	clock_after_fork(place, pid);
	if (pid < 0)
		fail_errno(e, "cannot start a process");
	c->status = pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return c->status;
	}
	add_pid(&ours, pid);
	c->pid = pid;
	c->fd = ends[0];
	return 0;
}

bool child_is_ours(pid_t pid)
{
	return find_pid(&ours, pid) < ours.n;
}

bool child_has_ended(struct child *c)
{
	size_t at;
	pid_t r;

	if (c->pid == 0)
		return true;
	do
		r = waitpid(c->pid, &c->status, WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return false;
	at = find_pid(&ours, c->pid);
	if (at < ours.n)
		drop_pid(&ours, at);
	change_known(c->pid, 0);
	c->pid = 0;
	return true;
}

bool child_is_stopped(const struct child *c)
{
	siginfo_t info = { 0 };

	return c->pid && waitid(P_PID, (id_t)c->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == c->pid;
}

bool child_is_runnable(const struct child *c)
{
	struct proc_stat stat;

	return c->pid && proc_stat_read(c->pid, &stat) && stat.state == 'R';
}

int64_t child_processor_time(const struct child *c)
{
	struct timespec t;
	clockid_t clock;

	if (!c->pid || clock_getcpuclockid(c->pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
		return 0;
	return t.tv_sec * CLOCK_SECOND + t.tv_nsec;
}

void child_kill(struct child *c)
{
	if (c->pid)
		kill(c->pid, SIGKILL);
}

static bool wait_until(struct child *c, int64_t end)
{
	struct pollfd p = { .fd = -1, .events = POLLIN };

	while (!child_has_ended(c)) {
		int64_t left = end - clock_steady();

		if (left <= 0)
			break;
		if (p.fd < 0)
			p.fd = (int)syscall(PIDFD_OPEN, c->pid, 0);
		poll(&p, 1, p.fd < 0 ? 1 : (int)((left + CLOCK_MS - 1) / CLOCK_MS));
	}
	if (p.fd >= 0)
		close(p.fd);
	return c->pid == 0;
}

static void give_up(struct child *c)
{
	add_pid(&lost, c->pid);
	c->pid = 0;
}

void child_end_all(struct child **all, size_t n, int64_t patience)
{
	int64_t end = clock_steady() + patience;

	for (size_t i = 0; i < n; i++) {
		if (all[i]->fd > 2)
			close(all[i]->fd);
		all[i]->fd = -1;
	}
	for (size_t i = 0; i < n; i++)
		if (!wait_until(all[i], end))
			child_kill(all[i]);
	end = clock_steady() + GRACE;
	for (size_t i = 0; i < n; i++)
		if (!wait_until(all[i], end)) {
			give_up(all[i]);
			all[i]->status = SIGKILL;
		}
	child_reap_lost();
}

void child_end(struct child *c, int64_t patience)
{
	child_end_all(&c, 1, patience);
}

void child_leave(struct child *c)
{
	if (c->fd > 2)
		close(c->fd);
	c->fd = -1;
	if (!child_has_ended(c))
		give_up(c);
}

size_t child_reap_lost(void)
{
	for (size_t i = 0; i < lost.n;) {
		struct child c = { .pid = lost.pid[i] };

		if (child_has_ended(&c))
			drop_pid(&lost, i);
		else
			i++;
	}
	return lost.n;
}

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

#define STARTED_WORD 22

bool proc_stat_read(pid_t pid, struct proc_stat *out)
{
	char path[40], text[1024], *word, *name, *end, *save = NULL;
	uint64_t parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read_at(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return false;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end < name || !end[1])
		return false;
	*end = '\0';
	mem_copy_text(out->name, sizeof(out->name), name + 1);
	word = strtok_r(end + 1, " ", &save);
	out->state = word ? *word : '?';
	word = strtok_r(NULL, " ", &save);
	for (int n = 4; word && n < STARTED_WORD; n++) {
		if (n == 4)
			parse_u64(word, &parent);
		word = strtok_r(NULL, " ", &save);
	}
	out->parent = (pid_t)parent;
	return word && parse_u64(word, &out->started);
}
