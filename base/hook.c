/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.c - a process that runs a program, again and again.
 *
 * Unlike our other children it does not die with us: it lives until it has killed the program
 * and every process that the program started.  End of file on the socket means that we have ended.
 */
#include "config.h"
#include "base/hook.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define END_GRACE  CLOCK_SECOND	/* for the process to end what still runs */
#define RUN_GRACE  (200 * CLOCK_MS)	/* for the killed program to be gone */
#define SWEEPS	   200			/* of 5 ms, for processes left behind to be gone */

/* Memory shared with the process: its counts, and a flag for it. */
struct hook_shared {
	_Atomic uint64_t ran, failed;
	_Atomic int trouble, number;	/* last failure: enum trouble; errno, code or signal */
	_Atomic bool ends;		/* no more runs will be asked for */
};

enum trouble { TROUBLE_NONE, TROUBLE_START, TROUBLE_EXIT, TROUBLE_SIGNAL, TROUBLE_LATE };

struct facts {
	size_t len;
	char text[HOOK_FACTS];
};

struct hook {
	struct child child;
	struct hook_shared *shared;
	uint64_t asked;
};

/* The process's own state. */
struct server {
	struct hook_config config;
	struct hook_shared *shared;
	struct child program;
	int64_t since;			/* clock_steady() when the program started */
	size_t first, n;		/* the queue in waits[] */
	struct facts waits[HOOK_WAITS];
};

/* The program. */

/* Our environment plus the facts.  The strings are not copied; they live until exec. */
static char **make_environment(const struct server *s, const struct facts *facts)
{
	const size_t len = strlen(s->config.prefix);
	size_t n = 0, at = 0;
	char **all;

	while (environ[n])
		n++;
	all = mem_calloc(n + facts->len + 1, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], s->config.prefix, len) != 0)
			all[at++] = environ[i];
	for (size_t i = 0; i < facts->len; i += strlen(facts->text + i) + 1)
		all[at++] = (char *)(uintptr_t)(facts->text + i);
	return all;
}

/* Runs as the program: exec closes the socket; if it fails, the error code is sent first. */
static int run_program(void *arg, int fd)
{
	struct server *s = arg;
	char *path = mem_dup_text(s->config.path), *argv[] = { path, NULL };
	struct error e;
	int code;

	setsid();
	code = child_become(path, argv, make_environment(s, &s->waits[s->first]), &e);
	send(fd, &code, sizeof(code), MSG_NOSIGNAL);
	return 127;
}

static void count_trouble(struct server *s, enum trouble trouble, int number)
{
	atomic_store(&s->shared->number, number);
	atomic_store(&s->shared->trouble, (int)trouble);
	atomic_fetch_add(&s->shared->failed, 1);
}

static void start_run(struct server *s)
{
	const struct child_config how = { .run = run_program, .arg = s,
		.dies_with_parent = true };
	struct error e = { 0 };
	int r;

	/* Count the run before it starts: we may be killed at any moment. */
	atomic_fetch_add(&s->shared->ran, 1);
	r = child_start(&s->program, &how, &e);
	if (r < 0)
		count_trouble(s, TROUBLE_START, -r);
	s->since = clock_steady();
	s->first = (s->first + 1) % HOOK_WAITS;
	s->n--;
}

/* Do not reap it here: until then its process group ID cannot be reused. */
static bool run_is_over(const struct server *s)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)s->program.pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		info.si_pid == s->program.pid;
}

/* Kill our children: processes that came to us as their subreaper when their parent ended. */
static void kill_left(void)
{
	DIR *dir = opendir("/proc");
	struct proc_stat stat;
	struct dirent *entry;
	uint64_t pid;

	while (dir && (entry = readdir(dir)))
		if (parse_u64(entry->d_name, &pid) && proc_stat_read((pid_t)pid, &stat) &&
			stat.parent == getpid())
			kill((pid_t)pid, SIGKILL);
	if (dir)
		closedir(dir);
}

static void sweep_children(void)
{
	const struct timespec pause = { .tv_nsec = 5 * CLOCK_MS };
	pid_t r = 0;

	for (int i = 0; i < SWEEPS; i++) {
		do
			r = waitpid(-1, NULL, WNOHANG);
		while (r > 0);
		if (r < 0)
			return;		/* there is none */
		kill_left();
		nanosleep(&pause, NULL);
	}
}

