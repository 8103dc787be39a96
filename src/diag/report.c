/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - the stages with their results, and a diag in words and as JSON.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/memory/card_memory.h"
#include "output/figure_json.h"
#include "src/burnin/cards.h"
#include "src/burnin/print.h"
#include "src/burnin/run.h"
#include "src/diag/diag.h"
#include "src/health/judge.h"
#include "src/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The results of a stage, and the cards that are left out. */

#define SIMULATED (256 << 10)	/* bytes: simulated memory is slow */

void diag_leave_out(struct diag *d, int index, const char *fmt, ...)
{
	va_list args;

	for (size_t i = 0; i < d->n_cards; i++) {
		if (d->cards[i].index != index || *d->cards[i].out)
			continue;
		va_start(args, fmt);
		vsnprintf(d->cards[i].out, sizeof(d->cards[i].out), fmt, args);
		va_end(args);
	}
}

struct diag_item *diag_add(struct diag *d, struct diag_part *p, int index, enum verdict result,
	const char *fmt, ...)
{
	struct diag_item *i;
	va_list args;

	p->items = mem_realloc(p->items, (p->n + 1) * sizeof(*p->items));
	i = &p->items[p->n++];
	*i = (struct diag_item){ .index = index, .result = result,
		.has_warned = result == VERDICT_WARN };
	va_start(args, fmt);
	vsnprintf(i->text, sizeof(i->text), fmt, args);
	va_end(args);
	if (result == VERDICT_FAIL)
		diag_leave_out(d, index, "left alone: it failed %s", p->stage->id);
	return i;
}

/* Add a SKIP for each card that is left out; returns how many cards remain. */
static size_t diag_skip_out(struct diag *d, struct diag_part *p)
{
	const struct fleet *f = sampler_fleet(d->act.session.sampler);
	size_t left = 0;

	for (size_t i = 0; i < d->n_cards; i++) {
		const int index = d->cards[i].index;

		if (*d->cards[i].out)
			act_take_step(&d->act, index, snapshot_code(&f->chips[index]), &diag_add(d,
				p, index, VERDICT_INCOMPLETE, "%s", d->cards[i].out)->next);
		else
			left++;
	}
	return left;
}

/* Bytes of each memory channel to cover: the usual number, or fewer if the cards are not real. */
static uint64_t diag_bytes(const struct diag *d, uint64_t usual)
{
	return bus_origin(d->act.session.bus)->is_machine ? usual : SIMULATED;
}

/* "0 0000:01:00.0 p150a", "host" */
static const char *diag_name(const struct diag *d, int index, char *text, size_t size)
{
	const struct snapshot *s;

	if (index < 0)
		return index == DIAG_HOST ? "host" : "all";
	s = &sampler_fleet(d->act.session.sampler)->chips[index];
	snprintf(text, size, "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "", s->series);
	return text;
}

enum verdict diag_result(const struct diag_part *p)
{
	enum verdict worst = VERDICT_NONE;

	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].result > worst)
			worst = p->items[i].result;
	return worst == VERDICT_NONE ? VERDICT_INCOMPLETE : worst;
}

/* Burns, and the options to request a part of a diag with. */

#define MOST 20		/* a test may take this many times as long as usual */

/*
 * The request to a stage that is an act: our options, as if nothing was typed, for the cards that
 * are not left out.  It is valid until the next one.  Cards are named by an address that does not
 * depend on earlier lists.
 */
static struct options *diag_request(struct diag *d, const struct act_ops *ops, enum mode mode)
{
	struct options *o = &d->request;
	struct strbuf *cards = &d->request_cards;

	cards->len = 0;
	for (size_t i = 0; i < d->n_cards; i++)
		if (!*d->cards[i].out)
			strbuf_printf(cards, "%s%s", cards->len ? "," : "",
				d->act.session.bus->dev[d->cards[i].index].bdf);
	*o = *d->act.o;
	memset(o->typed, 0, sizeof(o->typed));
	memset(o->given, 0, sizeof(o->given));
	options_set_mode(o, mode);
	o->act = ops;
	o->report = NULL;
	o->targets = d->request_targets;
	o->n_targets = 0;
	if (cards->len)
		o->targets[o->n_targets++] = cards->text;
	return o;
}

