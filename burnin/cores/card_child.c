/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_child.c - rounds of load on a card's cores: operands, load, ramped start,
 * watch, stop, comparison by the host, until there is no reason for another one.
 */
#include "config.h"
#include "burnin/cores/card_child.h"

#include "base/clock.h"
#include "burnin/cores/card_kind.h"
#include "burnin/cores/card_off.h"
#include "burnin/cores/card_reference.h"
#include "burnin/cores/card_round.h"
#include "device/arc_msg.h"
#include "device/kind.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define TURN_MS	    100
#define LOAD_SHARE  10		/* a round lasts at least this many times its load */
#define SAMPLES	    8		/* every eighth core is compared by the host, too */
#define SHORT_ROUNDS 3		/* of each kind */
#define LONG_ROUND  (30 * CLOCK_SECOND)
#define LIGHT_TIME  CLOCK_SECOND	/* of a stage of --first-light */

enum { LIGHT_CLEAN, LIGHT_CORE, LIGHT_COLUMN, LIGHT_HELD, LIGHT_ALL };
enum { MSG_GO_BUSY = 0x52, MSG_GO_IDLE = 0x54, MSG_HARVESTING = 0x57, MSG_RISC_RESET_OFF = 0xba };

static const struct arc_mailbox mailbox = { .unit = { REG_BAR0, 0, 0, 0x1ff30000 } };

/* Ask a Wormhole's firmware through its scratch registers; other chips are not asked anything. */
static int send(struct device *d, uint8_t code, uint32_t *answer, struct error *e)
{
	uint32_t out[2] = { 0 };
	int r = arc_msg_send(d, &mailbox, code, 0, 0, out, e);

	*answer = out[0];
	return r;
}

static void note_power(struct card_round *w, const char *text, const char *why)
{
	snprintf(w->s->power, sizeof(w->s->power), "%s%s%s", text, *why ? ": " : "", why);
}

/* If there are no power states, the handle itself, which is not passive, asks for power. */
static int raise_power(struct card_round *w, struct error *e)
{
	const bool wormhole = w->d->chip == DEVICE_WORMHOLE;
	uint32_t answer;
	int r;

	if (w->c->is_simulator) {
		note_power(w, "the simulator has none", "");
		return 0;
	}
	r = device_power(w->d, DEVICE_POWER_AICLK | DEVICE_POWER_MRISC | DEVICE_POWER_TENSIX |
		DEVICE_POWER_L2CPU);
	if (r == 0)
		note_power(w, "raised by a power state", "");
	else if (r != -EINVAL && r != -EOPNOTSUPP)
		return fail(e, r, "the power cannot be raised: %s", device_strerror(r));
	/* After a reset, a Wormhole holds its cores until it gets this message. */
	if (wormhole && card_kinds_compute(w->c) &&
		send(w->d, MSG_RISC_RESET_OFF, &answer, e) < 0)
		return e->code;
	if (wormhole && r < 0) {
		w->s->was_told_busy = true;
		if (send(w->d, MSG_GO_BUSY, &answer, e) < 0)
			return e->code;
		note_power(w, "raised by a message to the firmware", "");
	} else if (r < 0) {
		note_power(w, "raised by the open handle alone", device_strerror(r));
	}
	return 0;
}

static void lower_power(const struct card_burn_config *c, const struct card_shared *s)
{
	uint32_t answer;
	struct error e;

	if (c->is_simulator)
		return;
	if (s->was_told_busy)
		send(c->device, MSG_GO_IDLE, &answer, &e);
	device_power(c->device, 0);
}

static int ask_rows(struct card_round *w, uint32_t *off, struct error *e)
{
	uint32_t mask = 0;
	int r = send(w->d, MSG_HARVESTING, &mask, e);

	r = r ? r : card_off_rows(mask, &w->c->known_rows, off, e);
	atomic_store(&w->s->off, *off);
	return r;
}

