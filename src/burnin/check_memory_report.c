/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/check_memory.h"

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

static void put_lanes(struct strbuf *out, const struct card_check_channel *m)
{
	const char *before = " in byte lane";

	for (unsigned i = 0; i < MEMORY_LANES; i++) {
		if (m->lane[i] == 0)
			continue;
		strbuf_printf(out, "%s %u", before, i);
		before = ",";
	}
}

static void put_kind(struct strbuf *out, const struct card_check_channel *m)
{
	unsigned late[2] = { 0 };

	if (card_check_kind(m, late) == MEMORY_SHIFTED && late[0] == late[1])
		strbuf_printf(out, ": late by %u bytes", late[0]);
	else if (card_check_kind(m, late) == MEMORY_SHIFTED)
		strbuf_printf(out, ": late by %u and %u bytes in alternating chunks of %d",
			late[0], late[1], MEMORY_CHUNK);
	if (card_check_endpoint(m) >= 0)
		strbuf_printf(out, ", endpoint %d alone", card_check_endpoint(m));
}

/* What the memory's controller counted, where it counted anything. */
static void put_errors(struct strbuf *out, const struct check_memory_card *c, unsigned channel)
{
	const struct memory_errors *a = &c->before[channel], *b = &c->after[channel];

	if (!a->known || !b->known || b->corrected[0] + b->corrected[1] + b->uncorrected[0] +
		b->uncorrected[1] == 0)
		return;
	strbuf_printf(out, "    its own counters, before and after: corrected %u, %u read and "
		"%u, %u written; uncorrected %s, %s\n", a->corrected[0], b->corrected[0],
		a->corrected[1], b->corrected[1], a->uncorrected[0] || a->uncorrected[1] ? "yes"
		: "no", b->uncorrected[0] || b->uncorrected[1] ? "yes" : "no");
}

static void put_channel(struct strbuf *out, const struct check_memory_card *c, unsigned channel)
{
	const struct card_check_channel *m = &c->shared->check.channel[channel];
	const enum card_check_verdict v = card_check_judge(m, c->held);

	if (!(c->plan.channels >> channel & 1))
		return;
	strbuf_printf(out, "  channel %u  %-9s  %llu KiB", channel, channel_verdict_name(v),
		(unsigned long long)m->words * 4 / 1024);
	if (m->differ > 0) {
		strbuf_printf(out, ", %llu of %llu words differ", (unsigned long long)m->differ,
			(unsigned long long)m->words);
		put_lanes(out, m);
	}
	if (v == CARD_CHECK_DISAGREES)
		put_kind(out, m);
	else if (m->words > 0 && m->blind * 10 >= m->words * 9)
		strbuf_puts(out, ", of data that repeats: a late lane would not be seen");
	strbuf_putc(out, '\n');
	put_errors(out, c, channel);
}

/* Channels that show the same data, and those of which nothing can be said. */
static void put_same(struct strbuf *out, const struct check_memory_card *c)
{
	size_t pairs = 0, unknown = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_CHANNELS; i++) {
		const unsigned a = i / MEMORY_CHANNELS, b = i % MEMORY_CHANNELS;
		const struct card_check_same *same = &c->shared->check.same[a][b];

		if (a >= b || card_check_judge(&c->shared->check.channel[a], c->held) !=
			CARD_CHECK_AGREES || card_check_judge(&c->shared->check.channel[b],
			c->held) != CARD_CHECK_AGREES)
			continue;
		pairs++;
		unknown += same->told == 0;
		if (same->equal == 0)
			continue;
		strbuf_printf(out, "  channels %u and %u show the same %llu KiB, the first at "
			"0x%llx: %s\n", a, b,
			(unsigned long long)same->equal * CARD_CHECK_BLOCK / 1024,
			(unsigned long long)same->first, same->equal == same->told
			? "copies, or two channels that lead to one memory: --workload memory "
			"shows which"
			: "copies, or addresses that lead to one memory; they differ elsewhere");
	}
	if (unknown > 0)
		strbuf_printf(out, "  for %zu of %zu pairs it is not known whether both channels "
			"lead to one memory: their data repeat\n", unknown, pairs);
}