/* What a burn that passed has covered. */
static void put_covered(struct strbuf *to, const struct burnin_target *t, const struct burn *b)
{
	const struct burnin_card *c = t->card;
	const struct card_memory *m = c ? &c->burn.shared->memory : NULL;
	const struct burn_result *r = &t->result;

	if (c && burnin_card_computes(c)) {
		strbuf_printf(to, "%zu cores, %" PRIu64 " blocks with %" PRIu64 " words compared "
			"in %.0f s, ", c->result.cores, c->result.blocks, c->result.words,
			(double)c->burn.shared->run_ns / CLOCK_SECOND);
		burnin_card_put_toggled(to, c);
		if (c->result.exchanged > 0) {
			strbuf_puts(to, ", ");
			burnin_card_put_l1(to, c);
		}
	}
	if (c && burnin_card_is_tested(c))
		strbuf_printf(to, "%" PRIu64 " round%s, %.1f MiB written at %.3f GB/s, %.1f MiB "
			"read", m->rounds, text_plural(m->rounds), burnin_mib(m->written),
			burnin_gb_per_s(m->written, m->writing), burnin_mib(m->read));
	if (!c && r->total > 0) {
		const int burnt = burn_processors(&b->config);
		const int online = (int)sysconf(_SC_NPROCESSORS_ONLN);

		strbuf_printf(to, "%d thread%s", b->config.threads,
			text_plural((uint64_t)b->config.threads));
		if (burnt < online)
			strbuf_printf(to, " on %d of %d processors", burnt, online);
		strbuf_printf(to, ", %" PRIu64 " words compared, %.1f GFLOP/s", r->words, r->total);
	}
}

static void add_target(struct diag *d, struct diag_part *p, const struct burnin_target *t,
	const struct burn *b)
{
	struct strbuf text = { 0 };

	if (t->result.verdict == VERDICT_PASS)
		put_covered(&text, t, b);
	diag_add(d, p, t->index, t->result.verdict, "%s",
		text.len ? text.text : t->result.reason)->next = t->next;
	if (t->card && t->card->cut)
		diag_leave_out(d, t->index, "left alone: %s", t->card->cut->text);
	strbuf_clear(&text);
}

/* Run the requested act, with our output and our cards. */
static void run_part(struct diag *d, struct diag_part *p, const struct options *o)
{
	struct burnin_run *r = (struct burnin_run *)act_new(o, o->act->size);

	r->out = d->out;
	if (act_run_part(&d->act, &r->act) == EXIT_DONE) {
		burnin_figures_take(&p->figures, &r->facts);
		for (size_t i = 0; i < r->facts.n_targets; i++)
			add_target(d, p, &r->facts.targets[i], r->facts.burn);
	} else {
		diag_add(d, p, DIAG_ALL, VERDICT_INCOMPLETE, "it could not be begun");
	}
	d->out = r->out;
	r->out = (struct outlet){ .fd = -1 };
	r->act.ops->steps->end(&r->act);
	free(r);
}

void diag_run_burn(struct diag *d, struct diag_part *p)
{
	const bool has_cards = diag_skip_out(d, p) > 0;
	struct options *o = diag_request(d, has_cards ? &act_burn_cards : &act_burn_host,
		MODE_BURNIN);

	o->commands = 1u << COMMAND_HOST | (has_cards ? 1u << COMMAND_CARDS : 0);
	o->targets[o->n_targets++] = "host";
	o->duration = p->time;
	run_part(d, p, o);
}

void diag_run_test_memory(struct diag *d, struct diag_part *p)
{
	static char memory[] = "memory";
	struct options *o;

	if (diag_skip_out(d, p) == 0)
		return;
	o = diag_request(d, &act_test_memory, MODE_BURNIN);
	o->commands = 1u << COMMAND_CARDS;
	o->workload = 1u << WORK_MEMORY;
	o->given[OPT_WORKLOAD] = memory;
	o->typed[OPT_SIZE] = "--size";
	o->size.bytes = diag_bytes(d, d->level->tests);
	o->iterations = 1;
	o->duration = MOST * p->time;
	run_part(d, p, o);
}

/* The stage that moves data between host and cards: all at once, each in a process of its own. */

#define PCIE_TURN_MS 50

struct pcie_shared {
	struct card_transfer transfer;
	_Atomic uint8_t stop;
};

struct pcie_card {
	struct card_process process;	/* its `why`: why it cannot be judged */
	struct card_transfer_plan plan;
	struct pcie_shared *shared;
};

