/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_load.c - load programs and data onto tiles, and exchange words with them.
 *
 * A multicast may lose words while the network is busy, so no write is trusted
 * until it was read back from each tile, or summed up there.
 */
#include "config.h"
#include "burnin/cores/card_load.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/firmware/images.h"
#include "burnin/memory/card_memory.h"
#include "device/kind.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SOFT_RESET 0xffb121b0
#define PAUSE	   (2 * CLOCK_MS)	/* between looks at cores that sum up: doubled each time */
#define PAUSE_MOST (50 * CLOCK_MS)
#define HOLD_ALL   0x47800	/* B, T0 to T2, NCRISC */
#define HOLD_BUT_B 0x47000
#define TRIES	   3
#define SUMMING	   (3 * CLOCK_SECOND)	/* without a sign of life from any core that sums up */
#define ROOM	   16384	/* words that are read back together, at least */

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
	uint32_t *back;		/* the words read back */
	size_t room;		/* its size in words */
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

/*
 * A Blackhole translates each corner to the place of its column in the network, and takes all
 * columns between them there.  Live columns have the same order there; the columns behind them
 * lead to dead ones anywhere.
 */
struct reg_rect card_rect(const struct card_tile *tiles, size_t n)
{
	struct reg_rect r = { tiles[0].x, tiles[0].y, tiles[0].x, tiles[0].y };

	for (size_t i = 1; i < n; i++) {
		r.x0 = tiles[i].x < r.x0 ? tiles[i].x : r.x0;
		r.y0 = tiles[i].y < r.y0 ? tiles[i].y : r.y0;
		r.x1 = tiles[i].x > r.x1 ? tiles[i].x : r.x1;
		r.y1 = tiles[i].y > r.y1 ? tiles[i].y : r.y1;
	}
	return r;
}

static int fail_tile(const struct card_tile *t, const char *what, int code, struct error *e)
{
	return fail(e, code, "tile %u-%u: %s: %s", t->x, t->y, what, device_strerror(code));
}

int card_check_ones(const struct card_tile *t, uint32_t word, struct error *e)
{
	return word != UINT32_MAX ? 0 : fail_as(e, CODE_HUNG, -EILSEQ, "tile %u-%u answers all "
		"ones: the chip does not answer any more", t->x, t->y);
}

static int write_to_all(struct device *d, const struct card_tile *tiles, size_t n, uint64_t addr,
	uint32_t word, size_t *failed)
{
	struct device_piece to[CARD_TILES] = { { .words = NULL } };

	for (size_t i = 0; i < n; i++)
		to[i] = (struct device_piece){ card_at(&tiles[i], addr), &word, 1 };
	return device_scatter(d, to, n, failed);
}

int card_read_pieces(struct device *d, const struct device_piece *pieces, size_t n, struct error *e)
{
	size_t at;
	int r = n > 0 ? device_gather(d, pieces, n, &at) : 0;

	return r < 0 ? fail(e, r, "core %u-%u cannot be read: %s", pieces[at].at.x,
		pieces[at].at.y, device_strerror(r)) : 0;
}

int card_read_tiles(struct device *d, const struct card_tile *tiles, size_t n, uint64_t addr,
	uint32_t *to, size_t words, struct error *e)
{
	struct device_piece pieces[CARD_TILES] = { { .n = 0 } };

	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct device_piece){ card_at(&tiles[i], addr), to + i * words,
			words };
	return card_read_pieces(d, pieces, n, e);
}

/* The value that these bits of a reset register must have.  A write may be lost: it is repeated. */
struct reset {
	uint32_t word, mask;
	const char *else_it;		/* the fault of a tile where it has another value */
};

static const struct reset held = { HOLD_ALL, HOLD_ALL, "its cores are not held when ordered" };
/* B releases the other cores by itself. */
static const struct reset released = { HOLD_BUT_B, HOLD_ALL & ~HOLD_BUT_B,
	"its cores stay held when let go" };

static bool is_set(uint32_t word, const struct reset *to)
{
	return (word & to->mask) == (to->word & to->mask);
}