void check_memory_put(struct strbuf *out, const struct check_memory_card *cards, size_t n)
{
	bool agrees = false, disagrees = false;

	for (size_t i = 0; i < n; i++) {
		const struct check_memory_card *c = &cards[i];

		strbuf_printf(out, "%s: %s%s%s\n", c->name, verdict_name(c->verdict),
			*c->reason ? ": " : "", c->reason);
		for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
			put_channel(out, c, k);
		put_same(out, c);
		agrees = agrees || c->verdict == CHECK_MEMORY_AGREES;
		disagrees = disagrees || c->verdict == CHECK_MEMORY_DISAGREES;
	}
	if (disagrees)
		strbuf_puts(out, "The same memory read differently through its endpoints: that is "
			"proof of a fault.\nWhat the card computes is in doubt; a warm reset "
			"trains its memory again, then test it: tt-smi -b CARD --workload "
			"memory\n");
	else if (agrees)
		strbuf_puts(out, "Nothing was written. Agreement proves nothing: a fault that "
			"reads the same each time is not seen; on a card that is free: tt-smi "
			"-b CARD --workload memory\n");
}

struct card_of {
	const struct check_memory_card *c;
	int index;
	const char *bus_id, *verdict, *reason;
	bool held;
	struct ledger coverage;
	struct memory_left_out left_out;
};

struct channel {
	int channel, endpoint;
	const char *verdict, *kind;
	struct card_check_channel m;
	uint64_t wrong, changed;
	struct memory_late late;
	struct memory_errors before, after;
};

static enum figure_fill fill_channel(const void *above, size_t i, void *view)
{
	const struct check_memory_card *c = *(const struct check_memory_card *const *)above;
	const struct card_check_channel *m = &c->shared->check.channel[i];
	struct channel *x = view;
	enum card_check_verdict v;

	if (i == MEMORY_CHANNELS)
		return FIGURE_END;
	if (!(c->plan.channels >> i & 1))
		return FIGURE_SKIP;
	v = card_check_judge(m, c->held);
	*x = (struct channel){ .channel = (int)i, .endpoint = -1, .m = *m,
		.verdict = channel_verdict_name(v), .changed = v == CARD_CHECK_CHANGED ?
		m->differ : 0, .before = c->before[i], .after = c->after[i] };
	if (v != CARD_CHECK_DISAGREES)
		return FIGURE_TAKE;
	x->endpoint = card_check_endpoint(m);
	x->wrong = m->differ;
	x->late.kind = card_check_kind(m, x->late.late);
	x->kind = memory_kind_name(x->late.kind);
	return FIGURE_TAKE;
}

static const struct figure_group channels = { .rows = (const struct figure[]){
	{ "channel", NULL, FIGURE_INT, .at = offsetof(struct channel, channel) },
	{ "endpoint", NULL, FIGURE_INT, .at = offsetof(struct channel, endpoint), .place = true },
	{ "verdict", NULL, FIGURE_STRING, .at = offsetof(struct channel, verdict) },
	{ "words", NULL, FIGURE_U64, .at = offsetof(struct channel, m.words) },
	{ "wrong", NULL, FIGURE_U64, .at = offsetof(struct channel, wrong) },
	{ "changed", NULL, FIGURE_U64, .at = offsetof(struct channel, changed) },
	{ "repeating", NULL, FIGURE_U64, .at = offsetof(struct channel, m.blind) },
	{ "lanes", NULL, FIGURE_LIST, .at = offsetof(struct channel, m.lane),
		.group = &memory_lane_figures },
	{ "kind", NULL, FIGURE_STRING, .at = offsetof(struct channel, kind) },
	{ "late_bytes", NULL, FIGURE_LIST, .at = offsetof(struct channel, late),
		.group = &memory_late_figures },
	{ "errors_before", NULL, FIGURE_OBJECT, .at = offsetof(struct channel, before),
		.group = &memory_error_figures },
	{ "errors_after", NULL, FIGURE_OBJECT, .at = offsetof(struct channel, after),
		.group = &memory_error_figures },
	{ .kind = FIGURE_NONE } }, .fill = fill_channel, .size = sizeof(struct channel) };

