/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_cards.c - the cards that burn, as their part of the screen shows them.
 */
#include "config.h"
#include "src/burnin/screen_cards.h"

#include "base/array.h"
#include "burnin/cores/card_kind.h"
#include "device/kind.h"

#include <stdio.h>

static const char *phase_name(int phase)
{
	static const char *const names[] = { [CARD_OPENS] = "is opened", [CARD_LOADS] = "is loaded",
		[CARD_STARTS] = "starts", [CARD_RUNS] = "burns", [CARD_STOPS] = "is compared",
		[CARD_RESTS] = "rests", [CARD_OVER] = "has ended" };

	return phase >= 0 && phase < (int)ARRAY_LEN(names) ? names[phase] : "?";
}

enum ui_core burnin_core_of(const struct burnin_card *c, const struct card_core *core,
	const struct card_result *now)
{
	uint64_t blocks = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		blocks += atomic_load(&core->blocks[k]);
	if (atomic_load(&core->errors) || atomic_load(&core->refuted))
		return UI_CORE_WRONG;
	if (atomic_load(&core->stood))
		return UI_CORE_STILL;
	/* The host compares blocks last. */
	if (blocks == 0 || (c->burn.is_over && atomic_load(&core->rechecked) == 0))
		return UI_CORE_IDLE;
	return now->slow_cores && card_judge_is_slow(core, now) ? UI_CORE_SLOW : UI_CORE_WELL;
}

enum ui_core burnin_lane_of(const struct card_memory_sum *sum, unsigned lane)
{
	return sum->words == 0 ? UI_CORE_IDLE : sum->lane[lane] ? UI_CORE_WRONG : UI_CORE_WELL;
}

static const struct {
	const char *name;
	char letter;
} cores[UI_CORES] = {
	[UI_CORE_NONE] = { "none", ' ' },
	[UI_CORE_OFF] = { "switched off", '.' },
	[UI_CORE_IDLE] = { "nothing done", '?' },
	[UI_CORE_WELL] = { "well", '+' },
	[UI_CORE_SLOW] = { "slow", '-' },
	[UI_CORE_STILL] = { "stood still", 'O' },
	[UI_CORE_WRONG] = { "wrong", 'X' },
};

const char *burnin_core_name(enum ui_core core)
{
	return cores[core].name;
}

char burnin_core_letter(enum ui_core core)
{
	return cores[core].letter;
}

void burnin_fill_map(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn_chip *to)
{
	const struct device_kind *k = kind_of(c->chip);

	to->first = k->tensix.x0;
	to->w = k->tensix.x1 - k->tensix.x0 + 1;
	to->h = 0;
	for (unsigned y = k->tensix.y0; y <= k->tensix.y1 && to->h < UI_BURN_ROWS; y++) {
		uint8_t *row = to->map + to->h * to->w;

		if (k->other_rows >> y & 1)
			continue;
		for (unsigned x = k->tensix.x0; x <= k->tensix.x1; x++)
			row[x - k->tensix.x0] = k->other_columns >> x & 1 ? UI_CORE_NONE
				: UI_CORE_OFF;
		for (size_t i = 0; i < now->cores; i++) {
			const struct card_core *core = &c->burn.shared->cores[i];
			const int column = core->x - k->tensix.x0;

			if (core->y == y && column >= 0 && column < to->w)
				row[column] = (uint8_t)burnin_core_of(c, core, now);
		}
		to->rows[to->h++] = (uint8_t)y;
	}
}

/* Memory channels by byte lanes. */
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

/* Of its memory, verified by the host. */
static uint64_t count_words(const struct burnin_card *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		n += card_memory_sum(&c->burn.shared->memory, i).words;
	return n;
}

bool burnin_has_memory_alone(const struct burnin_card *c)
{
	return c->burn.config.memory.channels && card_kinds_count(&c->burn.config) == 0;
}

/* MFLOP/s of its matrix units, on average so far and at the clock of now; 0: not known. */
static int64_t rate_of(const struct burnin_card *c, const struct card_result *now,
	const struct fleet *f)
{
	const struct reading *clock = &f->chips[c->index].r[FIELD_AICLK];

	if (c->burn.config.is_timeless || !reading_is_ok(clock) || now->untrue_cores > 0)
		return 0;
	return (int64_t)(now->rate * (double)now->cores * CARD_MVMUL_FLOP * (double)clock->value /
		fields[FIELD_AICLK].scale);
}

/* Never wider than "9999.9 G words". */
static void put_count(uint64_t n, const char *what, char *text, size_t size)
{
	if (n < 10000000)
		snprintf(text, size, "%llu %s", (unsigned long long)n, what);
	else if (n < 10000000000)
		snprintf(text, size, "%.1f M %s", (double)n / 1e6, what);
	else
		snprintf(text, size, "%.1f G %s", (double)n / 1e9, what);
}

static void fill_chip(const struct burnin_card *c, const struct card_result *now, int64_t rate,
	struct ui_burn_chip *to)
{
	const int phase = atomic_load(&c->burn.shared->phase);

	*to = (struct ui_burn_chip){ .is_bad = now->wrong || now->still_cores };
	snprintf(to->name, sizeof(to->name), "%d %.24s %s", c->index, c->series,
		phase == CARD_RUNS && burnin_has_memory_alone(c) ? "is tested" : phase_name(phase));
	if (c->burn.config.computes_nothing) {
		snprintf(to->rate, sizeof(to->rate), "simulated: computes nothing");
		return;
	}
	if (burnin_has_memory_alone(c)) {
		fill_lanes(c, to);
		put_count(count_words(c), "words", to->rate, sizeof(to->rate));
		put_count(now->memory_wrong, "wrong", to->found, sizeof(to->found));
		return;
	}
	if (rate > 0)
		snprintf(to->rate, sizeof(to->rate), "%.3f MVMUL/cycle %.1f TFLOP/s", now->rate,
			(double)rate / 1e6);
	else if (c->burn.config.is_timeless)
		snprintf(to->rate, sizeof(to->rate), "simulated: no time, no rate");
	else if (now->untrue_cores > 0)
		snprintf(to->rate, sizeof(to->rate), "- MVMUL/cycle: more than one counted");
	snprintf(to->found, sizeof(to->found), "%llu blocks, %llu wrong%s",
		(unsigned long long)now->blocks, (unsigned long long)now->wrong,
		now->still_cores ? ", cores stand still" : "");
	burnin_fill_map(c, now, to);
}

static void fill_wrong(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn *b)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	const size_t n = now->memory_wrong ? card_memory_judge(&c->burn.shared->memory, found) : 0;
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

void burnin_screen_fill_cards(const struct burnin_run *r, struct ui_burn *b,
	struct ui_burn_chip chips[UI_BURN_CHIPS])
{
	const struct fleet *f = sampler_fleet(r->session.sampler);
	const struct burnin_target *t;

	b->n_chips = 0;
	b->chips = chips;
	for (size_t i = 0; (t = burnin_next_card(r, &i)) && b->n_chips < UI_BURN_CHIPS;) {
		struct card_result now;
		uint64_t rounds;
		int64_t rate;

		if (!t->card->started)
			continue;
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
