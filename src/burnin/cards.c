/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/cards.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/burnin/card_facts.h"
#include "src/burnin/reset.h"
#include "src/burnin/run.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE (20 * CLOCK_SECOND)	/* the longest without a sign of a card's process */

static void note_before(struct burnin_card *card, const struct snapshot *s)
{
	struct strbuf firmware = { 0 };

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		card->memory_errors[BURNIN_BEFORE][i] = memory_errors_of(s, i);
	if (!reading_has_value(&s->r[FIELD_FW_BUNDLE]))
		return;
	field_put_value(FIELD_FW_BUNDLE, s->r[FIELD_FW_BUNDLE].value, &firmware);
	mem_copy_text(card->firmware, sizeof(card->firmware), firmware.text);
	strbuf_clear(&firmware);
}

static void cards_start_one(struct burnin_run *r, struct burnin_target *t)
{
	const struct snapshot *s = &sampler_fleet(r->act.session.sampler)->chips[t->card->index];
	struct card_burn_config c;
	struct error e = { 0 };
	int err = burnin_card_configure(r, s, &c, &e);

	note_before(t->card, s);
	if (err == 0)
		err = card_burn_start(&t->card->burn, &c, &e);
	t->card->started = err == 0;
	if (err < 0)
		burnin_leave_out(t, BURN_INCOMPLETE, e.word, "%s", e.text);
}

void burnin_cards_start(struct burnin_run *r)
{
	struct burnin_target *t;

	burnin_await_fresh(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (!t->card->is_unfit)
			cards_start_one(r, t);
}

void burnin_cards_guard(struct burnin_run *r)
{
	const struct burnin_target *t;

	/* A simulated chip without firmware has nothing that could be watched. */
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		r->rules.burns[t->card->index] = t->card->started &&
			!t->card->burn.config.is_simulator;
}

/* If the card's own telemetry breaks a rule, end only its burn; the others go on. */
static void obey_rules(const struct burnin_run *r, struct burnin_card *c)
{
	const struct error *why = stop_rules_of(&r->rules, (size_t)c->index);

	if (!why || c->cut || c->burn.is_over)
		return;
	c->cut = why;
	card_burn_stop(&c->burn);
}

bool burnin_cards_watch(struct burnin_run *r, bool *running)
{
	const struct burnin_target *t;
	bool any = false;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		obey_rules(r, t->card);
		if (!card_burn_watch(&t->card->burn, PATIENCE))
			continue;
		if (r->phase <= BURNIN_LOAD)
			t->card->burn.lasted = burnin_run_time(r);
		any = true;
		*running = *running && atomic_load(&t->card->burn.shared->running);
	}
	return any;
}

void burnin_cards_stop(struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));)
		card_burn_stop(&t->card->burn);
}

void burnin_cards_end(struct burnin_run *r, int64_t patience)
{
	const struct burnin_target *t;

	burnin_cards_stop(r);
	for (size_t i = 0; (t = burnin_next_started(r, &i));)
		card_burn_end(&t->card->burn, patience);
}

void burnin_cards_tick(struct burnin_run *r)
{
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		const struct snapshot *s = &f->chips[t->card->index];

		if (t->card->burn.is_over || !snapshot_is_current(s) || s->tick != f->tick)
			continue;
		for (int k = 0; k < BURNIN_SEEN; k++)
			range_take(&t->card->seen[k], &s->r[burnin_seen_fields[k]]);
		if (reading_is_ok(&s->r[FIELD_THROTTLE]) && s->r[FIELD_THROTTLE].value > 0 &&
			s->r[FIELD_THROTTLE].value < THROTTLE_REASONS)
			t->card->throttles |= 1u << s->r[FIELD_THROTTLE].value;
	}
}

bool burnin_cards_bad(const struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		struct card_result now;

		card_judge(&t->card->burn, NULL, &now);
		if (now.wrong || now.still_cores || now.mute_channels)
			return true;
	}
	return false;
}

/* TFLOP/s of the cores that have a rate, at the average of the clocks that telemetry reported. */
static double tflops(const struct burnin_card *c)
{
	const struct range *clock = &c->seen[BURNIN_CLOCK];

	if (c->burn.config.is_timeless || clock->n == 0 || c->result.untrue_cores > 0)
		return 0;
	return c->result.rate * (double)c->result.rated_cores * CARD_MVMUL_FLOP *
		(double)clock->sum / (double)clock->n / fields[FIELD_AICLK].scale / 1e6;
}

/* Compare the cards of one kind, since chips of another kind have another clock. */
static void compare_cards(const struct burnin_run *r, enum device_chip chip)
{
	double rates[DEVICE_MAX], median;
	struct burnin_target *t;
	size_t n = 0;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->chip == chip)
			rates[n++] = burnin_card_per_core(t->card);
	median = card_judge_median(rates, n);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->chip == chip)
			t->card->median = median;
}

void burnin_cards_judge(struct burnin_run *r, const struct error *cut)
{
	struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		card_judge(&t->card->burn, cut ? cut : t->card->cut, &t->card->result);
		t->card->tflops = tflops(t->card);
		t->result.verdict = t->card->result.verdict;
		t->result.code = t->card->result.code;
		t->result.errors = t->card->result.wrong;
		for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
			t->card->memory_errors[1][c] = memory_errors_of(&sampler_fleet(
				r->act.session.sampler)->chips[t->card->index], c);
		mem_copy_text(t->result.reason, sizeof(t->result.reason), t->card->result.reason);
		t->ran = true;
	}
	for (enum device_chip chip = DEVICE_UNKNOWN + 1; chip < DEVICE_CHIPS; chip++)
		compare_cards(r, chip);
	burnin_reset_after(r);
}

void burnin_cards_close(struct burnin_run *r)
{
	struct burnin_facts *f = &r->facts;

	free(r->before);
	r->before = NULL;
	for (size_t i = 0; i < f->n_targets; i++) {
		if (!f->targets[i].card)
			continue;
		card_burn_close(&f->targets[i].card->burn);
		free(f->targets[i].card);
		f->targets[i].card = NULL;
	}
}
