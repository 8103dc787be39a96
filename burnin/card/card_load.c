/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_load.c - programs and data onto tiles, and the words that go to and fro.
 *
 * A multicast may lose words while the network is busy, so nothing is believed
 * until it was read back, from each tile, or summed up there.
 */
#include "config.h"
#include "burnin/card/card_load.h"
#include "burnin/card/card_traffic.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/kernel/images.h"
#include "device/kind.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SOFT_RESET 0xffb121b0
#define HOLD_ALL   0x47800	/* B, T0 to T2, NCRISC */
#define HOLD_BUT_B 0x47000
#define TRIES	   3
#define SUMMING	   (3 * CLOCK_SECOND)	/* that a core may stand still for */

/* A piece of memory that all tiles get. */
struct piece {
	const char *name;
	uint32_t at;
	const uint32_t *words;
	size_t n;
};

struct target {
	struct device *d;
	const struct card_tile *tiles;
	size_t n;
	bool whole;
	uint32_t *back;		/* what was read */
};

size_t card_tiles(enum device_chip chip, uint32_t off, struct card_tile tiles[CARD_TILES])
{
	const struct device_kind *k = kind_of(chip);
	uint32_t columns = k->other_columns, rows = k->other_rows;
	size_t n = 0;

	if (chip == DEVICE_BLACKHOLE)
		columns |= off;
	else
		rows |= off;
	for (unsigned x = k->tensix.x0; x <= k->tensix.x1; x++)
		for (unsigned y = k->tensix.y0; y <= k->tensix.y1; y++)
			if (k->tensix.x1 && !(columns >> x & 1) && !(rows >> y & 1) &&
				n < CARD_TILES)
				tiles[n++] = (struct card_tile){ (uint8_t)x, (uint8_t)y };
	return n;
}

static struct reg_addr on(const struct card_tile *t, uint64_t addr)
{
	return (struct reg_addr){ REG_NOC, t->x, t->y, addr };
}

static int fail_tile(const struct card_tile *t, const char *what, int code, struct error *e)
{
	return fail(e, code, "tile %u-%u: %s: %s", t->x, t->y, what, strerror(-code));
}

static int set_reset(struct device *d, const struct card_tile *tiles, size_t n, uint32_t word,
	struct error *e)
{
	int first = 0;

	for (size_t i = 0; i < n; i++) {
		int r = device_write(d, on(&tiles[i], SOFT_RESET), word);

		if (r < 0 && first == 0)
			first = fail_tile(&tiles[i], "reset register", r, e);
	}
	return first;
}

static int write_one(const struct target *to, const struct card_tile *t, const struct piece *p)
{
	return device_write_block(to->d, on(t, p->at), p->words, p->n);
}

static int write_all(const struct target *to, const struct piece *p)
{
	int r = to->whole ? device_multicast(to->d, kind_of(to->d->chip)->tensix, p->at, p->words,
		p->n) : 0;

	for (size_t i = 0; !to->whole && r == 0 && i < to->n; i++)
		r = write_one(to, &to->tiles[i], p);
	return r;
}

/* 1 where a tile has what it should have. */
static int is_there(const struct target *to, const struct card_tile *t, const struct piece *p)
{
	int r = device_read_block(to->d, on(t, p->at), to->back, p->n);

	return r < 0 ? r : memcmp(to->back, p->words, 4 * p->n) == 0;
}

/* Read it back, and write it again where it is not right. */
static int check(const struct target *to, const struct card_tile *t, const struct piece *p,
	struct error *e)
{
	int r = is_there(to, t, p);

	for (int k = 1; r == 0 && k < TRIES; k++) {
		r = write_one(to, t, p);
		r = r < 0 ? r : is_there(to, t, p);
	}
	if (r < 0)
		return fail_tile(t, p->name, r, e);
	return r == 0 ? fail(e, -EIO, "tile %u-%u: %s reads back otherwise than written", t->x,
		t->y, p->name) : 0;
}

static int put_unseen(const struct target *to, const struct piece *p, struct error *e)
{
	int r = write_all(to, p);

	return r < 0 ? fail(e, r, "%s cannot be written: %s", p->name, strerror(-r)) : 0;
}

static int put(const struct target *to, const struct piece *p, struct error *e)
{
	int r = put_unseen(to, p, e);

	for (size_t i = 0; r == 0 && i < to->n; i++)
		r = check(to, &to->tiles[i], p, e);
	return r;
}

/* B's program but for the words that are the firmware's. */
static int put_programs(const struct target *to, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < KERNEL_IMAGES; i++) {
		const struct kernel_image *k = &kernel_images[i];
		const struct piece head = { "program", k->at, k->words, 4 };
		struct piece rest = { "program", k->at, k->words, k->n };

		if (k->chip != to->d->chip)
			continue;
		if (k->at == KERNEL_AT_B) {
			rest = (struct piece){ "program", 32, k->words + 8, k->n - 8 };
			r = put(to, &head, e);
		}
		if (r == 0)
			r = put(to, &rest, e);
	}
	return r;
}

/* A clean state, the loads, and orders with this magic number. */
static int put_orders(const struct target *to, const struct card_data *data, uint32_t magic,
	struct error *e)
{
	static const struct kernel_state nothing;
	static const struct kernel_traffic no_traffic;
	struct kernel_order order = data->order;
	const struct piece pieces[] = {
		{ "state", KERNEL_AT_STATE, (const uint32_t *)&nothing, sizeof(nothing) / 4 },
		{ "state of traffic", KERNEL_AT_TRAFFIC, (const uint32_t *)&no_traffic,
			sizeof(no_traffic) / 4 },
		{ "further loads", KERNEL_AT_LOADS, (const uint32_t *)&data->loads,
			sizeof(data->loads) / 4 },
		{ "orders", KERNEL_AT_ORDER, (const uint32_t *)&order, sizeof(order) / 4 },
	};
	int r = 0;

