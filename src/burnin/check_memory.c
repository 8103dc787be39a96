/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_memory.c - --check-memory, as an act: compare cards' memory with itself, without a
 * write; if another program holds a card, only with --force.  Each card has a process of its
 * own, so a card that does not answer blocks only that process.
 */
#include "config.h"
#include "src/burnin/cards.h"

#include "act/hold.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/memory/card_check.h"
#include "output/figure_json.h"
#include "src/act.h"
#include "src/listed.h"
#include "src/option_table.h"
#include "src/outlet.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The figures, as JSON. */

static const char *verdict_name(const struct check_memory_card *c)
{
	static const char *const names[] = { [VERDICT_PASS] = "agrees",
		[VERDICT_INCOMPLETE] = "incomplete", [VERDICT_FAIL] = "failed" };

	return c->disagrees ? "disagrees" : names[c->verdict];
}

static const char *channel_verdict_name(enum card_check_verdict v)
{
	static const char *const names[] = { "agrees", "disagrees", "changed", "untested" };

	return names[v];
}

/* The judgement of a channel; with the kind of fault if it disagrees. */
struct judged {
	enum card_check_verdict verdict;
	bool is_wrong;
	enum memory_kind kind;
	unsigned late[2];
};

#define CHANNEL_FIGURES(F) \
	F(INT, channel, (), i) \
	F(INT, endpoint, (.place = true), j->is_wrong ? card_check_endpoint(m) : -1) \
	F(TEXT, verdict, (), channel_verdict_name(j->verdict)) \
	MEMORY_COUNT_FIGURES(F, m->words, j->is_wrong ? m->differ : 0) \
	F(INT, changed, (), j->verdict == CARD_CHECK_CHANGED ? m->differ : 0) \
	F(INT, repeating, (), m->blind) \
	MEMORY_LANE_FIGURES(F, m->lane) \
	F(TEXT, kind, (), j->is_wrong ? memory_kind_name(j->kind) : NULL) \
	MEMORY_LATE_FIGURES(F, j->kind, j->late) \
	MEMORY_ERROR_FIGURES(F, a, b)
FIGURES(channel, CHANNEL_FIGURES, unsigned i, const struct card_check_channel *m,
	const struct judged *j, const struct memory_errors *a, const struct memory_errors *b)

static struct judged judge(const struct check_memory_card *c, unsigned i)
{
	const struct card_check_channel *m = &c->check->channel[i];
	/* When a card died is not known to the word: nothing that it returned proves anything. */
	struct judged j = { .verdict = c->process.died ? CARD_CHECK_UNTESTED
		: card_check_judge(m, c->held) };

	j.is_wrong = j.verdict == CARD_CHECK_DISAGREES;
	j.kind = j.is_wrong ? card_check_kind(m, j.late) : MEMORY_FINE;
	return j;
}

static void add_channels(struct figure_value *to, const struct check_memory_card *c)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct judged j = judge(c, i);

		if (c->plan.channels >> i & 1)
			channel_add(to, i, &c->check->channel[i], &j, &c->before[i],
				&c->after[i]);
	}
}

/* Two channels that show the same data. */

#define SAME_FIGURES(F) \
	F(LIST, channels, (.group = &memory_number_figures), \
		memory_add_number(v, a); memory_add_number(v, b)) \
	F(INT, bytes, (), s->equal * CARD_CHECK_BLOCK) \
	F(INT, of, (), s->told * CARD_CHECK_BLOCK) \
	F(INT, first, (.hex = true), s->first)
FIGURES(same, SAME_FIGURES, unsigned a, unsigned b, const struct card_check_same *s)

static void add_same(struct figure_value *to, const struct check_memory_card *c, unsigned a,
	unsigned b)
{
	const struct card_check_same *s = &c->check->same[a][b];

	if (s->equal > 0)
		same_add(to, a, b, s);
}

#define CARD_FIGURES(F) \
	F(INT, index, (), c->process.device->index) \
	F(TEXT, bus_id, (), c->process.device->bdf) \
	F(TEXT, verdict, (), verdict_name(c)) \
	F(TEXT, reason, (.some = true), c->process.why.text) \
	F(TEXT, code, (.some = true), code_word(c->process.why.word)) \
	F(TEXT, next, (.some = true), c->process.next.text) \
	F(TEXT, action, (), action_name(c->process.next.action)) \
	F(INT, seed, (.hex = true), c->plan.seed) \
	F(LIST, channels, (.group = &channel_figures), add_channels(v, c)) \
	MEMORY_KEPT_FIGURES(F, &c->plan.kept, c->plan.channels) \
	F(BOOL, held, (), c->held) \
	F(LIST, same, (.group = &same_figures), \
		for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_CHANNELS; i++) \
			add_same(v, c, i / MEMORY_CHANNELS, i % MEMORY_CHANNELS)) \
	F(MAP, coverage, (.group = &ledger_figures), ledger_add_all(v, &c->coverage))
