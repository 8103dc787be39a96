/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_live.c - the live display.  One loop waits for keys, signals, readings,
 * messages of libraries and the next tick.  Nothing in it waits for a card, and a
 * picture is drawn only when one of these has news.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/conf/conf.h"
#include "src/listed.h"
#include "src/live/live.h"
#include "src/metrics/mode_metrics.h"
#include "src/outlet.h"
#include "src/say.h"
#include "telemetry/alerts.h"
#include "ui/tab.h"
#include "ui/term.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Alerts that are raised and cleared while the display runs: the log has a line for each, and the
 * footer shows one of each tick.  The header has all that are raised.
 */

/* Log it with the time of day, on a line of its own. */
static void log_event(struct live *l, const char *text)
{
	char when[40], line[ALERTS_TEXT + 48];

	clock_iso_local(live_fleet(l)->real, when, sizeof(when));
	snprintf(line, sizeof(line), "%.8s %s\n", when + strlen("2026-11-21T"), text);
	ui_log_add(&l->log, line, strlen(line));
}

/* A tick is over: say what was raised and cleared. */
static void live_alerts_take(struct live *l)
{
	const struct fleet *f = live_fleet(l);
	char text[ALERTS_TEXT];
	size_t n, shown = 0;
	const struct alerts_event *news = alerts_news(l->session.alerts, &n);

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		log_event(l, alerts_event_text(&news[i], &f->chips[news[i].chip], text));
		/* Show the first that was raised, rather than one that was cleared. */
		if (news[i].raised && !news[shown].raised)
			shown = i;
	}
	alerts_event_text(&news[shown], &f->chips[news[shown].chip], text);
	/* Do not replace a question: it has to be read. */
	if (!l->view.asking)
		view_say(&l->view, &l->model, news[shown].raised,
			n > 1 ? "%s, and %zu more (l)" : "%s", text, n - 1);
	if (news[shown].raised && l->o->bell)
		term_bell();
	alerts_forget_news(l->session.alerts);
	l->dirty = true;
}

/*
 * Keys and clicks, carried out.  During a pause, the picture shows a copy of the readings, and
 * sampling goes on.
 */

/* Release a frozen picture. */
static void live_keys_let_go(struct live *l)
{
	free((void *)(uintptr_t)l->held.chips);
	free((void *)(uintptr_t)l->held.processes);
	l->held = (struct fleet){ 0 };
}

static void *copy_array(const void *from, size_t n, size_t size)
{
	void *to;

	if (n == 0)
		return NULL;
	to = mem_calloc(n, size);
	memcpy(to, from, n * size);
	return to;
}

static void pause_picture(struct live *l)
{
	struct fleet *held = &l->held;

	live_keys_let_go(l);
	if (!l->view.paused)
		return;
	*held = *live_fleet(l);
	held->chips = copy_array(held->chips, held->n, sizeof(*held->chips));
	held->processes = copy_array(held->processes, held->n_processes, sizeof(*held->processes));
}

/* A copy cannot be asked for more than it has; then say so. */
static bool is_copy(struct live *l)
{
	const bool is = session_is_copy(&l->session);

	if (is)
		view_say(&l->view, &l->model, true, "these cards are a copy: nothing more can be "
			"read from them");
	return is;
}

static void live_keys_carry_out(struct live *l, enum ui_request request)
{
	l->model.now = clock_mono();
	switch (request) {
	case UI_NONE:
		break;
	case UI_QUIT:
		l->quit = live_reset_lets_quit(l);
		break;
	case UI_RESET_ASK:
		live_reset_ask(l);
		break;
	case UI_RESET:
		live_reset_start(l);
		break;
	case UI_SNAPSHOT:
		live_save_start(l);
		break;
	case UI_DUMP:
		live_dump_toggle(l);
		break;
	case UI_PAUSE:
		pause_picture(l);
		break;
	case UI_RESTART_STATS:
		history_restart_stats(l->history);
		break;
	case UI_REMOTE:
		if (is_copy(l))
			break;
		l->model.remote = !l->model.remote;
		sampler_set_remote(l->session.sampler, l->model.remote);
		view_say(&l->view, &l->model, false, l->model.remote ?
			"second chips are read from now on, on boards that no process holds" :
			"second chips are not read any more");
		break;
	case UI_BUSY:
		if (is_copy(l))
			break;
		l->model.busy = !l->model.busy && !l->o->passive;
		sampler_set_busy(l->session.sampler, l->model.busy);
		view_say(&l->view, &l->model, false, l->o->passive ?
			"busy shares cannot be read with --passive" : l->model.busy ?
			"busy shares are read from now on, in the cores of the chips" :
			"busy shares are not read any more");
		break;
	case UI_REDRAW:
		term_forget();
		break;
	}
	l->dirty = l->urgent = true;
}

