/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.c - the burn on a terminal: fills the model of ui/burn.h and
 * shows it.  If the terminal is stopped or gone, only pictures are lost.
 */
#include "config.h"
#include "src/burnin/screen_cards.h"
#include "src/burnin/unwatched.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/burnin/cards.h"
#include "src/burnin/run.h"
#include "src/display.h"
#include "src/say.h"
#include "src/version.h"
#include "ui/burn.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PICTURE   (CLOCK_SECOND / 2)	/* between pictures without news */
#define SAMPLE    (CLOCK_SECOND / 2)	/* of the rate, at first */
#define STANDS    (3 * CLOCK_SECOND)	/* a worker without a block for this long stands still */

struct burnin_screen {
	struct burnin_run *run;
	struct model model;
	struct ui_burn burn;
	struct ui_burn_thread *threads;
	struct ui_burn_chip chips[UI_BURN_CHIPS];
	struct ui_burn_view view;
	struct figures figures;		/* of the selected card */
	struct ui_dump dump;
	struct ui_log log;
	struct history_bin bins[UI_BURN_BINS];
	struct canvas canvas;
	int64_t drawn;			/* clock_steady() */
	bool gone;			/* the terminal has gone */
};

static bool in_foreground(void)
{
	return tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

static bool can_show(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && in_foreground() && term && *term &&
		strcmp(term, "dumb") != 0;
}

static void describe_burn(const struct burnin_run *r, struct ui_burn *b)
{
	const struct burn_config *c = &r->burn.config;
	const struct options *o = r->act.o;
	const char *pattern = load_pattern_words((enum load_pattern)o->pattern);
	const int due = burnin_run_due(r);
	const struct burnin_target *t;
	size_t cards = 0;
	char host[64] = "", also[40] = "", now[40] = "";

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		cards += t->card->started;
	if (r->burns)
		snprintf(host, sizeof(host), "the host: %d thread%s, seed %llu", c->threads,
			c->threads == 1 ? "" : "s", (unsigned long long)c->seed);
	if (cards > 0)
		snprintf(also, sizeof(also), "%s%zu card%s", r->burns ? "; and " : "", cards,
			cards == 1 ? "" : "s");
	if (due >= 0)
		snprintf(now, sizeof(now), " (%d %% of the load is due)", due / 10);
	snprintf(b->what, sizeof(b->what), "Burn-in of %s%s%s%s%s%s%s", host, also,
		o->first_light ? ", first light" : "", *pattern ? ", " : "", pattern, now,
		o->stop_on_error ? ", ends at an error" : "");
	b->duration = o->first_light ? 0 : r->facts.duration;
	b->iterations = o->iterations;
}

struct burnin_screen *burnin_screen_open(struct burnin_run *r)
{
	struct burnin_screen *s;
	struct error e;

	if (!can_show())
		return NULL;
	/* Set only character types, as for the live display. */
	setlocale(LC_CTYPE, "");
	if (display_open(r->act.o, &e) < 0)
		return NULL;
	if (term_is_plain()) {
		term_close();
		return NULL;
	}
	s = mem_calloc(1, sizeof(*s));
	s->run = r;
	s->threads = mem_calloc((size_t)r->burn.config.threads + 1, sizeof(*s->threads));
	s->burn.bin = SAMPLE;
	s->burn.threads = s->threads;
	s->burn.bins = s->bins;
	s->model = (struct model){ .version = VERSION_SHOWN, .host = &r->act.session.host,
		.log = &s->log, .dump = &s->dump, .charset = term_charset(),
		.interval = r->loop.interval, .started = clock_mono() };
	return s;
}

void burnin_screen_close(struct burnin_screen *s)
{
	if (!s)
		return;
	display_close(&s->run->act.stop, &s->log);
	canvas_clear(&s->canvas);
	figures_clear(&s->figures);
	free(s->threads);
	free(s);
}

void burnin_screen_tick(struct burnin_screen *s)
{
	s->drawn = 0;
}

/* Merge each two bins into one, so that a burn of days keeps its whole course. */
static void halve(struct ui_burn *b, struct history_bin *bins)
{
	for (size_t i = 0; i < UI_BURN_BINS / 2; i++) {
		const struct history_bin x = bins[2 * i], y = bins[2 * i + 1];
		struct history_bin *to = &bins[i];

		*to = x.n > 0 ? x : y;
		if (x.n == 0 || y.n == 0)
			continue;
		to->min = x.min < y.min ? x.min : y.min;
		to->max = x.max > y.max ? x.max : y.max;
		to->avg = (x.avg * (int64_t)x.n + y.avg * (int64_t)y.n) / (int64_t)(x.n + y.n);
		to->n = x.n + y.n;
	}
	memset(bins + UI_BURN_BINS / 2, 0, sizeof(*bins) * UI_BURN_BINS / 2);
	b->n_bins = UI_BURN_BINS / 2;
	b->bin *= 2;
}

/* Add the present rate to the bin of its time. */
static void keep_rate(struct ui_burn *b, struct history_bin *bins)
{
	const int64_t value = b->stopped ? 0 : b->peak > 0 ? burn_share(b->rate, b->peak) :
		burn_share(b->memory, b->ceiling);
	struct history_bin *to;

	if (b->phase != UI_BURN_LOAD || value <= 0)
		return;
	while (b->elapsed / b->bin >= UI_BURN_BINS)
		halve(b, bins);
	b->n_bins = (size_t)(b->elapsed / b->bin) + 1;
	to = &bins[b->n_bins - 1];
	to->min = to->n == 0 || value < to->min ? value : to->min;
	to->max = to->n == 0 || value > to->max ? value : to->max;
	to->avg = (to->avg * (int64_t)to->n + value) / (int64_t)(to->n + 1);
	to->n++;
}

static void fill_work(const struct burnin_run *r, const struct burn_result *now, struct ui_burn *b)
{
	b->n_work = 0;
	for (int k = 0; k < BURN_KINDS && b->n_work < UI_BURN_WORK; k++) {
		struct ui_burn_work *w = &b->work[b->n_work];

		if (!r->burn.config.kinds[k])
			continue;
		b->n_work++;
		snprintf(w->name, sizeof(w->name), "%s %s",
			burn_op_name((enum burn_op)(k / BURN_DTYPES)),
			burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)));
		snprintf(w->by, sizeof(w->by), "%.20s", burn_impl_name(&r->burn, k));
		if (now->rate[k] > 0)
			snprintf(w->rate, sizeof(w->rate), "%.1f GFLOP/s", now->rate[k]);
		else
			snprintf(w->rate, sizeof(w->rate), "-");
		w->percent = now->rate[k] > 0 ? burn_share((int64_t)(1000 * now->rate[k]),
			(int64_t)(1000 * now->peaks[k])) : -1;
	}
	if (r->burn.config.memory && b->n_work < UI_BURN_WORK) {
		struct ui_burn_work *w = &b->work[b->n_work++];

		*w = (struct ui_burn_work){ .name = "memory in order", .percent = -1 };
		snprintf(w->rate, sizeof(w->rate), "%.2f GB/s", now->memory_rate[0]);
		w->percent = burn_share((int64_t)(1000 * now->memory_rate[0]),
			(int64_t)(1000 * now->memory_ceiling));
	}
}

