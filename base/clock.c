/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.c - real time, and the virtual time of tests.
 *
 * Virtual time stands still while any process of the run has work to do.  When all of them wait
 * here, one of them advances it to the earliest deadline.  That a process waits, and has not just
 * been woken, is known by its state in the kernel: a write to its socket changes that before it
 * returns.  At a pace, that one waits first: for as long as this time takes at the pace.
 */
#include "config.h"
#include "base/clock.h"

#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PARTICIPANTS 1024
#define RUNNING      INT64_MIN		/* in place of a deadline: the process has work to do */
#define CHECK_SOON   (CLOCK_MS / 20)	/* until the next look at processes that were just woken, */
#define CHECK_OFTEN  (CLOCK_MS)		/* and at last, if they stay so */
#define CHECK_LATER  (20 * CLOCK_MS)	/* the same, at one that may have died meanwhile */
#define CHECK_PACE   (10 * CLOCK_MS)	/* the same, for one with an earlier deadline */
#define SLACK	     CLOCK_MS		/* at a pace, deadlines that are really so near are one */

/* A process of the run, which virtual time waits for. */
struct participant {
	_Atomic pid_t pid;		/* 0: none; minus its parent's while it is made */
	_Atomic int64_t until;		/* its deadline, INT64_MAX: none; or RUNNING */
};

/* The virtual clock, in shared memory; NULL in real time. */
static struct {
	_Atomic int64_t mono;
	_Atomic int64_t advanced;	/* clock_steady() at which mono has come by the pace */
	int64_t start;
	unsigned pace;			/* 0: it moves at once */
	_Atomic pid_t advancer;		/* the process that looks whether all wait; 0: none */
	_Atomic uint64_t waits;		/* how many waits have begun */
	_Atomic size_t n;		/* places in use */
	struct participant participants[PARTICIPANTS];
} *virtual;

static struct participant *me;		/* of this process, if my_pid is its pid */
static pid_t my_pid;
static volatile sig_atomic_t was_woken;
static bool is_blind;			/* no descriptor is left to read others' states with */

/* Wakes a process whose deadline has come; blocked where it does not wait. */
static int wake_signal(void)
{
	return SIGRTMIN + 5;
}

static void note_wake(int number)
{
	(void)number;
	was_woken = 1;
}

static void block_wake_signal(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, wake_signal());
	sigprocmask(SIG_BLOCK, &one, NULL);
}

static struct participant *add_participant(pid_t pid)
{
	for (size_t i = 0; i < PARTICIPANTS; i++) {
		struct participant *p = &virtual->participants[i];
		size_t n = atomic_load(&virtual->n);
		pid_t none = 0;

		if (!atomic_compare_exchange_strong(&p->pid, &none, pid))
			continue;
		atomic_store(&p->until, RUNNING);
		while (n <= i && !atomic_compare_exchange_weak(&virtual->n, &n, i + 1))
			;
		return p;
	}
	return NULL;
}

static struct participant *join(void)
{
	if (my_pid != getpid()) {
		my_pid = getpid();
		me = add_participant(my_pid);
		block_wake_signal();
	}
	return me;
}

static void begin_virtual(int64_t mono, int64_t start, unsigned pace)
{
	virtual = mem_share(sizeof(*virtual));
	virtual->mono = mono;
	virtual->advanced = clock_steady();
	virtual->start = start;
	virtual->pace = pace;
	sigaction(wake_signal(), &(struct sigaction){ .sa_handler = note_wake }, NULL);
	join();
}

void clock_init(void)
{
	const char *text = getenv("TT_SMI_VIRTUAL_TIME");
	int64_t start;

	if (!virtual && text && parse_seconds(text, &start))
		begin_virtual(0, start, 0);
}

void clock_set_pace(unsigned times)
{
	const int64_t mono = clock_mono();

	if (!virtual && times > 1)
		begin_virtual(mono, clock_real() - mono, times);
}

int64_t clock_span(int64_t ns)
{
	return virtual && virtual->pace ? ns / virtual->pace : ns;
}

