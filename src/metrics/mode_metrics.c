/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_metrics.c - --textfile and --exporter: the cards' metrics, made anew at each tick.
 *
 * It goes on without a card and without a driver: it is there to report that cards are gone.
 */
#include "config.h"
#include "src/metrics/mode_metrics.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/state.h"
#include "device/bus.h"
#include "output/metrics.h"
#include "src/loop.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"
#include "src/stop.h"
#include "telemetry/roster.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * The cards that another process of this program is resetting now.  The log of resets in the state
 * directory says so before the first step; no card, driver or process is asked.
 */

#define IN_FLIGHT_MAX 64

struct in_flight {
	char path[4096];		/* of the log; "": not known yet */
	off_t at;			/* where the part begins that was not read yet */
	ino_t inode;
	bool is_unknown;		/* the log cannot be found or read, as stderr says */
	size_t n;
	struct {
		char bdf[16];
		pid_t pid;
		uint64_t started;	/* when that process began: its pid may be used again */
		int64_t since;		/* clock_mono() */
	} resets[IN_FLIGHT_MAX];
};

#define FIRST_LOOK  (64 * 1024)			/* bytes, of a log that was there before us */
#define TURN_MAX    (256 * 1024)		/* bytes read at once */
#define RESET_MOST  (600 * CLOCK_SECOND)	/* no reset takes longer */

static void drop_reset(struct in_flight *x, const char *bdf)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->resets[i].bdf, bdf) == 0)
			x->resets[i--] = x->resets[--x->n];
}

static void take_line(struct in_flight *x, const char *source, const char *line, size_t len)
{
	const char *event, *bdf, *of;
	struct json *doc;
	double pid = 0, started = 0;

	if (json_parse(line, len, &doc, NULL) < 0)
		return;
	event = json_get_text(json_get(doc, "event"));
	bdf = json_get_text(json_get(doc, "bdf"));
	of = json_get_text(json_get(doc, "source"));
	json_get_number(json_get(doc, "started"), &started);
	if (event && bdf && of && strcmp(of, source) == 0 &&
		json_get_number(json_get(doc, "pid"), &pid)) {
		drop_reset(x, bdf);
		if (strcmp(event, "fire") == 0 && x->n < IN_FLIGHT_MAX && pid > 0 && pid < 1e9) {
			mem_copy_text(x->resets[x->n].bdf, sizeof(x->resets[0].bdf), bdf);
			x->resets[x->n].pid = (pid_t)pid;
			x->resets[x->n].started = started > 0 && started < 1e18 ?
				(uint64_t)started : 0;
			x->resets[x->n++].since = clock_mono();
		}
	}
	json_free(doc);
}

/* Take the lines that are whole; a reset writes each line at once. */
static void take_text(struct in_flight *x, const char *source, const char *text, size_t len)
{
	const char *end;

	for (; (end = memchr(text, '\n', len)); text = end + 1) {
		const size_t n = (size_t)(end - text) + 1;

		take_line(x, source, text, n - 1);
		len -= n;
		x->at += (off_t)n;
	}
}

/* No log is no error. */
static void take_failure(struct in_flight *x, int error)
{
	if (error != ENOENT && !x->is_unknown)
		say_as(code_find(-errno), "%s: cannot be read: %s: resets in flight are left out",
			x->path, strerror(error));
	x->is_unknown = error != ENOENT;
}

