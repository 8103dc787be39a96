/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_look.c - what the cores report.
 *
 * PCIe reads are slow, and the processor waits for each.  So a core is looked at
 * only every few seconds, usually at the few words that change; all of its state is
 * read from time to time, or if something is wrong.  All cores that are due are read
 * together, which is one message to a simulator.
 */
#include "config.h"
#include "burnin/cores/card_look.h"

#include "base/clock.h"

#include <stddef.h>
#include <string.h>

#define LONG_LOOK 8		/* looks at a core until one reads all of its state */

static struct reg_addr state_of(const struct card_tile *t)
{
	return (struct reg_addr){ REG_NOC, t->x, t->y, KERNEL_AT_STATE };
}

static void publish_wrong(struct card_round *w, size_t i)
{
	const struct kernel_state *k = &w->progress[i].state;
	struct card_core *core = &w->s->cores[i];
	uint32_t n = w->progress[i].first;

	for (uint32_t m = 0; m < k->b_errors && m < KERNEL_MISMATCHES && n < KERNEL_MISMATCHES;
		m++, n++)
		core->wrong[n] = (struct card_wrong){ w->stage.seed, w->stage.kind,
			k->mismatch[m] };
	atomic_store(&core->n_wrong, n);
}

static uint64_t cycles_of(const struct kernel_state *k)
{
	const uint64_t last = (uint64_t)k->t1_clock_high << 32 | k->t1_clock;
	const uint64_t first = (uint64_t)k->t1_first_high << 32 | k->t1_first;

	return k->t1_blocks > 0 && last > first ? last - first : 0;
}

static void publish(struct card_round *w, size_t i)
{
	const struct card_progress *p = &w->progress[i];
	const struct kernel_state *k = &p->state;
	const uint64_t cycles = cycles_of(k);
	struct card_core *core = &w->s->cores[i];

	atomic_store(&core->blocks[w->stage.kind], p->blocks[w->stage.kind] + k->b_checked);
	atomic_store(&core->throttled, p->throttled + k->t1_throttled);
	atomic_store(&core->vectors, p->vectors + k->t2_vector);
	atomic_store(&core->mvmuls, p->mvmuls + (cycles ? k->t1_blocks * w->data.mvmuls : 0));
	atomic_store(&core->cycles, p->cycles + cycles);
	if (cycles)
		atomic_store(&core->clock, (uint64_t)k->t1_clock_high << 32 | k->t1_clock);
	/* If no golden word is known in advance, a core finds each word wrong. */
	if (w->data.is_open)
		return;
	publish_wrong(w, i);
	atomic_store(&core->errors, p->errors + k->b_errors);
}

void card_look_close(struct card_round *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct card_progress *p = &w->progress[i];
		const struct card_core *core = &w->s->cores[i];

		*p = (struct card_progress){ .errors = atomic_load(&core->errors),
			.mvmuls = atomic_load(&core->mvmuls), .cycles = atomic_load(&core->cycles),
			.throttled = atomic_load(&core->throttled),
			.vectors = atomic_load(&core->vectors),
			.first = card_wrong_words(core) };
		for (int k = 0; k < CARD_KINDS; k++)
			p->blocks[k] = atomic_load(&core->blocks[k]);
	}
}

static void stand_still(struct card_round *w, size_t i)
{
	struct card_core *core = &w->s->cores[i];

	w->progress[i].is_over = true;
	w->has_program[i] = false;
	atomic_store(&core->state, CARD_CORE_STILL);
	atomic_store(&core->stood_at, atomic_load(&core->blocks[w->stage.kind]));
	atomic_fetch_add(&core->stood, 1);
}

/* Choose from the next `looks` cores those that are not over. */
static size_t card_look_choose(struct card_round *w, size_t looks, size_t chosen[CARD_TILES])
{
	size_t n = 0;

	for (; looks > 0; looks--) {
		const size_t i = w->stage.first + w->turn;

		w->turn = w->turn + 1 < w->stage.n ? w->turn + 1 : 0;
		if (!w->progress[i].is_over)
			chosen[n++] = i;
	}
	return n;
}

