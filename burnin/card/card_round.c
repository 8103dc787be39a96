/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_round.c - a round: what the cores of a stage are given, and what is seen of
 * them until they are held again.
 *
 * Loads over PCIe are slow, and the processor waits for each: a core is looked
 * at every few seconds, by the few words that change, and by all of them where
 * something is wrong or now and then.  Where rounds end by themselves, more often.
 */
#include "config.h"
#include "burnin/card/card_gather.h"
#include "burnin/card/card_make.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/kind.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS	  100
#define TURNS	  50		/* until every core was looked at */
#define TURNS_PASS 10		/* the same in a round that ends by itself */
#define BEATS	  4		/* turns from one beat to the next */
#define LONG_LOOK 8		/* looks until one at all of a core's state */

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

void card_round_wait(struct card_round *w, int ms)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };

	/* Nothing is ever sent to us: only the end of the socket can be read. */
	if (poll(&p, 1, ms) > 0)
		w->is_alone = true;
}

bool card_round_must_end(const struct card_round *w)
{
	return w->is_alone || atomic_load(&w->s->stop);
}

bool card_round_is_watched(const struct card_round *w)
{
	return w->c->unwatched == 0 ||
		clock_steady() - atomic_load(&w->s->watched) < w->c->unwatched;
}

bool card_round_is_bad(const struct card_round *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct card_core *core = &w->s->cores[i];

		if (atomic_load(&core->errors) || atomic_load(&core->refuted) ||
			atomic_load(&core->stood))
			return true;
	}
	return atomic_load(&w->s->has_wrong);
}

static struct reg_addr state_of(const struct card_tile *t)
{
	return (struct reg_addr){ REG_NOC, t->x, t->y, KERNEL_AT_STATE };
}

/* A card that keeps something else than was written, and one that has gone, both answer -EIO. */
static int load(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	const int64_t began = clock_steady();
	int64_t took;
	uint32_t word;
	int r;

	atomic_store(&w->s->phase, CARD_LOADS);
	r = card_make(w, e);
	if (r == 0)
		r = card_load(w->d, w->tiles + g->first, g->n, g->n == w->n, &w->data, e);
	if (r == -EIO && device_read(w->d, state_of(&w->tiles[g->first]), &word, 1) == 0)
		r = -EILSEQ;
	took = clock_steady() - began;
	if (took > atomic_load(&w->s->load_ns))
		atomic_store(&w->s->load_ns, took);
	atomic_fetch_add(&w->s->beats, 1);
	return r;
}

/* A multicast may be lost while the network is busy; the next one is soon. */
static int beat(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	int r;

	w->beat++;
	atomic_fetch_add(&w->s->beats, 1);
	if (g->n == w->n)
		r = device_multicast(w->d, kind_of(w->d->chip)->tensix, KERNEL_AT_ORDER +
			offsetof(struct kernel_order, beat), &w->beat, 1);
	else
		r = card_tell(w->d, w->tiles + g->first, g->n, false, w->beat);
	return r < 0 ? fail(e, r, "the cores cannot be reached: %s", strerror(-r)) : 0;
}

static int start_all(struct card_round *w, struct error *e)
{
	const size_t end = w->stage.first + w->stage.n;
	int r = 0;

	atomic_store(&w->s->phase, CARD_STARTS);
	for (size_t i = w->stage.first; i < end; i++)
		w->seats[i].is_over = true;
	for (size_t i = w->stage.first, n; r == 0 && i < end && !card_round_must_end(w); i += n) {
		const int64_t now = clock_steady();

		for (n = 0; i + n < end && w->tiles[i + n].x == w->tiles[i].x; n++) {
			w->seats[i + n].moved = now;
			w->seats[i + n].is_over = false;
			atomic_store(&w->s->cores[i + n].state, CARD_CORE_RUNS);
		}
		r = card_start(w->d, w->tiles + i, n, e);
		if (r == 0)
			r = beat(w, e);
		if (i + n < end && w->c->ramp > 0)
			card_round_wait(w, (int)(w->c->ramp / CLOCK_MS));
	}
	if (r == 0 && !card_round_must_end(w)) {
		atomic_store(&w->s->phase, CARD_RUNS);
		atomic_store(&w->s->running, true);
	}
	return r;
}