static void fill_first(const struct burnin_run *r, struct ui_burn *b)
{
	const uint32_t n = burn_error_places(&r->burn);

	b->n_first = 0;
	for (uint32_t i = 0; i < n && b->n_first < UI_BURN_FIRST; i++) {
		struct burn_error x;

		if (!burn_error(&r->burn, i, &x))
			continue;
		snprintf(b->first[b->n_first++], sizeof(b->first[0]),
			"thread %d, cpu %d: %s %s [%llu] got 0x%08x, want 0x%08x, after %.1f s",
			x.thread, x.cpu, x.kind == BURN_MEMORY ? burn_error_pattern(&x) :
				burn_op_name((enum burn_op)(x.kind / BURN_DTYPES)),
			burn_what_name(x.what), (unsigned long long)x.index, x.got, x.want,
			(double)x.at / 1e9);
	}
}

static void fill_threads(const struct burnin_run *r, struct burnin_screen *s)
{
	s->burn.n_threads = r->meter.n;
	for (size_t i = 0; i < r->meter.n; i++) {
		const struct burn_worker *w = &r->burn.shared->workers[i];
		const struct burn_pace *p = &r->meter.workers[i];

		s->threads[i] = (struct ui_burn_thread){ .cpu = atomic_load(&w->cpu),
			.rate = p->rate, .memory = p->memory,
			.errors = burn_worker_get(w, BURN_ERRORS),
			.stands = r->phase == BURNIN_LOAD &&
				watchdog_stands(&r->burn.watchdog, i) > STANDS };
	}
}

