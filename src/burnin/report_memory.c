/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_memory.c - the test of a card's memory, in words and as JSON.
 */
#include "config.h"
#include "src/burnin/report.h"

#include "base/clock.h"
#include "burnin/memory/memory_json.h"

#include <stdio.h>
#include <string.h>

static double gb_per_s(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes / (double)ns : 0;
}

static void print_errors(struct strbuf *to, const struct memory_errors *a,
	const struct memory_errors *b)
{
	if (b->known && b->corrected[0] + b->corrected[1] + b->uncorrected[0] + b->uncorrected[1])
		strbuf_printf(to, ", corrected by itself %u, %u read and %u, %u written%s",
			a->corrected[0], b->corrected[0], a->corrected[1], b->corrected[1],
			b->uncorrected[0] || b->uncorrected[1] ? ", uncorrected errors" : "");
}

/* Channels by lanes, a letter each. */
static void print_channels(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_memory *m = &c->burn.shared->memory;

	strbuf_puts(to, "  memory channels, byte lanes 0 to 3: + well, X wrong, ? nothing done\n");
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_memory_sum sum = card_memory_sum(m, i);

		if (!(c->burn.config.memory.channels >> i & 1))
			continue;
		strbuf_printf(to, "  channel %u  ", i);
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			strbuf_putc(to, sum.words == 0 ? '?' : sum.lane[k] ? 'X' : '+');
		strbuf_printf(to, "  %llu words, %llu wrong", (unsigned long long)sum.words,
			(unsigned long long)sum.wrong);
		if (sum.events > 0)
			strbuf_printf(to, " in %llu event%s", (unsigned long long)sum.events,
				sum.events == 1 ? "" : "s");
		print_errors(to, &c->memory_errors[BURNIN_BEFORE][i],
			&c->memory_errors[BURNIN_AFTER][i]);
		strbuf_putc(to, '\n');
	}
}

void burnin_report_print_memory(struct strbuf *to, const struct burnin_card *c)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	const struct card_memory *m = &c->burn.shared->memory;
	char text[200];
	size_t n;

	if (c->burn.config.memory.channels == 0)
		return;
	strbuf_printf(to, "%d %s: memory: %llu round%s of a pattern and an endpoint that writes, "
		"%.1f MiB written at %.3f GB/s, %.1f MiB read at %.3f GB/s\n", c->index, c->series,
		(unsigned long long)m->rounds, m->rounds == 1 ? "" : "s",
		(double)m->written / (1 << 20), gb_per_s(m->written, m->writing),
		(double)m->read / (1 << 20), gb_per_s(m->read, m->reading));
	print_channels(to, c);
	n = card_memory_judge(m, found);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(to, "  %s\n", memory_finding_text(&found[i], text, sizeof(text)));
}

static void put_channel(struct json_out *j, const struct burnin_card *c, unsigned channel)
{
	const struct card_memory *m = &c->burn.shared->memory;
	const struct card_memory_sum sum = card_memory_sum(m, channel);

	json_begin(j, NULL, '{');
	json_int(j, "channel", channel);
	json_int(j, "words", (int64_t)sum.words);
	json_int(j, "wrong", (int64_t)sum.wrong);
	json_int(j, "events", (int64_t)sum.events);
	json_int(j, "bytes_verified", (int64_t)m->bytes[channel]);
	memory_json_lanes(j, sum.lane);
	json_begin(j, "endpoints", '[');
	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		json_begin(j, NULL, '{');
		json_int(j, "endpoint", p);
		json_int(j, "words", (int64_t)m->tally[channel][p].words);
		json_int(j, "wrong", (int64_t)m->tally[channel][p].wrong);
		json_end(j, '}');
	}
	json_end(j, ']');
	memory_json_errors(j, "errors_before", &c->memory_errors[BURNIN_BEFORE][channel]);
	memory_json_errors(j, "errors_after", &c->memory_errors[BURNIN_AFTER][channel]);
	json_end(j, '}');
}

void burnin_report_put_memory(struct json_out *j, const struct burnin_card *c)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	const struct card_memory_plan *p = &c->burn.config.memory;
	const struct card_memory *m = &c->burn.shared->memory;
	struct ledger l = { .asked = { 0 } };
	size_t n;

	if (p->channels == 0) {
		json_null(j, "memory");
		return;
	}
	n = card_memory_judge(m, found);
	json_begin(j, "memory", '{');
	card_memory_ask(p, c->burn.config.memory_left, &l);
	card_memory_count(p, m, &l);
	json_int(j, "bytes_of_a_channel", (int64_t)p->size);
	json_hex(j, "seed", p->seed);
	json_int(j, "rounds", (int64_t)m->rounds);
	json_int(j, "iterations", (int64_t)m->iterations);
	json_bool(j, "tested_every_way", ledger_is_met(&l));
	json_int(j, "bytes_written", (int64_t)m->written);
	json_int(j, "bytes_read", (int64_t)m->read);
	json_decimal(j, "writing_seconds", m->writing, CLOCK_SECOND);
	json_decimal(j, "reading_seconds", m->reading, CLOCK_SECOND);
	json_begin(j, "channels", '[');
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		if (p->channels >> i & 1)
			put_channel(j, c, i);
	json_end(j, ']');
	memory_json_findings(j, found, n);
	json_end(j, '}');
}
