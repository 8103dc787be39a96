/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.c - the burn on a terminal: fills the model of ui/burn.h and
 * shows it.  If the terminal is stopped or gone, only pictures are lost.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/burnin/cards.h"
#include "src/burnin/print.h"
#include "src/burnin/run.h"
#include "src/outlet.h"
#include "src/say.h"
#include "ui/burn.h"
#include "ui/term.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The cards. */

/* Fill the map with memory channels, by byte lanes. */
static void fill_lanes(const struct burnin_card *c, struct ui_burn_chip *to)
{
	to->w = MEMORY_LANES;
	to->h = 0;
	to->lanes = true;
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_memory_sum sum = card_memory_sum(&c->burn.shared->memory, i);
		uint8_t *row = to->map + to->h * to->w;

		if (!(c->burn.config.memory.channels >> i & 1))
			continue;
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			row[k] = (uint8_t)burnin_lane_of(&sum, k);
		to->rows[to->h++] = (uint8_t)i;
	}
}

/* Words of its memory that the host verified. */
static uint64_t count_words(const struct burnin_card *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		n += card_memory_sum(&c->burn.shared->memory, i).words;
	return n;
}

/* Whether its memory is tested and it computes nothing. */
static bool burnin_has_memory_alone(const struct burnin_card *c)
{
	return c->burn.config.memory.channels && card_kinds_count(&c->burn.config) == 0;
}

/* MFLOP/s of its matrix units, on average so far and at the present clock; 0: not known. */
static int64_t rate_of(const struct burnin_card *c, const struct card_result *now,
	const struct fleet *f)
{
	const struct reading *clock = &f->chips[c->index].r[FIELD_AICLK];

	if (c->burn.config.is_timeless || !reading_is_ok(clock) || now->untrue_cores > 0)
		return 0;
	return (int64_t)(now->rate * (double)now->rated_cores * CARD_MVMUL_FLOP *
		(double)clock->value / fields[FIELD_AICLK].scale);
}

/* Never wider than "9999.9 G". */
static void put_count(uint64_t n, char to[sizeof(((struct ui_burn_chip *)NULL)->part[0])])
{
	const size_t size = sizeof(((struct ui_burn_chip *)NULL)->part[0]);

	if (n < 1000000)
		snprintf(to, size, "%llu", (unsigned long long)n);
	else if (n < 10000000000)
		snprintf(to, size, "%.1f M", (double)n / 1e6);
	else
		snprintf(to, size, "%.1f G", (double)n / 1e9);
}

/* A few words about a card: what is wrong, or why it has no rate. */
static void put_note(const struct burnin_card *c, const struct card_result *now, char *to,
	size_t size)
{
	const struct card_shared *s = c->burn.shared;
	size_t bad = 0;

	for (size_t i = 0; i < now->cores && now->wrong_cores == 1; i++)
		if (burnin_core_of(c, &s->cores[i], now) == UI_CORE_WRONG)
			bad = i;
	if (now->wrong_cores == 1)
		snprintf(to, size, "core %u-%u wrong", s->cores[bad].x, s->cores[bad].y);
	else if (now->wrong_cores > 0)
		snprintf(to, size, "%zu cores wrong", now->wrong_cores);
	else if (now->wrong > 0)
		snprintf(to, size, "memory wrong");
	else if (now->misread > 0)
		snprintf(to, size, "read wrong once");
	else if (now->still_cores > 0)
		snprintf(to, size, "%zu core%s still", now->still_cores,
			now->still_cores == 1 ? " stands" : "s stand");
	else if (c->burn.config.computes_nothing)
		snprintf(to, size, "computes nothing");
	else if (c->burn.config.is_timeless)
		snprintf(to, size, "no time, no rate");
	else if (now->untrue_cores > 0)
		snprintf(to, size, "more than one MVMUL a cycle counted");
}

static void fill_chip(const struct burnin_card *c, const struct card_result *now, int64_t rate,
	struct ui_burn_chip *to)
{
	const enum card_phase phase = burnin_card_phase(c);

	*to = (struct ui_burn_chip){ .index = c->index,
		.is_bad = now->wrong || now->misread || now->still_cores };
	snprintf(to->name, sizeof(to->name), "%s", c->series);
	snprintf(to->state, sizeof(to->state), "%s", phase == CARD_RUNS &&
		burnin_has_memory_alone(c) ? "testing" : burnin_phase_names[phase]);
	put_note(c, now, to->note, sizeof(to->note));
	if (c->burn.config.computes_nothing)
		return;
	if (burnin_has_memory_alone(c)) {
		fill_lanes(c, to);
		put_count(count_words(c), to->part[UI_BURN_DONE]);
		put_count(now->memory_wrong, to->part[UI_BURN_WRONG]);
		return;
	}
	put_count(now->words, to->part[UI_BURN_DONE]);
	put_count(now->wrong, to->part[UI_BURN_WRONG]);
	if (rate > 0) {
		snprintf(to->part[UI_BURN_MVMUL], sizeof(to->part[0]), "%.3f", now->rate);
		snprintf(to->part[UI_BURN_TFLOPS], sizeof(to->part[0]), "%.1f",
			(double)rate / 1e6);
	}
	burnin_fill_map(c, now, to);
}