static void fill_machine(const struct burnin_run *r, struct ui_burn *b)
{
	static struct stop_rule rules[STOP_RULES_WATCHED];
	static const char *unwatched[STOP_RULES_WATCHED];
	struct strbuf text = { 0 };
	size_t n_unwatched = 0;
	const struct sensors *now = r->sensors.known ? &r->sensors.now : NULL;
	size_t n = stop_rules_list(&r->rules, now, sampler_fleet(r->act.session.sampler), rules);

	b->sensors = now;
	b->sensors_trouble = r->sensors.trouble;
	b->throttled = -1;
	for (size_t i = 0; now && i < now->n; i++) {
		const struct sensor *x = &now->s[i];

		if (x->kind == SENSOR_THROTTLE && x->time > 0)
			b->throttled = (b->throttled < 0 ? 0 : b->throttled) + x->most - x->least;
	}
	for (size_t i = 0; now && i < n; i++)
		if (!rules[i].applied)
			unwatched[n_unwatched++] = rules[i].text;
	burnin_put_unwatched(&text, unwatched, n_unwatched, b->n_chips, "Not watched: ", "; ");
	snprintf(b->unwatched, sizeof(b->unwatched), "%s", text.len ? text.text : "");
	strbuf_clear(&text);
}

static void fill_others(const struct burnin_facts *f, struct ui_burn *b)
{
	const struct burnin_target *worst = NULL;
	char all[48] = "";
	size_t n = 0;

	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];

		if ((t->card && t->card->started) || strcmp(t->name, "host") == 0)
			continue;
		n++;
		worst = !worst || t->result.verdict > worst->result.verdict ? t : worst;
	}
	if (!worst)
		return;
	if (n > 1)
		snprintf(all, sizeof(all), "%zu cards do not burn; ", n);
	b->others_fail = worst->result.verdict == BURN_FAIL;
	snprintf(b->others, sizeof(b->others), "%s%.60s: %s: %.80s", all, worst->name,
		burn_verdict_name(worst->result.verdict), worst->result.reason);
}

static void fill_host(struct burnin_screen *s)
{
	const struct burnin_run *r = s->run;
	struct ui_burn *b = &s->burn;
	struct burn_result now;

	burn_judge(&r->burn, 0, NULL, &now);
	b->rate = r->meter.rate;
	b->memory = r->meter.memory;
	b->peak = b->ceiling = 0;
	snprintf(b->no_peak, sizeof(b->no_peak), "%s", now.no_peak ? now.no_peak :
		now.no_ceiling && now.total <= 0 ? now.no_ceiling : "");
	if (r->meter.share > 0 && !burn_had_enough(&r->burn, r->meter.share)) {
		snprintf(b->no_peak, sizeof(b->no_peak), "the load has %d %% of its processors",
			(int)(r->meter.share * 100 + 0.5));
	} else if (now.share > 0) {
		/* These are for the share of the whole burn: scale them to the present share. */
		b->peak = (int64_t)(now.peak * 1000 * r->meter.share / now.share);
		b->ceiling = (int64_t)(now.memory_ceiling * 1000 * r->meter.share / now.share);
	}
	b->stopped = r->burn.stopped && r->phase < BURNIN_OVER;
	b->errors = now.errors;
	b->words = now.words;
	b->rounds = now.rounds;
	b->share = now.share > 0 ? (int)(now.share * 100 + 0.5) : -1;
	burn_making(&r->burn, b->making, sizeof(b->making));
	fill_work(r, &now, b);
	fill_first(r, b);
	fill_threads(r, s);
}

