/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.c - configure a card's work, from the options and the card's telemetry; a card that
 * cannot do it is neither taken nor reset.
 */
#include "config.h"
#include "src/burnin/cards.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "burnin/cores/card_burn.h"
#include "burnin/memory/card_memory.h"
#include "src/burnin/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUND	   (10 * CLOCK_SECOND)	/* with the same operands, if there is time for it */
#define STILL	   (5 * CLOCK_SECOND)	/* a block takes less than a millisecond */
#define RAMP	   (20 * CLOCK_MS)
#define UNWATCHED  (3 * CLOCK_SECOND)
#define SIM_STILL  (60 * CLOCK_SECOND)

enum {
	STEPS = 1188,		/* of a block: enough that checking it does not cost rate */
	SIM_STEPS = 9,
	ROWS = 4, SIM_ROWS = 2,
	RELOAD = 64,		/* passes, of half a millisecond */
	SIM_PASSES = 4,
	DEADMAN = 16000000,	/* 256 cycles: 3 s at 1350 MHz */
	SIM_DEADMAN = 1 << 26
};

/* ns that a simulated core may need for a block. */
static int64_t sim_still(void)
{
	const char *text = getenv("TT_SMI_TTSIM_STILL");
	int64_t ns;

	return text && parse_seconds(text, &ns) ? ns : SIM_STILL;
}

bool burnin_is_timeless(const struct bus *bus)
{
	/* For tests, whose chip counts its cycles right. */
	return bus_is_still(bus) && !getenv("TT_SMI_TTSIM_TIMED");
}

static int64_t round_time(const struct burnin_run *r, const struct card_burn_config *c)
{
	int64_t most = ROUND;

	for (int k = 0, n = 0; k < CARD_KINDS; k++) {
		n += c->kinds[k];
		if (n > 0 && r->facts.duration > 0 && r->facts.duration / (2 * n) < most)
			most = r->facts.duration / (2 * n);
	}
	return most;
}

static int find_channels(const struct burnin_run *r, const struct snapshot *s,
	struct memory_channels *known, struct error *e)
{
	const int err = memory_channels(s, known, e);

	return err < 0 ? err : memory_channels_choose(known, r->work.channels,
		r->act.o->typed[OPT_CHANNELS], e);
}

/*
 * Choose the memory channels that take part.  If they are not known, none is touched, which is
 * an error if memory was requested, and else a remark if operands should have come from them.
 */
static int aim_memory(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	const bool asked = r->work.memory;
	const bool reloads = asked || !(c->is_simulator || c->held || c->reference);
	struct memory_channels known;
	int err = find_channels(r, s, &known, e);

	if (err < 0 && asked)
		return err;
	c->memory_left = asked ? known.left : c->is_simulator || c->reference ? 0 :
		memory_channels_failed(s) & r->work.channels;
	if (err < 0 && reloads && !c->memory_left)
		mem_copy_text(c->not_reloaded, sizeof(c->not_reloaded), e->text);
	if (err < 0)
		return 0;
	c->enabled = known.enabled;
	c->channels = known.chosen;
	c->kept = known.kept;
	c->bursts = asked;
	if (reloads)
		c->reload = c->is_simulator ? 1 : RELOAD;
	/* Enough passes that the reloaded operands are used. */
	if (asked && c->passes)
		c->passes = SIM_PASSES;
	return 0;
}

static struct card_burn_config usual_config(const struct burnin_run *r, int index)
{
	const struct options *o = r->act.o;
	const bool sim = bus_is_still(r->act.session.bus);
	static const uint32_t phases[] = { 4, 2, 1 };
	struct card_burn_config c = { .device = &r->act.session.bus->dev[index],
		.seed = o->seed,
		.steps = o->block ? (uint32_t)o->block : sim ? SIM_STEPS : STEPS,
		.phases = phases[o->phases], .rows = sim ? SIM_ROWS : ROWS, .held = o->held,
		.pattern = (enum load_pattern)o->pattern, .stop_on_error = o->stop_on_error,
		.first_light = o->first_light, .iterations = o->iterations,
		.duration = r->facts.duration,
		.passes = sim && (o->first_light || o->iterations),
		.still = sim ? sim_still() : STILL, .unwatched = UNWATCHED, .ramp = sim ? 0 : RAMP,
		.deadman = sim ? SIM_DEADMAN : DEADMAN, .is_simulator = sim,
		.is_timeless = burnin_is_timeless(r->act.session.bus),
		.vector = r->work.vector, .reference = r->work.reference,
		.computes_nothing = strcmp(bus_source(r->act.session.bus), "sim") == 0 };

	memcpy(c.kinds, r->work.card_kinds, sizeof(c.kinds));
	c.round = round_time(r, &c);
	return c;
}

/* Without work for the cores the memory is tested from the host. */
static int plan_memory(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	const struct burnin_work *w = &r->work;
	struct memory_channels known;
	int err = find_channels(r, s, &known, e);

	if (err < 0)
		return err;
	c->memory = (struct card_memory_plan){ .enabled = known.enabled,
		.channels = known.chosen, .live = known.usable, .kept = known.kept,
		.seed = c->seed,
		.salt = (uint64_t)clock_real(), .iterations = c->iterations,
		.size = c->is_simulator ? CARD_MEMORY_SIM : CARD_MEMORY_USUAL };
	c->memory_left = known.left;
	if (r->act.o->typed[OPT_SIZE])
		c->memory.size = w->share > 0 ? (uint64_t)((double)card_memory_size(s->chip) *
			(double)w->share / 100000) : w->size;
	c->memory.size = card_memory_take(s->chip, c->memory.size);
	return 0;
}

int burnin_card_configure(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	int err = 0;

	*c = usual_config(r, s->index);
	if (!c->is_simulator && !snapshot_is_live(s))
		return fail_as(e, snapshot_code(s), -ENODATA, "it cannot be read: %s", s->reason);
	if (c->computes_nothing)
		return 0;
	if (!c->is_simulator)
		err = card_off(s, &c->off, &c->asks_off, &c->known_rows, e);
	/* A test of memory needs no core, so hold none. */
	if (err < 0 && !r->work.computes) {
		c->off = UINT32_MAX;
		err = 0;
	}
	if (err < 0)
		return err;
	err = r->work.computes ? aim_memory(r, s, c, e) : plan_memory(r, s, c, e);
	return err == -ENODATA ? -EAGAIN : err;
}

void burnin_await_fresh(struct burnin_run *r)
{
	bool cards[DEVICE_MAX] = { false };
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		cards[t->card->index] = true;
	act_await_fresh(&r->act, cards);
}

/* Mark the cards that can do the work as wanted, and leave out the others. */
static void fit_cards(struct burnin_run *r)
{
	struct burnin_target *t;

	burnin_await_fresh(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		const struct fleet *f = sampler_fleet(r->act.session.sampler);
		struct card_burn_config c;
		struct error e = { 0 };
		int err = burnin_card_configure(r, &f->chips[t->card->index], &c, &e);

		if (err == 0 || (err == -EAGAIN && r->resets)) {
			r->act.wanted[t->card->index] = true;
			continue;
		}
		burnin_leave_out(t, BURN_INCOMPLETE, e.word, "%s", e.text);
		free(t->card);
		t->card = NULL;
	}
}

enum exit_code burnin_fit(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;

	/* A first light ends by itself. */
	if (a->o->first_light && !r->host)
		r->facts.duration = 0;
	if (!a->is_part)
		outlet_open(&r->out);
	fit_cards(r);
	return EXIT_DONE;
}
