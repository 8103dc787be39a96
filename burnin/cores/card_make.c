/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_make.h"

#include "burnin/cores/card_judge.h"
#include "burnin/cores/card_kind.h"
#include "burnin/cores/card_traffic.h"

#include <errno.h>

#define TRIES 24	/* to find operands whose sums are exact */
#define SEEDS 3		/* tries with blocks of one length */
#define RAMP_PASSES 64	/* passes in a window: a ramp can take this many steps */
#define RAMP_SIM 8	/* windows of the shortest ramp */

/* The exponent of the least power of two that is not below `cycles`. */
static uint32_t choose_window(uint64_t cycles)
{
	uint32_t p = 1;

	while (p < 31 && 1ULL << p < cycles)
		p++;
	return p;
}

/* A simulator's clock does not measure time: its ramp is as short as one can be. */
static uint32_t choose_ramp(const struct card_round *w, uint64_t pass)
{
	const uint32_t window = choose_window(pass * (w->c->is_simulator ? 2 : RAMP_PASSES));
	const double period = card_judge_clock(w->d->chip) *
		(double)load_pattern_period(w->c->pattern);
	double n = w->c->is_simulator ? RAMP_SIM : period / (double)(1ULL << window);

	n = n < RAMP_SIM ? RAMP_SIM : n > KERNEL_RAMP_MAX ? KERNEL_RAMP_MAX : n;
	return (uint32_t)n << KERNEL_RAMP_AT | window;
}

/* The window of a pulse is longer than a pass, so that the cores rest after it. */
static uint32_t choose_pulse(const struct card_round *w)
{
	const uint64_t pass = w->data.order.rows * w->data.mvmuls;

	switch (w->c->pattern) {
	case LOAD_PULSE:
		return choose_window(pass + pass / 2);
	case LOAD_RAMP:
		return choose_ramp(w, pass);
	default:
		return 0;
	}
}

/* Choose blocks of about as many steps as configured, within the kernel's limits. */
static struct card_work choose_work(const struct card_round *w)
{
	struct card_work work = { .seed = w->stage.seed, .depth = 4,
		.rows = w->c->rows, .phases = w->c->phases, .passes = w->stage.passes,
		.held = w->stage.held, .bursts = w->c->bursts, .vector = w->c->vector,
		/* Operands that stay in the source registers cannot be reloaded. */
		.reload = w->stage.held ? 0 : w->c->reload };
	uint32_t area, least;

	card_kinds[w->stage.kind].make(&work);
	area = work.taps * work.taps;
	while (work.depth > 1 && w->c->steps < work.depth * area)
		work.depth /= 2;
	least = work.depth * area;
	/* Work without any step is refused when its data are made. */
	work.repeats = least ? w->c->steps / least : 1;
	work.repeats -= work.repeats > 0 && work.repeats % 2 == 0;
	work.repeats = work.repeats ? work.repeats : 1;
	return work;
}

void card_make_orders(struct card_round *w)
{
	w->data.order.clean = !w->c->is_simulator;
	w->data.order.deadman = w->c->deadman;
	w->data.name = w->loads & 0xfffff;
}

int card_make(struct card_round *w, struct error *e)
{
	struct card_work work = choose_work(w);
	int r = -ERANGE;

	card_data_clear(&w->data);
	for (int i = 0; r == -ERANGE && i < TRIES; i++) {
		r = card_data_make(&work, &w->data, e);
		if (r != -ERANGE)
			break;
		/* Sums grow with the block: shorten it, at once if all products are equal. */
		if (work.repeats > 1 && (work.held || i % SEEDS == SEEDS - 1))
			work.repeats = work.repeats / 2 | 1;
		else if (work.held && work.depth > 1)
			work.depth /= 2;
		else
			work.seed += 1ULL << 32;
	}
	if (r < 0)
		return r;
	w->data.kept = w->c->kept;
	r = card_traffic_aim(&w->data, w->d->chip, w->c->enabled, w->c->channels, e);
	if (r < 0)
		return r;
	w->stage.seed = work.seed;
	w->s->steps[w->stage.kind] = (int)(work.taps * work.taps * work.depth * work.repeats);
	w->loads++;
	card_make_orders(w);
	w->data.order.pulse = w->s->pulse = choose_pulse(w);
	return 0;
}