/* Write to one tile only: on tiles that run already, cores would be held again. */
static int set_again(struct device *d, const struct card_tile *t, const struct reset *to,
	struct error *e)
{
	uint32_t word = ~to->word;
	int r = 0;

	for (int k = 1; r == 0 && k < TRIES && !is_set(word, to); k++) {
		r = device_write(d, card_at(t, SOFT_RESET), to->word);
		r = r ? r : device_read(d, card_at(t, SOFT_RESET), &word, 1);
	}
	if (r < 0)
		return fail_tile(t, "reset register", r, e);
	r = card_check_ones(t, word, e);
	return r || is_set(word, to) ? r : fail_as(e, CODE_CORE_MISLED, -EILSEQ, "tile %u-%u: %s "
		"(0x%08x)", t->x, t->y, to->else_it, word);
}

static int set_reset(struct device *d, const struct card_tile *tiles, size_t n,
	const struct reset *to, struct error *e)
{
	uint32_t words[CARD_TILES];
	size_t failed;
	int r = write_to_all(d, tiles, n, SOFT_RESET, to->word, &failed);

	if (r < 0)
		return fail_tile(&tiles[failed], "reset register", r, e);
	r = card_read_tiles(d, tiles, n, SOFT_RESET, words, 1, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = is_set(words[i], to) ? 0 : set_again(d, &tiles[i], to, e);
	return r;
}

static int write_one(const struct target *to, const struct card_tile *t, const struct piece *p)
{
	return device_write_block(to->d, card_at(t, p->at), p->words, p->n);
}

uint32_t card_name(const struct card_data *data, const struct card_tile *t)
{
	return data->name << 12 | (uint32_t)t->y << 6 | t->x;
}

bool card_is_named(const struct card_data *data, const struct card_tile *t,
	const struct kernel_state *s)
{
	return s->b_name == card_name(data, t) && s->b_place == (t->x | (uint32_t)t->y << 6);
}

bool card_take_trial(const struct card_data *data, const struct card_tile *t,
	struct kernel_state *s)
{
	const struct kernel_trial trial = kernel_trial_of(card_name(data, t));
	const uint32_t golden = data->golden[trial.word];
	const struct kernel_mismatch told = { 0, trial.word, golden ^ trial.bits, golden };

	/* If no golden word is known in advance, a core finds each word wrong. */
	if (data->is_open)
		return true;
	if (s->b_errors == 0 || memcmp(&s->mismatch[0], &told, sizeof(told)) != 0)
		return s->b_checked == 0;
	s->b_errors--;
	memmove(s->mismatch, s->mismatch + 1, sizeof(s->mismatch) - sizeof(told));
	return true;
}

bool card_take_trials(const struct card_data *data, const struct card_tile *t,
	struct kernel_traffic *k)
{
	const struct kernel_trial trial = kernel_trial_of(card_name(data, t));
	const uint32_t none = KERNEL_CHANNELS_MAX;
	const uint32_t at = KERNEL_DRAM_AT + 4 * (trial.word % KERNEL_TRIAL_WORDS);
	const uint32_t word = kernel_dram_word(data->loads.seed, none, at);
	const uint32_t sum = data->loads.sums[0], errors = k->channel[none].errors;
	const size_t n = errors < KERNEL_TRIALS ? errors : KERNEL_TRIALS;
	const struct kernel_wrong told[KERNEL_TRIALS] = {
		{ none << 8, at, word ^ trial.bits, word },
		{ none << 8, KERNEL_DRAM_OPERANDS, sum ^ trial.bits, sum },
	};
	const bool is_told = errors == KERNEL_TRIALS && memcmp(k->wrong, told, sizeof(told)) == 0;

	k->nc_errors -= errors < k->nc_errors ? errors : k->nc_errors;
	memmove(k->wrong, k->wrong + n, sizeof(k->wrong) - n * sizeof(k->wrong[0]));
	return is_told;
}

/* Read a piece back, and write it again while it is wrong. */
static int load_check(const struct target *to, const struct card_tile *t, const struct piece *p,
	struct error *e)
{
	bool is_there = false;
	int r = 0;

	for (int k = 0; r == 0 && !is_there && k < TRIES; k++) {
		if (k > 0)
			r = write_one(to, t, p);
		if (r == 0)
			r = device_read_block(to->d, card_at(t, p->at), to->back, p->n);
		is_there = r == 0 && memcmp(to->back, p->words, 4 * p->n) == 0;
	}
	if (r < 0)
		return fail_tile(t, p->name, r, e);
	return is_there ? 0 : fail_as(e, CODE_CORE_MISLED, -EIO, "tile %u-%u: %s reads back "
		"otherwise than written", t->x, t->y, p->name);
}

static int put_unseen(const struct target *to, const struct piece *p, struct error *e)
{
	int r = to->whole ? device_multicast(to->d, card_rect(to->tiles, to->n), p->at, p->words,
		p->n) : 0;

	for (size_t i = 0; !to->whole && r == 0 && i < to->n; i++)
		r = write_one(to, &to->tiles[i], p);
	return r < 0 ? fail(e, r, "%s cannot be written: %s", p->name, device_strerror(r)) : 0;
}

/* Write to all tiles at once; those that read back otherwise are corrected one by one. */
static int load_put(const struct target *to, const struct piece *p, struct error *e)
{
	const size_t most = to->room / p->n;
	bool wrong[CARD_TILES];
	int r = put_unseen(to, p, e);

	for (size_t i = 0, n; r == 0 && i < to->n; i += n) {
		n = to->n - i < most ? to->n - i : most;
		r = card_read_tiles(to->d, to->tiles + i, n, p->at, to->back, p->n, e);
		for (size_t k = 0; k < n; k++)
			wrong[i + k] = memcmp(to->back + k * p->n, p->words, 4 * p->n) != 0;
	}
	for (size_t i = 0; r == 0 && i < to->n; i++)
		r = wrong[i] ? load_check(to, &to->tiles[i], p, e) : 0;
	return r;
}

/* If two addresses lead to one tile, one reads the other's name.  Any other wrong word was lost. */
static int compare_names(const struct target *to, const uint32_t *names, bool *lost,
	struct error *e)
{
	*lost = false;
	for (size_t i = 0; i < to->n; i++) {
		const struct card_tile *t = &to->tiles[i];

		if (card_check_ones(t, to->back[i], e) < 0)
			return e->code;
		*lost = *lost || to->back[i] != names[i];
		for (size_t k = 0; k < to->n; k++)
			if (k != i && to->back[i] == names[k])
				return fail_as(e, CODE_CORE_MISLED, -EIO, "the addresses of tiles "
					"%u-%u and %u-%u lead to one tile", t->x, t->y,
					to->tiles[k].x, to->tiles[k].y);
	}
	return 0;
}

static int put_names(const struct target *to, const struct card_data *data, struct error *e)
{
	uint32_t names[CARD_TILES];
	bool lost = true;
	int r = 0;

	for (size_t i = 0; i < to->n; i++)
		names[i] = card_name(data, &to->tiles[i]);
	for (int k = 0; lost && k < TRIES; k++) {
		for (size_t i = 0; r == 0 && i < to->n; i++) {
			r = device_write(to->d, card_at(&to->tiles[i], KERNEL_AT_NAME), names[i]);
			if (r < 0)
				return fail_tile(&to->tiles[i], "name", r, e);
		}
		r = card_read_tiles(to->d, to->tiles, to->n, KERNEL_AT_NAME, to->back, 1, e);
		r = r ? r : compare_names(to, names, &lost, e);
		if (r < 0)
			return r;
	}
	return lost ? fail_as(e, CODE_CORE_MISLED, -EIO, "not every tile keeps the name that it is "
		"given") : 0;
}

/* Tell each tile whose spare memory it tests: that of the next tile, or its own if it is alone. */
static int put_peers(const struct target *to, const struct card_data *data, struct error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < to->n; i++) {
		const struct card_tile *peer = &to->tiles[(i + 1) % to->n];
		const uint32_t words[] = { peer->x | (uint32_t)peer->y << 6,
			card_name(data, peer) };
		const struct piece p = { "peer", KERNEL_AT_PEER, words, 2 };

		r = load_check(to, &to->tiles[i], &p, e);
	}
	return r;
}

