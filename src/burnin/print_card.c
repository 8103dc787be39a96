/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_card.c - the burn of cards in words: before, meanwhile, at the end.
 */
#include "config.h"
#include "src/burnin/report.h"

#include "base/clock.h"
#include "device/kind.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 8 };	/* wrong words, and cores that are named */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* What is lost of it. */
static void announce_memory(struct strbuf *to, const char *name, const struct card_burn_config *c)
{
	const uint64_t each = c->memory.size;
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		n += c->memory.channels >> i & 1;
	strbuf_printf(to, "Testing the memory of %s: overwrites %llu MiB and more of each of %u "
		"channel%s, which is not put back; seed %llu, every word compared\n", name,
		(unsigned long long)(each + (1 << 20) - 1) >> 20, n, plural(n),
		(unsigned long long)c->memory.seed);
	if (!c->kinds[CARD_CONV] && !c->kinds[CARD_MATMUL])
		strbuf_puts(to, "The chip is not reset before: that would train its memory anew\n");
}

void burnin_report_announce(struct strbuf *to, const struct burnin_facts *f)
{
	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];
		const struct card_burn_config *c = t->card ? &t->card->burn.config : NULL;

		if (!c || !t->card->started)
			continue;
		if (c->computes_nothing)
			strbuf_printf(to, "Burning %s: simulated, it takes the power and computes "
				"nothing\n", t->name);
		else if (c->kinds[CARD_CONV] || c->kinds[CARD_MATMUL])
			strbuf_printf(to, "Burning %s: blocks of about %u steps, %u phase%s of "
				"fidelity, seed %llu, every block compared\n", t->name, c->steps,
				c->phases, plural(c->phases), (unsigned long long)c->seed);
		if (!c->computes_nothing && c->memory.channels)
			announce_memory(to, t->name, c);
	}
}

struct sum {
	size_t cards, cores, loading;
	double rate;			/* of all cores together */
	uint64_t blocks, wrong, still, memory;	/* memory: bytes read and written */
	bool timeless, untrue;
	int64_t hottest, watt;		/* in the fields' steps */
};

static void add(struct sum *s, const struct burnin_card *c)
{
	const int phase = atomic_load(&c->burn.shared->phase);
	struct card_result now;

	card_judge(&c->burn, NULL, &now);
	s->cards++;
	s->cores += now.cores;
	s->timeless = s->timeless || c->burn.config.is_timeless;
	s->untrue = s->untrue || now.untrue_cores > 0;
	s->loading += phase < CARD_STARTS;
	s->rate += now.rate * (double)now.cores;
	s->blocks += now.blocks;
	s->wrong += now.wrong;
	s->memory += atomic_load(&c->burn.shared->memory.moved);
	s->still += now.still_cores;
	if (c->seen[BURNIN_TEMP].n > 0 && c->seen[BURNIN_TEMP].most > s->hottest)
		s->hottest = c->seen[BURNIN_TEMP].most;
}

void burnin_report_put_progress(struct strbuf *to, const struct burnin_facts *f)
{
	struct sum s = { 0 };

	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].card && f->targets[i].card->started)
			add(&s, f->targets[i].card);
	if (s.cards == 0)
		return;
	strbuf_printf(to, "  %zu card%s", s.cards, plural(s.cards));
	if (s.cores > 0)
		strbuf_printf(to, ", %zu cores", s.cores);
	if (s.loading)
		strbuf_printf(to, ", %zu being loaded", s.loading);
	/* A simulator's clock is no time. */
	if (s.untrue && !s.timeless)
		strbuf_puts(to, "  - MVMUL/cycle (more than one counted)");
	else if (s.cores > 0 && s.rate > 0 && !s.timeless)
		strbuf_printf(to, "  %.3f MVMUL/cycle", s.rate / (double)s.cores);
	if (s.cores > 0)
		strbuf_printf(to, "  %llu blocks", (unsigned long long)s.blocks);
	if (s.memory > 0)
		strbuf_printf(to, "  %.1f MiB of memory", (double)s.memory / (1 << 20));
	strbuf_printf(to, "  %llu wrong", (unsigned long long)s.wrong);
	if (s.still)
		strbuf_printf(to, "  %llu standing still", (unsigned long long)s.still);
	if (s.hottest > 0)
		strbuf_printf(to, "  up to %.1f °C",
			(double)s.hottest / fields[FIELD_ASIC_TEMP].scale);
}