static void fill_wrong(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn *b)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	const size_t n = card_memory_judge(&c->burn.shared->memory, found);
	char text[140];

	for (size_t i = 0; i < n && b->n_first < UI_BURN_FIRST; i++)
		snprintf(b->first[b->n_first++], sizeof(b->first[0]), "card %d, memory %s",
			c->index, memory_finding_text(&found[i], text, sizeof(text)));
	for (size_t i = 0; i < now->cores && b->n_first < UI_BURN_FIRST; i++) {
		const struct card_core *core = &c->burn.shared->cores[i];
		const struct card_wrong *w = &core->wrong[0];

		if (card_wrong_words(core) > 0)
			snprintf(b->first[b->n_first++], sizeof(b->first[0]), "card %d, core "
				"%u-%u: %s block %u, word %u got 0x%08x, want 0x%08x", c->index,
				core->x, core->y, card_kind_name(w->kind), w->word.block,
				w->word.word, w->word.got, w->word.want);
	}
}

/* Add the cards, their errors and, where the host does not burn, their rate. */
static void burnin_screen_fill_cards(const struct burnin_run *r, struct ui_burn *b,
	struct ui_burn_chip chips[UI_BURN_CHIPS])
{
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	const struct burnin_target *t;

	b->n_chips = 0;
	b->chips = chips;
	for (size_t i = 0; (t = burnin_next_started(r, &i)) && b->n_chips < UI_BURN_CHIPS;) {
		struct card_result now;
		uint64_t rounds;
		int64_t rate;

		card_judge(&t->card->burn, NULL, &now);
		rate = rate_of(t->card, &now, f);
		fill_chip(t->card, &now, rate, &chips[b->n_chips]);
		fill_wrong(t->card, &now, b);
		b->errors += now.wrong;
		b->words += now.words + now.memory_words + count_words(t->card);
		b->n_chips++;
		if (r->burns)
			continue;
		/* Only cards burn: the head shows their rate and rounds. */
		rounds = burnin_has_memory_alone(t->card) ? t->card->burn.shared->memory.iterations
			: atomic_load(&t->card->burn.shared->rounds);
		b->rounds = b->n_chips == 1 || rounds < b->rounds ? rounds : b->rounds;
		b->rate += rate;
		if (rate > 0)
			b->peak += (int64_t)(card_judge_peak(t->card->chip, now.cores) * 1e6);
	}
}

/* The screen. */

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
	struct strbuf numbers;		/* of the selected card */
	struct ui_dump dump;
	struct ui_log log;
	struct history_bin bins[UI_BURN_BINS];
	int64_t drawn;			/* clock_steady() */
	bool gone;			/* the terminal has gone */
};

static void describe_burn(const struct burnin_run *r, struct ui_burn *b)
{
	const struct burn_config *c = &r->burn.config;
	const struct options *o = r->act.o;
	const char *pattern = load_patterns[o->pattern].words;
	const int due = burnin_run_due(r);
	size_t cards = 0;
	char host[64] = "", also[40] = "", now[40] = "";

	for (size_t i = 0; burnin_next_started(r, &i);)
		cards++;
	if (r->burns)
		snprintf(host, sizeof(host), "the host: %d thread%s, seed %llu", c->threads,
			text_plural((uint64_t)c->threads), (unsigned long long)c->seed);
	if (cards > 0)
		snprintf(also, sizeof(also), "%s%zu card%s", r->burns ? "; and " : "", cards,
			text_plural(cards));
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

	if (!outlet_is_screen() || tcgetpgrp(STDOUT_FILENO) != getpgrp())
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
		.log = &s->log, .dump = &s->dump,
		.interval = r->loop.interval, .started = clock_mono() };
	return s;
}

void burnin_screen_close(struct burnin_screen *s)
{
	if (!s)
		return;
	display_close(&s->run->act.stop, &s->log);
	strbuf_clear(&s->numbers);
	free(s->threads);
	free(s);
}

void burnin_screen_tick(struct burnin_screen *s)
{
	s->drawn = 0;
}