static struct device_piece whole_state(struct card_round *w, size_t i)
{
	return (struct device_piece){ state_of(&w->tiles[i]), (uint32_t *)&w->progress[i].state,
		sizeof(w->progress[i].state) / 4 };
}

/* Read the first line of each core's state; all of it in its turn, or after an end or an error. */
static int read_states(struct card_round *w, const size_t *chosen, size_t n, struct error *e)
{
	struct device_piece pieces[CARD_TILES] = { { .n = 0 } };
	uint32_t lines[CARD_TILES][4];
	size_t more = 0;
	int r;

	_Static_assert(offsetof(struct kernel_state, b_heart) == 12, "the first line is B's");
	for (size_t i = 0; i < n; i++)
		pieces[i] = w->progress[chosen[i]].looks++ % LONG_LOOK == 0
			? whole_state(w, chosen[i])
			: (struct device_piece){ state_of(&w->tiles[chosen[i]]), lines[i], 4 };
	r = card_read_pieces(w->d, pieces, n, e);
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct kernel_state *k = &w->progress[chosen[i]].state;

		if (pieces[i].words != lines[i])
			continue;
		if (lines[i][0] == KERNEL_DONE || lines[i][2] != k->b_errors)
			pieces[more++] = whole_state(w, chosen[i]);
		else
			memcpy(k, lines[i], sizeof(lines[i]));
	}
	return r ? r : card_read_pieces(w->d, pieces, more, e);
}

/* A core has ended: note whether it is the one that was started, and with this load. */
static void note_name(struct card_round *w, size_t i)
{
	struct card_core *core = &w->s->cores[i];

	atomic_fetch_add(card_is_named(&w->data, &w->tiles[i], &w->progress[i].state)
		? &core->named : &core->misnamed, 1);
}

/*
 * Whether a core did all its passes, or those until it was told to stop, and compared each of
 * their blocks.  It is checked here because the core's orders are in its memory, where a bit
 * may flip.
 */
static bool came_to_its_end(const struct card_round *w, const struct kernel_state *k)
{
	const struct kernel_order *o = &w->data.order;

	if (k->b_checked != k->t0_passes * o->rows)
		return false;
	if (k->t0_end == KERNEL_PASSED)
		return o->passes > 0 && k->t0_passes == o->passes;
	return k->t0_end == KERNEL_STOPPED && atomic_load(&w->s->phase) == CARD_STOPS;
}

static void note_state(struct card_round *w, size_t i, bool has_moved)
{
	struct card_progress *p = &w->progress[i];

	publish(w, i);
	if (has_moved)
		p->moved = clock_steady();
	if (p->state.b_phase == KERNEL_DONE) {
		p->is_over = true;
		atomic_store(&w->s->cores[i].state, CARD_CORE_DONE);
		note_name(w, i);
		if (p->state.t0_end == KERNEL_HOST_GONE)
			atomic_store(&w->s->deserted, true);
		else if (!came_to_its_end(w, &p->state))
			atomic_fetch_add(&w->s->cores[i].early, 1);
	} else if (clock_steady() - p->moved > w->c->still) {
		stand_still(w, i);
	}
}

int card_look(struct card_round *w, size_t looks, struct error *e)
{
	uint32_t before[CARD_TILES];
	size_t chosen[CARD_TILES], n = card_look_choose(w, looks, chosen);
	int r;

	for (size_t i = 0; i < n; i++)
		before[i] = w->progress[chosen[i]].state.b_checked;
	r = read_states(w, chosen, n, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = card_check_ones(&w->tiles[chosen[i]], w->progress[chosen[i]].state.b_phase, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		note_state(w, chosen[i], w->progress[chosen[i]].state.b_checked != before[i]);
	return r;
}
