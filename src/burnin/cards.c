/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/cards.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "burnin/card/card_off.h"
#include "burnin/card/memory_channels.h"
#include "src/burnin/reset.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE   (20 * CLOCK_SECOND)	/* without a sign of a card's process */
#define ROUND	   (10 * CLOCK_SECOND)	/* with the same operands, where there is time for it */
#define STILL	   (5 * CLOCK_SECOND)	/* a block takes less than a millisecond */
#define RAMP	   (20 * CLOCK_MS)
#define UNWATCHED  (3 * CLOCK_SECOND)
#define SIM_STILL  (60 * CLOCK_SECOND)

enum {
	USUAL_SEED = 42,
	STEPS = 1188,		/* of a block: long enough that checking it costs no rate */
	SIM_STEPS = 9,
	ROWS = 4, SIM_ROWS = 2,
	RELOAD = 64,		/* passes, of half a millisecond */
	SIM_PASSES = 4,
	DEADMAN = 16000000,	/* 256 cycles: 3 s at 1350 MHz */
	SIM_DEADMAN = 1 << 26
};

const enum field_id burnin_seen_fields[BURNIN_SEEN] = {
	[BURNIN_TEMP] = FIELD_ASIC_TEMP, [BURNIN_GDDR_TEMP] = FIELD_GDDR_MAX_TEMP,
	[BURNIN_POWER] = FIELD_POWER, [BURNIN_CURRENT] = FIELD_CURRENT,
	[BURNIN_VOLTAGE] = FIELD_VCORE, [BURNIN_CLOCK] = FIELD_AICLK, [BURNIN_FAN] = FIELD_FAN_RPM,
};

struct burnin_target *burnin_next_card(const struct burnin_run *r, size_t *i)
{
	while (*i < r->facts->n_targets) {
		struct burnin_target *t = &r->facts->targets[(*i)++];

		if (t->card)
			return t;
	}
	return NULL;
}

/* So long may a simulated core need for a block (TT_SMI_TTSIM_STILL, seconds). */
static int64_t sim_still(void)
{
	const char *text = getenv("TT_SMI_TTSIM_STILL");
	int64_t ns;

	return text && parse_seconds(text, &ns) ? ns : SIM_STILL;
}

static int64_t round_time(const struct burnin_run *r, const struct card_burn_config *c)
{
	int64_t most = ROUND;

	for (int k = 0, n = 0; k < CARD_KINDS; k++) {
		n += c->kinds[k];
		if (n > 0 && r->facts->duration > 0 && r->facts->duration / (2 * n) < most)
			most = r->facts->duration / (2 * n);
	}
	return most;
}

/* The channels that are asked for, and those that the card has. */
static int find_channels(const struct burnin_run *r, const struct snapshot *s,
	struct memory_channels *known, uint32_t *wanted, struct error *e)
{
	int err = memory_channels_parse(r->o->channels, wanted, e);

	if (err == 0)
		err = memory_channels(s, known, e);
	if (err == 0 && (*wanted & known->usable) == 0)
		return fail(e, -ENODATA, "none of these memory channels is in use");
	return err;
}

/*
 * Which channels of its memory take part.  Where that is not known none is touched, which
 * is an error if it was asked for.
 */
static int aim_memory(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	const bool asked = burnin_does(r->o, "memory");
	struct memory_channels known;
	uint32_t wanted;
	int err = find_channels(r, s, &known, &wanted, e);

	if (err < 0)
		return asked ? err : 0;
	c->enabled = known.enabled;
	c->channels = wanted & known.usable;
	c->memory_left = asked ? wanted & known.enabled & ~known.usable : 0;
	c->bursts = asked;
	if (asked || !c->is_simulator)
		c->reload = c->is_simulator ? 1 : RELOAD;
	/* So that the operands that come are used. */
	if (asked && c->passes)
		c->passes = SIM_PASSES;
	return 0;
}

static struct card_burn_config configure(const struct burnin_run *r, int index,
	const bool kinds[BURN_KINDS])
{
	const struct options *o = r->o;
	const bool sim = bus_is_still(r->session.bus);
	static const uint32_t phases[] = { 4, 2, 1 };
	struct card_burn_config c = { .device = &r->session.bus->dev[index],
		.kinds = { kinds[BURN_CONV2D * BURN_DTYPES + BURN_BFLOAT16],
			kinds[BURN_MATMUL * BURN_DTYPES + BURN_BFLOAT16] },
		.seed = o->typed[OPT_SEED] ? o->seed : USUAL_SEED,
		.steps = o->block ? (uint32_t)o->block : sim ? SIM_STEPS : STEPS,
		.phases = phases[o->phases], .rows = sim ? SIM_ROWS : ROWS, .held = o->held,
		.pulse = o->pattern == LOAD_PULSE, .stop_on_error = o->stop_on_error,
		.first_light = o->first_light, .iterations = o->iterations,
		.duration = r->facts->duration,
		.passes = sim && (o->first_light || o->iterations),
		.still = sim ? sim_still() : STILL, .unwatched = UNWATCHED, .ramp = sim ? 0 : RAMP,
		.deadman = sim ? SIM_DEADMAN : DEADMAN, .is_simulator = sim,
		/* For tests: a chip of theirs counts its cycles right. */
		.is_timeless = sim && !getenv("TT_SMI_TTSIM_TIMED"),
		.vector = burnin_does(o, "vector"),
		.computes_nothing = strcmp(bus_source(r->session.bus), "sim") == 0 };

	c.round = round_time(r, &c);
	return c;
}

