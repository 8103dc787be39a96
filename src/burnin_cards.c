/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin_cards.c - cards are taken before anything is burnt: what cannot be had
 * of one of them ends the program while nothing has happened yet.
 */
#include "config.h"
#include "src/burnin_cards.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "burnin/card_off.h"
#include "reset/reset.h"
#include "src/burnin_reset.h"
#include "src/say.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE   (20 * CLOCK_SECOND)	/* without a sign of a card's process */
#define ROUND	   (10 * CLOCK_SECOND)	/* with the same operands, where there is time for it */
#define STILL	   (5 * CLOCK_SECOND)	/* a block takes less than a millisecond */
#define RAMP	   (20 * CLOCK_MS)
#define UNWATCHED  (3 * CLOCK_SECOND)
#define HOLDERS	   (5 * CLOCK_SECOND)	/* until it is known who holds a card */
#define TURN_MS	   50
#define SIM_STILL  (60 * CLOCK_SECOND)

enum {
	USUAL_SEED = 42,
	STEPS = 1188,		/* of a block: long enough that checking it costs no rate */
	SIM_STEPS = 9,
	ROWS = 4, SIM_ROWS = 2,
	DEADMAN = 16000000,	/* 256 cycles: 3 s at 1350 MHz */
	SIM_DEADMAN = 1 << 26
};

const enum field_id burnin_seen_fields[BURNIN_SEEN] = {
	[BURNIN_TEMP] = FIELD_ASIC_TEMP, [BURNIN_GDDR_TEMP] = FIELD_GDDR_MAX_TEMP,
	[BURNIN_POWER] = FIELD_POWER, [BURNIN_CURRENT] = FIELD_CURRENT,
	[BURNIN_VOLTAGE] = FIELD_VCORE, [BURNIN_CLOCK] = FIELD_AICLK, [BURNIN_FAN] = FIELD_FAN_RPM,
};

/* The next target with a card; NULL after the last. */
static struct burnin_target *next(const struct burnin_run *r, size_t *i)
{
	while (*i < r->facts->n_targets) {
		struct burnin_target *t = &r->facts->targets[(*i)++];

		if (t->card)
			return t;
	}
	return NULL;
}

/* Their list is made beside the first sample, and may come after it. */
static void await_holders(const struct burnin_run *r)
{
	const int64_t until = clock_steady() + HOLDERS;

	while (*sampler_fleet(r->session.sampler)->processes_unknown && clock_steady() < until) {
		poll(NULL, 0, TURN_MS);
		sampler_tick(r->session.sampler, NULL);
	}
}

/* Processes that hold a card, and what makes its reset unsafe; false: it is not burnt. */
static bool check_use(const struct burnin_run *r)
{
	struct preflight *p = mem_calloc(1, sizeof(*p));
	struct plan *plan = mem_calloc(1, sizeof(*plan));
	const struct burnin_target *t;
	bool ok;

	await_holders(r);
	for (size_t i = 0; (t = next(r, &i));)
		plan->cards[plan->n++].index = t->card->index;
	preflight_check(p, plan, r->session.bus, sampler_fleet(r->session.sampler),
		&r->session.host);
	ok = p->count[PREFLIGHT_BUSY] == 0 && p->count[PREFLIGHT_IMPOSSIBLE] == 0 &&
		(r->o->no_reset || p->count[PREFLIGHT_UNSAFE] == 0);
	for (size_t i = 0; !ok && i < p->n; i++) {
		const struct preflight_note *n = &p->notes[i];

		if (n->weight >= PREFLIGHT_BUSY && n->index >= 0)
			say("%d %s: %s", n->index, r->session.bus->dev[n->index].bdf, n->text);
		else if (n->weight >= PREFLIGHT_BUSY)
			say("%s", n->text);
	}
	if (!ok)
		say("nothing was burnt%s", p->count[PREFLIGHT_BUSY] ? "" :
			" (--no-reset burns without a reset before and after)");
	free(p);
	free(plan);
	return ok;
}

static bool lock_all(const struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = next(r, &i));) {
		struct device *d = &r->session.bus->dev[t->card->index];
		struct error e = { 0 };
		pid_t holder = 0;
		int err = device_lock(d, &holder, &e);

		if (err == -EBUSY)
			say("%s: a reset or burn-in has it already%s%.0ld; nothing was burnt",
				d->bdf, holder ? ": process " : "", (long)holder);
		else if (err < 0)
			say("%s: %s; nothing was burnt", d->bdf, e.text);
		if (err < 0)
			return false;
	}
	return true;
}

/* A card that did not come out of its reset well is not burnt. */
static void judge_resets(struct burnin_run *r, int when)
{
	struct burnin_target *t;

	for (size_t i = 0; (t = next(r, &i));) {
		const struct burnin_reset *x = &t->card->reset[when];
		const bool acted = x->verdict == RESET_DEGRADED || x->verdict == RESET_LOST;
		char before[sizeof(t->result.reason)];

		if (!x->done || x->verdict == RESET_RECOVERED)
			continue;
		mem_copy_text(before, sizeof(before), t->result.reason);
		burnin_leave_out(t, acted || t->result.verdict == BURN_FAIL ? BURN_FAIL :
			BURN_INCOMPLETE, "%.150s%sthe reset %s the burn: %s%s%.120s", before,
			*before ? "; " : "", when == BURNIN_BEFORE ? "before" : "after",
			reset_verdict_name((enum reset_verdict)x->verdict),
			*x->reason ? ": " : "", x->reason);
		t->card->is_unfit = true;
	}
}