struct diag_pcie {
	size_t n;
	struct pcie_card *cards;
};

static bool pcie_goes_on(void *arg)
{
	const struct pcie_card *c = arg;

	return !atomic_load(&c->shared->stop);
}

static int pcie_work(void *arg, struct error *e)
{
	struct pcie_card *c = arg;

	return card_transfer_run(c->process.device, &c->plan, &c->shared->transfer, pcie_goes_on,
		c, e);
}

static void pcie_start(struct diag *d, const struct diag_part *p, struct pcie_card *c, int index)
{
	const struct session *s = &d->act.session;
	struct memory_channels known = { 0 };
	struct error *why;

	c->shared = mem_share(sizeof(*c->shared));
	c->process = (struct card_process){ .device = &s->bus->dev[index], .access = ACCESS_BURN,
		.run = pcie_work, .arg = c, .moved = &c->shared->transfer.moved };
	why = &c->process.why;
	if (!bus_origin(s->bus)->computes)
		fail_as(why, CODE_SIMULATED, -EOPNOTSUPP, "the card is simulated: its memory "
			"cannot be written to");
	else if (memory_channels(&sampler_fleet(s->sampler)->chips[index], &known, why) == 0)
		memory_channels_choose(&known, UINT32_MAX, false, why);
	c->plan = (struct card_transfer_plan){ .enabled = known.enabled, .channels = known.usable,
		.kept = known.kept, .seed = (uint64_t)clock_real(), .duration = p->time };
	card_process_start(&c->process, s->bus);
}

static bool pcie_turn(struct act *a)
{
	const struct diag_pcie *x = ((const struct diag *)a)->pcie;
	bool goes_on = false;

	act_keep_sampling(a);
	for (size_t i = 0; i < x->n; i++)
		goes_on = card_process_beat(&x->cards[i].process, a) || goes_on;
	return goes_on;
}

static void pcie_judge_rates(struct diag *d, struct diag_part *p, const struct pcie_card *c)
{
	static const char *const ways[] = { "to", "from" };
	const struct card_transfer *t = &c->shared->transfer;
	const double mib = (double)(t->bytes[0] + t->bytes[1]) / (1 << 20);
	const uint32_t *floors = d->floors.pcie[c->process.device->chip];
	const int index = c->process.device->index;
	double rates[FLOORS_WAYS];
	int slow = FLOORS_WAYS;
	char rate[80];

	for (int way = FLOORS_WAYS - 1; way >= 0; way--) {
		rates[way] = card_transfer_rate(t, (enum card_transfer_way)way) / 1e6;
		slow = rates[way] < floors[way] ? way : slow;
	}
	snprintf(rate, sizeof(rate), "%.1f MB/s to the card, %.1f MB/s from it", rates[0],
		rates[1]);
	if (burnin_is_timeless(d->act.session.bus))
		diag_add(d, p, index, VERDICT_INCOMPLETE, "no rate: the simulator has no "
			"real clock; %.1f MiB moved, every word compared", mib);
	else if (slow < FLOORS_WAYS)
		diag_add(d, p, index, VERDICT_FAIL, "%s: the floor %s it is %u", rate, ways[slow],
			floors[slow]);
	else
		diag_add(d, p, index, VERDICT_PASS, "%s; %.1f MiB through %d channels, "
			"every word compared", rate, mib, __builtin_popcount(t->done));
}

static void pcie_judge(struct diag *d, struct diag_part *p, struct pcie_card *c)
{
	const struct card_transfer *t = &c->shared->transfer;
	const struct card_transfer_wrong *w = &t->first;
	const int index = c->process.device->index;

	if (t->wrong + t->misread > 0)
		diag_add(d, p, index, VERDICT_FAIL, "memory channel %u, 0x%llx: %08x came "
			"back, not %08x; %llu word%s wrong, %llu right when read again", w->channel,
			(unsigned long long)w->addr, w->got, w->want, (unsigned long long)t->wrong,
			text_plural(t->wrong), (unsigned long long)t->misread);
	else if (card_process_died(&c->process, &d->act))
		diag_add(d, p, index, VERDICT_FAIL, "%s", c->process.why.text);
	else if (*c->process.why.text)
		diag_add(d, p, index, c->process.why.word == CODE_JUDGE_BLIND ? VERDICT_FAIL
			: VERDICT_INCOMPLETE, "%s", c->process.why.text);
	else if (d->act.was_stopped || !c->process.is_over)
		diag_add(d, p, index, VERDICT_INCOMPLETE, "%s", d->act.was_stopped ?
			"stopped before its end" : "it did not come to its end");
	else if (t->done != c->plan.channels)
		diag_add(d, p, index, VERDICT_INCOMPLETE, "%d of %d memory channels were "
			"reached", __builtin_popcount(t->done),
			__builtin_popcount(c->plan.channels));
	else
		pcie_judge_rates(d, p, c);
}

