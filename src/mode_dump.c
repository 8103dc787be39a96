/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_dump.c - -d: samples at absolute times until told to stop.
 *
 * The timer only wakes us; the clock says how many deadlines have passed.  The
 * last of them is met, however late; those before it are lost, and the rows
 * say both.
 */
#include "config.h"
#include "base/clock.h"
#include "output/dump.h"
#include "src/mode.h"
#include "src/stop.h"
#include "src/stream.h"
#include "src/workbook.h"
#include "ui/term_rescue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define DEFAULT_INTERVAL (CLOCK_SECOND / 2)
#define HEAD_START       (20 * CLOCK_MS)	/* before the first sample files are made */
#define RESCAN_EVERY     (2 * CLOCK_SECOND)

struct run {
	const struct options *o;
	struct session session;
	struct stop stop;
	struct dump *dump;		/* NULL with a stream */
	bool wanted[FIELD_COUNT];
	struct stream stream;		/* without files */

	int64_t interval, start, end;	/* end: INT64_MAX without a duration */
	int timer;			/* -1 in virtual time */
	bool running;			/* a tick is under way */
	uint64_t k;			/* deadlines that were met or lost so far */
	struct dump_tick tick;		/* of the tick under way */
	int64_t last_rescan, last_status;
	bool status, status_shown;	/* stderr is a terminal */
	struct error error;
	int failed;			/* -errno that ended it */
};

static const struct dump_counts *counts(const struct run *r)
{
	return r->dump ? dump_counts(r->dump) : &r->stream.counts;
}

/* "1:02:03" */
static int put_clock(char *buf, size_t size, int64_t ns)
{
	long long s = ns / CLOCK_SECOND;

	return snprintf(buf, size, "%lld:%02lld:%02lld", s / 3600, s % 3600 / 60, s % 60);
}

static void show_status(struct run *r, int64_t now)
{
	const struct dump_counts *c = counts(r);
	char elapsed[32], left[48] = "", text[256];
	struct winsize w = { .ws_col = 80 };
	bool small = c->bytes < 1000000;
	pid_t owner;
	size_t width;

	if (!r->status || now - r->last_status < CLOCK_SECOND / 4 || !term_has_room(STDERR_FILENO))
		return;
	/* In the background the terminal is somebody else's. */
	owner = tcgetpgrp(STDERR_FILENO);
	if (owner > 0 && owner != getpgrp())
		return;
	r->last_status = now;
	put_clock(elapsed, sizeof(elapsed), now > r->start ? now - r->start : 0);
	if (r->end != INT64_MAX) {
		int n = snprintf(left, sizeof(left), "  left ");

		put_clock(left + n, sizeof(left) - (size_t)n, r->end > now ? r->end - now : 0);
	}
	snprintf(text, sizeof(text), "%s%s  %llu samples  %llu late  %llu lost  %.*f %s  "
		"(Enter or q stops)", elapsed, left, (unsigned long long)c->ticks,
		(unsigned long long)c->late, (unsigned long long)c->lost, small ? 0 : 1,
		(double)c->bytes / (small ? 1e3 : 1e6), small ? "kB" : "MB");
	ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
	width = w.ws_col > 1 ? (size_t)w.ws_col - 1 : 79;
	fprintf(stderr, "\r%.*s\033[K", (int)(width < 250 ? width : 250), text);
	r->status_shown = true;
}

static void clear_status(struct run *r)
{
	if (r->status_shown)
		fprintf(stderr, "\r\033[K");
	r->status_shown = false;
}

/* A tick is over: its rows. */
static void take_tick(struct run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);

	r->running = false;
	r->failed = r->dump ? dump_row(r->dump, f, &r->tick, &r->error) :
			      stream_row(&r->stream, f, &r->tick, &r->stop, &r->error);
}

/* Cards that came back or are new; not while a tick is under way. */
static void look_around(struct run *r, int64_t now)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);
	bool trouble = false;

	if (now - r->last_rescan < RESCAN_EVERY)
		return;
	for (size_t i = 0; i < f->n; i++)
		trouble |= f->wanted[i] && snapshot_is_lost(&f->chips[i]);
	r->last_rescan = now;
	if (trouble)
		sampler_rescan(r->session.sampler, NULL);
}