/* Two channels that show the same data. */
struct same {
	uint64_t channels[2], bytes, of, first;
};

static enum figure_fill fill_same(const void *above, size_t i, void *view)
{
	const struct check_memory_card *c = *(const struct check_memory_card *const *)above;
	const size_t a = i / MEMORY_CHANNELS, b = i % MEMORY_CHANNELS;
	const struct card_check_same *same;

	if (a == MEMORY_CHANNELS)
		return FIGURE_END;
	same = &c->shared->check.same[a][b];
	if (same->equal == 0)
		return FIGURE_SKIP;
	*(struct same *)view = (struct same){ { a, b }, same->equal * CARD_CHECK_BLOCK,
		same->told * CARD_CHECK_BLOCK, same->first };
	return FIGURE_TAKE;
}

static enum figure_fill fill_pair(const void *above, size_t i, void *view)
{
	*(uint64_t *)view = i < 2 ? ((const uint64_t *)above)[i] : 0;
	return i < 2 ? FIGURE_TAKE : FIGURE_END;
}

static const struct figure_group pair = { .rows = (const struct figure[]){
	{ .kind = FIGURE_U64 },
	{ .kind = FIGURE_NONE } }, .fill = fill_pair, .size = sizeof(uint64_t) };

static const struct figure_group same = { .rows = (const struct figure[]){
	{ "channels", NULL, FIGURE_LIST, .at = offsetof(struct same, channels), .group = &pair },
	{ "bytes", NULL, FIGURE_U64, .at = offsetof(struct same, bytes) },
	{ "of", NULL, FIGURE_U64, .at = offsetof(struct same, of) },
	{ "first", NULL, FIGURE_U64, .at = offsetof(struct same, first), .hex = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_same, .size = sizeof(struct same) };

struct all {
	const char *source;
	const struct check_memory_card *cards;
	size_t n;
};

static enum figure_fill fill_card(const void *above, size_t i, void *view)
{
	const struct all *a = above;
	const struct check_memory_card *c = &a->cards[i];

	if (i == a->n)
		return FIGURE_END;
	*(struct card_of *)view = (struct card_of){ c, c->d->index, c->d->bdf,
		verdict_name(c->verdict), *c->reason ? c->reason : NULL, c->held,
		c->coverage, memory_left_out(&c->plan.kept, c->plan.channels) };
	return FIGURE_TAKE;
}

static const struct figure_group cards = { .rows = (const struct figure[]){
	{ "index", NULL, FIGURE_INT, .at = offsetof(struct card_of, index) },
	{ "bus_id", NULL, FIGURE_STRING, .at = offsetof(struct card_of, bus_id) },
	{ "verdict", NULL, FIGURE_STRING, .at = offsetof(struct card_of, verdict) },
	{ "reason", NULL, FIGURE_STRING, .at = offsetof(struct card_of, reason) },
	{ "channels", NULL, FIGURE_LIST, .at = offsetof(struct card_of, c), .group = &channels },
	{ "endpoints_left_out", NULL, FIGURE_LIST, .at = offsetof(struct card_of, left_out),
		.group = &memory_left_out_figures },
	{ "held", NULL, FIGURE_BOOL, .at = offsetof(struct card_of, held) },
	{ "same", NULL, FIGURE_LIST, .at = offsetof(struct card_of, c), .group = &same },
	{ "coverage", NULL, FIGURE_MAP, .at = offsetof(struct card_of, coverage),
		.group = &ledger_figures },
	{ .kind = FIGURE_NONE } }, .fill = fill_card, .size = sizeof(struct card_of) };

static const struct figure_group all = { .rows = (const struct figure[]){
	{ "source", NULL, FIGURE_STRING, .at = offsetof(struct all, source) },
	{ "check_memory", NULL, FIGURE_LIST, .group = &cards },
	{ .kind = FIGURE_NONE } } };

void check_memory_put_json(struct strbuf *out, const char *source,
	const struct check_memory_card *of, size_t n)
{
	const struct all view = { source, of, n };
	struct figures f = { 0 };

	figures_take(&f, &all, &view);
	figures_print_json(out, &f);
	figures_clear(&f);
}