static char symbol(const struct card_core *c, const struct card_result *r)
{
	uint64_t blocks = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		blocks += atomic_load(&c->blocks[k]);
	if (atomic_load(&c->errors) || atomic_load(&c->refuted))
		return 'X';
	if (atomic_load(&c->stood))
		return 'O';
	if (blocks == 0)
		return '?';
	return r->slow_cores && card_judge_is_slow(c, r) ? '-' : '+';
}

/* Where the cores are on the chip, a letter each. */
static void print_map(struct strbuf *to, const struct burnin_card *c)
{
	const struct device_kind *k = kind_of(c->chip);
	const struct card_shared *s = c->burn.shared;

	strbuf_printf(to, "  cores, columns %d to %d: + well, - slow, X wrong, O stood still, "
		"? nothing done, . switched off\n", k->tensix.x0, k->tensix.x1);
	for (unsigned y = k->tensix.y0; y <= k->tensix.y1; y++) {
		if (k->other_rows >> y & 1)
			continue;
		strbuf_printf(to, "  row %2u  ", y);
		for (unsigned x = k->tensix.x0; x <= k->tensix.x1; x++) {
			char ch = k->other_columns >> x & 1 ? ' ' : '.';

			for (size_t i = 0; i < c->result.cores; i++)
				if (s->cores[i].x == x && s->cores[i].y == y)
					ch = symbol(&s->cores[i], &c->result);
			strbuf_putc(to, ch);
		}
		strbuf_putc(to, '\n');
	}
}

static void print_rate(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_result *r = &c->result;
	const struct card_core *cores = c->burn.shared->cores;
	const double peak = card_judge_peak(c->chip, r->cores);

	if (r->rate <= 0 && r->untrue_cores == 0)
		return;
	if (c->burn.config.is_timeless) {
		strbuf_puts(to, "  MVMUL per cycle are not told: the simulator's clock is no "
			"time\n");
		return;
	}
	if (r->untrue_cores > 0)
		strbuf_printf(to, "  - MVMUL per cycle of %zu core%s: by their counters more than "
			"one, which cannot be\n", r->untrue_cores, plural(r->untrue_cores));
	if (r->rate <= 0)
		return;
	strbuf_printf(to, "  %.4f MVMUL per cycle and core; core %u-%u %.4f, core %u-%u %.4f\n",
		r->rate, cores[r->core[0]].x, cores[r->core[0]].y, r->rate_of[0],
		cores[r->core[1]].x, cores[r->core[1]].y, r->rate_of[1]);
	if (c->tflops > 0)
		strbuf_printf(to, "  %.1f TFLOP/s of the matrix units, %.1f %% of the documented "
			"%.1f (at one phase of fidelity)\n", c->tflops,
			peak > 0 ? 100 * c->tflops / peak : 0, peak);
	if (burnin_card_is_slow(c))
		strbuf_printf(to, "  %.3f TFLOP/s a core, below %.0f %% of the %.3f of cards of "
			"its kind\n", c->tflops / (double)r->cores, 100 * CARD_SLOW, c->median);
	if (r->slow_cores > 0)
		strbuf_printf(to, "  %zu core%s below %.0f %% of the median of %.4f\n",
			r->slow_cores, plural(r->slow_cores), 100 * CARD_SLOW, r->median);
}