static enum code pcie_code(const struct pcie_card *c)
{
	return c->shared->transfer.wrong > 0 ? CODE_MEMORY_WRONG :
		c->shared->transfer.misread > 0 ? CODE_MISREAD : c->process.why.word;
}

#define CARD_FIGURES(F) \
	F(INT, index, (), c->process.device->index) \
	F(TEXT, bus_id, (), c->process.device->bdf) \
	F(INT, bytes_to_card, (), t->bytes[CARD_TRANSFER_TO]) \
	F(INT, bytes_from_card, (), t->bytes[CARD_TRANSFER_FROM]) \
	F(RATE, mb_per_s_to_card, (), is_timeless ? 0 \
		: card_transfer_rate(t, CARD_TRANSFER_TO) / 1e6) \
	F(RATE, mb_per_s_from_card, (), is_timeless ? 0 \
		: card_transfer_rate(t, CARD_TRANSFER_FROM) / 1e6) \
	F(INT, floor_to_card, (.some = true), floor[FLOORS_TO_CARD]) \
	F(INT, floor_from_card, (.some = true), floor[FLOORS_FROM_CARD]) \
	F(INT, channels, (), __builtin_popcount(t->done)) \
	F(INT, wrong_words, (), t->wrong) \
	F(INT, misread, (), t->misread)
FIGURES(card, CARD_FIGURES, const struct pcie_card *c, const struct card_transfer *t,
	const uint32_t *floor, bool is_timeless)

#define PCIE_FIGURES(F) \
	F(LIST, cards, (.group = &card_figures), \
		for (size_t i = 0; i < x->n; i++) \
			card_add(v, &x->cards[i], &x->cards[i].shared->transfer, \
				d->floors.pcie[x->cards[i].process.device->chip], \
				burnin_is_timeless(d->act.session.bus)))
FIGURES(pcie, PCIE_FIGURES, const struct diag *d, const struct diag_pcie *x)

void diag_run_pcie(struct diag *d, struct diag_part *p)
{
	struct diag_pcie x = { .cards = mem_calloc(d->n_cards, sizeof(*x.cards)) };
	struct figure_value value = { .nodes = NULL };

	diag_skip_out(d, p);
	d->pcie = &x;
	for (size_t i = 0; i < d->n_cards; i++)
		if (!*d->cards[i].out)
			pcie_start(d, p, &x.cards[x.n++], d->cards[i].index);
	act_turns(&d->act, pcie_turn, PCIE_TURN_MS);
	for (size_t i = 0; i < x.n; i++)
		atomic_store(&x.cards[i].shared->stop, true);
	for (size_t i = 0; i < x.n; i++)
		card_process_end(&x.cards[i].process);
	d->pcie = NULL;
	act_sample_last(&d->act);
	pcie_add(&value, d, &x);
	p->figures = figures_take(&value);
	for (size_t i = 0; i < x.n; i++) {
		pcie_judge(d, p, &x.cards[i]);
		act_take_step(&d->act, x.cards[i].process.device->index, pcie_code(&x.cards[i]),
			&p->items[p->n - 1].next);
		mem_unshare(x.cards[i].shared, sizeof(*x.cards[i].shared));
	}
	free(x.cards);
}

/* The stages that change nothing: health, and the check of memory. */

#define BEATS	(4 * CLOCK_SECOND)	/* a heartbeat that has not moved for 2 s has stopped */
#define REST	(10 * CLOCK_SECOND)	/* a driver powers a board down after 5 */
#define OLD	(60 * CLOCK_SECOND)	/* for a process that gets no processor time */
#define TURN_MS 200