/* Without work for the cores the memory is tested from the host. */
static int plan_memory(const struct burnin_run *r, struct burnin_card *card,
	const struct snapshot *s, struct card_burn_config *c, struct error *e)
{
	struct memory_channels known;
	uint32_t wanted;
	int64_t share;
	int err = find_channels(r, s, &known, &wanted, e);

	if (err < 0)
		return err;
	c->memory = (struct card_memory_plan){ .enabled = known.enabled,
		.channels = wanted & known.usable, .seed = c->seed,
		.salt = (uint64_t)clock_real(), .iterations = c->iterations,
		.size = c->is_simulator ? CARD_MEMORY_SIM : CARD_MEMORY_USUAL };
	c->memory_left = wanted & known.enabled & ~known.usable;
	if (r->o->size && burnin_size(r->o->size, &c->memory.size, &share) && share > 0)
		c->memory.size = (uint64_t)((double)card_memory_size(s->chip) * (double)share /
			100000);
	c->memory.size = card_memory_take(s->chip, c->memory.size);
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		card->memory_errors[0][i] = memory_errors_of(s, i);
	return 0;
}

static void start(struct burnin_run *r, struct burnin_target *t, const bool kinds[BURN_KINDS])
{
	const struct snapshot *s = &sampler_fleet(r->session.sampler)->chips[t->card->index];
	struct card_burn_config c = configure(r, t->card->index, kinds);
	const bool computes = c.kinds[CARD_CONV] || c.kinds[CARD_MATMUL];
	struct strbuf firmware = { 0 };
	struct error e = { 0 };
	int err = 0;

	if (!computes && !r->memory)
		err = fail(&e, -EINVAL, "a card burns conv and matmul in bfloat16, and neither was "
			"asked for (--workload memory tests its memory alone)");
	else if (!c.is_simulator && !snapshot_is_live(s))
		err = fail(&e, -ENODATA, "it cannot be read: %s", s->reason);
	else if (!c.is_simulator && !c.computes_nothing)
		err = card_off(s, &c.off, &c.asks_off, &e);
	if (err == 0 && computes && !c.computes_nothing)
		err = aim_memory(r, s, &c, &e);
	/* The memory needs no core: then none is held. */
	if (err < 0 && r->memory && !computes && snapshot_is_live(s)) {
		c.off = UINT32_MAX;
		c.asks_off = false;
		err = 0;
	}
	if (err == 0 && !computes && !c.computes_nothing)
		err = plan_memory(r, t->card, s, &c, &e);
	if (reading_has_value(&s->r[FIELD_FW_BUNDLE])) {
		field_put_value(FIELD_FW_BUNDLE, s->r[FIELD_FW_BUNDLE].value, &firmware);
		mem_copy_text(t->card->firmware, sizeof(t->card->firmware), firmware.text);
		strbuf_clear(&firmware);
	}
	if (err == 0)
		err = card_burn_start(&t->card->burn, &c, &e);
	t->card->started = t->ran = err == 0;
	if (err < 0)
		burnin_leave_out(t, BURN_INCOMPLETE, "%s", e.text);
}

void burnin_cards_start(struct burnin_run *r, const bool kinds[BURN_KINDS])
{
	struct burnin_target *t;

	burnin_await_fresh(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (!t->card->is_unfit)
			start(r, t, kinds);
}

void burnin_cards_guard(struct burnin_run *r)
{
	const struct burnin_target *t;

	/* A simulated chip without firmware has nothing that could be watched. */
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		r->rules.burns[t->card->index] = t->card->started &&
			!t->card->burn.config.is_simulator;
}

/* What its telemetry says ends its own burn; the others go on. */
static void obey_rules(const struct burnin_run *r, struct burnin_card *c)
{
	const char *reason = stop_rules_of(&r->rules, (size_t)c->index);

	if (!*reason || c->cut || c->burn.is_over)
		return;
	c->cut = reason;
	card_burn_stop(&c->burn);
}

bool burnin_cards_watch(struct burnin_run *r, bool *running)
{
	const struct burnin_target *t;
	bool any = false;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		if (t->card->started)
			obey_rules(r, t->card);
		if (!t->card->started || !card_burn_watch(&t->card->burn, PATIENCE))
			continue;
		if (r->phase <= BURNIN_LOAD)
			t->card->burn.lasted = burnin_run_time(r);
		any = true;
		*running = *running && atomic_load(&t->card->burn.shared->running);
	}
	return any;
}