static bool needs_consent(enum ui_request request)
{
	return request == UI_RESET_ASK || request == UI_RESET;
}

/* The keys were pasted, or typed before the question could be read. */
static void refuse(struct live *l)
{
	l->dirty = l->urgent = true;
	consent_end(&l->consent);
	view_say(&l->view, &l->model, true, "nothing was reset: keys that come this fast are not "
		"taken for an answer; press x, read, then y");
}

/* A question that is open was asked by the last key that was carried out. */
static void carry_out_and_ask(struct live *l, enum ui_request request)
{
	live_keys_carry_out(l, request);
	if (l->view.asking && !l->consent.asked)
		consent_ask(&l->consent);
	else if (!l->view.asking)
		consent_end(&l->consent);
}

static void take_key(struct live *l, unsigned hit, uint32_t key)
{
	bool is_refused = l->pending != UI_NONE, is_typed = true;
	enum ui_request request;

	l->model.now = clock_mono();
	l->pending = UI_NONE;
	request = hit ? view_click(&l->view, hit, &l->model) :
		view_key(&l->view, key, &l->model);
	/* UI_KEY_RESIZE without a hit is not a key, but the terminal's own answer. */
	if (hit || key != UI_KEY_RESIZE)
		is_typed = consent_hear(&l->consent, clock_steady());
	/* Each key clears the message, so show it again for each key of refused text. */
	is_refused = is_refused || (!is_typed && (needs_consent(request) || l->refused));
	if (!needs_consent(request))
		carry_out_and_ask(l, request);
	else if (!is_refused)
		l->pending = request;
	l->refused = is_refused;
	if (is_refused)
		refuse(l);
}

/* Take in all keys and clicks that wait. */
static void live_keys_take(struct live *l)
{
	unsigned hit;
	uint32_t key;

	while (!l->quit && (key = term_key(&hit)) != UI_KEY_NONE)
		take_key(l, hit, key);
	if (l->quit || !term_is_quiet())
		return;
	consent_rest(&l->consent, clock_steady());
	if (l->pending != UI_NONE && consent_is_given(&l->consent)) {
		const enum ui_request request = l->pending;

		l->pending = UI_NONE;
		consent_end(&l->consent);
		carry_out_and_ask(l, request);
	}
}

/* The picture is drawn.  Its question can be read once the terminal has all of the picture. */
static void live_keys_drawn(struct live *l)
{
	if (!l->view.asking)
		consent_end(&l->consent);
	else if (!l->dirty && term_flush())
		consent_show(&l->consent, clock_steady());
}

/* How long poll() may wait before live_keys_take() is due without news; -1: for ever. */
static int live_keys_wait_ms(const struct live *l)
{
	int ms = term_wait_ms(), rest = consent_wait_ms(&l->consent, clock_steady());

	return ms < 0 || (rest >= 0 && rest < ms) ? rest : ms;
}

#define INTERVAL  (CLOCK_SECOND / 2)
#define PLAIN_GAP (5 * CLOCK_SECOND)	/* between pictures on a terminal that only scrolls */
#define BRIEF	  (50 * CLOCK_MS)	/* a tick of healthy cards takes less */
#define LIVE_FDS  (TERM_FDS + 2)

/* Readings. */

/* Whether the clock in the header and the ages of old values are out of date. */
static bool is_old(const struct live *l)
{
	return clock_mono() - l->drawn >= CLOCK_SECOND ||
		(!l->view.paused && clock_real() / CLOCK_SECOND != l->model.real / CLOCK_SECOND);
}