static void screen_fill(struct burnin_screen *s)
{
	const struct burnin_run *r = s->run;
	struct ui_burn *b = &s->burn;

	b->phase = r->phase == BURNIN_MAKING ? UI_BURN_MAKING : r->phase == BURNIN_LOAD ?
		UI_BURN_LOAD : UI_BURN_ENDING;
	if (r->phase <= BURNIN_LOAD)
		b->elapsed = burnin_run_time(r);
	describe_burn(r, b);
	b->rate = b->peak = 0;
	b->errors = b->words = b->rounds = 0;
	b->n_first = 0;
	b->share = -1;
	if (r->burns)
		fill_host(s);
	burnin_screen_fill_cards(r, b, s->chips);
	snprintf(b->ending, sizeof(b->ending), "%s", r->cut.text);
	fill_machine(r, b);
	fill_others(&r->facts, b);
	keep_rate(b, s->bins);
	s->dump = (struct ui_dump){ .on = r->recording.dump && !r->recording.failed,
		.rows = r->rows };
}

/* Fill in the figures of the selected card. */
static void fill_figures(struct burnin_screen *s)
{
	const struct ui_burn_chip *chip = burn_selected(&s->view, &s->model, &s->burn);

	figures_clear(&s->figures);
	s->burn.figures = NULL;
	if (!chip)
		return;
	burnin_screen_take_figures(s->run, chip->index, &s->figures);
	s->burn.figures = s->figures.values ? &s->figures : NULL;
}

static void screen_draw(struct burnin_screen *s)
{
	int w, h;

	if (!term_is_ready())
		return;
	s->model.now = clock_mono();
	s->model.real = clock_real();
	s->model.fleet = sampler_fleet(s->run->act.session.sampler);
	screen_fill(s);
	fill_figures(s);
	term_size(&w, &h);
	canvas_resize(&s->canvas, w, h, term_charset());
	burn_draw(&s->canvas, &s->model, &s->burn, &s->view);
	term_draw(&s->canvas);
	s->drawn = clock_steady();
}

size_t burnin_screen_poll(struct burnin_screen *s, struct pollfd fds[3])
{
	fds[0] = (struct pollfd){ .fd = s->gone ? -1 : term_input_fd(), .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = term_log_fd(), .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = s->gone ? -1 : term_output_fd(), .events = POLLOUT };
	return 3;
}

bool burnin_screen_step(struct burnin_screen *s)
{
	struct pollfd in = { .fd = term_input_fd(), .events = POLLIN };
	bool quit = false;
	unsigned hit;
	uint32_t key;

	/* The terminal went without a signal, or with an ignored one: the burn goes on unseen. */
	if (!s->gone && poll(&in, 1, 0) > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL))
		s->gone = true;
	while (!s->gone && (key = term_key(&hit)) != UI_KEY_NONE) {
		quit = burn_key(&s->view, &s->model, &s->burn, key) || quit;
		if (key == UI_KEY_REDRAW)
			term_forget();
		s->drawn = 0;
	}
	display_take_messages(&s->log);
	if (s->run->act.stop.redraw || clock_steady() - s->drawn >= PICTURE) {
		s->run->act.stop.redraw = false;
		if (!s->gone)
			screen_draw(s);
	}
	return quit;
}
