/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_metrics.c - --textfile and --exporter: the cards' metrics, made anew at each tick.
 *
 * It goes on without a card and without a driver: it is there to report that cards are gone.
 */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "output/metrics.h"
#include "src/loop.h"
#include "src/metrics/expected.h"
#include "src/metrics/in_flight.h"
#include "src/metrics/serve.h"
#include "src/metrics/totals.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/stop.h"
#include "src/version.h"

#include <string.h>

#define DEFAULT_INTERVAL CLOCK_SECOND
#define ONCE_INTERVAL	 (CLOCK_SECOND / 2)	/* between its two samples */
#define STALE_TICKS	 3			/* an older text is not ready: this many ticks */
#define STALE_TIME	 (5 * CLOCK_SECOND)	/* and this much more */

struct run {
	const struct options *o;
	struct session session;
	struct stop stop;
	struct loop loop;
	struct expected expected;
	struct totals totals;
	struct in_flight in_flight;
	struct serve *serve;	/* NULL without --exporter */
	struct strbuf text;
	bool has_failed;	/* the last text could not be written */
	bool has_complained;	/* it was said that not all holders are seen */
};

static int write_file(const struct run *r, struct error *e)
{
	struct file_new file;
	int err = file_new_open(&file, r->o->textfile, true, e);

	if (err < 0)
		return err;
	file.lazy = !r->o->once;	/* the next one will replace it soon */
	file_new_publish(&file);
	err = file_write_all(file.fd, r->text.text, r->text.len);
	if (err == 0)
		return file_new_keep(&file, e);
	file_new_discard(&file);
	return fail(e, err, "%s: cannot write: %s", r->o->textfile, strerror(-err));
}

/* Report a failure once while it lasts, and then once that it works again. */
static void deliver_file(struct run *r)
{
	const bool had_failed = r->has_failed;
	struct error e;

	r->has_failed = write_file(r, &e) < 0;
	if (r->has_failed && !had_failed)
		say_error(&e);
	else if (had_failed && !r->has_failed)
		say("%s: written again", r->o->textfile);
}

/* Too seldom to count energy. */
static bool is_sparse(const struct run *r)
{
	return r->loop.interval > TALLY_SPARSE;
}

static void deliver_metrics(struct run *r)
{
	const struct metrics m = { .fleet = sampler_fleet(r->session.sampler),
		.roster = &r->expected.roster, .totals = r->totals.shown,
		.sparse = is_sparse(r), .resets_unknown = r->in_flight.is_unknown,
		.version = version_own, .external = r->o->external,
		.commands = r->o->holder_commands };

	r->text.len = 0;
	metrics_put(&r->text, &m);
	if (r->o->textfile)
		deliver_file(r);
	if (r->serve)
		serve_publish(r->serve, &r->text);
}

/* Say once that the metrics lack what only root can see. */
static void complain_holders(struct run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);

	if (r->has_complained || !f->processes_partial)
		return;
	r->has_complained = true;
	say_as(CODE_HOLDERS_UNKNOWN, "processes of other users that hold a card are not seen: that "
		"takes root, or a driver from 2.5.0 on");
}

static void open_totals(struct run *r)
{
	const bool has_all = !r->o->devices && !*sampler_fleet(r->session.sampler)->selection;

	if (is_sparse(r))
		say_as(CODE_NOT_COVERED, "energy and throttled time are left out: samples are more "
			"than 10 s apart (-i 10 or less)");
	totals_open(&r->totals, &r->session, has_all && !is_sparse(r));
}

static void take_sample(struct run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);

	in_flight_mark(&r->in_flight, r->session.bus, f->source, &r->expected.roster);
	expected_take(&r->expected, f);
	totals_take(&r->totals, f, &r->expected.roster);
}

static void take_tick(void *arg)
{
	struct run *r = arg;

	complain_holders(r);
	take_sample(r);
	deliver_metrics(r);
	r->loop.stop = r->loop.stop || r->o->once;
}

static void wake(void *arg, const struct pollfd *fds)
{
	struct run *r = arg;

	r->loop.stop = r->loop.stop || r->stop.asked;
	if (r->serve && fds)
		serve_turn(r->serve);
}

static size_t prepare(void *arg, struct pollfd *fds)
{
	const struct run *r = arg;

	if (!r->serve)
		return 0;
	fds[0] = (struct pollfd){ .fd = serve_fd(r->serve), .events = POLLIN };
	return 1;
}

static int wait_ms(void *arg)
{
	const struct run *r = arg;

	return r->serve ? serve_wait_ms(r->serve) : -1;
}

static const struct loop_ops loop_ops = { .tick = take_tick, .prepare = prepare,
	.wait_ms = wait_ms, .wake = wake };

/* Before a card is read: an address that is wrong is the only thing to say. */
static int open_serve(struct run *r, struct error *e)
{
	return r->o->exporter ? serve_open(r->o->exporter,
		STALE_TICKS * r->loop.interval + STALE_TIME, &r->serve, e) : 0;
}

/* The sample that the session began with is the first of the two that --once takes. */
static enum exit_code metrics_run(struct run *r)
{
	const int64_t now = clock_mono();

	r->loop.sampler = r->session.sampler;
	r->loop.arg = r;
	r->loop.requests = &r->stop;
	r->loop.start = now + r->loop.interval;
	r->loop.end = r->o->duration ? now + r->o->duration : INT64_MAX;
	if (r->serve)
		say("metrics at %s%s", serve_where(r->serve),
			strchr(r->o->exporter, '/') ? "" : "/metrics");
	expected_complain(&r->expected);
	open_totals(r);
	take_sample(r);
	if (!r->o->once)
		deliver_metrics(r);
	if (r->has_failed)
		return EXIT_FAILED;
	/* There is no later tick that could have the answer of a chip that hangs. */
	if (r->o->once)
		sampler_await_all(r->session.sampler);
	loop_run(&r->loop);
	return r->has_failed ? EXIT_FAILED : EXIT_DONE;
}

enum exit_code mode_metrics(const struct options *o)
{
	static struct run r;
	struct error e;
	enum exit_code code;

	r = (struct run){ .o = o, .loop = { .ops = &loop_ops },
		.totals = { .lock = -1 } };
	r.loop.interval = o->interval ? o->interval : o->once ? ONCE_INTERVAL : DEFAULT_INTERVAL;
	if (open_serve(&r, &e) < 0)
		return session_fail_choice(&e);
	code = session_open(&r.session, o, false);
	if (code != EXIT_DONE) {
		serve_close(r.serve);
		return code;
	}
	session_complain_none(&r.session);
	stop_open(&r.stop, false);
	code = expected_open(&r.expected, o, &r.session) ? metrics_run(&r) : EXIT_USAGE;
	serve_close(r.serve);
	totals_close(&r.totals);
	stop_end(&r.stop);
	strbuf_clear(&r.text);
	session_close(&r.session);
	return code;
}