static void take_readings(void *arg)
{
	struct live *l = arg;
	/* Numbers of a calm tab wait for the next full second, with the clock. */
	const bool calm = l->view.panel == UI_PANEL_NONE && tabs[l->view.tab]->calm;
	uint64_t digest = fleet_digest(live_fleet(l), !calm);

	if (l->taken == 0 && session_choose(&l->session, l->o, &l->error) < 0)
		l->quit = l->loop.quit = true;
	/* A sample may have found a second chip on a board. */
	history_reserve(l->history, live_fleet(l)->n);
	history_push(l->history, live_fleet(l));
	/* Remember the cards when they are first shown, and when one comes or goes. */
	if (l->taken == 0 || l->is_new)
		listed_remember(l->o, live_fleet(l));
	l->is_new = false;
	l->taken = live_fleet(l)->tick;
	live_dump_add(l);
	live_alerts_take(l);
	live_reset_tick(l);
	/* If only ages changed, redraw at the next full second. */
	l->dirty = l->dirty || digest != l->digest || l->shown_dump.on || l->reset || is_old(l);
	l->digest = digest;
}

static void rescanned(void *arg, int result, const struct error *e)
{
	struct live *l = arg;

	if (result < 0 && result != -EOPNOTSUPP)
		view_say(&l->view, &l->model, true, "%s", e->text);
	history_reserve(l->history, live_fleet(l)->n);
	l->is_new = l->is_new || result > 0;
	l->dirty = l->dirty || result > 0;
}

/* Signals. */