/* Add what another bin holds. */
static void merge_bin(struct history_bin *to, const struct history_bin *x)
{
	const int64_t n = (int64_t)to->n + x->n;

	if (x->n == 0)
		return;
	to->min = to->n == 0 || x->min < to->min ? x->min : to->min;
	to->max = to->n == 0 || x->max > to->max ? x->max : to->max;
	to->avg = (to->avg * (int64_t)to->n + x->avg * (int64_t)x->n) / n;
	to->n += x->n;
}

/* Merge each two bins into one, so that a burn of days keeps its whole course. */
static void halve(struct ui_burn *b, struct history_bin *bins)
{
	for (size_t i = 0; i < UI_BURN_BINS / 2; i++) {
		bins[i] = bins[2 * i];
		merge_bin(&bins[i], &bins[2 * i + 1]);
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

	if (b->phase != UI_BURN_LOAD || value <= 0)
		return;
	while (b->elapsed / b->bin >= UI_BURN_BINS)
		halve(b, bins);
	b->n_bins = (size_t)(b->elapsed / b->bin) + 1;
	merge_bin(&bins[b->n_bins - 1],
		&(struct history_bin){ .min = value, .max = value, .avg = value, .n = 1 });
}

static void fill_work(const struct burnin_run *r, const struct burn_result *now, struct ui_burn *b)
{
	b->n_work = 0;
	for (int k = 0; k < BURN_KINDS && b->n_work < UI_BURN_WORK; k++) {
		struct ui_burn_work *w = &b->work[b->n_work];

		if (!r->burn.config.kinds[k])
			continue;
		b->n_work++;
		snprintf(w->name, sizeof(w->name), "%s %s", burnin_op_name(k),
			burnin_dtype_name(k));
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

		*w = (struct ui_burn_work){ .name = "memory in order" };
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
				burnin_op_name(x.kind),
			burn_what_name(x.what), (unsigned long long)x.index, x.got, x.want,
			(double)x.at / 1e9);
	}
}

static void fill_machine(const struct burnin_run *r, struct ui_burn *b)
{
	static struct stop_rule rules[STOP_RULES_WATCHED];
	struct strbuf text = { 0 };
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
	burnin_put_unwatched(&text, rules, now ? n : 0, b->n_chips, "Not watched: ", "; ");
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
	b->others_fail = worst->result.verdict == VERDICT_FAIL;
	snprintf(b->others, sizeof(b->others), "%s%.60s: %s: %.80s", all, worst->name,
		verdict_word(worst->result.verdict), worst->result.reason);
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
	b->n_threads = r->meter.n;
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
	mem_copy_text(b->ending, sizeof(b->ending), r->cut.text);
	fill_machine(r, b);
	fill_others(&r->facts, b);
	keep_rate(b, s->bins);
	s->dump = (struct ui_dump){ .on = r->recording.dump && !r->recording.failed,
		.rows = r->rows };
}

/* The numbers of the selected card that still burns, as its report would have them. */
static void fill_numbers(struct burnin_screen *s)
{
	const struct ui_burn_chip *chip = burn_selected(&s->view, &s->model, &s->burn);
	const struct burnin_target *t;

	s->numbers.len = 0;
	for (size_t i = 0; chip && (t = burnin_next_started(s->run, &i));) {
		struct burnin_card card;

		if (t->card->index != chip->index)
			continue;
		card = *t->card;
		card_judge(&card.burn, NULL, &card.result);
		card.tflops = (double)rate_of(&card, &card.result, s->model.fleet) / 1e6;
		burnin_card_put_numbers(&s->numbers, &card);
	}
	s->burn.numbers = s->numbers.len ? s->numbers.text : NULL;
}

static void screen_draw(struct burnin_screen *s)
{
	struct canvas *canvas;

	if (!term_flush())
		return;
	s->model.now = clock_mono();
	s->model.real = clock_real();
	s->model.fleet = sampler_fleet(s->run->act.session.sampler);
	screen_fill(s);
	fill_numbers(s);
	canvas = term_canvas();
	burn_draw(canvas, &s->model, &s->burn, &s->view);
	term_draw(canvas);
	s->drawn = clock_steady();
}

size_t burnin_screen_poll(struct burnin_screen *s, struct pollfd fds[3])
{
	term_poll(fds);
	if (s->gone)
		fds[0].fd = fds[2].fd = -1;
	return TERM_FDS;
}

bool burnin_screen_step(struct burnin_screen *s)
{
	struct pollfd fds[TERM_FDS];
	bool quit = false;
	unsigned hit;
	uint32_t key;

	/* The terminal went without a signal, or with an ignored one: the burn goes on unseen. */
	term_poll(fds);
	if (!s->gone && poll(fds, 1, 0) > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
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