int64_t clock_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void *clock_before_fork(void)
{
	return virtual ? add_participant(-getpid()) : NULL;
}

void clock_after_fork(void *place, pid_t pid)
{
	struct participant *p = place;
	pid_t starting = -getpid();

	if (!p)
		return;
	/* The child may have left again before its parent comes here. */
	if (pid != 0) {
		atomic_compare_exchange_strong(&p->pid, &starting, pid < 0 ? 0 : pid);
		return;
	}
	atomic_store(&p->pid, getpid());
	me = p;
	my_pid = getpid();
	block_wake_signal();
}

void clock_leave(void)
{
	if (virtual && my_pid == getpid() && me)
		atomic_store(&me->pid, 0);
	me = NULL;
	virtual = NULL;
}

bool clock_is_virtual(void)
{
	return virtual;
}

static int64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * CLOCK_SECOND + t.tv_nsec;
}

int64_t clock_mono(void)
{
	return virtual ? atomic_load(&virtual->mono) : now(CLOCK_MONOTONIC);
}

int64_t clock_steady(void)
{
	return now(CLOCK_MONOTONIC);
}

int64_t clock_real(void)
{
	return virtual ? virtual->start + atomic_load(&virtual->mono) : now(CLOCK_REALTIME);
}

/* Waits for ns at most, -1: for ever; with the signals in mask, or those of the process. */
static int poll_for(struct pollfd *fds, size_t n, int64_t ns, const sigset_t *mask)
{
	const struct timespec most = { .tv_sec = ns / CLOCK_SECOND, .tv_nsec = ns % CLOCK_SECOND };
	int r = ppoll(fds, n, ns < 0 ? NULL : &most, mask);

	if (r < 0)
		r = -errno;
	for (size_t i = 0; r < 0 && i < n; i++)
		fds[i].revents = 0;
	return r;
}

/* The kernel lets a wait last 0.1 % longer than asked for: most of it first, then the rest. */
static int wait_steady(struct pollfd *fds, size_t n, int64_t until)
{
	int64_t left;
	int r;

	if (until == INT64_MAX)
		return poll_for(fds, n, -1, NULL);
	do {
		left = until - clock_steady();
		r = poll_for(fds, n, left < 0 ? 0 : left > CLOCK_MS / 10 ? left - left / 128 : left,
			NULL);
	} while (r == 0 && clock_steady() < until);
	return r;
}

/*
 * The third word of /proc/PID/stat (proc(5)); 0: it has ended.  Read here, since base/child.h needs
 * files, and those need the time.
 */
static char state_in_kernel(pid_t pid)
{
	char path[40], text[128];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	is_blind = fd < 0 && (errno == EMFILE || errno == ENFILE);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : 'R';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	end = strrchr(text, ')');
	return !end || strchr("ZX", end[2]) ? 0 : end[2];
}

/* The same of a participant, which is removed if it has ended. */
static char state_of(struct participant *p, pid_t pid)
{
	const char known = p == me ? 'S' : state_in_kernel(pid < 0 ? -pid : pid);
	const char state = known && pid < 0 ? 'R' : known;

	if (!state)
		atomic_compare_exchange_strong(&p->pid, &pid, 0);
	return state;
}

/* Whether any has work to do; `dead`: of those that seem to, remove the dead ones. */
static bool any_running(bool dead)
{
	for (size_t i = 0; i < atomic_load(&virtual->n); i++) {
		struct participant *p = &virtual->participants[i];
		const pid_t pid = atomic_load(&p->pid);

		if (pid && atomic_load(&p->until) == RUNNING && (!dead || state_of(p, pid)))
			return true;
	}
	return false;
}

/* Whether it waits, and nothing has woken it; *until becomes its deadline if that is earlier. */
static bool is_waiting(struct participant *p, int64_t *until)
{
	const pid_t pid = atomic_load(&p->pid);
	const int64_t at = atomic_load(&p->until);
	const char state = pid ? state_of(p, pid) : 0;

	if (state == 0)
		return true;
	if (state != 'S' || at == RUNNING || atomic_load(&p->until) != at)
		return false;
	*until = at < *until ? at : *until;
	return true;
}