bool burnin_cards_any(const struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->started)
			return true;
	return false;
}

void burnin_cards_stop(struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->started)
			card_burn_stop(&t->card->burn);
}

void burnin_cards_end(struct burnin_run *r, int64_t patience)
{
	const struct burnin_target *t;

	burnin_cards_stop(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->started)
			card_burn_end(&t->card->burn, patience);
}

static void see(struct burnin_range *to, int64_t value)
{
	to->least = to->n == 0 || value < to->least ? value : to->least;
	to->most = to->n == 0 || value > to->most ? value : to->most;
	to->sum += value;
	to->n++;
}

void burnin_cards_tick(struct burnin_run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		const struct snapshot *s = &f->chips[t->card->index];

		if (!t->card->started || t->card->burn.is_over || !snapshot_is_live(s))
			continue;
		for (int k = 0; k < BURNIN_SEEN; k++)
			if (reading_is_ok(&s->r[burnin_seen_fields[k]]))
				see(&t->card->seen[k], s->r[burnin_seen_fields[k]].value);
		if (reading_is_ok(&s->r[FIELD_THROTTLE]) && s->r[FIELD_THROTTLE].value > 0 &&
			s->r[FIELD_THROTTLE].value < THROTTLE_REASONS)
			t->card->throttles |= 1u << s->r[FIELD_THROTTLE].value;
	}
}

bool burnin_cards_bad(const struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		struct card_result now;

		if (!t->card->started)
			continue;
		card_judge(&t->card->burn, NULL, &now);
		if (now.errors || now.refuted || now.still_cores || now.memory_wrong ||
			now.memory_errors || now.mute_channels)
			return true;
	}
	return false;
}

/* Of all cores, at the clock that telemetry told on average. */
static double tflops(const struct burnin_card *c)
{
	const struct burnin_range *clock = &c->seen[BURNIN_CLOCK];

	if (c->burn.config.is_timeless || clock->n == 0)
		return 0;
	return c->result.rate * (double)c->result.cores * CARD_MVMUL_FLOP * (double)clock->sum /
		(double)clock->n / fields[FIELD_AICLK].scale / 1e6;
}

static double per_core(const struct burnin_card *c)
{
	return c->result.cores ? c->tflops / (double)c->result.cores : 0;
}

bool burnin_card_is_slow(const struct burnin_card *c)
{
	return per_core(c) > 0 && per_core(c) < CARD_SLOW * c->median;
}

/* Beside the others of its kind, since chips of another kind have another clock. */
static void compare_cards(const struct burnin_run *r, enum device_chip chip)
{
	double rates[DEVICE_MAX], median;
	struct burnin_target *t;
	size_t n = 0;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->chip == chip)
			rates[n++] = per_core(t->card);
	median = card_judge_median(rates, n);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->chip == chip)
			t->card->median = median;
}

void burnin_cards_judge(struct burnin_run *r, const char *cut)
{
	struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		if (!t->card->started)
			continue;
		card_judge(&t->card->burn, cut ? cut : t->card->cut, &t->card->result);
		t->card->tflops = tflops(t->card);
		t->result.verdict = t->card->result.verdict;
		t->result.errors = t->card->result.errors + t->card->result.refuted +
			t->card->result.memory_errors + t->card->result.memory_wrong;
		for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
			t->card->memory_errors[1][c] = memory_errors_of(&sampler_fleet(
				r->session.sampler)->chips[t->card->index], c);
		mem_copy_text(t->result.reason, sizeof(t->result.reason), t->card->result.reason);
	}
	for (enum device_chip chip = DEVICE_UNKNOWN + 1; chip < DEVICE_CHIPS; chip++)
		compare_cards(r, chip);
	if (!r->resets || !burnin_cards_any(r))
		return;
	if (burnin_reset(r, BURNIN_AFTER) == 0) {
		burnin_judge_resets(r, BURNIN_AFTER);
		return;
	}
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->result.verdict == BURN_PASS)
			burnin_leave_out(t, BURN_INCOMPLETE,
				"it could not be reset after the burn");
}

void burnin_cards_close(struct burnin_run *r)
{
	struct burnin_facts *f = r->facts;

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