/* Whether a card that was read has an old sample, or a heartbeat that could not be judged yet. */
static bool is_too_early(const struct fleet *f, int64_t waited)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (!f->wanted[i] || !snapshot_is_live(s))
			continue;
		/* This tick missed it: the process that reads it got no processor time. */
		if (waited < OLD && s->age > 0)
			return true;
		if (waited < BEATS && !s->raw.is_still && s->beat == SNAPSHOT_BEAT_UNJUDGED)
			return true;
	}
	return false;
}

/*
 * Boards may be about to power down, since the last stage has let go of them.  Read them after
 * they have, and after each heartbeat has moved or had the time to.  No check uses an older sample:
 * a card that does not answer is no longer live once the sampler's deadline is over.
 */
void diag_look(struct diag *d)
{
	const int64_t began = clock_mono();
	struct sampler *s = d->act.session.sampler;
	int64_t waited;

	do {
		if (turn_rest(&d->act.stop, TURN_MS)) {
			d->act.was_stopped = true;
			return;
		}
		waited = clock_mono() - began;
		sampler_await_all(s);
		sampler_tick(s, NULL);
	} while (is_too_early(sampler_fleet(s), waited) ||
		(waited < REST && session_find_restless(&d->act.session)));
}

/* Sum up the checks of a card or of the host in one line: the first of the worst, then others. */
static void add_checks(struct diag *d, struct diag_part *p, const struct health_report *r,
	int index)
{
	const struct health_item *first[VERDICTS] = { NULL };
	struct strbuf others[VERDICTS] = { { 0 } }, text = { 0 };
	enum verdict worst = VERDICT_NONE;
	size_t n = 0;

	for (size_t k = 0; k < r->n; k++) {
		const struct health_item *i = &r->items[k];

		if (i->index != index || i->result == VERDICT_NONE)
			continue;
		n++;
		worst = i->result > worst ? i->result : worst;
		if (!first[i->result])
			first[i->result] = i;
		else
			strbuf_printf(&others[i->result], ", %s", i->check->id);
	}
	if (worst == VERDICT_PASS)
		strbuf_printf(&text, "%zu check%s", n, text_plural(n));
	else if (worst > VERDICT_PASS)
		strbuf_printf(&text, "%s: %s", first[worst]->check->id, *first[worst]->text ?
			first[worst]->text : first[worst]->check->help);
	if (worst > VERDICT_PASS && others[worst].len)
		strbuf_printf(&text, "; also %s", others[worst].text + 2);
	if (worst > VERDICT_WARN && first[VERDICT_WARN])
		strbuf_printf(&text, "; also WARN: %s%s", first[VERDICT_WARN]->check->id,
			others[VERDICT_WARN].len ? others[VERDICT_WARN].text : "");
	if (n > 0) {
		struct diag_item *i = diag_add(d, p, index, worst, "%s", text.text);

		i->has_warned = first[VERDICT_WARN];
		if (worst > VERDICT_PASS)
			i->next = first[worst]->next;
	}
	for (int v = 0; v < VERDICTS; v++)
		strbuf_clear(&others[v]);
	strbuf_clear(&text);
}

void diag_run_health(struct diag *d, struct diag_part *p)
{
	struct session *s = &d->act.session;
	const size_t n = sampler_fleet(s->sampler)->n;
	struct health_report report;
	struct health_print print;

	if (!health_judge(s, d->act.o, d->checks, &d->floors, clock_mono(), &report, &print)) {
		diag_add(d, p, DIAG_ALL, VERDICT_INCOMPLETE, "--expected is wrong");
		return;
	}
	for (int index = DIAG_HOST; index < (int)n; index++)
		add_checks(d, p, &report, index);
	health_take(&p->figures, &print);
	health_clear(&report);
}

void diag_run_check_memory(struct diag *d, struct diag_part *p)
{
	struct check_memory *m;
	struct options *o;

	if (diag_skip_out(d, p) == 0)
		return;
	o = diag_request(d, &act_check_memory, MODE_CHECK_MEMORY);
	o->typed[OPT_SIZE] = "--size";
	o->size.bytes = diag_bytes(d, d->level->reads);
	m = (struct check_memory *)act_new(o, sizeof(*m));
	if (act_run_part(&d->act, &m->act) != EXIT_DONE)
		diag_add(d, p, DIAG_ALL, VERDICT_INCOMPLETE, "it could not be begun");
	for (size_t i = 0; i < m->n; i++) {
		const struct check_memory_card *c = &m->cards[i];
		const int n = __builtin_popcount(c->plan.channels);
		const int index = c->process.device->index;
		const char *why = c->process.why.text;

		if (c->verdict == VERDICT_PASS)
			diag_add(d, p, index, VERDICT_PASS, "%d channel%s, %llu KiB of each", n,
				text_plural((uint64_t)n), (unsigned long long)(c->plan.size >> 10));
		else
			diag_add(d, p, index, c->verdict, "%s", *why ? why :
				"its memory reads differently through its endpoints")->next =
				c->process.next;
	}
	if (m->n > 0)
		check_memory_take(&p->figures, sampler_fleet(d->act.session.sampler),
			m->cards, m->n);
	m->act.ops->steps->end(&m->act);
	free(m);
}