/*
 * Whoever was woken after it had been looked at was woken by one that ran then: that one still
 * runs when it is looked at itself, or has begun to wait meanwhile.
 */
static bool all_waiting(int64_t *until)
{
	const uint64_t waits = atomic_load(&virtual->waits);

	for (size_t i = 0; i < atomic_load(&virtual->n); i++)
		if (!is_waiting(&virtual->participants[i], until))
			return false;
	return atomic_load(&virtual->waits) == waits;
}

/* The last deadline that is really so near to `until`, the first one, that both are one. */
static int64_t find_last_near(int64_t until)
{
	int64_t last = until;

	for (size_t i = 0; virtual->pace && i < atomic_load(&virtual->n); i++) {
		const int64_t at = atomic_load(&virtual->participants[i].until);

		if (at > last && at - until <= virtual->pace * SLACK)
			last = at;
	}
	return last;
}

/* rest: how much earlier this is than the pace would have it, ns of real time. */
static void advance_to(int64_t moment, int64_t rest)
{
	if (moment > atomic_load(&virtual->mono)) {
		atomic_store(&virtual->mono, moment);
		atomic_store(&virtual->advanced, clock_steady() + rest);
	}
	for (size_t i = 0; i < atomic_load(&virtual->n); i++) {
		struct participant *p = &virtual->participants[i];
		const pid_t pid = atomic_load(&p->pid);
		int64_t at = atomic_load(&p->until);

		/* It may have seen the time itself, and wait for a later moment by now. */
		if (pid <= 0 || at == RUNNING || at > moment ||
			!atomic_compare_exchange_strong(&p->until, &at, RUNNING))
			continue;
		if (p != me)
			kill(pid, wake_signal());
	}
}

/* While all wait, one of them looks whether they do; `again`: another one, if it died. */
static bool may_advance(bool again)
{
	pid_t advancer = atomic_load(&virtual->advancer);

	return advancer == my_pid || ((advancer == 0 || (again && !state_in_kernel(advancer))) &&
		atomic_compare_exchange_strong(&virtual->advancer, &advancer, my_pid));
}

static void stop_advancing(void)
{
	pid_t mine = my_pid;

	atomic_compare_exchange_strong(&virtual->advancer, &mine, 0);
}

/* How long the pace keeps the time from moving to that moment. */
static int64_t real_rest(int64_t moment)
{
	if (virtual->pace == 0)
		return 0;
	return clock_span(moment - atomic_load(&virtual->mono)) + atomic_load(&virtual->advanced)
		- clock_steady();
}

/* Advance the time if all wait, for time or for each other; returns when to look again. */
static int64_t try_advance(struct pollfd *fds, size_t n, bool again)
{
	int64_t until = INT64_MAX, last, rest;

	if (any_running(again)) {
		stop_advancing();
		/* One that began to wait meanwhile found us to be the one that looks. */
		if (any_running(false))
			return CHECK_LATER;
	}
	if (!may_advance(again))
		return CHECK_LATER;
	if (!all_waiting(&until) || poll(fds, n, 0) != 0) {
		if (is_blind)	/* another one may see */
			stop_advancing();
		return CHECK_OFTEN;
	}
	if (until == INT64_MAX)
		return CHECK_LATER;
	rest = real_rest(until);
	if (rest > 0)
		return rest < CHECK_PACE ? rest : CHECK_PACE;
	last = find_last_near(until);
	advance_to(last, clock_span(last - until));
	return 0;
}

