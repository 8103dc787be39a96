/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_round.c - a round: load the cores of a stage, run and watch them, and hold them
 * again.
 */
#include "config.h"
#include "burnin/cores/card_gather.h"
#include "burnin/cores/card_look.h"
#include "burnin/cores/card_make.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TURN_MS	  600		/* of a turn, and from one beat to the next */
#define SHORT_MS  100		/* of a turn when the round ends by itself, or has to end */
#define TURNS	  8		/* until every core was looked at */

struct card_round *card_round_new(const struct card_burn_config *c, struct card_shared *s, int fd)
{
	struct card_round *w = mem_calloc(1, sizeof(*w));

	w->c = c;
	w->s = s;
	w->d = c->device;
	w->fd = fd;
	return w;
}

void card_round_free(struct card_round *w)
{
	card_data_clear(&w->data);
	free(w);
}

bool card_round_must_end(const struct card_round *w)
{
	return w->is_alone || atomic_load(&w->s->stop);
}

static bool card_round_is_watched(const struct card_round *w)
{
	return w->c->unwatched == 0 ||
		clock_mono() - atomic_load(&w->s->watched) < w->c->unwatched;
}

bool card_round_is_bad(const struct card_round *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct card_core *core = &w->s->cores[i];

		if (atomic_load(&core->errors) || atomic_load(&core->refuted) ||
			atomic_load(&core->stood) || atomic_load(&core->misnamed) ||
			atomic_load(&core->lame) || atomic_load(&core->early))
			return true;
	}
	for (size_t n = 0; n < KERNEL_CHANNELS_MAX; n++)
		if (atomic_load(&w->s->channels[n].mute))
			return true;
	return atomic_load(&w->s->has_wrong);
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
	r = (all ? card_load_data : card_load)(w->d, tiles, n, n == w->n, &w->data, e);
	for (size_t i = first; i < first + n; i++)
		w->has_program[i] = r == 0;
	/* -EIO: the card has gone, or does not keep what is written.  Can it still be read? */
	if (r == -EIO && device_read(w->d, (struct reg_addr){ REG_NOC, tiles->x, tiles->y,
		KERNEL_AT_STATE }, &word, 1) == 0)
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
	struct device_piece pieces[CARD_TILES] = { { .n = 0 } };
	uint32_t heard[CARD_TILES];
	int r;

	for (size_t i = 0; i < g->n; i++) {
		const struct card_tile *t = &w->tiles[g->first + i];

		pieces[i] = (struct device_piece){ { REG_NOC, t->x, t->y, beat_at }, &heard[i], 1 };
	}
	r = card_read_pieces(w->d, pieces, g->n, e);
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

static int start_all(struct card_round *w, struct error *e)
{
	const size_t end = w->stage.first + w->stage.n;
	int r = 0;

	atomic_store(&w->s->phase, CARD_STARTS);
	/* A core that is never started, because the end comes first, has nothing to report. */
	for (size_t i = w->stage.first; i < end; i++) {
		w->progress[i].is_over = true;
		atomic_store(&w->s->cores[i].state, CARD_CORE_HELD);
	}
	for (size_t i = w->stage.first, n; r == 0 && i < end && !card_round_must_end(w); i += n) {
		const int64_t now = clock_steady();

		for (n = 0; i + n < end && w->tiles[i + n].x == w->tiles[i].x; n++) {
			w->progress[i + n].moved = now;
			w->progress[i + n].is_over = false;
			w->progress[i + n].was_started = true;
			atomic_store(&w->s->cores[i + n].state, CARD_CORE_RUNS);
			atomic_fetch_add(&w->s->cores[i + n].starts, 1);
		}
		r = card_start(w->d, w->tiles + i, n, e);
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

/* Order the cores to stop: each ends with its pass, or stands still. */
static int stop_all(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	int r = all_over(w) ? 0 : card_tell(w->d, w->tiles + g->first, g->n, true, 0);

	atomic_store(&w->s->phase, CARD_STOPS);
	if (r < 0)
		return fail(e, r, "the cores cannot be ordered to stop: %s", device_strerror(r));
	while (r == 0 && !all_over(w))
		r = turn(w, SHORT_MS, g->n, e);
	return r;
}

/* Compare the last block of each chosen core with the host's own reference. */
static int recheck(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	int r = 0;

	for (size_t i = g->first + g->from; r == 0 && i < g->first + g->n; i += g->nth) {
		struct card_core *core = &w->s->cores[i];
		const struct kernel_state *k = &w->progress[i].state;
		size_t wrong;

		atomic_fetch_add(&w->s->beats, 1);
		if (atomic_load(&core->state) != CARD_CORE_DONE || k->b_checked == 0)
			continue;
		r = card_recheck(w->d, &w->tiles[i], &w->data, k->b_checked, &wrong);
		if (r < 0)
			return fail(e, r, "core %u-%u: its last block cannot be read: %s",
				w->tiles[i].x, w->tiles[i].y, device_strerror(r));
		atomic_fetch_add(&core->rechecked, 1);
		/* Wrong words that the core has found itself are already counted. */
		if (k->b_errors == 0)
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
	if (r == 0)
		r = card_gather(w, e);
	return close_round(w, r, e);
}