/* In the background the display is stopped, as usual: another job has the terminal. */
static void hear_signals(struct live *l)
{
	struct sigaction broken_pipe;

	/* Keep the action of SIGPIPE: if it ends us, the terminal is given back first. */
	sigaction(SIGPIPE, NULL, &broken_pipe);
	stop_open(&l->stop, false);
	sigaction(SIGPIPE, &broken_pipe, NULL);
	stop_take_screen(&l->stop);
	signal(SIGTTIN, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
}

/* The picture. */

static void live_draw(struct live *l)
{
	int64_t now = clock_mono();
	struct canvas *canvas;

	if (!l->dirty || !term_flush() ||
		(term_is_plain() && !l->urgent && now - l->drawn < PLAIN_GAP))
		return;
	if (!l->view.paused) {
		l->model.now = now;
		l->model.real = clock_real();
		alerts_standing(l->session.alerts, l->model.alerts, sizeof(l->model.alerts));
	}
	l->model.fleet = l->view.paused ? &l->held : live_fleet(l);
	canvas = term_canvas();
	screen_draw(canvas, &l->model, &l->view);
	term_draw(canvas);
	l->drawn = now;
	l->dirty = l->urgent = false;
}

/* Draw what is new, then name the descriptors to wait for. */
static size_t live_prepare(void *arg, struct pollfd *fds)
{
	struct live *l = arg;

	live_draw(l);
	live_keys_drawn(l);
	term_poll(fds);
	fds[TERM_FDS] = (struct pollfd){ .fd = live_dump_fd(l), .events = POLLIN };
	fds[TERM_FDS + 1] = (struct pollfd){ .fd = live_save_fd(l), .events = POLLIN };
	return LIVE_FDS + live_reset_fds(l, fds + LIVE_FDS, LOOP_FDS - LIVE_FDS);
}

/* A tick has just begun.  Its readings will need a picture anyway, so draw none before. */
static bool is_about_to_know(const struct live *l)
{
	return sampler_is_busy(l->session.sampler) &&
		clock_mono() - live_fleet(l)->time < BRIEF;
}

static int live_wait_ms(void *arg)
{
	const struct live *l = arg;
	int ms = live_keys_wait_ms(l), most = live_reset_wait_ms(l);

	if (most > BRIEF / CLOCK_MS && is_about_to_know(l))
		most = BRIEF / CLOCK_MS;
	return ms < 0 || ms > most ? most : ms;
}

static void live_wake(void *arg, const struct pollfd *fds)
{
	struct live *l = arg;

	/* The terminal has gone without a signal. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		l->quit = true;
	if (fds[0].revents & POLLIN || live_keys_wait_ms(l) == 0)
		live_keys_take(l);
	l->quit = l->stop.asked || l->quit;
	if (l->stop.redraw)
		l->dirty = l->urgent = true;
	l->stop.redraw = false;
	if (fds[1].revents)
		l->dirty = display_take_messages(&l->log) || l->dirty;
	live_dump_take(l);
	live_save_take(l);
	live_reset_step(l);
	/* Also during a tick that takes long. */
	l->dirty = l->dirty || (is_old(l) && !is_about_to_know(l));
	l->loop.quit = l->quit;
}

static const struct loop_ops loop_ops = {
	.tick = take_readings,
	.prepare = live_prepare,
	.wait_ms = live_wait_ms,
	.wake = live_wake,
	.rescanned = rescanned,
};

static void live_run(struct live *l)
{
	l->loop = (struct loop){ .sampler = l->session.sampler, .ops = &loop_ops, .arg = l,
		.requests = &l->stop,
		.interval = l->model.interval, .start = clock_mono() + l->model.interval,
		.end = INT64_MAX };
	history_reserve(l->history, live_fleet(l)->n);
	l->dirty = true;
	loop_run(&l->loop);
}

/* The configured columns of each tab; its lines were checked when they were read. */
static void live_choose_columns(struct live *l)
{
	const struct conf_line *line = conf_next(l->o->conf, "columns", NULL);
	struct error e;
	enum ui_tab tab;

	for (; line; line = conf_next(l->o->conf, "columns", line))
		if (tab_find(line->name, &tab, &e) == 0)
			tab_choose(tab, line->value, &l->view.left_out[tab], &e);
}

static void live_init(struct live *l)
{
	view_init(&l->view, tabs);
	l->view.compact = l->o->compact;
	live_choose_columns(l);
	l->history = history_new();
	l->model = (struct model){ .version = VERSION_SHOWN, .fleet = live_fleet(l),
		.acts = l->acts, .n_acts = ARRAY_LEN(l->acts),
		.host = &l->session.host, .history = l->history, .log = &l->log,
		.dump = &l->shown_dump,
		.interval = l->o->interval ? l->o->interval : INTERVAL,
		.now = clock_mono(), .started = clock_mono(), .real = clock_real(),
		.remote = l->o->remote, .busy = l->o->busy, .expected = l->model.expected,
		.ended = live_fleet(l)->origin->is_moment };
}

/* The terminal first: closing files may take a while. */
static void live_finish(struct live *l)
{
	display_close(&l->stop, &l->log);
	live_reset_end(l);
	live_save_end(l);
	live_dump_end(l);
	for (size_t i = 0; i < LIVE_LOSSES; i++)
		if (*l->lost[i])
			say("%s", l->lost[i]);
	live_keys_let_go(l);
	history_free(l->history);
}

enum exit_code mode_live(const struct options *o)
{
	struct error e = { 0 };
	enum exit_code code;
	struct live *l;

	l = mem_calloc(1, sizeof(*l));
	l->o = o;
	code = session_start(&l->session, o);
	if (code != EXIT_DONE) {
		free(l);
		return code;
	}
	hear_signals(l);
	if (!expected_count(o, &l->session, &l->model.expected)) {
		code = EXIT_USAGE;
	} else if (display_open(o, &e) < 0) {
		code = session_fail(&e);
	} else {
		live_init(l);
		live_run(l);
		live_finish(l);
		if (e.code < 0)
			session_fail(&e);
		if (session_verdict(&l->session) == EXIT_NO_DEVICE)
			code = EXIT_NO_DEVICE;
		code = l->has_lost ? exit_unwritten(code) : code;
	}
	session_close(&l->session);
	if (l->error.code < 0)
		code = session_fail_choice(&l->error);
	stop_end(&l->stop);
	/* So that the sender of the signal sees that it worked. */
	if (l->stop.deadly) {
		signal(l->stop.deadly, SIG_DFL);
		raise(l->stop.deadly);
	}
	free(l);
	return code;
}