/* Write all programs; that of B without the words that belong to the firmware. */
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
			r = load_put(to, &head, e);
		}
		if (r == 0)
			r = load_put(to, &rest, e);
	}
	return r;
}

/* Write a clean state, the loads, and orders with this magic number. */
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
		r = load_put(to, &pieces[i], e);
	return r;
}

/* Wait until all tiles have summed up.  The caller reads back those that stood still instead. */
static int await_sums(const struct target *to, struct kernel_state states[CARD_TILES],
	struct error *e)
{
	enum { LINE = 4 };
	int64_t until = clock_steady() + SUMMING;
	uint64_t before = 0, signs;
	long pause = PAUSE;
	size_t done = 0;

	while (done < to->n && clock_steady() < until) {
		int r = card_read_tiles(to->d, to->tiles, to->n, KERNEL_AT_STATE, to->back, LINE,
			e);

		if (r < 0)
			return r;
		signs = done = 0;
		for (size_t i = 0; i < to->n; i++) {
			const uint32_t *s = to->back + i * LINE;

			done += s[0] == KERNEL_DONE;
			signs += s[3] + (s[0] == KERNEL_DONE);
		}
		if (signs != before)
			until = clock_steady() + SUMMING;
		before = signs;
		if (done < to->n)
			nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
		pause = 2 * pause < PAUSE_MOST ? 2 * pause : PAUSE_MOST;
	}
	return card_read_tiles(to->d, to->tiles, to->n, KERNEL_AT_STATE, (uint32_t *)states,
		sizeof(*states) / 4, e);
}