/* The report. */

#define FOLD 8	/* with more results, cards that passed have no lines of their own */

static void put_seconds(struct strbuf *to, int64_t ns)
{
	strbuf_printf(to, "%.*f s", ns < CLOCK_SECOND ? 1 : 0, (double)ns / CLOCK_SECOND);
}

void diag_put_plan(struct diag *d)
{
	struct strbuf *to = &d->out.text;
	int64_t all = 0;

	for (size_t i = 0; i < d->n_parts; i++)
		all += d->parts[i].time;
	strbuf_printf(to, "Diag level %u, %s: the host and %zu card%s, seed %llu; about ",
		d->act.o->diag + 1, d->level->takes, d->n_cards, text_plural(d->n_cards),
		(unsigned long long)d->act.o->seed);
	put_seconds(to, all);
	strbuf_puts(to, d->level->loads ? " and the cards' resets\n" : "\n");
	for (size_t i = 0; i < d->n_parts; i++) {
		strbuf_printf(to, "  %-14s%s", d->parts[i].stage->id,
			d->parts[i].stage->is_timed ? "" : "about ");
		put_seconds(to, d->parts[i].time);
		strbuf_printf(to, ": %s\n", d->parts[i].stage->does);
	}
	if (d->level->loads)
		strbuf_puts(to, "The cards' memory is overwritten. Enter, q or a signal ends "
			"it.\n");
	outlet_push(&d->out);
}

static bool is_alike(const void *all, size_t a, size_t b)
{
	const struct diag_item *x = (const struct diag_item *)all + a;
	const struct diag_item *y = (const struct diag_item *)all + b;

	return x->index >= 0 && y->index >= 0 && x->result == y->result &&
		strcmp(x->text, y->text) == 0 && advice_is_alike(&x->next, &y->next);
}

/* Put the line of an item, or of all cards that are like it, before the first of them. */
static void put_item(struct strbuf *to, const struct diag *d, const struct diag_part *p, size_t at)
{
	const struct diag_item *i = &p->items[at];
	int *index = mem_calloc(p->n, sizeof(*index));
	const size_t n = text_group(p->items, p->n, at, is_alike, index);
	const struct advice **next = mem_calloc(p->n, sizeof(*next));
	char name[96];

	if (n > 0) {
		for (size_t k = 0; k < n; k++) {
			next[k] = &p->items[index[k]].next;
			index[k] = p->items[index[k]].index;
		}
		strbuf_printf(to, "%-4s  %-14s", verdict_of_check(i->result), p->stage->id);
		if (n > 1)
			text_put_cards(to, index, n);
		else
			strbuf_puts(to, diag_name(d, i->index, name, sizeof(name)));
		text_put_plain_in(to, ": ", i->text, "");
		advice_put(to, next, n);
		strbuf_putc(to, '\n');
	}
	free(next);
	free(index);
}

/* If there are many cards, those that passed are only counted. */
void diag_put_part(struct diag *d, const struct diag_part *p)
{
	const bool folds = p->n > FOLD;
	struct strbuf *to = &d->out.text;
	size_t passed = 0;

	for (size_t k = 0; k < p->n; k++)
		if (folds && p->items[k].result == VERDICT_PASS && p->items[k].index >= 0)
			passed++;
		else
			put_item(to, d, p, k);
	if (passed > 0)
		strbuf_printf(to, "PASS  %-14s%zu cards\n", p->stage->id, passed);
	outlet_push(&d->out);
}