FIGURES(card, CARD_FIGURES, const struct check_memory_card *c)

#define ALL_FIGURES(F) \
	F(TEXT, source, (), fleet->origin->name) \
	F(TEXT, selection, (.some = true), fleet->selection) \
	F(LIST, check_memory, (.group = &card_figures), \
		for (size_t i = 0; i < n; i++) card_add(v, &cards[i]))
FIGURES(check_memory, ALL_FIGURES, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n)

void check_memory_take(struct figures *to, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n)
{
	struct figure_value value = { .nodes = NULL };

	check_memory_add(&value, fleet, cards, n);
	*to = figures_take(&value);
}

/* The same in words. */

static void put_lanes(struct strbuf *to, const struct card_check_channel *m, const char *before)
{
	for (unsigned i = 0; i < MEMORY_LANES; i++) {
		if (m->lane[i] == 0)
			continue;
		strbuf_printf(to, "%s%u", before, i);
		before = ", ";
	}
}

static void put_fault(struct strbuf *to, const struct card_check_channel *m,
	const struct judged *j)
{
	const int endpoint = card_check_endpoint(m);

	if (j->kind == MEMORY_SHIFTED && j->late[0] == j->late[1])
		strbuf_printf(to, ": late by %u bytes", j->late[0]);
	else if (j->kind == MEMORY_SHIFTED)
		strbuf_printf(to, ": late by %u and %u bytes in alternating chunks of %d",
			j->late[0], j->late[1], MEMORY_CHUNK);
	if (endpoint >= 0)
		strbuf_printf(to, ", endpoint %d alone", endpoint);
}

static const char *has_uncorrected(const struct memory_errors *e)
{
	return e->uncorrected[0] || e->uncorrected[1] ? "yes" : "no";
}

/* Put what the memory's controller counted, if it counted any error. */
static void put_counters(struct strbuf *to, const struct memory_errors *a,
	const struct memory_errors *b)
{
	if (!a->known || !b->known || !(b->corrected[0] || b->corrected[1] || b->uncorrected[0] ||
		b->uncorrected[1]))
		return;
	strbuf_printf(to, "    its own counters, before and after: corrected %u, %u read and %u, "
		"%u written; uncorrected %s, %s\n", a->corrected[0], b->corrected[0],
		a->corrected[1], b->corrected[1], has_uncorrected(a), has_uncorrected(b));
}

static void put_channel(struct strbuf *to, const struct check_memory_card *c, unsigned i)
{
	const struct card_check_channel *m = &c->check->channel[i];
	const struct judged j = judge(c, i);

	strbuf_printf(to, "  channel %u  %-9s  %llu KiB", i, channel_verdict_name(j.verdict),
		(unsigned long long)m->words * 4 / 1024);
	if (m->differ > 0 && !c->process.died) {
		strbuf_printf(to, ", %llu of %llu words differ", (unsigned long long)m->differ,
			(unsigned long long)m->words);
		put_lanes(to, m, " in byte lane ");
	}
	if (j.is_wrong && m->differ > 0)
		put_fault(to, m, &j);
	if (!j.is_wrong && m->words > 0 && m->blind * 10 >= m->words * 9)
		strbuf_puts(to, ", of data that repeats: a late lane would not be seen");
	strbuf_putc(to, '\n');
	put_counters(to, &c->before[i], &c->after[i]);
}

static void put_same(struct strbuf *to, unsigned a, unsigned b, const struct card_check_same *s)
{
	strbuf_printf(to, "  channels %u and %u show the same %llu KiB, the first at 0x%llx: %s\n",
		a, b, (unsigned long long)s->equal * CARD_CHECK_BLOCK / 1024,
		(unsigned long long)s->first, s->equal == s->told ?
		"copies, or two channels that lead to one memory: --workload memory shows which" :
		"copies, or addresses that lead to one memory; they differ elsewhere");
}