static int check_names(const struct target *to, const struct card_data *data,
	const struct kernel_state *states, struct error *e)
{
	for (size_t i = 0; i < to->n; i++) {
		const struct card_tile *t = &to->tiles[i];
		const struct kernel_state *s = &states[i];

		if (s->b_phase != KERNEL_DONE || card_is_named(data, t, s))
			continue;
		if (s->b_name == card_name(data, t))
			return fail_as(e, CODE_CORE_MISLED, -EIO, "tile %u-%u reports that it is "
				"at %u-%u", t->x, t->y, s->b_place & 63, s->b_place >> 6 & 63);
		return fail_as(e, CODE_CORE_MISLED, -EIO, "tile %u-%u reports the name 0x%08x of "
			"%u-%u, not 0x%08x", t->x, t->y, s->b_name, s->b_name & 63,
			s->b_name >> 6 & 63, card_name(data, t));
	}
	return 0;
}

/* PCIe reads are slow, so each tile sums its data up; only data with a wrong sum is read back. */
static int put_data(const struct target *to, const struct card_data *data, struct error *e)
{
	const struct piece pieces[] = {
		{ "weights", KERNEL_AT_WEIGHTS, data->weights, data->n_weights },
		{ "input", KERNEL_AT_INPUT, data->input, data->n_input },
		{ "golden blocks", KERNEL_AT_GOLDEN, data->golden, data->n_golden },
	};
	struct kernel_state states[CARD_TILES];
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(pieces); i++)
		r = put_unseen(to, &pieces[i], e);
	r = r ? r : put_orders(to, data, KERNEL_MAGIC_SUMS, e);
	r = r ? r : card_start(to->d, to->tiles, to->n, e);
	r = r ? r : await_sums(to, states, e);
	r = r ? r : check_names(to, data, states, e);
	r = r ? r : card_hold(to->d, to->tiles, to->n, e);
	for (size_t i = 0; r == 0 && i < to->n; i++) {
		const bool is_right = states[i].b_phase == KERNEL_DONE && memcmp(states[i].b_sums,
			data->loads.all_sums, sizeof(states[i].b_sums)) == 0;

		for (size_t k = 0; r == 0 && !is_right && k < ARRAY_LEN(pieces); k++)
			r = load_check(to, &to->tiles[i], &pieces[k], e);
	}
	return r ? r : put_orders(to, data, data->order.magic, e);
}

