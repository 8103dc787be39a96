/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_memory_report.c - the figures of --check-memory, as JSON and in words.  Hidden figures
 * are only for words.
 */
#include "config.h"
#include "src/burnin/check_memory.h"

#include "base/array.h"
#include "burnin/memory/memory_figures.h"
#include "output/figure_json.h"

#include <stdio.h>

static const char *verdict_name(enum check_memory_verdict v)
{
	static const char *const names[] = { "agrees", "disagrees", "incomplete" };

	return names[v];
}

static const char *channel_verdict_name(enum card_check_verdict v)
{
	static const char *const names[] = { "agrees", "disagrees", "changed", "untested" };

	return names[v];
}

static const char *list_lanes(const struct card_check_channel *m, char text[static 32])
{
	size_t at = 0;

	for (unsigned i = 0; i < MEMORY_LANES; i++)
		if (m->lane[i] > 0)
			at += (size_t)snprintf(text + at, 32 - at, "%s%u", at ? ", " : "", i);
	return text;
}

static const char *describe_late(enum memory_kind kind, const unsigned late[2],
	char text[static 80])
{
	if (kind == MEMORY_SHIFTED && late[0] == late[1])
		snprintf(text, 80, "late by %u bytes", late[0]);
	else if (kind == MEMORY_SHIFTED)
		snprintf(text, 80, "late by %u and %u bytes in alternating chunks of %d", late[0],
			late[1], MEMORY_CHUNK);
	return text;
}

static const char *has_uncorrected(const struct memory_errors *e)
{
	return e->uncorrected[0] || e->uncorrected[1] ? "yes" : "no";
}

/* Whether the memory's controller counted any error. */
static bool has_counted(const struct memory_errors *a, const struct memory_errors *b)
{
	return a->known && b->known && (b->corrected[0] || b->corrected[1] || b->uncorrected[0] ||
		b->uncorrected[1]);
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
	MEMORY_ERROR_FIGURES(F, a, b) \
	F(INT, kib, (.hidden = true), m->words * 4 / 1024) \
	F(INT, differ, (.hidden = true, .some = true), m->differ) \
	F(TEXT, which_lanes, (.hidden = true, .some = true), list_lanes(m, (char[32]){ "" })) \
	F(TEXT, late, (.hidden = true, .some = true), \
		describe_late(j->kind, j->late, (char[80]){ "" })) \
	F(BOOL, repeats, (.hidden = true), \
		!j->is_wrong && m->words > 0 && m->blind * 10 >= m->words * 9) \
	F(BOOL, counted, (.hidden = true), has_counted(a, b)) \
	F(TEXT, uncorrected_before, (.hidden = true), has_uncorrected(a)) \
	F(TEXT, uncorrected_after, (.hidden = true), has_uncorrected(b))
FIGURES(channel, CHANNEL_FIGURES, unsigned i, const struct card_check_channel *m,
	const struct judged *j, const struct memory_errors *a, const struct memory_errors *b)

static void add_channels(struct figure_value *to, const struct check_memory_card *c)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_check_channel *m = &c->shared->check.channel[i];
		struct judged j = { .verdict = card_check_judge(m, c->held) };

		if (!(c->plan.channels >> i & 1))
			continue;
		j.is_wrong = j.verdict == CARD_CHECK_DISAGREES;
		j.kind = j.is_wrong ? card_check_kind(m, j.late) : MEMORY_FINE;
		channel_add(to, i, m, &j, &c->before[i], &c->after[i]);
	}
}

/* Two channels that show the same data. */

static bool channels_agree(const struct check_memory_card *c, unsigned a, unsigned b)
{
	return card_check_judge(&c->shared->check.channel[a], c->held) == CARD_CHECK_AGREES &&
		card_check_judge(&c->shared->check.channel[b], c->held) == CARD_CHECK_AGREES;
}

#define SAME_FIGURES(F) \
	F(LIST, channels, (.group = &memory_number_figures), \
		memory_add_number(v, a); memory_add_number(v, b)) \
	F(INT, bytes, (), s->equal * CARD_CHECK_BLOCK) \
	F(INT, of, (), s->told * CARD_CHECK_BLOCK) \
	F(INT, first, (.hex = true), s->first) \
	F(INT, lower, (.hidden = true), a) \
	F(INT, higher, (.hidden = true), b) \
	F(INT, kib, (.hidden = true), s->equal * CARD_CHECK_BLOCK / 1024) \
	F(BOOL, agree, (.hidden = true), channels_agree(c, a, b)) \
	F(BOOL, all, (.hidden = true), s->equal == s->told)
FIGURES(same, SAME_FIGURES, const struct check_memory_card *c, unsigned a, unsigned b,
	const struct card_check_same *s)

static void add_same(struct figure_value *to, const struct check_memory_card *c, unsigned a,
	unsigned b)
{
	const struct card_check_same *s = &c->shared->check.same[a][b];

	if (s->equal > 0)
		same_add(to, c, a, b, s);
}

/* Count pairs of channels that agree: all, or only those whose data repeat and show nothing. */
static unsigned count_pairs(const struct check_memory_card *c, bool is_unknown)
{
	unsigned n = 0;

	for (unsigned b = 1; b < MEMORY_CHANNELS; b++)
		for (unsigned a = 0; a < b; a++)
			n += (!is_unknown || c->shared->check.same[a][b].told == 0) &&
				channels_agree(c, a, b);
	return n;
}

