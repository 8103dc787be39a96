/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_card.c - a card's burn and its memory's test in words: at the end, and as the numbers of
 * its page on the screen.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/text.h"
#include "burnin/cores/card_burn.h"
#include "src/burnin/cards.h"

#include <inttypes.h>
#include <stdio.h>

enum { WRONG_WORDS = 8 };	/* the most that are named */

double burnin_mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

const char *burnin_percent(double rate, double peak, char text[static BURNIN_PERCENT])
{
	const double percent = figure_percent(rate, peak);

	if (percent > 0)
		snprintf(text, BURNIN_PERCENT, "%.1f", percent);
	return percent > 0 ? text : "-";
}

double burnin_gb_per_s(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes / (double)ns : 0;
}

bool burnin_card_computes(const struct burnin_card *c)
{
	return card_kinds_count(&c->burn.config) > 0 && !c->burn.config.computes_nothing;
}

bool burnin_card_is_tested(const struct burnin_card *c)
{
	return c->burn.config.memory.channels && !c->burn.config.computes_nothing;
}

/* The slowest and the fastest core. */
static void put_extremes(struct strbuf *to, const struct burnin_card *c)
{
	for (int i = 0; i < 2; i++) {
		const struct card_core *core = &c->burn.shared->cores[c->result.core[i]];

		strbuf_printf(to, "%score %u-%u %.4f", i ? ", " : "", core->x, core->y,
			c->result.rate_of[i]);
	}
	strbuf_putc(to, '\n');
}

/* A line with its telemetry while it burnt, if any is known. */
static void put_seen(struct strbuf *to, const struct burnin_card *c, const char *before)
{
	const size_t from = to->len;

	for (int k = 0; k < BURNIN_SEEN; k++) {
		const struct field *f = &fields[burnin_seen_fields[k]];
		const struct range *x = &c->seen[k];

		if (x->n > 0)
			strbuf_printf(to, "%s%s %.*f to %.*f %s", to->len > from ? ", " : before,
				f->brief, f->decimals, (double)x->least / f->scale, f->decimals,
				(double)x->most / f->scale, f->unit);
	}
	if (to->len > from)
		strbuf_putc(to, '\n');
}

/* The first wrong words; with_bits: with all that makes the same operands again. */
static void put_wrong(struct strbuf *to, const struct burnin_card *c, bool with_bits)
{
	size_t n = 0;

	for (size_t i = 0; i < c->result.cores; i++) {
		const struct card_core *core = &c->burn.shared->cores[i];

		for (uint32_t k = 0; k < card_wrong_words(core) && n < WRONG_WORDS; k++, n++) {
			const struct card_wrong *w = &core->wrong[k];

			strbuf_printf(to, "%score %u-%u, %s", with_bits ? "  " : "", core->x,
				core->y, card_kind_name(w->kind));
			if (with_bits)
				strbuf_printf(to, " with seed %" PRIu64, w->seed);
			strbuf_printf(to, ": block %u, word %u is 0x%08x, not 0x%08x",
				w->word.block, w->word.word, w->word.got, w->word.want);
			if (with_bits)
				strbuf_printf(to, " (bits 0x%08x)", w->word.got ^ w->word.want);
			strbuf_putc(to, '\n');
		}
	}
}

static void put_kept(struct strbuf *to, const char *before, const struct memory_kept *kept,
	uint32_t channels)
{
	char text[160];

	if (memory_kept_text(kept, channels, text, sizeof(text)))
		strbuf_printf(to, "%s%s: the memory controller's firmware uses it\n", before, text);
}

static void put_findings(struct strbuf *to, const struct burnin_card *c, const char *before)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	char text[200];

	if (c->burn.config.memory.channels == 0)
		return;
	for (size_t i = 0, n = card_memory_judge(&c->burn.shared->memory, found); i < n; i++)
		strbuf_printf(to, "%s%s\n", before, memory_finding_text(&found[i], text,
			sizeof(text)));
}

/* The numbers of its page. */