	order.magic = magic;
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(pieces); i++)
		r = put(to, &pieces[i], e);
	return r;
}

/* Until all tiles have summed up.  One that stands still meanwhile is read back. */
static void await_sums(const struct target *to)
{
	const size_t words = offsetof(struct kernel_state, t0_phase) / 4;
	int64_t until = clock_steady() + SUMMING;
	uint32_t heart = 0;
	size_t done = 0;

	while (done < to->n && clock_steady() < until) {
		struct kernel_state s = { 0 };

		if (device_read(to->d, on(&to->tiles[done], KERNEL_AT_STATE), (uint32_t *)&s,
			words) < 0)
			return;
		done += s.b_phase == KERNEL_DONE;
		if (s.b_phase == KERNEL_DONE || s.b_heart != heart)
			until = clock_steady() + SUMMING;
		else
			nanosleep(&(struct timespec){ .tv_nsec = CLOCK_MS }, NULL);
		heart = s.b_heart;
	}
}

/* 1 where a tile's sums are right. */
static int is_summed(const struct target *to, const struct card_tile *t,
	const struct card_data *data)
{
	struct kernel_state s;
	int r = device_read(to->d, on(t, KERNEL_AT_STATE), (uint32_t *)&s, sizeof(s) / 4);

	return r < 0 ? r : s.b_phase == KERNEL_DONE &&
		memcmp(s.b_sums, data->loads.all_sums, sizeof(s.b_sums)) == 0;
}

/*
 * Much of it for each tile, and a load over PCIe takes a microsecond: so each tile's
 * own core says what it has, and what is not right is read back.
 */
static int put_data(const struct target *to, const struct card_data *data, struct error *e)
{
	const struct piece pieces[] = {
		{ "weights", KERNEL_AT_WEIGHTS, data->weights, data->n_weights },
		{ "input", KERNEL_AT_INPUT, data->input, data->n_input },
		{ "golden blocks", KERNEL_AT_GOLDEN, data->golden, data->n_golden },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(pieces); i++)
		r = put_unseen(to, &pieces[i], e);
	r = r ? r : put_orders(to, data, KERNEL_MAGIC_SUMS, e);
	r = r ? r : card_start(to->d, to->tiles, to->n, e);
	if (r < 0)
		return r;
	await_sums(to);
	r = set_reset(to->d, to->tiles, to->n, HOLD_ALL, e);
	for (size_t i = 0; r == 0 && i < to->n; i++) {
		const struct card_tile *t = &to->tiles[i];

		r = is_summed(to, t, data);
		if (r < 0)
			return fail_tile(t, "state", r, e);
		for (size_t k = 0; r == 0 && k < ARRAY_LEN(pieces); k++)
			r = check(to, t, &pieces[k], e);
		r = r < 0 ? r : 0;
	}
	return r ? r : put_orders(to, data, data->order.magic, e);
}

static size_t longest(const struct card_data *data)
{
	size_t n = KERNEL_AT_OUT / 4;

	n = data->n_weights > n ? data->n_weights : n;
	n = data->n_input > n ? data->n_input : n;
	return data->n_golden > n ? data->n_golden : n;
}

int card_load(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	const struct card_data *data, struct error *e)
{
	struct target to = { .d = d, .tiles = tiles, .n = n, .whole = whole };
	int r = card_hold(d, tiles, n);

	if (r < 0)
		return fail(e, r, "the cores cannot be held: %s", strerror(-r));
	r = card_traffic_fill(d, data, e);
	if (r < 0)
		return r;
	to.back = mem_calloc(longest(data), 4);
	r = put_programs(&to, e);
	if (r == 0)
		r = put_data(&to, data, e);
	free(to.back);
	return r;
}

int card_start(struct device *d, const struct card_tile *tiles, size_t n, struct error *e)
{
	return set_reset(d, tiles, n, HOLD_BUT_B, e);
}

int card_hold(struct device *d, const struct card_tile *tiles, size_t n)
{
	return set_reset(d, tiles, n, HOLD_ALL, NULL);
}

int card_tell(struct device *d, const struct card_tile *tiles, size_t n, bool stop, uint32_t beat)
{
	uint64_t at = KERNEL_AT_ORDER + (stop ? offsetof(struct kernel_order, stop)
		: offsetof(struct kernel_order, beat));
	int first = 0;

	for (size_t i = 0; i < n; i++) {
		int r = device_write(d, on(&tiles[i], at), stop ? 1 : beat);

		first = first ? first : r;
	}
	return first;
}

int card_look(struct device *d, const struct card_tile *tile, struct kernel_state *state)
{
	return device_read(d, on(tile, KERNEL_AT_STATE), (uint32_t *)state, sizeof(*state) / 4);
}

int card_recheck(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t blocks, size_t *wrong)
{
	uint32_t *got = mem_calloc(KERNEL_BLOCK_WORDS, 4), last = blocks - 1;
	const uint32_t *want = data->golden +
		(size_t)(last % data->order.rows) * KERNEL_BLOCK_WORDS;
	int r = blocks == 0 ? -ENODATA : device_read(d, on(tile, KERNEL_AT_OUT +
		(last & 1) * KERNEL_BLOCK_BYTES), got, KERNEL_BLOCK_WORDS);

	*wrong = 0;
	for (size_t i = 0; r == 0 && i < KERNEL_BLOCK_WORDS; i++)
		*wrong += got[i] != want[i];
	free(got);
	return r;
}
