/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_round.c - a round: load the cores of a stage, run and watch them, and hold them
 * again.
 */
#include "config.h"
#include "burnin/cores/card_round.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/cores/card_make.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/*
 * What the cores report.  PCIe reads are slow, and the processor waits for each.  So a core is
 * looked at only every few seconds, usually at the few words that change; all of its state is read
 * from time to time, or if something is wrong.  All cores that are due are read together, which is
 * one message to a simulator.
 */

#define LONG_LOOK 8		/* looks at a core until one reads all of its state */

static uint64_t cycles_of(const struct kernel_state *k)
{
	const uint64_t last = (uint64_t)k->t1_clock_high << 32 | k->t1_clock;
	const uint64_t first = (uint64_t)k->t1_first_high << 32 | k->t1_first;

	return k->t1_blocks > 0 && last > first ? last - first : 0;
}

static void publish(struct card_round *w, size_t i)
{
	const struct card_progress *p = &w->progress[i];
	struct kernel_state state = p->state;
	const struct kernel_state *k = &state;
	const uint64_t cycles = cycles_of(k);
	struct card_core *core = &w->s->cores[i];
	const bool has_said_no = card_take_trial(&w->data, &w->tiles[i], &state);
	uint32_t n = p->first;

	if (!has_said_no && k->b_phase == KERNEL_DONE)
		atomic_fetch_add(&core->blind, 1);
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
	for (uint32_t m = 0; m < k->b_errors && m < KERNEL_MISMATCHES && n < KERNEL_MISMATCHES;
		m++, n++)
		core->wrong[n] = (struct card_wrong){ w->stage.seed, w->stage.kind,
			k->mismatch[m] };
	atomic_store(&core->n_wrong, n);
	atomic_store(&core->errors, p->errors + k->b_errors);
}

/* End the round: its counts now belong to those of earlier rounds. */
static void card_look_close(struct card_round *w)
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
	return (struct device_piece){ card_at(&w->tiles[i], KERNEL_AT_STATE),
		(uint32_t *)&w->progress[i].state, sizeof(w->progress[i].state) / 4 };
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
			: (struct device_piece){ card_at(&w->tiles[chosen[i]], KERNEL_AT_STATE),
				lines[i], 4 };
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

/*
 * Whether it did all passes, or those until the stop, and its threads agree on how many blocks
 * that were.  Its own orders are where bits may flip.
 */
static bool came_to_its_end(const struct card_round *w, const struct kernel_state *k)
{
	const struct kernel_order *o = &w->data.order;

	if (k->b_checked != k->t0_passes * o->rows || k->t1_blocks != k->b_checked ||
		k->t2_packed != k->b_checked)
		return false;
	if (k->t0_end == KERNEL_PASSED)
		return o->passes > 0 && k->t0_passes == o->passes;
	return k->t0_end == KERNEL_STOPPED && atomic_load(&w->s->phase) == CARD_STOPS;
}

static void note_state(struct card_round *w, size_t i, bool has_moved)
{
	struct card_progress *p = &w->progress[i];
	struct card_core *core = &w->s->cores[i];

	publish(w, i);
	if (has_moved)
		p->moved = clock_steady();
	if (p->state.b_phase == KERNEL_DONE) {
		p->is_over = true;
		atomic_store(&core->state, CARD_CORE_DONE);
		/* Whether it is the one that was started, and with this load. */
		atomic_fetch_add(card_is_named(&w->data, &w->tiles[i], &p->state) ? &core->named
			: &core->misnamed, 1);
		if (p->state.t0_end == KERNEL_HOST_GONE)
			atomic_store(&w->s->deserted, true);
		else if (!came_to_its_end(w, &p->state))
			atomic_fetch_add(&core->early, 1);
	} else if (clock_steady() - p->moved > w->c->still) {
		p->is_over = true;
		w->has_program[i] = false;
		atomic_store(&core->state, CARD_CORE_STILL);
		atomic_store(&core->stood_at, atomic_load(&core->blocks[w->stage.kind]));
		atomic_fetch_add(&core->stood, 1);
	}
}