#define CARD_FIGURES(F) \
	F(INT, index, (), c->d->index) \
	F(TEXT, bus_id, (), c->d->bdf) \
	F(TEXT, verdict, (), verdict_name(c->verdict)) \
	F(TEXT, reason, (.some = true), c->why.text) \
	F(TEXT, code, (.some = true), code_word(c->why.word)) \
	F(LIST, channels, (.group = &channel_figures), add_channels(v, c)) \
	MEMORY_KEPT_FIGURES(F, &c->plan.kept, c->plan.channels) \
	F(BOOL, held, (), c->held) \
	F(LIST, same, (.group = &same_figures), \
		for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_CHANNELS; i++) \
			add_same(v, c, i / MEMORY_CHANNELS, i % MEMORY_CHANNELS)) \
	F(MAP, coverage, (.group = &ledger_figures), ledger_add_all(v, &c->coverage)) \
	F(TEXT, name, (.hidden = true), c->name) \
	F(INT, pairs, (.hidden = true), count_pairs(c, false)) \
	F(INT, unknown_pairs, (.hidden = true, .some = true), count_pairs(c, true))
FIGURES(card, CARD_FIGURES, const struct check_memory_card *c)

static bool any_card_is(const struct check_memory_card *cards, size_t n,
	enum check_memory_verdict v)
{
	for (size_t i = 0; i < n; i++)
		if (cards[i].verdict == v)
			return true;
	return false;
}

#define ALL_FIGURES(F) \
	F(TEXT, source, (), fleet->source) \
	F(TEXT, selection, (.some = true), fleet->selection) \
	F(LIST, check_memory, (.group = &card_figures), \
		for (size_t i = 0; i < n; i++) card_add(v, &cards[i])) \
	F(BOOL, disagrees, (.hidden = true), any_card_is(cards, n, CHECK_MEMORY_DISAGREES)) \
	F(BOOL, agrees, (.hidden = true), any_card_is(cards, n, CHECK_MEMORY_AGREES))
FIGURES(check_memory, ALL_FIGURES, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n)

static const char *const card_lines[] = {
	"{name}: {verdict}[: {reason}]\n",
	"{@channels}  channel {channel}  {verdict:-9}  {kib} KiB[, {differ} of {words} words differ"
		"[ in byte lane {which_lanes}]][{?wrong}[: {late}][, endpoint {endpoint} alone]]"
		"[{?repeats}, of data that repeats: a late lane would not be seen]\n"
		"[{?counted}    its own counters, before and after: corrected "
		"{errors_before.corr_rd}, {errors_after.corr_rd} read and {errors_before.corr_wr}, "
		"{errors_after.corr_wr} written; uncorrected {uncorrected_before}, "
		"{uncorrected_after}\n]",
	"{@same}{?agree}  channels {lower} and {higher} show the same {kib} KiB, the first at "
		"{first}: [{?all}copies, or two channels that lead to one memory: --workload "
		"memory shows which][{!all}copies, or addresses that lead to one memory; they "
		"differ elsewhere]\n",
	("  for {unknown_pairs} of {pairs} pairs it is not known whether both channels lead to one "
		"memory: their data repeat\n"),
};

static const char *const last_lines[] = {
	"{?disagrees}The same memory read differently through its endpoints: that is proof of a "
		"fault.\nWhat the card computes is in doubt; a warm reset trains its memory again, "
		"then test it: tt-smi -b CARD --workload memory\n",
	"{!disagrees}{?agrees}Nothing was written. Agreement proves nothing: a fault that reads "
		"the same each time is not seen; on a card that is free: tt-smi -b CARD "
		"--workload memory\n",
};

/* Put the last lines: the card, channel and lane of each fault. */
static void put_places(struct strbuf *out, const struct figures *card)
{
	const struct figure_value *channels = figures_list(card, "channels");

	for (size_t i = 0; i < channels->n_nodes; i++) {
		const size_t from = out->len;

		if (!figures_put_text(out, card, "{name}, ") || !figures_put_text(out,
			&channels->nodes[i], "{?wrong}channel {channel}[, byte lane "
			"{which_lanes}]: disagrees\n"))
			out->len = from;
	}
}

void check_memory_take(struct figures *to, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n)
{
	struct figure_value value = { .nodes = NULL };

	check_memory_add(&value, fleet, cards, n);
	*to = figures_take(&value);
}

void check_memory_put(struct strbuf *out, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n, bool as_json)
{
	const struct figure_value *list;
	struct figures f;

	check_memory_take(&f, fleet, cards, n);
	list = figures_list(&f, "check_memory");
	for (size_t i = 0; i < list->n_nodes && !as_json; i++)
		figures_put_lines(out, &list->nodes[i], card_lines, ARRAY_LEN(card_lines));
	if (as_json)
		figures_print_json(out, &f);
	else
		figures_put_lines(out, &f, last_lines, ARRAY_LEN(last_lines));
	for (size_t i = 0; i < list->n_nodes && !as_json; i++)
		put_places(out, &list->nodes[i]);
	figures_clear(&f);
}