static int find_tiles(struct card_round *w, struct error *e)
{
	uint32_t off = w->c->off;
	int r = w->c->asks_off ? ask_rows(w, &off, e) : 0;

	if (r < 0)
		return r;
	w->n = card_tiles(w->d->chip, off, w->tiles);
	if (w->n == 0)
		return fail_as(e, CODE_UNSUPPORTED, -ENODEV, "there is no core that could burn");
	for (size_t i = 0; i < w->n; i++) {
		w->s->cores[i].x = w->tiles[i].x;
		w->s->cores[i].y = w->tiles[i].y;
	}
	atomic_store(&w->s->n, w->n);
	return 0;
}

static enum card_kind nth_kind(const struct card_burn_config *c, uint64_t n)
{
	enum card_kind kinds[CARD_KINDS];
	size_t k = 0;

	for (int i = 0; i < CARD_KINDS; i++)
		if (c->kinds[i])
			kinds[k++] = (enum card_kind)i;
	return k ? kinds[n % k] : CARD_CONV;
}

/* Choose the middle column, or its middle core. */
static void choose_part(const struct card_round *w, bool column, struct card_stage *stage)
{
	const uint8_t x = w->tiles[w->n / 2].x;

	stage->first = stage->n = 0;
	for (size_t i = 0; i < w->n; i++) {
		if (w->tiles[i].x != x)
			continue;
		stage->first = stage->n++ == 0 ? i : stage->first;
	}
	if (column)
		return;
	stage->first += stage->n / 2;
	stage->n = 1;
}

/* Plan the next stage; false if none is left. */
static bool plan(const struct card_round *w, uint64_t number, struct card_stage *stage)
{
	const struct card_burn_config *c = w->c;
	const uint64_t kinds = card_kinds_count(c);
	const int64_t least = LOAD_SHARE * atomic_load(&w->s->load_ns);

	*stage = (struct card_stage){ .kind = nth_kind(c, number), .n = w->n, .held = c->held,
		.ns = c->round, .passes = c->passes, .seed = c->seed + number, .nth = 1 };
	if (c->first_light) {
		stage->kind = nth_kind(c, 0);
		stage->ns = LIGHT_TIME;
		stage->held = number != LIGHT_ALL || c->held;
		/* The path that no simulator has run is tried first, on one core for one pass. */
		stage->passes = number == LIGHT_CLEAN ? 1 : c->passes;
		if (number <= LIGHT_COLUMN)
			choose_part(w, number == LIGHT_COLUMN, stage);
		return number < CARD_LIGHT_STAGES;
	}
	/* Each kind has had its turn. */
	if (number >= kinds) {
		stage->ns = stage->ns < least ? least : stage->ns;
		stage->nth = SAMPLES;
		stage->from = number % SAMPLES;
	}
	/* Each load is work for the host, so a long burn makes only few of them. */
	if (c->iterations == 0 && number >= SHORT_ROUNDS * kinds && stage->ns < LONG_ROUND)
		stage->ns = LONG_ROUND;
	return c->iterations == 0 || number < c->iterations * kinds;
}

/* Called between two areas of the memory; false ends the test. */
static bool memory_goes_on(void *arg)
{
	struct card_round *w = arg;

	atomic_fetch_add(&w->s->beats, 1);
	if (!card_round_await_watched(w) || (w->c->stop_on_error && w->s->memory.wrong > 0))
		return false;
	atomic_store(&w->s->phase, CARD_RUNS);
	return true;
}

/*
 * A program that still runs on the cores would write to the memory, so hold them.  If
 * that fails, test the memory all the same.
 */
static int test_memory(struct card_round *w, struct error *e)
{
	struct error ignored;

	/* The cores of a simulator have only just begun. */
	if (!w->c->is_simulator && find_tiles(w, &ignored) == 0)
		card_hold(w->d, w->tiles, w->n, &ignored);
	w->n = 0;
	atomic_store(&w->s->n, 0);
	atomic_store(&w->s->running, true);
	return card_memory_run(w->d, &w->c->memory, &w->s->memory, memory_goes_on, w, e);
}

