/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_cards.c - the part of a burn's screen that shows the cards.
 */
#include "config.h"
#include "src/burnin/screen_cards.h"

#include "base/array.h"
#include "burnin/cores/card_kind.h"
#include "src/burnin/card_facts.h"
#include "src/burnin/figures_card.h"
#include "src/burnin/run.h"

#include <stdio.h>

static const char *phase_name(int phase)
{
	static const char *const names[] = { [CARD_OPENS] = "is opened", [CARD_LOADS] = "is loaded",
		[CARD_STARTS] = "starts", [CARD_RUNS] = "burns", [CARD_STOPS] = "is compared",
		[CARD_RESTS] = "rests", [CARD_OVER] = "has ended" };

	return phase >= 0 && phase < (int)ARRAY_LEN(names) ? names[phase] : "?";
}

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
	const int phase = atomic_load(&c->burn.shared->phase);

	*to = (struct ui_burn_chip){ .index = c->index, .is_bad = now->wrong || now->still_cores };
	snprintf(to->name, sizeof(to->name), "%s", c->series);
	snprintf(to->state, sizeof(to->state), "%s", phase == CARD_RUNS &&
		burnin_has_memory_alone(c) ? "is tested" : phase_name(phase));
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
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
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

void burnin_screen_take_figures(const struct burnin_run *r, int index, struct figures *to)
{
	struct figure_value value = { .nodes = NULL };
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		struct burnin_card card;

		if (!t->card->started || t->card->index != index)
			continue;
		card = *t->card;
		card_judge(&card.burn, NULL, &card.result);
		card.tflops = (double)rate_of(&card, &card.result,
			sampler_fleet(r->act.session.sampler)) / 1e6;
		burnin_add_card(&value, &card);
		*to = figures_take(&value);
	}
}