static void put_card(struct strbuf *to, const struct check_memory_card *c)
{
	unsigned pairs = 0, unknown = 0;

	strbuf_printf(to, "%s: %s%s%s", c->name, verdict_name(c),
		*c->process.why.text ? ": " : "", c->process.why.text);
	advice_put(to, &(const struct advice *){ &c->process.next }, 1);
	strbuf_putc(to, '\n');
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		if (c->plan.channels >> i & 1)
			put_channel(to, c, i);
	for (unsigned a = 0; a < MEMORY_CHANNELS; a++)
		for (unsigned b = a + 1; b < MEMORY_CHANNELS; b++) {
			const struct card_check_same *s = &c->check->same[a][b];

			if (judge(c, a).verdict != CARD_CHECK_AGREES ||
				judge(c, b).verdict != CARD_CHECK_AGREES)
				continue;
			pairs++;
			/* All their data repeat. */
			unknown += s->told == 0;
			if (s->equal > 0)
				put_same(to, a, b, s);
		}
	if (unknown > 0)
		strbuf_printf(to, "  for %u of %u pairs it is not known whether both channels lead "
			"to one memory: their data repeat\n", unknown, pairs);
}

/* Put the last lines: the card, channel and lane of each fault. */
static void put_places(struct strbuf *to, const struct check_memory_card *c)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_check_channel *m = &c->check->channel[i];

		if (!(c->plan.channels >> i & 1) || !judge(c, i).is_wrong || m->differ == 0)
			continue;
		strbuf_printf(to, "%s, channel %u", c->name, i);
		put_lanes(to, m, ", byte lane ");
		strbuf_puts(to, ": disagrees\n");
	}
}

static void check_memory_put(struct strbuf *to, const struct check_memory_card *cards, size_t n)
{
	bool is_any[VERDICTS] = { false }, disagrees = false;

	for (size_t i = 0; i < n; i++) {
		put_card(to, &cards[i]);
		is_any[cards[i].verdict] = true;
		disagrees = disagrees || cards[i].disagrees;
	}
	if (n > 0)
		strbuf_printf(to, "Read at the places of seed %llu.\n",
			(unsigned long long)cards[0].plan.seed);
	if (disagrees)
		strbuf_puts(to, "The same memory read differently through its endpoints: that is "
			"proof of a fault.\nWhat the card computes is in doubt.\n");
	else if (is_any[VERDICT_PASS])
		strbuf_puts(to, "Nothing was written. Agreement proves nothing: a fault that reads "
			"the same each time is not seen; on a card that is free: tt-smi -b CARD "
			"--workload memory\n");
	for (size_t i = 0; i < n; i++)
		put_places(to, &cards[i]);
}

/* The act. */

#define TURN_MS 50

static enum exit_code check_memory_choose(struct act *a)
{
	const struct session *s = &a->session;
	const struct fleet *f = sampler_fleet(s->sampler);
	struct strbuf words = { 0 };
	struct error e = { 0 };
	struct named named;
	int r;

	named_join(a->o, &words);
	r = named_find(s, words.text, &named, &e);
	/* Nothing is written, so a warning is enough. */
	if (r == 0)
		listed_has_moved(a->o, f, words.text);
	strbuf_clear(&words);
	if (r < 0)
		return session_fail_choice(&e);
	for (size_t i = 0; i < f->n; i++) {
		a->wanted[i] = named.chip[i] == NAMED_CARD;
		/* This is a failure only if the second chip's own index was given. */
		if (named.chip[i] == NAMED_SECOND)
			say_as(CODE_SECOND_CHIP, "%d %s: reached over ethernet only: its memory is "
				"not checked", f->chips[i].index, f->chips[i].series);
	}
	return named_verdict(a->o, s, &named);
}

static enum exit_code check_memory_prepare(struct act *a)
{
	struct check_memory *m = (struct check_memory *)a;
	const struct options *o = a->o;

	m->wish = (struct card_check_plan){ .seed = o->seed, .channels = o->channels,
		.size = o->typed[OPT_SIZE] ? o->size.bytes : CARD_CHECK_USUAL };
	if (o->size.share == 0 || o->size.share == 100000)
		return EXIT_DONE;
	say_as(CODE_BAD_VALUE, "--size: '%.40s' is neither a size of at least 64k (4M) nor all",
		o->given[OPT_SIZE]);
	return EXIT_USAGE;
}

/* Whether another program has it open, or may have it. */
static bool is_held(const struct fleet *f, int index)
{
	size_t at = 0;

	return holder_next(f, index, &at) || *f->processes_unknown;
}

static int check_card(void *arg, struct error *e)
{
	const struct check_memory_card *c = arg;

	return card_check_run(c->process.device, &c->plan, c->check, e);
}