/* Read the next `looks` cores in turn: counters, wrong words, which have ended or stand still. */
static int card_look(struct card_round *w, size_t looks, struct error *e)
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

/* The round. */

#define TURN_MS	  600		/* of a turn, and from one beat to the next */
#define SHORT_MS  100		/* of a turn when the round ends by itself, or has to end */
#define TURNS	  8		/* until every core was looked at */

bool card_round_must_end(const struct card_round *w)
{
	return w->is_alone || atomic_load(&w->s->stop);
}

static bool card_round_is_watched(const struct card_round *w)
{
	return w->c->unwatched == 0 || clock_mono() - atomic_load(&w->s->watched) < w->c->unwatched;
}

bool card_round_is_bad(const struct card_round *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct card_core *core = &w->s->cores[i];

		if (atomic_load(&core->errors) || atomic_load(&core->refuted) ||
			atomic_load(&core->stood) || atomic_load(&core->misnamed) ||
			atomic_load(&core->blind) || atomic_load(&core->spare_errors) ||
			atomic_load(&core->lame) || atomic_load(&core->early))
			return true;
	}
	for (size_t n = 0; n < KERNEL_CHANNELS_MAX; n++)
		if (atomic_load(&w->s->channels[n].mute))
			return true;
	return atomic_load(&w->s->has_wrong) || atomic_load(&w->s->misread);
}

int card_round_put(struct card_round *w, size_t first, size_t n, struct error *e)
{
	const struct card_tile *tiles = w->tiles + first;
	bool all = true;
	uint32_t word;
	int r;

	atomic_store(&w->s->phase, CARD_LOADS);
	for (size_t i = first; i < first + n; i++)
		all = all && w->has_program[i];
	r = card_load(w->d, tiles, n, n == w->n, !all, &w->data, e);
	for (size_t i = first; i < first + n; i++)
		w->has_program[i] = r == 0;
	/* -EIO: the card has gone, or does not keep what is written.  Can it still be read? */
	if (r == -EIO && device_read(w->d, card_at(tiles, KERNEL_AT_STATE), &word, 1) == 0)
		r = -EILSEQ;
	atomic_fetch_add(&w->s->beats, 1);
	return r;
}

static int card_round_load(struct card_round *w, struct error *e)
{
	const int64_t began = clock_steady();
	int64_t took;
	int r;

	atomic_store(&w->s->phase, CARD_LOADS);
	r = card_make(w, e);
	if (r == 0)
		r = card_round_put(w, w->stage.first, w->stage.n, e);
	took = clock_steady() - began;
	if (took > atomic_load(&w->s->load_ns))
		atomic_store(&w->s->load_ns, took);
	return r;
}

static const uint64_t beat_at = KERNEL_AT_ORDER + offsetof(struct kernel_order, beat);

/* From now on, cores that missed the beat get each beat by a write of their own. */
static int find_deaf(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	uint32_t heard[CARD_TILES];
	int r = card_read_tiles(w->d, w->tiles + g->first, g->n, beat_at, heard, 1, e);

	for (size_t i = 0; r == 0 && i < g->n; i++)
		if (heard[i] != w->beat) {
			w->is_deaf[g->first + i] = true;
			r = card_tell(w->d, &w->tiles[g->first + i], 1, false, w->beat);
		}
	return r;
}

/* A multicast may be lost while the network is busy, but the next one follows soon. */
static int beat(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	int r;

	w->beat++;
	w->beaten = clock_steady();
	atomic_fetch_add(&w->s->beats, 1);
	if (g->n == w->n)
		r = device_multicast(w->d, card_rect(w->tiles, w->n), beat_at, &w->beat, 1);
	else
		r = card_tell(w->d, w->tiles + g->first, g->n, false, w->beat);
	for (size_t i = 0; r == 0 && g->n == w->n && i < w->n; i++)
		r = w->is_deaf[i] ? card_tell(w->d, &w->tiles[i], 1, false, w->beat) : 0;
	return r < 0 ? fail(e, r, "the cores cannot be reached: %s", device_strerror(r)) : 0;
}