static void read_log(struct in_flight *x, const char *source)
{
	struct stat st;
	char *text;
	ssize_t n;
	int fd;

	if (stat(x->path, &st) < 0) {
		take_failure(x, errno);
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	if (x->inode != st.st_ino || x->at > st.st_size)
		x->at = st.st_size > FIRST_LOOK ? st.st_size - FIRST_LOOK : 0;
	x->inode = st.st_ino;
	if (x->at >= st.st_size)
		return;
	fd = open(x->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0) {
		take_failure(x, errno);
		return;
	}
	x->is_unknown = false;
	text = mem_calloc(1, TURN_MAX);
	n = pread(fd, text, TURN_MAX, x->at);
	if (n > 0)
		take_text(x, source, text, (size_t)n);
	free(text);
	close(fd);
}

/* A reset that was killed, or ended with the host, wrote no verdict; its pid may be used again. */
static bool is_over(pid_t pid, uint64_t started, int64_t since)
{
	struct proc_stat now;

	if ((kill(pid, 0) < 0 && errno == ESRCH) || clock_mono() - since > RESET_MOST)
		return true;
	return proc_stat_read(pid, &now) && (now.state == 'Z' || now.started != started);
}

/* False: there is no state directory, so of cards whose resets are kept there nothing is known. */
static bool find_log(struct in_flight *x, const struct bus *bus)
{
	struct error e;

	if (*x->path || state_path("reset.log", x->path, sizeof(x->path), &e) == 0)
		return true;
	*x->path = '\0';
	if (!bus || !bus_state_name(bus))
		return false;
	if (!x->is_unknown)
		say_as(e.word, "%s: resets in flight are left out", e.text);
	x->is_unknown = true;
	return false;
}

/* Read what was added to the log, and mark the chips that are being reset; bus NULL: a file's. */
static void in_flight_mark(struct in_flight *x, const struct bus *bus, const char *source,
	struct roster *r)
{
	if (find_log(x, bus))
		read_log(x, source);
	for (size_t i = 0; i < x->n; i++)
		if (is_over(x->resets[i].pid, x->resets[i].started, x->resets[i].since))
			x->resets[i--] = x->resets[--x->n];
	for (size_t k = 0; k < r->n; k++) {
		r->chips[k].is_reset = false;
		for (size_t i = 0; i < x->n; i++)
			if (strcmp(x->resets[i].bdf, r->chips[k].bdf) == 0)
				r->chips[k].is_reset = true;
	}
}

static void fail_to_keep(struct expected *x, const struct error *e)
{
	if (!x->has_failed)
		say_as(e->word, "the list of chips cannot be kept: %s", e->text);
	x->has_failed = true;
}

/* A list that is not known is not replaced, unless it is torn. */
static void read_kept(struct expected *x)
{
	const int r = record_file_read(&roster_file, x->path, &x->roster, &x->unknown);

	if (r == -ENOENT) {
		x->unknown.code = 0;
	} else if (r == -EBADMSG) {
		x->roster.n = x->roster.highest = 0;
	} else if (r < 0) {
		x->roster.is_unknown = true;
		*x->path = '\0';
	}
}

static bool take_option(struct expected *x, const char *value, bool *forget)
{
	uint64_t n;

	*forget = value && strcmp(value, "forget") == 0;
	if (!value || *forget)
		return true;
	if (!parse_u64(value, &n) || n < 1 || n > DEVICE_MAX) {
		say_as(CODE_BAD_VALUE, "--expected: '%.40s' is neither a number from 1 to %d nor "
			"the word forget", value, DEVICE_MAX);
		return false;
	}
	x->roster.asked = (size_t)n;
	return true;
}

bool expected_open(struct expected *x, const struct options *o, const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	char name[32];
	struct error e;
	bool forget;

	x->roster.has_trays = !s->host.virtual_machine || !f->origin->is_machine;
	if (!take_option(x, o->expected, &forget))
		return false;
	if (*f->selection || !s->bus || !bus_state_name(s->bus))
		return true;
	snprintf(name, sizeof(name), "roster-%.16s", bus_state_name(s->bus));
	if (state_path(name, x->path, sizeof(x->path), &e) < 0) {
		fail_to_keep(x, &e);
		*x->path = '\0';
	} else if (!forget) {
		read_kept(x);
	}
	return true;
}

bool expected_count(const struct options *o, const struct session *s, size_t *n)
{
	struct expected *x = mem_calloc(1, sizeof(*x));
	bool is_right;

	x->has_failed = true;	/* nothing is kept here, so nothing is said */
	is_right = expected_open(x, o, s);
	*n = o->local || *sampler_fleet(s->sampler)->selection ||
		!roster_knows_expected(&x->roster) ? 0 : roster_expected(&x->roster);
	free(x);
	return is_right;
}

/* Say on stderr if the roster that is kept is not known, and what that means for metrics. */
static void expected_complain(const struct expected *x)
{
	if (x->unknown.code)
		say_as(x->unknown.word, "%s: the list of chips %s%s", x->unknown.text,
			x->roster.is_unknown ? "is not kept" : "begins anew",
			roster_knows_expected(&x->roster) ? "" : ", and how many there should be "
			"is not known");
}

void expected_take(struct expected *x, const struct fleet *f)
{
	struct error e;

	if (roster_take(&x->roster, f) && *x->path &&
		record_file_write(&roster_file, x->path, &x->roster, &e) < 0)
		fail_to_keep(x, &e);
}

/* The mode. */

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
	return file_new_finish(&file, r->text.text, r->text.len, e);
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
		.sparse = is_sparse(r), .kept = totals_kept(&r->totals),
		.resets_unknown = r->in_flight.is_unknown,
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
	/* How often --once is run, and so the time between its samples, is not known. */
	totals_open(&r->totals, &r->session, r->o->once ? 0 : r->loop.interval,
		has_all && !is_sparse(r));
}

static void take_sample(struct run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);

	in_flight_mark(&r->in_flight, r->session.bus, f->origin->name, &r->expected.roster);
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
	if (r->serve && serve_is_public(r->serve))
		say("whoever reaches this address can read them: there is no password and no TLS");
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