static int wait_virtual(struct pollfd *fds, size_t n, int64_t until)
{
	int r = poll_for(fds, n, 0, NULL);
	sigset_t mask;

	if (r != 0 || until <= clock_mono())
		return r;
	if (!join())	/* there are too many: its time is real */
		return poll_for(fds, n, until == INT64_MAX ? -1 : until - clock_mono(), NULL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigdelset(&mask, wake_signal());
	atomic_store(&me->until, until);
	atomic_fetch_add(&virtual->waits, 1);
	for (int64_t soon = CHECK_SOON; r == 0; soon += soon < CHECK_OFTEN ? soon : 0) {
		const int64_t rest = try_advance(fds, n, soon > CHECK_SOON);

		if (clock_mono() >= until)
			break;
		was_woken = 0;
		r = poll_for(fds, n, rest == CHECK_OFTEN ? soon : rest, &mask);
		if (r == -EINTR && was_woken)
			r = 0;
	}
	stop_advancing();
	atomic_store(&me->until, RUNNING);
	/* What came at the moment of the deadline came in time. */
	return r == 0 ? poll_for(fds, n, 0, NULL) : r;
}

int clock_wait(struct pollfd *fds, size_t n, int64_t until)
{
	return virtual ? wait_virtual(fds, n, until) : wait_steady(fds, n, until);
}

int clock_wait_steady(struct pollfd *fds, size_t n, int64_t until)
{
	int64_t left;
	int r;

	if (!virtual || virtual->pace == 0)
		return wait_steady(fds, n, until);
	if (until == INT64_MAX)
		return wait_virtual(fds, n, until);
	do {
		left = until - clock_steady();
		left = left < 0 ? 0 : left < CLOCK_SECOND ? left : CLOCK_SECOND;
		r = wait_virtual(fds, n, clock_mono() + left * virtual->pace);
	} while (r == 0 && clock_steady() < until);
	return r;
}

int clock_sleep_until(int64_t deadline)
{
	const struct timespec t = { .tv_sec = deadline / CLOCK_SECOND,
		.tv_nsec = deadline % CLOCK_SECOND };

	if (virtual)
		return wait_virtual(NULL, 0, deadline);
	return deadline < 0 ? 0 : -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

void clock_pause(int64_t since, int64_t least, int64_t most)
{
	const int64_t now = clock_mono(), part = (now - since) / 50;

	clock_sleep_until(now + (part < least ? least : part > most ? most : part));
}

int clock_poll_ms(int64_t deadline)
{
	int64_t left = deadline - clock_mono();

	if (left <= 0)
		return 0;
	left = (left + CLOCK_MS - 1) / CLOCK_MS;
	return left > 86400000 ? 86400000 : (int)left;
}

/* "2026-11-21T09:12:44": year to second, with the caller's separators in the time. */
static int put_stamp(int64_t real_ns, bool local, char middle, char part, char *buf, size_t size)
{
	time_t s = (time_t)(real_ns / CLOCK_SECOND);
	struct tm tm = { 0 };

	if (local)
		localtime_r(&s, &tm);
	else
		gmtime_r(&s, &tm);
	return snprintf(buf, size, "%04d-%02d-%02d%c%02d%c%02d%c%02d", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, middle, tm.tm_hour, part, tm.tm_min, part, tm.tm_sec);
}

static char *put_iso(int64_t real_ns, bool local, const char *zone, char *buf, size_t size)
{
	int n = put_stamp(real_ns, local, 'T', ':', buf, size);

	if (n >= 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ".%06d%s",
			(int)(real_ns % CLOCK_SECOND / 1000), zone);
	return buf;
}

char *clock_iso_local(int64_t real_ns, char *buf, size_t size)
{
	return put_iso(real_ns, true, "", buf, size);
}

char *clock_iso_utc(int64_t real_ns, char *buf, size_t size)
{
	return put_iso(real_ns, false, "Z", buf, size);
}

int64_t clock_parse_utc(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t ns;

	if (!end || text[strlen(text) - 1] != 'Z' ||
		__builtin_mul_overflow((int64_t)timegm(&tm), CLOCK_SECOND, &ns))
		return 0;
	return ns;
}

char *clock_file_stamp(int64_t real_ns, char *buf, size_t size)
{
	put_stamp(real_ns, true, '_', '-', buf, size);
	return buf;
}