void burnin_card_put_numbers(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_shared *s = c->burn.shared;
	const struct card_result *r = &c->result;
	const double peak = card_judge_peak(c->chip, r->cores);

	if (burnin_card_mvmul(c) > 0) {
		strbuf_printf(to, "MVMUL per cycle|%.4f\nslowest, fastest|", burnin_card_mvmul(c));
		put_extremes(to, c);
	}
	if (figure_percent(c->tflops, peak) > 0)
		strbuf_printf(to, "matrix units|%.1f TFLOP/s, %.1f %% of %.1f\n", c->tflops,
			figure_percent(c->tflops, peak), peak);
	else if (c->tflops > 0)
		strbuf_printf(to, "matrix units|%.1f TFLOP/s\n", c->tflops);
	if (burnin_card_computes(c))
		strbuf_printf(to, "blocks compared|%" PRIu64 ", %" PRIu64 " again by the host\n",
			r->blocks, r->rechecked);
	if (r->words > 0)
		strbuf_printf(to, "words compared|%" PRIu64 "\n", r->words);
	if (burnin_card_computes(c))
		strbuf_printf(to, "wrong words|%" PRIu64 "\n", r->wrong);
	if (r->slow_cores > 0)
		strbuf_printf(to, "slow cores|%zu\n", r->slow_cores);
	if (s->rounds > 0)
		strbuf_printf(to, "rounds|%" PRIu64 "\n", s->rounds);
	if (r->memory_words > 0)
		strbuf_printf(to, "memory read|%.1f MiB\n", burnin_mib(4 * r->memory_words));
	strbuf_printf(to, "power|%s\n", s->power);
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_memory_sum sum = card_memory_sum(&s->memory, i);

		if (c->burn.config.memory.channels >> i & 1)
			strbuf_printf(to, "channel %u|%" PRIu64 " words, %" PRIu64 " wrong\n", i,
				sum.words, sum.wrong);
	}
	put_seen(to, c, "so far|");
	put_findings(to, c, "");
	put_wrong(to, c, false);
}

/* The end. */

static void put_channel(struct strbuf *to, const struct burnin_card *c, unsigned i)
{
	const struct card_memory_sum sum = card_memory_sum(&c->burn.shared->memory, i);
	const struct memory_errors *before = &c->memory_errors[BURNIN_BEFORE][i];
	const struct memory_errors *after = &c->memory_errors[BURNIN_AFTER][i];
	const bool uncorrected = after->uncorrected[0] || after->uncorrected[1];

	strbuf_printf(to, "  channel %u  ", i);
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		strbuf_putc(to, burn_core_letter(burnin_lane_of(&sum, k)));
	strbuf_printf(to, "  %" PRIu64 " words, %" PRIu64 " wrong", sum.words, sum.wrong);
	if (sum.events > 0)
		strbuf_printf(to, " in %" PRIu64 " event%s", sum.events, text_plural(sum.events));
	if (before->known && after->known && (uncorrected || after->corrected[0] ||
		after->corrected[1]))
		strbuf_printf(to, ", corrected by itself %u, %u read and %u, %u written%s",
			before->corrected[0], after->corrected[0], before->corrected[1],
			after->corrected[1], uncorrected ? ", uncorrected errors" : "");
	strbuf_putc(to, '\n');
}

/* The test of its memory by the host. */
static void put_test(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_memory_plan *plan = &c->burn.config.memory;
	const struct card_memory *m = &c->burn.shared->memory;

	if (burnin_card_is_tested(c)) {
		strbuf_printf(to, "%d %s: memory: %" PRIu64 " round%s of a pattern and an endpoint "
			"that writes, %.1f MiB written at %.3f GB/s, %.1f MiB read at %.3f GB/s\n"
			"  memory channels, byte lanes 0 to 3: + well, X wrong, ? nothing done\n",
			c->index, c->series, m->rounds, text_plural(m->rounds),
			burnin_mib(m->written), burnin_gb_per_s(m->written, m->writing),
			burnin_mib(m->read), burnin_gb_per_s(m->read, m->reading));
		for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
			if (plan->channels >> i & 1)
				put_channel(to, c, i);
	}
	put_kept(to, "  not tested: ", &plan->kept, plan->channels);
	put_findings(to, c, "  ");
}