/* How many deadlines of the dump have passed by now. */
static uint64_t deadlines(const struct run *r, int64_t now)
{
	int64_t last = now < r->end ? now : r->end - 1;

	return last < r->start ? 0 : (uint64_t)((last - r->start) / r->interval) + 1;
}

/* Meet the last deadline that has passed, if we are free: rather late than not at all. */
static void meet_deadline(struct run *r)
{
	uint64_t due = deadlines(r, clock_mono());

	if (r->running || r->failed || r->stop.asked || due <= r->k ||
		sampler_begin(r->session.sampler) < 0)
		return;
	r->running = true;
	r->tick.lost = due - r->k - 1;
	r->tick.late = sampler_fleet(r->session.sampler)->time - r->start -
		(int64_t)(due - 1) * r->interval;
	r->k = due;
}

/* How long poll() may wait, in ms; -1 for ever. */
static int patience(const struct run *r, int64_t now)
{
	int ms = sampler_wait_ms(r->session.sampler);
	int least = r->status ? 1000 : -1;

	if (r->end != INT64_MAX && now < r->end) {
		int until = clock_poll_ms(r->end);

		least = least < 0 || until < least ? until : least;
	}
	return ms < 0 || (least >= 0 && least < ms) ? least : ms;
}

static void run_real(struct run *r)
{
	while (!r->failed && !r->stream.closed) {
		struct pollfd fds[2 + STOP_FDS];
		int64_t now = clock_mono();
		uint64_t n;

		if (!r->running && (now >= r->end || stop_check(&r->stop)))
			return;
		show_status(r, now);
		fds[0] = (struct pollfd){ .fd = r->timer, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = sampler_fd(r->session.sampler), .events = POLLIN };
		stop_poll(&r->stop, fds + 2);
		poll(fds, 2 + STOP_FDS, patience(r, now));
		if (read(r->timer, &n, sizeof(n)) == (ssize_t)sizeof(n))
			meet_deadline(r);
		if (sampler_collect(r->session.sampler) == 1 && r->running)
			take_tick(r);
		stop_check(&r->stop);
		if (!r->running) {
			look_around(r, clock_mono());
			meet_deadline(r);	/* one that passed meanwhile */
		}
	}
}

/* Tests run a day in seconds: nothing waits, no deadline is missed. */
static void run_virtual(struct run *r)
{
	for (; !r->failed && !r->stream.closed && !stop_check(&r->stop); r->k++) {
		int64_t deadline = r->start + (int64_t)r->k * r->interval;

		if (deadline >= r->end) {
			clock_sleep_until(r->end);
			return;
		}
		clock_sleep_until(deadline);
		r->failed = sampler_tick(r->session.sampler, &r->error);
		if (r->failed)
			return;
		take_tick(r);
		look_around(r, clock_mono());
		show_status(r, clock_mono());
	}
}

static int start_timer(struct run *r)
{
	struct itimerspec t = {
		.it_value = { .tv_sec = r->start / CLOCK_SECOND,
			.tv_nsec = r->start % CLOCK_SECOND },
		.it_interval = { .tv_sec = r->interval / CLOCK_SECOND,
			.tv_nsec = r->interval % CLOCK_SECOND },
	};

	r->timer = -1;
	if (clock_is_virtual())
		return 0;
	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (r->timer < 0 || timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &t, NULL) < 0)
		return fail_errno(&r->error, "dump: cannot make a timer");
	return 0;
}

/* Folder and files; a stream has none. */
static int begin(struct run *r)
{
	const struct options *o = r->o;
	struct dump_config c = {
		.dir = o->dump_dir,
		.tool = PACKAGE_STRING,
		.interval = r->interval,
		.wanted = o->fields ? r->wanted : NULL,
		.external = o->external,
		.selected = r->session.wanted,
		.n_selected = DEVICE_MAX,
		.rotate_bytes = o->rotate.bytes,
		.rotate_ns = o->rotate.ns,
		.keep = (unsigned)o->keep,
		.host = &r->session.host,
	};
	int err = 0;

	r->start = clock_mono() + (clock_is_virtual() ? 0 : HEAD_START);
	r->end = o->duration ? r->start + o->duration : INT64_MAX;
	c.start = r->stream.start = r->start;
	r->stream.interval = r->interval;
	r->stream.sink = o->ndjson ? sink_find("ndjson") : NULL;
	if (!r->stream.sink)
		err = dump_open(&c, sampler_fleet(r->session.sampler), &r->dump, &r->error);
	return err < 0 ? err : start_timer(r);
}