static void check_memory_fill(struct check_memory_card *c, const struct session *s, size_t index,
	const struct card_check_plan *wish, bool is_named)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const struct snapshot *chip = &f->chips[index];
	char kept[160];

	c->check = mem_share(sizeof(*c->check));
	c->process = (struct card_process){ .device = &s->bus->dev[index], .access = ACCESS_MEMORY,
		.run = check_card, .arg = c, .moved = &c->check->moved };
	c->plan = *wish;
	c->held = is_held(f, chip->index);
	snprintf(c->name, sizeof(c->name), "%d %s %s", chip->index, chip->bdf, chip->series);
	if (memory_channels(chip, &c->channels, &c->process.why) == 0)
		memory_channels_choose(&c->channels, wish->channels, is_named, &c->process.why);
	c->plan.enabled = c->channels.enabled;
	c->plan.channels = c->channels.chosen;
	c->plan.kept = c->channels.kept;
	if (memory_kept_text(&c->plan.kept, c->plan.channels, kept, sizeof(kept)))
		say_as(CODE_LEFT_ALONE, "%s: %s not tested: the memory controller's firmware uses "
			"it", c->name, kept);
	for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
		c->before[k] = memory_errors_of(chip, k);
}

/* Where the next reason goes: the first one is kept. */
static struct error *next_reason(struct check_memory_card *c)
{
	return *c->process.why.text ? NULL : &c->process.why;
}

static void judge_channel(struct check_memory_card *c, unsigned channel)
{
	const enum card_check_verdict v = judge(c, channel).verdict;

	c->disagrees = c->disagrees || v == CARD_CHECK_DISAGREES;
	if (v == CARD_CHECK_CHANGED && c->held)
		fail_as(next_reason(c), CODE_HELD, -ENODATA, "differences in channel "
			"%u were seen while another program holds the card: not proof, since it "
			"may write there", channel);
	else if (v == CARD_CHECK_CHANGED)
		fail_as(next_reason(c), CODE_MISREAD, -ENODATA, "channel %u "
			"changed while it was read: a program writes there, or a read was wrong "
			"once", channel);
	if (c->channels.left >> channel & 1)
		fail_as(next_reason(c), CODE_CHANNEL_SILENT, -ENODATA, "channel %u is not "
			"trained and was left alone", channel);
}

static void check_memory_judge(struct check_memory_card *c, const struct snapshot *now,
	bool had_errors)
{
	char gaps[200];

	c->coverage = (struct ledger){ .asked = { 0 } };
	card_check_ask(&c->plan, c->process.device->chip, c->channels.left, &c->coverage);
	c->verdict = VERDICT_FAIL;
	if (c->process.died)
		return;
	card_check_count(&c->plan, c->check, &c->coverage);
	if (snapshot_trouble(now))
		fail_as(next_reason(c), snapshot_code(now), -ENODATA, "%s: its error counters are "
			"old", snapshot_trouble(now));
	for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
		judge_channel(c, k);
	for (unsigned a = 0; a < MEMORY_CHANNELS; a++)
		for (unsigned b = a + 1; b < MEMORY_CHANNELS; b++) {
			const struct card_check_same *s = &c->check->same[a][b];

			/* All their comparable data are the same. */
			if (s->told > 0 && s->equal == s->told)
				fail_as(next_reason(c), CODE_MEMORY_WRONG, -ENODATA, "channels %u "
					"and %u show the same data: copies that a program made, or "
					"two channels that lead to one memory", a, b);
		}
	ledger_put_gaps(&c->coverage, gaps, sizeof(gaps));
	if (*gaps)
		fail_as(next_reason(c), CODE_NOT_COVERED, -ENODATA, "%s", gaps);
	if (!c->process.is_over)
		fail_as(next_reason(c), CODE_LOAD_ENDED, -ENODATA, "it did not come to its end");
	c->verdict = c->disagrees || had_errors ||
		c->process.why.word == CODE_JUDGE_BLIND ? VERDICT_FAIL :
		*c->process.why.text ? VERDICT_INCOMPLETE : VERDICT_PASS;
}

static enum exit_code check_memory_begin(struct act *a)
{
	struct check_memory *m = (struct check_memory *)a;
	const size_t most = sampler_fleet(a->session.sampler)->n;

	m->cards = mem_calloc(most, sizeof(*m->cards));
	act_await_fresh(a, a->wanted);
	for (size_t i = 0; i < most; i++)
		if (a->wanted[i])
			check_memory_fill(&m->cards[m->n++], &a->session, i, &m->wish,
				a->o->typed[OPT_CHANNELS]);
	stop_take_keys(&a->stop);
	for (size_t i = 0; i < m->n; i++)
		card_process_start(&m->cards[i].process, a->session.bus);
	return EXIT_DONE;
}