static void end_run(struct server *s, bool is_late)
{
	const pid_t pid = s->program.pid;
	int code = 0;

	kill(-pid, SIGKILL);
	if (recv(s->program.fd, &code, sizeof(code), MSG_DONTWAIT) != sizeof(code))
		code = 0;
	child_end(&s->program, RUN_GRACE);
	if (is_late)
		count_trouble(s, TROUBLE_LATE, 0);
	else if (code < 0)
		count_trouble(s, TROUBLE_START, -code);
	else if (WIFSIGNALED(s->program.status))
		count_trouble(s, TROUBLE_SIGNAL, WTERMSIG(s->program.status));
	else if (WEXITSTATUS(s->program.status) != 0)
		count_trouble(s, TROUBLE_EXIT, WEXITSTATUS(s->program.status));
	sweep_children();
}

/* The process. */

/* Queue the runs asked for; false once the caller's end of the socket is closed. */
static bool take_asked(struct server *s, int fd)
{
	struct facts facts;
	ssize_t n;

	for (;;) {
		n = recv(fd, facts.text, sizeof(facts.text), MSG_DONTWAIT);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		facts.len = (size_t)n;
		if (facts.text[0] && s->n < HOOK_WAITS)
			s->waits[(s->first + s->n++) % HOOK_WAITS] = facts;
	}
}

/* Wait until a run is asked for, the program has ended, or its time is up. */
static void wait_for_news(const struct server *s, int fd, const sigset_t *open)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = s->since + s->config.limit - clock_steady();
	struct timespec t;

	left = left < 0 ? 0 : left;
	t = (struct timespec){ .tv_sec = left / CLOCK_SECOND, .tv_nsec = left % CLOCK_SECOND };
	ppoll(&p, 1, s->program.pid ? &t : NULL, open);
}

static void do_nothing(int number)
{
	(void)number;
}

static int serve_runs(void *arg, int fd)
{
	const struct sigaction wakes = { .sa_handler = do_nothing, .sa_flags = SA_NOCLDSTOP };
	struct server *s = arg;
	sigset_t chld, open;
	bool ends;

	clock_leave();
	sigaction(SIGCHLD, &wakes, NULL);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &open);
	prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
	/* Read `ends` first: all runs asked for before it was set are then in the socket. */
	while (ends = atomic_load(&s->shared->ends), take_asked(s, fd)) {
		const bool is_late = s->program.pid &&
			clock_steady() - s->since >= s->config.limit;

		if (s->program.pid && (run_is_over(s) || is_late))
			end_run(s, !run_is_over(s));
		if (!s->program.pid && s->n > 0)
			start_run(s);
		else if (!s->program.pid && ends)
			break;
		else
			wait_for_news(s, fd, &open);
	}
	if (s->program.pid)
		end_run(s, true);
	return 0;
}

/* The caller. */

int hook_open(const struct hook_config *c, struct hook **out, struct error *e)
{
	struct hook *h = mem_calloc(1, sizeof(*h));
	struct server *s = mem_calloc(1, sizeof(*s));
	const struct child_config how = { .run = serve_runs, .arg = s, .ignores_terminal = true };
	int r = file_prove_program(c->path, e);

	h->shared = mem_share(sizeof(*h->shared));
	s->config = *c;
	s->shared = h->shared;
	if (r == 0)
		r = child_start(&h->child, &how, e);
	free(s);
	if (r < 0) {
		mem_unshare(h->shared, sizeof(*h->shared));
		free(h);
		return r;
	}
	*out = h;
	return 0;
}

void hook_ask(struct hook *h, const char *facts, size_t len)
{
	h->asked++;
	if (len <= HOOK_FACTS)
		send(h->child.fd, facts, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void hook_end(struct hook *h)
{
	atomic_store(&h->shared->ends, true);
	/* This wakes the process; if the socket is full, it has something to read anyway. */
	send(h->child.fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int hook_end_fd(const struct hook *h)
{
	return h->child.fd;
}

static void put_trouble(const struct hook *h, char *buf, size_t size)
{
	const int number = atomic_load(&h->shared->number);

	switch ((enum trouble)atomic_load(&h->shared->trouble)) {
	case TROUBLE_NONE:
		buf[0] = '\0';
		break;
	case TROUBLE_START:
		snprintf(buf, size, "not started: %s", strerror(number));
		break;
	case TROUBLE_EXIT:
		snprintf(buf, size, "exit code %d", number);
		break;
	case TROUBLE_SIGNAL:
		snprintf(buf, size, "killed by signal %d", number);
		break;
	case TROUBLE_LATE:
		snprintf(buf, size, "still running, and ended");
		break;
	}
}

void hook_close(struct hook *h, struct hook_counts *counts)
{
	if (!h)
		return;
	child_end(&h->child, END_GRACE);
	*counts = (struct hook_counts){ .asked = h->asked, .ran = atomic_load(&h->shared->ran),
		.failed = atomic_load(&h->shared->failed) };
	put_trouble(h, counts->trouble, sizeof(counts->trouble));
	mem_unshare(h->shared, sizeof(*h->shared));
	free(h);
}