/* What the rows say, as an exit code. */
static enum exit_code verdict(const struct run *r, const struct dump_counts *c)
{
	if (r->failed)
		return EXIT_FAILED;
	if (c->failed == 0)
		return EXIT_DONE;
	return c->failed == c->rows ? EXIT_FAILED : EXIT_PARTIAL;
}

static void say_end(const char *dir, const struct dump_counts *c)
{
	fprintf(stderr, "tt-smi: %llu sample%s of %zu card%s in %s, %llu late, %llu lost",
		(unsigned long long)c->ticks, c->ticks == 1 ? "" : "s", c->cards,
		c->cards == 1 ? "" : "s", dir,
		(unsigned long long)c->late, (unsigned long long)c->lost);
	if (c->failed)
		fprintf(stderr, "; %llu rows of cards that could not be read",
			(unsigned long long)c->failed);
	fputc('\n', stderr);
}

/* Close the files, say how it went, make the workbook. */
static enum exit_code end(struct run *r)
{
	enum exit_code code, book = EXIT_DONE;
	struct dump_counts c;
	struct error e = { 0 };
	char dir[4096];

	term_mute(STDERR_FILENO);
	clear_status(r);
	if (r->dump && r->timer >= 0 && !r->failed)
		dump_lose(r->dump, deadlines(r, clock_mono()) - r->k);
	c = *counts(r);
	if (!r->dump) {
		code = verdict(r, &c);
		if (r->failed)
			session_fail(&r->error);
		return r->stream.closed ? EXIT_DONE : code;
	}
	snprintf(dir, sizeof(dir), "%s", dump_dir(r->dump));
	if (dump_close(r->dump, &e) < 0 && !r->failed) {
		r->failed = e.code;
		r->error = e;
	}
	r->dump = NULL;
	code = verdict(r, &c);
	if (r->failed) {
		session_fail(&r->error);
		fprintf(stderr, "tt-smi: the dump stopped; what was written is whole: "
				"tt-smi --finish %s makes its workbook\n", dir);
	}
	say_end(dir, &c);
	if (!r->failed) {
		/* The stop that ended the dump is used up; another one ends this. */
		r->stop.asked = false;
		book = workbook_make(dir, &r->stop);
	}
	return code == EXIT_DONE ? book : code;
}

static enum exit_code run(struct run *r)
{
	enum exit_code code;
	int err;

	if (session_verdict(&r->session) == EXIT_NO_DEVICE) {
		session_complain(&r->session);
		return EXIT_NO_DEVICE;
	}
	/* Deadlines are kept to the microsecond, not to the usual 50 of them. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	r->status = isatty(STDERR_FILENO) && !r->o->ndjson;
	stop_open(&r->stop, !r->o->ndjson || isatty(STDOUT_FILENO));
	err = begin(r);
	if (err == 0) {
		if (r->dump)
			fprintf(stderr, "tt-smi: dumping to %s%s\n", dump_dir(r->dump),
				r->stop.changed ? " until Enter or q" : "");
		(clock_is_virtual() ? run_virtual : run_real)(r);
		code = end(r);
	} else {
		dump_close(r->dump, NULL);
		code = session_fail(&r->error);
	}
	stop_close(&r->stop);
	if (r->timer >= 0)
		close(r->timer);
	return code;
}

enum exit_code mode_dump(const struct options *o)
{
	struct run r = { .o = o, .timer = -1 };
	enum exit_code code;
	struct error e;

	r.interval = o->interval ? o->interval : DEFAULT_INTERVAL;
	if (o->fields && dump_columns_choose(o->fields, r.wanted, &e) < 0) {
		fprintf(stderr, "tt-smi: %s\n", e.text);
		return EXIT_USAGE;
	}
	r.stream.choice = (struct sink_choice){ o->fields ? r.wanted : NULL, o->external };
	code = session_open(&r.session, o, false);
	if (code != EXIT_DONE)
		return code;
	code = run(&r);
	strbuf_clear(&r.stream.lines);
	session_close(&r.session);
	return code;
}