/* The number of cores from here on that are in one column. */
static size_t column(const struct card_round *w, size_t first)
{
	const size_t end = w->stage.first + w->stage.n;
	size_t n = 1;

	while (first + n < end && w->tiles[first + n].x == w->tiles[first].x)
		n++;
	return n;
}

static int start_all(struct card_round *w, struct error *e)
{
	const size_t end = w->stage.first + w->stage.n;
	int r = 0;

	atomic_store(&w->s->phase, CARD_STARTS);
	w->started = 0;
	w->took = 0;
	/* A core that is never started, because the end comes first, has nothing to report. */
	for (size_t i = w->stage.first; i < end; i++) {
		w->progress[i].is_over = true;
		atomic_store(&w->s->cores[i].state, CARD_CORE_HELD);
	}
	for (size_t i = w->stage.first, n; r == 0 && i < end && !card_round_must_end(w); i += n) {
		const int64_t now = clock_steady();
		int64_t took;

		n = column(w, i);
		for (size_t k = i; k < i + n; k++) {
			w->progress[k].moved = now;
			w->progress[k].is_over = false;
			atomic_store(&w->s->cores[k].state, CARD_CORE_RUNS);
			atomic_fetch_add(&w->s->cores[k].starts, 1);
		}
		w->started += n;
		r = card_start(w->d, w->tiles + i, n, e);
		took = clock_steady() - now;
		w->took = took > w->took ? took : w->took;
		if (r == 0)
			r = beat(w, e);
		if (i + n < end && w->c->ramp > 0)
			card_round_wait(w, (int)(w->c->ramp / CLOCK_MS));
	}
	if (r == 0)
		r = find_deaf(w, e);
	if (r == 0 && !card_round_must_end(w)) {
		atomic_store(&w->s->phase, CARD_RUNS);
		atomic_store(&w->s->running, true);
	}
	return r;
}

static bool all_over(const struct card_round *w)
{
	for (size_t i = 0; i < w->stage.n; i++)
		if (!w->progress[w->stage.first + i].is_over)
			return false;
	return true;
}

/* Keep the cores at rest until the caller watches again. */
bool card_round_await_watched(struct card_round *w)
{
	while (!card_round_is_watched(w) && !card_round_must_end(w)) {
		atomic_store(&w->s->phase, CARD_RESTS);
		atomic_fetch_add(&w->s->beats, 1);
		card_round_wait(w, SHORT_MS);
	}
	return !card_round_must_end(w);
}

/* A beat, and a look at the next cores. */
static int turn(struct card_round *w, int ms, size_t looks, struct error *e)
{
	int r = 0;

	card_round_wait(w, ms);
	atomic_fetch_add(&w->s->beats, 1);
	if (clock_steady() - w->beaten >= (TURN_MS - SHORT_MS / 2) * CLOCK_MS)
		r = beat(w, e);
	return r ? r : card_look(w, looks, e);
}

static int card_round_watch(struct card_round *w, struct error *e)
{
	const size_t looks = w->stage.passes ? w->stage.n : (w->stage.n + TURNS - 1) / TURNS;
	const int64_t began = clock_steady();
	int64_t last = began;
	int r = 0;

	w->turn = 0;
	while (r == 0 && !all_over(w) && !card_round_must_end(w) && card_round_is_watched(w) &&
		(w->stage.passes || last - began < w->stage.ns) &&
		!(w->c->stop_on_error && card_round_is_bad(w))) {
		r = turn(w, w->stage.passes ? SHORT_MS : TURN_MS, looks, e);
		atomic_fetch_add(&w->s->run_ns, clock_steady() - last);
		last = clock_steady();
	}
	w->is_whole = r == 0 && (w->stage.passes ? all_over(w) : last - began >= w->stage.ns);
	return r;
}

/*
 * Find the cores that ended before they were told to: by their clocks, and with fewer passes than
 * others.  Those of a column begin together, and each ends with the pass in which it is told.  So
 * their times differ by less than a pass, and by what the host took to start and to tell them.  A
 * pass may have to wait for two windows of a pulse.
 */