static void keep_before(struct burnin_run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);

	r->before = mem_calloc(DEVICE_MAX, sizeof(*r->before));
	memcpy(r->before, f->chips, f->n * sizeof(*r->before));
}

enum exit_code burnin_cards_take(struct burnin_run *r)
{
	struct plan plan;
	size_t i = 0;

	if (!next(r, &i))
		return EXIT_DONE;
	if (!check_use(r) || (!r->o->no_reset && !burnin_reset_plan(r, &plan)) || !lock_all(r))
		return EXIT_REFUSED;
	if (r->o->no_reset)
		return EXIT_DONE;
	if (burnin_reset(r, BURNIN_BEFORE) < 0)
		return EXIT_REFUSED;
	judge_resets(r, BURNIN_BEFORE);
	keep_before(r);
	/* The reset has given the locks back. */
	return lock_all(r) ? EXIT_DONE : EXIT_REFUSED;
}

/* So long may a simulated core need for a block. */
static int64_t sim_still(void)
{
	const char *text = getenv("TT_SMI_TTSIM_PATIENCE");
	int64_t ns;

	return text && parse_seconds(text, &ns) ? 6 * ns : SIM_STILL;
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
		.first_light = o->first_light, .iterations = o->iterations, .passes = sim,
		.still = sim ? sim_still() : STILL, .unwatched = UNWATCHED, .ramp = sim ? 0 : RAMP,
		.deadman = sim ? SIM_DEADMAN : DEADMAN, .is_simulator = sim,
		.computes_nothing = strcmp(bus_source(r->session.bus), "sim") == 0 };

	c.round = round_time(r, &c);
	return c;
}

static void start(struct burnin_run *r, struct burnin_target *t, const bool kinds[BURN_KINDS])
{
	const struct snapshot *s = &sampler_fleet(r->session.sampler)->chips[t->card->index];
	struct card_burn_config c = configure(r, t->card->index, kinds);
	struct strbuf firmware = { 0 };
	struct error e = { 0 };
	int err = 0;

	if (!c.kinds[CARD_CONV] && !c.kinds[CARD_MATMUL])
		err = fail(&e, -EINVAL, "a card burns conv and matmul in bfloat16, and neither was "
			"asked for");
	else if (!c.is_simulator && !snapshot_is_live(s))
		err = fail(&e, -ENODATA, "it cannot be read: %s", s->reason);
	else if (!c.is_simulator && !c.computes_nothing)
		err = card_off(s, &c.off, &c.asks_off, &e);
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

	for (size_t i = 0; (t = next(r, &i));)
		if (!t->card->is_unfit)
			start(r, t, kinds);
}

bool burnin_cards_watch(struct burnin_run *r, bool *running)
{
	const struct burnin_target *t;
	bool any = false;

	for (size_t i = 0; (t = next(r, &i));) {
		if (!t->card->started || !card_burn_watch(&t->card->burn, PATIENCE))
			continue;
		any = true;
		*running = *running && atomic_load(&t->card->burn.shared->running);
	}
	return any;
}

bool burnin_cards_any(const struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = next(r, &i));)
		if (t->card->started)
			return true;
	return false;
}

void burnin_cards_stop(struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = next(r, &i));)
		if (t->card->started)
			card_burn_stop(&t->card->burn);
}

void burnin_cards_end(struct burnin_run *r, int64_t patience)
{
	const struct burnin_target *t;

	burnin_cards_stop(r);
	for (size_t i = 0; (t = next(r, &i));)
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

	for (size_t i = 0; (t = next(r, &i));) {
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

	for (size_t i = 0; (t = next(r, &i));) {
		struct card_result now;

		if (!t->card->started)
			continue;
		card_judge(&t->card->burn, NULL, &now);
		if (now.errors || now.refuted || now.still_cores)
			return true;
	}
	return false;
}

/* Of all cores, at the clock that telemetry told on average. */
static double tflops(const struct burnin_card *c)
{
	const struct burnin_range *clock = &c->seen[BURNIN_CLOCK];

	if (c->burn.config.is_simulator || clock->n == 0)
		return 0;
	return c->result.rate * (double)c->result.cores * 4096 * (double)clock->sum /
		(double)clock->n / fields[FIELD_AICLK].scale / 1e6;
}

void burnin_cards_judge(struct burnin_run *r, const char *cut)
{
	struct burnin_target *t;

	for (size_t i = 0; (t = next(r, &i));) {
		if (!t->card->started)
			continue;
		card_judge(&t->card->burn, cut, &t->card->result);
		t->card->tflops = tflops(t->card);
		t->result.verdict = t->card->result.verdict;
		t->result.errors = t->card->result.errors + t->card->result.refuted;
		mem_copy_text(t->result.reason, sizeof(t->result.reason), t->card->result.reason);
	}
	if (r->o->no_reset || !burnin_cards_any(r))
		return;
	if (burnin_reset(r, BURNIN_AFTER) == 0) {
		judge_resets(r, BURNIN_AFTER);
		return;
	}
	for (size_t i = 0; (t = next(r, &i));)
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