/* The work of its cores, and their reads of its memory. */
static void put_cores(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_burn_config *k = &c->burn.config;
	const struct card_shared *s = c->burn.shared;
	const struct card_result *r = &c->result;

	if (burnin_card_computes(c))
		strbuf_printf(to, "%d %s: %zu core%s, %" PRIu64 " round%s, power %s, loaded in "
			"%.1f s at most, %.1f s of load\n"
			"  %" PRIu64 " blocks with %" PRIu64 " words compared by the cores, "
			"%" PRIu64 " blocks again by the host; %" PRIu64 " word%s wrong in all\n",
			c->index, c->series, r->cores, text_plural(r->cores), s->rounds,
			text_plural(s->rounds), s->power, (double)s->load_ns / CLOCK_SECOND,
			(double)s->run_ns / CLOCK_SECOND, r->blocks, r->words, r->rechecked,
			r->wrong, text_plural(r->wrong));
	if (r->memory_words > 0) {
		strbuf_printf(to, "  %.1f MiB of the card's memory read and compared by the cores "
			"while their matrix units made %" PRIu64 " products, %" PRIu64 " wrong; "
			"operands came from it %" PRIu64 " times\n",
			burnin_mib(4 * r->memory_words), r->mvmuls, r->memory_errors, s->reloads);
		put_kept(to, "  not read by them: ", &k->kept, k->channels);
	}
	if (*k->not_reloaded)
		strbuf_printf(to, "  operands did not come from the card's memory: %s\n",
			k->not_reloaded);
}

static void put_rates(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_result *r = &c->result;
	const double peak = card_judge_peak(c->chip, r->cores);
	char percent[BURNIN_PERCENT];

	if (c->burn.config.is_timeless && (r->rate > 0 || r->untrue_cores > 0))
		strbuf_puts(to, "  no rate: the simulator has no real clock\n");
	else if (r->untrue_cores > 0)
		strbuf_printf(to, "  - MVMUL per cycle of %zu core%s: by their counters more than "
			"one, which cannot be\n", r->untrue_cores, text_plural(r->untrue_cores));
	if (burnin_card_mvmul(c) > 0) {
		strbuf_printf(to, "  %.4f MVMUL per cycle and core; ", burnin_card_mvmul(c));
		put_extremes(to, c);
	}
	if (c->tflops > 0 && peak > 0)
		strbuf_printf(to, "  %.1f TFLOP/s of the matrix units, %s %% of the documented "
			"%.1f (at one phase of fidelity)\n", c->tflops,
			burnin_percent(c->tflops, peak, percent), peak);
	if (burnin_card_is_slow(c))
		strbuf_printf(to, "  %.3f TFLOP/s a core, below 95 %% of the %.3f of cards of its "
			"kind\n", burnin_card_per_core(c), c->median);
	if (r->slow_cores > 0)
		strbuf_printf(to, "  %zu core%s below 95 %% of the median of %.4f\n",
			r->slow_cores, text_plural(r->slow_cores), r->median);
}

/* Draw the cores where they are on the chip, a letter each. */
static void put_map(struct strbuf *to, const struct burnin_card *c)
{
	static struct ui_burn_chip map;

	burnin_fill_map(c, &c->result, &map);
	strbuf_printf(to, "  cores, columns %u to %u: + well, - slow, X wrong, O stood still, "
		"? nothing done, . switched off\n", map.first, map.first + (unsigned)map.w - 1);
	for (int y = 0; y < map.h; y++) {
		strbuf_printf(to, "  row %2u  ", map.rows[y]);
		for (int x = 0; x < map.w; x++)
			strbuf_putc(to, burn_core_letter((enum ui_core)map.map[y * map.w + x]));
		strbuf_putc(to, '\n');
	}
}

void burnin_card_put(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_result *r = &c->result;
	char name[64] = "  ";

	put_test(to, c);
	put_cores(to, c);
	put_rates(to, c);
	if (!burnin_card_computes(c) && !burnin_card_is_tested(c))
		snprintf(name, sizeof(name), "%d %s: ", c->index, c->series);
	put_seen(to, c, name);
	for (int i = THROTTLE_NONE + 1; i < THROTTLE_REASONS; i++)
		if (c->throttles >> i & 1)
			strbuf_printf(to, "  its clock was held down by: %s\n",
				throttle_reason_name(i));
	if (r->throttled > 0)
		strbuf_printf(to, "  The firmware asked for less power: %" PRIu64 " rests on %zu "
			"core%s\n", r->throttled, r->throttled_cores,
			text_plural(r->throttled_cores));
	put_wrong(to, c, true);
	if (r->cores > 0)
		put_map(to, c);
}