/* Tiles' memory that this load leaves spare. */

/* The bytes before `at` are spare, from *end on, where the last thing ended; this one has some. */
static void pass_over(struct kernel_loads *l, uint32_t *end, uint32_t at, uint32_t bytes)
{
	const uint32_t from = (*end + KERNEL_BURST_STEP - 1) / KERNEL_BURST_STEP *
		KERNEL_BURST_STEP;

	if (at >= from + KERNEL_BURST_STEP && l->spares < KERNEL_SPARES) {
		l->spare[l->spares].at = from;
		l->spare[l->spares++].bytes = (at - from) / KERNEL_BURST_STEP * KERNEL_BURST_STEP;
	}
	*end = at + bytes;
}

void card_exchange_aim(struct card_data *data, enum device_chip chip)
{
	struct kernel_loads *l = &data->loads;
	const uint32_t copies = l->reload ? 2 : 1;
	uint32_t end = 0;

	l->spares = 0;
	for (size_t i = 0; i < KERNEL_IMAGES; i++) {
		if (kernel_images[i].chip != chip)
			continue;
		pass_over(l, &end, kernel_images[i].at, 4 * (uint32_t)kernel_images[i].n);
		if (kernel_images[i].at == KERNEL_AT_B)
			pass_over(l, &end, KERNEL_AT_ORDER, KERNEL_AT_T0 - KERNEL_AT_ORDER);
	}
	pass_over(l, &end, KERNEL_AT_BURSTS, KERNEL_AT_END - KERNEL_AT_BURSTS);
	pass_over(l, &end, KERNEL_AT_OUT, 2 * KERNEL_BLOCK_BYTES);
	pass_over(l, &end, KERNEL_AT_GOLDEN, data->order.rows * KERNEL_BLOCK_BYTES);
	pass_over(l, &end, KERNEL_AT_WEIGHTS, copies * l->weights);
	pass_over(l, &end, KERNEL_AT_INPUT, copies * l->input);
	pass_over(l, &end, kind_of(chip)->tensix_memory, 0);
}

uint32_t card_exchange_bytes(const struct kernel_loads *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->spares && i < KERNEL_SPARES; i++)
		n += l->spare[i].bytes;
	return n;
}

bool card_exchange_last(const struct kernel_loads *l, uint32_t name,
	const struct kernel_exchange *e, struct kernel_wrong *last)
{
	const uint32_t walk = e->bytes ? e->walks : e->walks - 1, all = card_exchange_bytes(l);
	uint32_t left = e->bytes ? e->bytes : all, i = 0;

	/* A core that is at fault may report anything. */
	if ((e->walks == 0 && e->bytes == 0) || left == 0 || left > all)
		return false;
	while (left > l->spare[i].bytes)
		left -= l->spare[i++].bytes;
	last->where = KERNEL_LEVEL_COMPLEMENT;
	last->at = l->spare[i].at + left - 4;
	last->want = ~kernel_spare_word(l->seed, name, walk, last->at);
	return true;
}

bool card_take_exchange_trial(const struct card_data *data, const struct card_tile *t,
	struct kernel_exchange *e)
{
	const struct kernel_loads *l = &data->loads;
	const struct kernel_trial trial = kernel_trial_of(card_name(data, t));
	const uint32_t first = l->spare[0].bytes < KERNEL_EXCHANGE_BYTES ? l->spare[0].bytes
		: KERNEL_EXCHANGE_BYTES;
	const uint32_t at = l->spare[0].at + 4 * (trial.word % (first / 4));
	struct kernel_wrong *w = e->wrong;

	if (e->walks == 0 && e->bytes == 0)
		return true;
	/* A word before it may be wrong, too. */
	if (e->errors > 1 && w->at != at)
		w++;
	if (e->errors == 0 || w->where != KERNEL_LEVEL_WORDS || w->at != at)
		return e->errors > 2 && e->errors--;
	w->got ^= trial.bits;
	if (w->got != w->want)
		return true;
	e->errors--;
	if (w == e->wrong && e->errors > 0)
		w[0] = w[1];
	return true;
}