/* Name the stages with the worst result, and the first card of each. */
static void put_worst(struct strbuf *to, const struct diag *d)
{
	const char *between = ": ";
	char name[96];

	for (size_t i = 0; i < d->n_parts && d->worst != VERDICT_PASS; i++) {
		const struct diag_part *p = &d->parts[i];
		size_t k = 0;

		while (k < p->n && p->items[k].result != d->worst)
			k++;
		if (k == p->n)
			continue;
		strbuf_printf(to, "%s%s (%s)", between, p->stage->id,
			diag_name(d, p->items[k].index, name, sizeof(name)));
		between = ", ";
	}
}

void diag_put_end(struct diag *d)
{
	const char *stand_in = sampler_fleet(d->act.session.sampler)->origin->stand_in;
	struct strbuf *to = &d->out.text;

	strbuf_printf(to, "diag level %u: %s", d->act.o->diag + 1, verdict_of_check(d->worst));
	put_worst(to, d);
	strbuf_printf(to, "; host and %zu card%s%s%s%s in ", d->n_cards,
		text_plural(d->n_cards), stand_in ? " (" : "", stand_in ? stand_in : "",
		stand_in ? ")" : "");
	put_seconds(to, clock_mono() - d->begun);
	strbuf_putc(to, '\n');
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct diag_part *p = &d->parts[i];

		if (diag_result(p) > VERDICT_WARN)
			continue;
		strbuf_printf(to, "  %s covered: %s", p->stage->id, p->stage->does);
		if (p->stage->is_timed) {
			strbuf_puts(to, "; for ");
			put_seconds(to, p->time);
		}
		strbuf_printf(to, "\n%*snot seen by it: %s\n", 4, "", p->stage->blind);
	}
}

#define ITEM_FIGURES(F) \
	F(TEXT, target, (), diag_name(d, i->index, (char[96]){ "" }, 96)) \
	F(INT, index, (.place = true), i->index) \
	F(TEXT, result, (), verdict_of_check(i->result)) \
	F(TEXT, text, (), i->text) \
	F(TEXT, next, (.some = true), i->next.text) \
	F(TEXT, action, (), action_name(i->next.action))
FIGURES(item, ITEM_FIGURES, const struct diag *d, const struct diag_item *i)

/* Move a stage's own report into ours, with its group. */
static void move_report(struct figure_value *v, struct figures *own)
{
	struct figures *to;

	if (!own->group)
		return;
	to = figure_add_node(v, own->group);
	free(to->values);
	*to = *own;
	*own = (struct figures){ .group = NULL };
}

#define PART_FIGURES(F) \
	F(TEXT, stage, (), p->stage->id) \
	F(TEXT, result, (), verdict_of_check(diag_result(p))) \
	F(TIME, seconds, (), p->took) \
	F(TEXT, covers, (), p->stage->does) \
	F(TEXT, not_seen, (), p->stage->blind) \
	F(LIST, items, (.group = &item_figures), \
		for (size_t i = 0; i < p->n; i++) item_add(v, d, &p->items[i])) \
	F(OBJECT, report, (), move_report(v, &p->figures))
FIGURES(part, PART_FIGURES, const struct diag *d, struct diag_part *p)

#define DIAG_FIGURES(F) \
	F(TEXT, verdict, (), verdict_of_check(d->worst)) \
	F(INT, exit_code, (), d->code) \
	F(INT, level, (), d->act.o->diag + 1) \
	F(INT, seed, (.hex = true), d->act.o->seed) \
	F(TEXT, version, (), PACKAGE_VERSION) \
	F(TEXT, source, (), !d->act.session.sampler ? NULL \
		: sampler_fleet(d->act.session.sampler)->origin->name) \
	F(TEXT, selection, (.some = true), d->act.session.selection) \
	F(TEXT, begun, (), clock_iso_utc(d->real, (char[40]){ "" }, 40)) \
	F(TIME, seconds, (), clock_mono() - d->begun) \
	F(BOOL, stopped, (), d->act.was_stopped) \
	F(LIST, stages, (.group = &part_figures), \
		for (size_t i = 0; i < d->n_parts; i++) part_add(v, d, &d->parts[i]))
FIGURES(all, DIAG_FIGURES, struct diag *d)

int diag_write(struct diag *d, bool is_draft, struct error *e)
{
	struct figure_value value = { .nodes = NULL };
	struct figures f;

	all_add(&value, d);
	f = figures_take(&value);
	return figures_write_json(&d->act.report, &f, is_draft, e);
}
