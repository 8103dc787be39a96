/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_dump.c - -d: samples at absolute times until it is stopped.
 *
 * The timer only wakes us; the clock says how many deadlines have passed.  The
 * last of them is met, however late; those before it are lost, and the rows
 * say both.
 */
#include "config.h"

#include "base/clock.h"
#include "src/alarm.h"
#include "src/burnin/print.h"
#include "src/loop.h"
#include "src/mode.h"
#include "src/recording.h"
#include "src/say.h"
#include "src/stop.h"
#include "ui/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* --finish: the workbook of a dump that was made before. */
enum exit_code mode_finish(const struct options *o)
{
	struct figures burn = { 0 };
	struct stop stop;
	enum exit_code code;

	stop_open(&stop, false);
	code = workbook_make(o->finish, burnin_figures_read(&burn, o->finish) ? &burn : NULL,
		&stop);
	figures_clear(&burn);
	stop_end(&stop);
	return code;
}

#define DEFAULT_INTERVAL (CLOCK_SECOND / 2)
#define HEAD_START       (20 * CLOCK_MS)	/* to make the files before the first sample */

struct run {
	const struct options *o;
	struct session session;
	struct stop stop;
	struct recording recording;	/* its dump is NULL with a stream */
	struct stream stream;		/* in place of files */
	struct alarm alarm;

	struct loop loop;		/* end: INT64_MAX without a duration */
	int64_t last_status;
	bool status, status_shown;	/* stderr is a terminal */
	struct error error;		/* of the loop */
	int failed;			/* -errno that ended it */
};

static const struct dump_counts *counts(struct run *r)
{
	return r->recording.dump ? dump_counts(r->recording.dump) : &r->stream.counts;
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
	char elapsed[32], left[48] = "", waits[48] = "", text[256];
	bool small = c->bytes < 1000000;
	pid_t owner;
	size_t width;

	if (!r->status || now - r->last_status < CLOCK_SECOND / 4 || !term_has_room(STDERR_FILENO))
		return;
	/* In the background the terminal belongs to another program. */
	owner = tcgetpgrp(STDERR_FILENO);
	if (owner > 0 && owner != getpgrp())
		return;
	r->last_status = now;
	put_clock(elapsed, sizeof(elapsed), now > r->loop.start ? now - r->loop.start : 0);
	if (r->loop.end != INT64_MAX) {
		int n = snprintf(left, sizeof(left), "  left ");

		put_clock(left + n, sizeof(left) - (size_t)n,
			r->loop.end > now ? r->loop.end - now : 0);
	}
	if (c->unsynced > DUMP_UNSYNCED)
		snprintf(waits, sizeof(waits), "  disk %.1f s behind", (double)c->unsynced / 1e9);
	snprintf(text, sizeof(text), "%s%s  %llu samples  %llu late  %llu lost%s  %.*f %s  "
		"(Enter or q stops)", elapsed, left, (unsigned long long)c->ticks,
		(unsigned long long)c->late, (unsigned long long)c->lost, waits, small ? 0 : 1,
		(double)c->bytes / (small ? 1e3 : 1e6), small ? "kB" : "MB");
	width = outlet_columns(STDERR_FILENO);
	width = width > 1 ? width - 1 : 79;
	fprintf(stderr, "\r%.*s\033[K", (int)(width < 250 ? width : 250), text);
	r->status_shown = true;
}

static void clear_status(struct run *r)
{
	if (r->status_shown)
		fprintf(stderr, "\r\033[K");
	r->status_shown = false;
}

/* A tick is over: write its rows. */
static void take_tick(void *arg)
{
	struct run *r = arg;
	const struct fleet *f = sampler_fleet(r->session.sampler);
	const struct dump_tick tick = { .late = r->loop.late, .lost = r->loop.lost };

	r->failed = r->recording.dump ? recording_row(&r->recording, f, &tick) :
			      stream_row(&r->stream, f, &tick, &r->stop);
	if (alarm_has_news(&r->alarm))
		clear_status(r);
	alarm_tick(&r->alarm, f);
	if (r->failed || r->stream.closed)
		r->loop.stop = true;
}

static void dump_wake(void *arg, const struct pollfd *fds)
{
	struct run *r = arg;

	(void)fds;
	r->loop.stop = r->loop.stop || r->stop.asked;
	show_status(r, clock_mono());
}