/* The card's own memory: filled with words that differ from all others of their channel. */

_Static_assert((int)KERNEL_PORTS == KIND_PORTS, "endpoints of a channel");

#define FILL 4096	/* words of one write */
#define INVERSE 0x0e8b2f51u	/* of the step from word to word, modulo 2^32 */

static int traffic_check(const struct kernel_loads *l, struct error *e)
{
	if (l->channels == 0 && (l->bursts || l->reload))
		return fail_as(e, CODE_CHANNEL_SILENT, -EINVAL, "no channel of the card's memory "
			"is there to be read");
	return 0;
}

int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t enabled,
	uint32_t channels, struct error *e)
{
	const struct device_kind *k = kind_of(chip);
	struct kernel_loads *l = &data->loads;

	l->channels = 0;
	l->channel[KERNEL_CHANNELS_MAX][KERNEL_PORTS] = KERNEL_CHANNELS_MAX;
	for (uint32_t c = 0; c < k->n_dram && c < KERNEL_CHANNELS_MAX; c++) {
		uint16_t *slot = l->channel[l->channels];

		if (!((channels & enabled) >> c & 1))
			continue;
		for (unsigned p = 0; p < KERNEL_PORTS; p++) {
			struct reg_addr at = kind_dram(k, enabled, c,
				memory_kept_near(&data->kept, c, p), 0);

			slot[p] = (uint16_t)(at.x | at.y << 6);
		}
		slot[KERNEL_PORTS] = (uint16_t)c;
		l->channels++;
	}
	return traffic_check(l, e);
}

/* An address in a channel, by the coordinates of an endpoint. */
static struct reg_addr traffic_at(uint16_t endpoint, uint64_t at)
{
	return (struct reg_addr){ REG_NOC, endpoint & 63, endpoint >> 6 & 63, at };
}

/* Write, and wait until all has arrived, as memory_settle() does. */
static int traffic_put(struct device *d, const uint16_t *channel, uint64_t at,
	const uint32_t *words, size_t n, struct error *e)
{
	uint32_t word;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i += FILL)
		r = device_write_block(d, traffic_at(channel[0], at + 4 * i), words + i,
			n - i < FILL ? n - i : FILL);
	for (unsigned p = 0; r == 0 && p < KERNEL_PORTS; p++)
		r = device_read(d, traffic_at(channel[p], at + 4 * (n - 1)), &word, 1);
	return r < 0 ? fail(e, r, "memory channel %u: cannot be written: %s",
		channel[KERNEL_PORTS], device_strerror(r)) : 0;
}

/* Write the random words that the bursts read, in both halves. */
static int fill_words(struct device *d, const struct card_data *data, const uint16_t *channel,
	uint32_t *words, struct error *e)
{
	int r = 0;

	for (uint32_t half = 0; r == 0 && half < 2; half++) {
		uint32_t from = KERNEL_DRAM_AT + half * KERNEL_DRAM_HALF;

		for (uint32_t i = 0; i < KERNEL_DRAM_SIZE / 4; i++)
			words[i] = kernel_dram_word(data->loads.seed, channel[KERNEL_PORTS],
				from + 4 * i);
		r = traffic_put(d, channel, from, words, KERNEL_DRAM_SIZE / 4, e);
	}
	return r;
}

/* Write the operands that the cores reload. */
static int fill_operands(struct device *d, const struct card_data *data, const uint16_t *channel,
	struct error *e)
{
	const uint64_t at = KERNEL_DRAM_OPERANDS;
	int r = traffic_put(d, channel, at, data->weights, data->n_weights, e);

	return r ? r : traffic_put(d, channel, at + 4 * data->n_weights, data->input,
		data->n_input, e);
}

/*
 * Fill the memory that the bursts and reloads of this work read.  Nothing is read back:
 * the tiles will find words that a channel does not keep.
 */