static int burn(struct card_round *w, struct error *e)
{
	struct card_stage stage;
	int r = 0;

	for (uint64_t number = 0;
		r == 0 && card_round_await_watched(w) && plan(w, number, &stage);) {
		r = card_round_run(w, &stage, e);
		if (r == 0 && w->is_whole) {
			number++;
			atomic_store(&w->s->rounds, number);
		}
		/* Do not try on more cores what failed on one. */
		if ((w->c->first_light || w->c->stop_on_error) && card_round_is_bad(w))
			break;
	}
	return r;
}

/* Stay at full power until the end, as a load would. */
static int idle(struct card_round *w, struct error *e)
{
	int r = device_power(w->d, DEVICE_POWER_AICLK | DEVICE_POWER_TENSIX);

	if (r < 0)
		return fail(e, r, "the power cannot be raised: %s", device_strerror(r));
	atomic_store(&w->s->phase, CARD_RUNS);
	atomic_store(&w->s->running, true);
	while (w->c->iterations == 0 && !w->c->first_light && !card_round_must_end(w)) {
		card_round_wait(w, TURN_MS);
		atomic_fetch_add(&w->s->beats, 1);
	}
	device_power(w->d, 0);
	return 0;
}

/*
 * Who is to blame for an access that failed.  Before the first load it only means that the
 * card could not be used.  A card that the driver has closed (-ENODEV) was taken from us, and
 * has not failed.
 */
static enum card_blame blame(const struct card_round *w, int code)
{
	if (code == -ENODEV)
		return CARD_OTHERS;
	if (w->c->is_simulator && code != -EILSEQ)
		return CARD_OTHERS;
	return code == -EILSEQ || atomic_load(&w->s->running) ? CARD_CARD : CARD_OTHERS;
}

int card_child_run(const struct card_burn_config *c, struct card_shared *s, int fd)
{
	struct card_round *w = card_round_new(c, s, fd);
	struct error e = { 0 };
	int r = device_acquire_for(w->d, ACCESS_BURN, DEVICE_ACTIVE, &e);

	if (r == 0 && c->computes_nothing) {
		r = idle(w, &e);
		s->finished = true;
		device_release(w->d);
	} else if (r == 0) {
		r = raise_power(w, &e);
		if (r == 0 && card_kinds_compute(c))
			r = find_tiles(w, &e);
		if (r == 0)
			r = c->reference ? card_reference_run(w, &e) :
				card_kinds_compute(c) ? burn(w, &e) : test_memory(w, &e);
		s->finished = card_hold(w->d, w->tiles, w->n, NULL) == 0;
		lower_power(c, s);
		device_release(w->d);
	}
	/* A simulator that ended gives the reason when it is opened again. */
	if (r < 0 && r != -EILSEQ && c->is_simulator)
		device_acquire_for(w->d, ACCESS_BURN, DEVICE_ACTIVE, &e);
	if (r < 0) {
		s->blame = blame(w, r);
		s->trouble = e;
	}
	atomic_store(&s->phase, CARD_OVER);
	card_round_free(w);
	return r < 0;
}

int card_child_hold(const struct card_burn_config *c, struct card_shared *s)
{
	struct card_tile tiles[CARD_TILES];
	const size_t n = card_cores(s);
	struct error e;

	for (size_t i = 0; i < n; i++)
		tiles[i] = (struct card_tile){ s->cores[i].x, s->cores[i].y };
	if (device_acquire_for(c->device, ACCESS_BURN, DEVICE_ACTIVE, &e) < 0)
		return 1;
	s->finished = card_hold(c->device, tiles, n, NULL) == 0;
	lower_power(c, s);
	device_release(c->device);
	return 0;
}