static void print_seen(struct strbuf *to, const struct burnin_card *c)
{
	bool first = true;

	for (int k = 0; k < BURNIN_SEEN; k++) {
		const struct field *f = &fields[burnin_seen_fields[k]];
		const struct burnin_range *x = &c->seen[k];

		if (x->n == 0)
			continue;
		strbuf_printf(to, "%s%s %.*f to %.*f %s", first ? "  " : ", ", f->brief,
			f->decimals, (double)x->least / f->scale, f->decimals,
			(double)x->most / f->scale, f->unit);
		first = false;
	}
	if (!first)
		strbuf_putc(to, '\n');
	for (int k = THROTTLE_NONE + 1; k < THROTTLE_REASONS; k++)
		if (c->throttles >> k & 1)
			strbuf_printf(to, "  its clock was held down by: %s\n",
				throttle_reason_name(k));
	if (c->result.throttled > 0)
		strbuf_printf(to, "  The firmware asked for less power: %llu rests on %zu core%s\n",
			(unsigned long long)c->result.throttled, c->result.throttled_cores,
			plural(c->result.throttled_cores));
}

static void print_wrong(struct strbuf *to, const struct burnin_card *c)
{
	size_t named = 0;

	for (size_t i = 0; i < c->result.cores; i++) {
		const struct card_core *core = &c->burn.shared->cores[i];

		for (uint32_t n = 0; n < atomic_load(&core->n_wrong) && named < NAMED; n++) {
			const struct card_wrong *w = &core->wrong[n];

			strbuf_printf(to, "  core %u-%u, %s with seed %llu: block %u, word %u is "
				"0x%08x, not 0x%08x (bits 0x%08x)\n", core->x, core->y,
				card_kind_name(w->kind), (unsigned long long)w->seed, w->word.block,
				w->word.word, w->word.got, w->word.want,
				w->word.got ^ w->word.want);
			named++;
		}
	}
}

void burnin_report_print_card(struct strbuf *to, const struct burnin_card *c, bool with_map)
{
	const struct card_shared *s = c->burn.shared;
	const struct card_result *r = &c->result;

	if (c->burn.config.computes_nothing) {
		print_seen(to, c);
		return;
	}
	burnin_report_print_memory(to, c);
	if (!c->burn.config.kinds[CARD_CONV] && !c->burn.config.kinds[CARD_MATMUL]) {
		print_seen(to, c);
		return;
	}
	strbuf_printf(to, "%d %s: %zu core%s, %llu round%s, power %s, loaded in %.1f s at most, "
		"%.1f s of load\n", c->index, c->series, r->cores, plural(r->cores),
		(unsigned long long)atomic_load(&s->rounds), plural(atomic_load(&s->rounds)),
		s->power, (double)atomic_load(&s->load_ns) / 1e9,
		(double)atomic_load(&s->run_ns) / 1e9);
	strbuf_printf(to, "  %llu blocks with %llu words compared by the cores, %llu blocks again "
		"by the host; %llu word%s wrong in all\n", (unsigned long long)r->blocks,
		(unsigned long long)r->words, (unsigned long long)r->rechecked,
		(unsigned long long)r->wrong, plural(r->wrong));
	if (r->memory_words > 0)
		strbuf_printf(to, "  %.1f MiB of the card's memory read and compared by the cores "
			"while their matrix units made %llu products, %llu wrong; operands "
			"came from it %llu times\n", (double)r->memory_words * 4 / (1 << 20),
			(unsigned long long)r->mvmuls, (unsigned long long)r->memory_errors,
			(unsigned long long)atomic_load(&s->reloads));
	print_rate(to, c);
	print_seen(to, c);
	print_wrong(to, c);
	if (with_map && r->cores > 0)
		print_map(to, c);
	strbuf_puts(to, "  The kernel is verified on simulated chips, but for the step that "
		"clears the backend's configuration, and has not yet run on silicon: a report of "
		"this card is welcome\n");
}