static void publish_wrong(struct card_round *w, size_t i)
{
	const struct kernel_state *k = &w->seats[i].state;
	struct card_core *core = &w->s->cores[i];
	uint32_t n = w->seats[i].first;

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
	const struct card_seat *seat = &w->seats[i];
	const struct kernel_state *k = &seat->state;
	const uint64_t cycles = cycles_of(k);
	struct card_core *core = &w->s->cores[i];

	atomic_store(&core->blocks[w->stage.kind], seat->blocks[w->stage.kind] + k->b_checked);
	atomic_store(&core->throttled, seat->throttled + k->t1_throttled);
	atomic_store(&core->mvmuls, seat->mvmuls + (cycles ? k->t1_blocks * w->data.mvmuls : 0));
	atomic_store(&core->cycles, seat->cycles + cycles);
	publish_wrong(w, i);
	atomic_store(&core->errors, seat->errors + k->b_errors);
}

/* What was counted in this round belongs to the earlier ones from now on. */
static void close_seats(struct card_round *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct card_seat *seat = &w->seats[i];
		const struct card_core *core = &w->s->cores[i];

		*seat = (struct card_seat){ .errors = atomic_load(&core->errors),
			.mvmuls = atomic_load(&core->mvmuls), .cycles = atomic_load(&core->cycles),
			.throttled = atomic_load(&core->throttled),
			.first = atomic_load(&core->n_wrong) };
		for (int k = 0; k < CARD_KINDS; k++)
			seat->blocks[k] = atomic_load(&core->blocks[k]);
	}
}

static void stand_still(struct card_round *w, size_t i)
{
	struct card_core *core = &w->s->cores[i];

	w->seats[i].is_over = true;
	atomic_store(&core->state, CARD_CORE_STILL);
	atomic_store(&core->stood_at, atomic_load(&core->blocks[w->stage.kind]));
	atomic_fetch_add(&core->stood, 1);
}

/* The first line of a core's state; all of it where that says more, or at its turn. */
static int read_state(struct card_round *w, size_t i)
{
	struct card_seat *seat = &w->seats[i];
	struct kernel_state *k = &seat->state;
	uint32_t line[4];
	int r;

	_Static_assert(offsetof(struct kernel_state, b_heart) == 12, "the first line is B's");
	r = device_read(w->d, state_of(&w->tiles[i]), line, 4);
	if (r < 0)
		return r;
	if (line[0] == KERNEL_DONE || line[2] != k->b_errors || seat->looks++ % LONG_LOOK == 0)
		return card_look(w->d, &w->tiles[i], k);
	memcpy(k, line, sizeof(line));
	return 0;
}

static int look(struct card_round *w, size_t i, struct error *e)
{
	struct card_seat *seat = &w->seats[i];
	const uint32_t before = seat->state.b_checked;
	int r;

	atomic_fetch_add(&w->s->beats, 1);
	if (seat->is_over)
		return 0;
	r = read_state(w, i);
	if (r < 0)
		return fail(e, r, "core %u-%u cannot be read: %s", w->tiles[i].x, w->tiles[i].y,
			strerror(-r));
	publish(w, i);
	if (seat->state.b_checked != before)
		seat->moved = clock_steady();
	if (seat->state.b_phase == KERNEL_DONE) {
		seat->is_over = true;
		atomic_store(&w->s->cores[i].state, CARD_CORE_DONE);
		if (seat->state.t0_end == KERNEL_HOST_GONE)
			atomic_store(&w->s->deserted, true);
	} else if (clock_steady() - seat->moved > w->c->still) {
		stand_still(w, i);
	}
	return 0;
}