static int dump_wait_ms(void *arg)
{
	const struct run *r = arg;

	return r->status ? 1000 : -1;
}

static const struct loop_ops loop_ops = {
	.tick = take_tick,
	.wait_ms = dump_wait_ms,
	.wake = dump_wake,
};

/* Open the folder and the files; a stream has none. */
static int dump_begin(struct run *r)
{
	const struct options *o = r->o;
	int err;

	r->loop.sampler = r->session.sampler;
	r->loop.arg = r;
	r->loop.requests = &r->stop;
	r->loop.start = clock_mono() + (clock_is_virtual() ? 0 : HEAD_START);
	r->loop.end = o->duration ? r->loop.start + o->duration : INT64_MAX;
	r->stream.start = r->loop.start;
	r->stream.interval = r->loop.interval;
	r->stream.alerts = r->session.alerts;
	if (o->ndjson)
		return 0;
	err = recording_open(&r->recording, o, &r->session, r->loop.start, r->loop.interval);
	if (err < 0)
		r->error = r->recording.error;
	return err;
}

/* Close the files, report, make the workbook. */
static enum exit_code end(struct run *r)
{
	const struct dump_counts *c = counts(r);

	term_mute(STDERR_FILENO);
	clear_status(r);
	if (r->recording.dump) {
		if (!r->recording.failed)
			dump_lose(r->recording.dump, loop_missed(&r->loop));
		return recording_end(&r->recording, &r->stop);
	}
	if (r->stream.closed)
		return EXIT_DONE;
	if (r->failed)
		outlet_fail(r->failed, EXIT_FAILED);
	if (c->failed)
		say_as(CODE_NOT_READ, "%llu of %llu rows are of cards that could not be read",
			(unsigned long long)c->failed, (unsigned long long)c->rows);
	return recording_verdict(r->failed, c);
}

static void say_start(struct run *r)
{
	const char *title = sampler_fleet(r->session.sampler)->origin->title;

	say("dumping to %s%s%s%s%s", r->recording.dir, *title ? " (" : "", title, *title ? ")" : "",
		r->stop.changed ? " until Enter or q" : "");
}

static enum exit_code dump_run(struct run *r)
{
	enum exit_code code;
	int err;

	code = session_verdict(&r->session);
	session_complain(&r->session);
	if (code == EXIT_NO_DEVICE || session_reads_none(&r->session))
		return code;
	if (alarm_open(&r->alarm, r->o, r->session.alerts, &r->error) < 0) {
		say_error(&r->error);
		return r->error.code == -EACCES ? EXIT_FAILED : exit_of_error(r->error.code);
	}
	/* Keep deadlines to the microsecond; the default timer slack is 50 us. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	r->status = isatty(STDERR_FILENO) && !r->o->ndjson;
	stop_open(&r->stop, !r->o->ndjson || isatty(STDOUT_FILENO));
	stop_unblock(STDERR_FILENO);
	if (r->o->ndjson)
		stop_unblock(STDOUT_FILENO);
	err = dump_begin(r);
	if (err == 0) {
		if (r->recording.dump)
			say_start(r);
		loop_run(&r->loop);
		alarm_stop(&r->alarm);
		code = end(r);
		if (code == EXIT_DONE && r->session.misses)
			code = EXIT_PARTIAL;
	} else {
		dump_close(r->recording.dump, NULL);
		code = session_fail_file(&r->error);
	}
	alarm_close(&r->alarm, &r->stop);
	stop_end(&r->stop);
	return code;
}

enum exit_code mode_dump(const struct options *o)
{
	struct run r = { .o = o, .loop = { .ops = &loop_ops } };
	enum exit_code code;

	r.loop.interval = o->interval ? o->interval : DEFAULT_INTERVAL;
	if (!recording_choose(&r.recording, o))
		return EXIT_USAGE;
	r.stream.choice = (struct tick_choice){ o->fields ? r.recording.wanted : NULL,
		o->external };
	code = session_open(&r.session, o, false);
	if (code != EXIT_DONE)
		return code;
	code = dump_run(&r);
	strbuf_clear(&r.stream.lines);
	session_close(&r.session);
	return code;
}
