/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/check_memory.h"
#include "burnin/memory/memory_json.h"

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
	size_t pairs = 0, untold = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_CHANNELS; i++) {
		const unsigned a = i / MEMORY_CHANNELS, b = i % MEMORY_CHANNELS;
		const struct card_check_same *same = &c->shared->check.same[a][b];

		if (a >= b || card_check_judge(&c->shared->check.channel[a], c->held) !=
			CARD_CHECK_AGREES || card_check_judge(&c->shared->check.channel[b],
			c->held) != CARD_CHECK_AGREES)
			continue;
		pairs++;
		untold += same->told == 0;
		if (same->equal == 0)
			continue;
		strbuf_printf(out, "  channels %u and %u show the same %llu KiB, the first at "
			"0x%llx: %s\n", a, b,
			(unsigned long long)same->equal * CARD_CHECK_BLOCK / 1024,
			(unsigned long long)same->first, same->equal == same->told
			? "copies, or two channels that lead to one memory: --workload memory tells"
			: "copies, or addresses that lead to one memory; they differ elsewhere");
	}
	if (untold > 0)
		strbuf_printf(out, "  whether two channels lead to one memory cannot be told of "
			"%zu of %zu pairs: their data repeat\n", untold, pairs);
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

static void put_channel_json(struct json_out *j, const struct check_memory_card *c,
	unsigned channel)
{
	const struct card_check_channel *m = &c->shared->check.channel[channel];
	const enum card_check_verdict v = card_check_judge(m, c->held);
	unsigned late[2] = { 0 };
	const enum memory_kind kind = card_check_kind(m, late);

	json_begin(j, NULL, '{');
	json_int(j, "channel", channel);
	if (v == CARD_CHECK_DISAGREES && card_check_endpoint(m) >= 0)
		json_int(j, "endpoint", card_check_endpoint(m));
	else
		json_null(j, "endpoint");
	json_text(j, "verdict", channel_verdict_name(v));
	json_int(j, "words", (int64_t)m->words);
	json_int(j, "wrong", v == CARD_CHECK_DISAGREES ? (int64_t)m->differ : 0);
	json_int(j, "changed", v == CARD_CHECK_CHANGED ? (int64_t)m->differ : 0);
	json_int(j, "repeating", (int64_t)m->blind);
	memory_json_lanes(j, m->lane);
	json_text(j, "kind", v == CARD_CHECK_DISAGREES ? memory_kind_name(kind) : NULL);
	memory_json_late(j, v == CARD_CHECK_DISAGREES ? kind : MEMORY_FINE, late);
	memory_json_errors(j, "errors_before", &c->before[channel]);
	memory_json_errors(j, "errors_after", &c->after[channel]);
	json_end(j, '}');
}

static void put_same_json(struct json_out *j, const struct check_memory_card *c)
{
	json_begin(j, "same", '[');
	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_CHANNELS; i++) {
		const unsigned a = i / MEMORY_CHANNELS, b = i % MEMORY_CHANNELS;
		const struct card_check_same *same = &c->shared->check.same[a][b];

		if (same->equal == 0)
			continue;
		json_begin(j, NULL, '{');
		json_begin(j, "channels", '[');
		json_int(j, NULL, a);
		json_int(j, NULL, b);
		json_end(j, ']');
		json_int(j, "bytes", (int64_t)(same->equal * CARD_CHECK_BLOCK));
		json_int(j, "of", (int64_t)(same->told * CARD_CHECK_BLOCK));
		json_hex(j, "first", same->first);
		json_end(j, '}');
	}
	json_end(j, ']');
}

void check_memory_put_json(struct strbuf *out, const char *source,
	const struct check_memory_card *cards, size_t n)
{
	struct json_out j;

	json_out_init(&j, out, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "source", source);
	json_begin(&j, "check_memory", '[');
	for (size_t i = 0; i < n; i++) {
		const struct check_memory_card *c = &cards[i];

		json_begin(&j, NULL, '{');
		json_int(&j, "index", c->d->index);
		json_text(&j, "bus_id", c->d->bdf);
		json_text(&j, "verdict", verdict_name(c->verdict));
		json_text(&j, "reason", *c->reason ? c->reason : NULL);
		json_begin(&j, "channels", '[');
		for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
			if (c->plan.channels >> k & 1)
				put_channel_json(&j, c, k);
		json_end(&j, ']');
		json_bool(&j, "held", c->held);
		put_same_json(&j, c);
		ledger_put_json(&c->coverage, &j);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	strbuf_putc(out, '\n');
}