static bool all_over(const struct card_round *w)
{
	for (size_t i = 0; i < w->stage.n; i++)
		if (!w->seats[w->stage.first + i].is_over)
			return false;
	return true;
}

/* A beat, and a look at the next cores. */
static int turn(struct card_round *w, size_t looks, struct error *e)
{
	int r;

	card_round_wait(w, TURN_MS);
	atomic_fetch_add(&w->s->beats, 1);
	r = w->turns++ % BEATS == 0 ? beat(w, e) : 0;
	for (; r == 0 && looks > 0; looks--) {
		r = look(w, w->stage.first + w->turn, e);
		w->turn = w->turn + 1 < w->stage.n ? w->turn + 1 : 0;
	}
	return r;
}

static int watch(struct card_round *w, struct error *e)
{
	const size_t turns = w->stage.passes ? TURNS_PASS : TURNS;
	const size_t looks = (w->stage.n + turns - 1) / turns;
	const int64_t began = clock_steady();
	int64_t last = began;
	int r = 0;

	w->turn = 0;
	while (r == 0 && !all_over(w) && !card_round_must_end(w) && card_round_is_watched(w) &&
		(w->stage.passes || last - began < w->stage.ns) &&
		!(w->c->stop_on_error && card_round_is_bad(w))) {
		r = turn(w, looks, e);
		atomic_fetch_add(&w->s->run_ns, clock_steady() - last);
		last = clock_steady();
	}
	w->is_whole = r == 0 && (w->stage.passes ? all_over(w) : last - began >= w->stage.ns);
	return r;
}

/* Each ends with its pass, or stands still. */
static int stop_all(struct card_round *w, struct error *e)
{
	const struct card_stage *g = &w->stage;
	int r = all_over(w) ? 0 : card_tell(w->d, w->tiles + g->first, g->n, true, 0);

	atomic_store(&w->s->phase, CARD_STOPS);
	if (r < 0)
		return fail(e, r, "the cores cannot be told to stop: %s", strerror(-r));
	while (r == 0 && !all_over(w))
		r = turn(w, g->n, e);
	return r;
}

/* The last block of each core, by the host's own reference. */
static int recheck(struct card_round *w, struct error *e)
{
	int r = 0;

	for (size_t i = w->stage.first; r == 0 && i < w->stage.first + w->stage.n; i++) {
		struct card_core *core = &w->s->cores[i];
		const struct kernel_state *k = &w->seats[i].state;
		size_t wrong;

		atomic_fetch_add(&w->s->beats, 1);
		if (atomic_load(&core->state) != CARD_CORE_DONE || k->b_checked == 0)
			continue;
		r = card_recheck(w->d, &w->tiles[i], &w->data, k->b_checked, &wrong);
		if (r < 0)
			return fail(e, r, "core %u-%u: its last block cannot be read: %s",
				w->tiles[i].x, w->tiles[i].y, strerror(-r));
		atomic_fetch_add(&core->rechecked, 1);
		/* Those that the core has found itself are counted already. */
		if (k->b_errors == 0)
			atomic_fetch_add(&core->refuted, wrong);
	}
	return r;
}

int card_round_run(struct card_round *w, const struct card_stage *stage, struct error *e)
{
	const struct card_tile *tiles = w->tiles + stage->first;
	int r, held;

	w->stage = *stage;
	w->is_whole = false;
	r = load(w, e);
	if (r == 0)
		r = start_all(w, e);
	if (r == 0)
		r = watch(w, e);
	if (r == 0)
		r = stop_all(w, e);
	if (r == 0)
		r = recheck(w, e);
	if (r == 0)
		r = card_gather(w, e);
	held = card_hold(w->d, tiles, stage->n);
	close_seats(w);
	if (r == 0 && held < 0)
		return fail(e, held, "the cores cannot be held: %s", strerror(-held));
	return r;
}