static void find_short(struct card_round *w, size_t first, size_t n)
{
	const uint32_t window = w->data.order.pulse & KERNEL_PULSE_WINDOW;
	double cycles[CARD_TILES], passes[CARD_TILES], longest = 0, least;

	for (size_t i = 0; i < n; i++) {
		const struct kernel_state *k = &w->progress[first + i].state;

		cycles[i] = (double)cycles_of(k);
		passes[i] = k->t0_passes;
		if (passes[i] > 0 && cycles[i] / passes[i] > longest)
			longest = cycles[i] / passes[i];
	}
	least = card_judge_median(cycles, n) - 1.5 * longest -
		(window ? (double)(2ULL << window) : 0) -
		(w->c->is_timeless ? 0 : card_judge_clock(w->d->chip) * (double)w->took);
	for (size_t i = 0; i < n; i++)
		if (w->progress[first + i].state.t0_end == KERNEL_STOPPED && cycles[i] < least &&
			passes[i] < card_judge_median(passes, n))
			atomic_fetch_add(&w->s->cores[first + i].early, 1);
}

/* Order the cores to stop: each ends with its pass, or stands still. */
static int stop_all(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	const int64_t began = clock_steady();
	int r = all_over(w) ? 0 : card_tell(w->d, w->tiles + g->first, g->n, true, 0);

	w->took += clock_steady() - began;
	atomic_store(&w->s->phase, CARD_STOPS);
	if (r < 0)
		return fail(e, r, "the cores cannot be ordered to stop: %s", device_strerror(r));
	while (r == 0 && !all_over(w))
		r = turn(w, SHORT_MS, g->n, e);
	for (size_t i = g->first, n; r == 0 && i < g->first + w->started; i += n) {
		n = column(w, i);
		find_short(w, i, n);
	}
	return r;
}

/* Compare the last block of each chosen core with the host's own reference. */
static int recheck(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	int r = 0;

	for (size_t i = g->first + g->from; r == 0 && i < g->first + g->n; i += g->nth) {
		struct card_core *core = &w->s->cores[i];
		struct kernel_state k = w->progress[i].state;
		size_t wrong, misread;

		card_take_trial(&w->data, &w->tiles[i], &k);
		atomic_fetch_add(&w->s->beats, 1);
		if (atomic_load(&core->state) != CARD_CORE_DONE || k.b_checked == 0)
			continue;
		r = card_recheck(w->d, &w->tiles[i], &w->data, k.b_checked, &wrong, &misread);
		if (r == -EBADE)
			return memory_fail(e, r, 0);
		if (r < 0)
			return fail(e, r, "core %u-%u: its last block cannot be read: %s",
				w->tiles[i].x, w->tiles[i].y, device_strerror(r));
		atomic_fetch_add(&core->rechecked, 1);
		atomic_fetch_add(&w->s->misread, misread);
		/* Wrong words that the core has found itself are already counted. */
		if (k.b_errors == 0)
			atomic_fetch_add(&core->refuted, wrong);
	}
	return r;
}

/* Run the cores from their start to their end. */
static int run_cores(struct card_round *w, struct error *e)
{
	int r = start_all(w, e);

	if (r == 0)
		r = card_round_watch(w, e);
	return r ? r : stop_all(w, e);
}

/* Hold the cores, however the round went.  r: its result. */
static int close_round(struct card_round *w, int r, struct error *e)
{
	struct error why;
	int held = card_hold(w->d, w->tiles + w->stage.first, w->stage.n, &why);

	card_look_close(w);
	if (r == 0 && held < 0)
		return fail_because(e, held, &why, "the cores cannot be held: %s", why.text);
	return r;
}

int card_round_compute(struct card_round *w, const struct card_stage *stage, struct error *e)
{
	w->stage = *stage;
	w->is_whole = false;
	return close_round(w, run_cores(w, e), e);
}

int card_round_run(struct card_round *w, const struct card_stage *stage, struct error *e)
{
	int r;

	w->stage = *stage;
	w->is_whole = false;
	r = card_round_load(w, e);
	if (r == 0)
		r = run_cores(w, e);
	if (r == 0)
		r = recheck(w, e);
	if (r == 0) {
		card_data_add_bits(&w->data, w->s->bits);
		r = card_gather(w, e);
	}
	return close_round(w, r, e);
}