static int traffic_fill(struct device *d, const struct card_data *data, struct error *e)
{
	uint32_t *words = mem_calloc(KERNEL_DRAM_SIZE / 4, 4);
	int r = traffic_check(&data->loads, e);

	for (uint32_t i = 0; r == 0 && i < data->loads.channels; i++) {
		const uint16_t *channel = data->loads.channel[i];

		if (data->loads.bursts)
			r = fill_words(d, data, channel, words, e);
		if (r == 0 && data->loads.reload)
			r = fill_operands(d, data, channel, e);
	}
	free(words);
	return r;
}

bool card_traffic_find(uint32_t seed, uint32_t channel, uint32_t word, uint64_t *addr)
{
	*addr = 4 * (uint64_t)((word - kernel_dram_word(seed, channel, 0)) * INVERSE);
	return *addr <= UINT32_MAX;
}

static size_t longest(const struct card_data *data)
{
	size_t n = KERNEL_AT_OUT / 4 > ROOM ? KERNEL_AT_OUT / 4 : ROOM;

	n = data->n_weights > n ? data->n_weights : n;
	n = data->n_input > n ? data->n_input : n;
	return data->n_golden > n ? data->n_golden : n;
}

int card_load(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	bool programs, const struct card_data *data, struct error *e)
{
	struct target to = { .d = d, .tiles = tiles, .n = n, .whole = whole };
	struct error why;
	int r = card_hold(d, tiles, n, &why);

	if (r < 0)
		return fail_because(e, r, &why, "the cores cannot be held: %s", why.text);
	r = traffic_fill(d, data, e);
	if (r < 0)
		return r;
	to.room = longest(data);
	to.back = mem_calloc(to.room, 4);
	r = put_names(&to, data, e);
	if (r == 0 && data->loads.spares > 0)
		r = put_peers(&to, data, e);
	if (r == 0 && programs)
		r = put_programs(&to, e);
	if (r == 0)
		r = put_data(&to, data, e);
	free(to.back);
	return r;
}

int card_start(struct device *d, const struct card_tile *tiles, size_t n, struct error *e)
{
	return set_reset(d, tiles, n, &released, e);
}

int card_hold(struct device *d, const struct card_tile *tiles, size_t n, struct error *e)
{
	return set_reset(d, tiles, n, &held, e);
}

int card_tell(struct device *d, const struct card_tile *tiles, size_t n, bool stop, uint32_t beat)
{
	uint64_t at = KERNEL_AT_ORDER + (stop ? offsetof(struct kernel_order, stop)
		: offsetof(struct kernel_order, beat));
	size_t failed;

	return write_to_all(d, tiles, n, at, stop ? 1 : beat, &failed);
}

int card_read_block(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t block, uint32_t words[KERNEL_BLOCK_WORDS])
{
	const uint32_t stamp = kernel_stamp(card_name(data, tile), block);
	int r;

	memset(words, 0, KERNEL_BLOCK_BYTES);
	r = device_read_block(d, card_at(tile, KERNEL_AT_OUT + (block & 1) * KERNEL_BLOCK_BYTES),
		words, KERNEL_BLOCK_WORDS);
	for (size_t i = 0; i < KERNEL_BLOCK_WORDS; i += KERNEL_STAMP_STEP)
		words[i] ^= stamp;
	return r;
}

int card_recheck(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t blocks, size_t *wrong, size_t *misread)
{
	uint32_t *got = mem_calloc(2 * KERNEL_BLOCK_WORDS, 4), *again = got + KERNEL_BLOCK_WORDS;
	const uint32_t *want = data->golden +
		(size_t)((blocks - 1) % data->order.rows) * KERNEL_BLOCK_WORDS;
	int r = blocks == 0 ? -ENODATA : card_read_block(d, tile, data, blocks - 1, got);

	*wrong = *misread = 0;
	r = r ? r : memory_compare(got, want, KERNEL_BLOCK_WORDS, card_name(data, tile), wrong);
	if (r == 0 && *wrong > 0) {
		r = card_read_block(d, tile, data, blocks - 1, again);
		*wrong = memory_differ(again, want, KERNEL_BLOCK_WORDS);
		for (size_t i = 0; i < KERNEL_BLOCK_WORDS; i++)
			*misread += again[i] == want[i] && got[i] != want[i];
	}
	free(got);
	return r;
}