static bool check_memory_turn(struct act *a)
{
	const struct check_memory *m = (const struct check_memory *)a;
	bool goes_on = false;

	act_keep_sampling(a);
	for (size_t i = 0; i < m->n; i++)
		goes_on = card_process_beat(&m->cards[i].process, a) || goes_on;
	return goes_on;
}

static enum exit_code check_memory_watch(struct act *a)
{
	const struct check_memory *m = (const struct check_memory *)a;
	const bool stopped = act_turns(a, check_memory_turn, TURN_MS);

	for (size_t i = 0; i < m->n; i++) {
		struct check_memory_card *c = &m->cards[i];

		if (c->process.started && stopped)
			fail_as(next_reason(c), CODE_STOPPED, -ENODATA, "stopped before its end");
		card_process_end(&c->process);
	}
	return EXIT_DONE;
}

/* Judge the cards, with what the chips have counted and the programs that have come meanwhile. */
static enum exit_code check_memory_conclude(struct act *a)
{
	const struct check_memory *m = (const struct check_memory *)a;
	const bool is_new = act_sample_last(a);
	const struct fleet *f = sampler_fleet(a->session.sampler);

	for (size_t i = 0; i < m->n; i++) {
		struct check_memory_card *c = &m->cards[i];
		const int index = c->process.device->index;
		struct memory_growth growth;

		for (unsigned k = 0; k < MEMORY_CHANNELS && is_new; k++)
			c->after[k] = memory_errors_of(&f->chips[index], k);
		c->held = c->held || (is_new && is_held(f, index));
		card_process_died(&c->process, a);
		growth = memory_errors_growth(c->before, c->after);
		check_memory_judge(c, &f->chips[index],
			memory_errors_fail(&growth, next_reason(c)));
		/* Differences that are no proof ask for no reset. */
		if (c->verdict == VERDICT_FAIL || c->process.why.word != CODE_MEMORY_WRONG)
			act_take_step(a, index, c->disagrees ? CODE_MEMORY_WRONG
				: c->process.why.word, &c->process.next);
	}
	return EXIT_DONE;
}

static enum exit_code check_memory_report(struct act *a)
{
	const struct check_memory *m = (const struct check_memory *)a;
	const struct fleet *f = sampler_fleet(a->session.sampler);
	const char *stand_in = f->origin->stand_in;
	enum verdict worst = VERDICT_NONE;
	struct strbuf out = { 0 };
	struct figures figures;

	/* From here on a signal ends us: the rest is not worth waiting for. */
	stop_close(&a->stop);
	if (!a->o->json && stand_in)
		say("these boards are %s", stand_in);
	if (a->o->json) {
		check_memory_take(&figures, f, m->cards, m->n);
		figures_print_json(&out, &figures);
		figures_clear(&figures);
	} else {
		check_memory_put(&out, m->cards, m->n);
	}
	for (size_t i = 0; i < m->n; i++)
		worst = m->cards[i].verdict > worst ? m->cards[i].verdict : worst;
	return outlet_print(&out, exit_of_verdict(worst));
}

static void check_memory_free(struct act *a)
{
	struct check_memory *m = (struct check_memory *)a;

	for (size_t i = 0; i < m->n; i++)
		mem_unshare(m->cards[i].check, sizeof(*m->cards[i].check));
	free(m->cards);
}

static const struct act_taking taking = {
	.is_once = true,
	.awaits_rest = true,
	.says = 1u << PREFLIGHT_BUSY,
	.blocks = 1u << PREFLIGHT_BUSY,
	.forced = 1u << PREFLIGHT_BUSY,
	.hints = { [PREFLIGHT_BUSY] = ": a program that writes its memory meanwhile looks like a "
		"fault at first; --force checks under it, and writes nothing" },
};

static const struct act_steps steps = {
	.prepare = check_memory_prepare,
	.choose = check_memory_choose,
	.start = check_memory_begin,
	.watch = check_memory_watch,
	.judge = check_memory_conclude,
	.report = check_memory_report,
	.end = check_memory_free,
};

const struct act_ops act_check_memory = {
	.kind = ACT_CHECK_MEMORY,
	.modes = 1ull << MODE_CHECK_MEMORY,
	.size = sizeof(struct check_memory),
	.taking = &taking,
	.steps = &steps,
};
