/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel on the cores of simulated chips, where TTSIM_WH and TTSIM_BH name the
 * simulator's libraries: exact in every mode and on all tiles, each fault
 * found and laid to the right tile and word.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/cores/card_load.h"
#include "burnin/firmware/images.h"
#include "device/bus.h"
#include "device/kind.h"
#include "tests/rig/count_words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define PATIENCE (300 * CLOCK_SECOND)	/* for a run: the simulator is slow */

#define READ_MOST 6000		/* words of a tile in a load: programs and orders */

static const struct card_work conv = { .seed = 42, .taps = 3, .depth = 1, .rows = 2, .repeats = 1,
	.phases = 4, .passes = 1 };

static struct card_data make(const struct card_work *w)
{
	struct card_data d;
	struct error e = { 0 };

	if (card_data_make(w, &d, &e) < 0)
		fail_msg("%s", e.text);
	return d;
}

static struct bus *open_bus(const char *library)
{
	const struct bus_config c = { .ttsim = library };
	struct bus *bus = NULL;
	struct error e = { 0 };

	if (bus_open(&c, &bus, &e) < 0 ||
		device_acquire_for(&bus->dev[0], ACCESS_BURN, DEVICE_ACTIVE, &e) < 0)
		fail_msg("%s: %s", library, e.text);
	return bus;
}

static uint32_t word(struct device *d, const struct card_tile *t, uint32_t addr)
{
	uint32_t w = 0;

	assert_int_equal(device_read(d, (struct reg_addr){ REG_NOC, t->x, t->y, addr }, &w, 1), 0);
	return w;
}

static const char *libraries[2];
static size_t n_libraries;

struct run {
	struct bus *bus;
	struct device *d;
	struct card_tile tiles[CARD_TILES];
	size_t n;
	struct card_data data;
	struct kernel_state state;
};

/* All tiles, or some from the middle on. */
static void begin(struct run *r, const char *library, const struct card_work *w, size_t tiles)
{
	struct error e = { 0 };
	struct count_words *words;
	bool all;

	r->bus = open_bus(library);
	r->d = &r->bus->dev[0];
	r->n = card_tiles(r->d->chip, 0, r->tiles);
	r->data = make(w);
	all = tiles >= r->n;
	if (!all) {
		memmove(r->tiles, r->tiles + r->n / 2, tiles * sizeof(r->tiles[0]));
		r->n = tiles;
	}
	words = count_words_begin(r->d);
	if (card_load(r->d, r->tiles, r->n, all, true, &r->data, &e) < 0)
		fail_msg("%s", e.text);
	/* The cores have summed up what they got, and nobody had to read it. */
	if (!all)
		assert_true(words->read < r->n * READ_MOST);
}

static void start(struct run *r)
{
	struct error e = { 0 };

	if (card_start(r->d, r->tiles, r->n, &e) < 0)
		fail_msg("%s", e.text);
}

static int read_state(const struct run *r, size_t tile, struct kernel_state *state)
{
	const struct card_tile *t = &r->tiles[tile];

	int code = device_read(r->d, (struct reg_addr){ REG_NOC, t->x, t->y, KERNEL_AT_STATE },
		(uint32_t *)state, sizeof(*state) / 4);

	assert_true(code < 0 || state->b_phase != KERNEL_DONE ||
		card_take_trial(&r->data, t, state));
	if (code == 0 && state->b_phase != KERNEL_DONE)
		card_take_trial(&r->data, t, state);
	return code;
}

static void look(struct run *r, size_t tile)
{
	int code = read_state(r, tile, &r->state);
	struct error e = { 0 };

	if (code < 0) {
		device_release(r->d);
		device_acquire(r->d, &e);
		fail_msg("tile %u-%u: %d %s", r->tiles[tile].x, r->tiles[tile].y, code, e.text);
	}
}

static void await(struct run *r)
{
	int64_t until = clock_steady() + PATIENCE;

	for (size_t i = 0; i < r->n; i++)
		for (;;) {
			look(r, i);
			if (r->state.b_phase == KERNEL_DONE)
				break;
			if (clock_steady() > until)
				fail_msg("tile %u-%u: b %u (%u checked), t0 %u (%u passes), t1 %u"
					" (%u), t2 %u (%u)", r->tiles[i].x, r->tiles[i].y,
					r->state.b_phase, r->state.b_checked, r->state.t0_phase,
					r->state.t0_passes, r->state.t1_phase, r->state.t1_blocks,
					r->state.t2_phase, r->state.t2_packed);
			nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
		}
}

static void end(struct run *r)
{
	card_hold(r->d, r->tiles, r->n, NULL);
	card_data_clear(&r->data);
	bus_close(r->bus);
}

static void run(struct run *r, const char *library, const struct card_work *w, size_t tiles)
{
	begin(r, library, w, tiles);
	start(r);
	await(r);
}

static void test_exact(void **state)
{
	static const struct card_work works[] = {
		{ .seed = 1, .taps = 3, .depth = 2, .rows = 4, .repeats = 3, .phases = 1 },
		{ .seed = 2, .taps = 3, .depth = 2, .rows = 4, .repeats = 3, .phases = 2 },
		{ .seed = 3, .taps = 3, .depth = 2, .rows = 4, .repeats = 3, .phases = 4 },
		{ .seed = 4, .taps = 1, .depth = 4, .rows = 8, .repeats = 5, .phases = 4 },
		{ .seed = 5, .taps = 1, .depth = 1, .rows = 16, .repeats = 1, .phases = 1 },
		{ .seed = 6, .taps = 3, .depth = 1, .rows = 4, .repeats = 3, .phases = 1,
			.held = true },
	};

	(void)state;
	for (size_t l = 0; l < n_libraries; l++)
		for (size_t i = 0; i < ARRAY_LEN(works); i++) {
			struct card_work w = works[i];
			struct run r;
			size_t wrong, misread;

			w.passes = 2;
			run(&r, libraries[l], &w, 1);
			assert_int_equal(r.state.b_checked, 2 * w.rows);
			assert_int_equal(r.state.t1_blocks, 2 * w.rows);
			if (r.state.b_errors)
				fail_msg("work %zu: %u wrong words; word %u of block %u is %08x, "
					"not %08x", i, r.state.b_errors,
					r.state.mismatch[0].word, r.state.mismatch[0].block,
					r.state.mismatch[0].got, r.state.mismatch[0].want);
			assert_int_equal(r.state.t0_end, KERNEL_PASSED);
			assert_int_equal(card_recheck(r.d, &r.tiles[0], &r.data,
				r.state.b_checked, &wrong, &misread), 0);
			assert_int_equal(wrong + misread, 0);
			end(&r);
		}
}

static const struct transport_ops *plain;
static bool is_spoilt;

static int read_once_wrong(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	const int r = (plain->read_block ? plain->read_block : plain->read)(d, at, words, n);

	words[n / 2] ^= !is_spoilt;
	is_spoilt = true;
	return r;
}

/* The host blames a core only for words that are wrong when they are read again. */
static void test_host_misreads(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct transport_ops once;
		size_t wrong, misread;
		struct run r;

		run(&r, libraries[l], &conv, 1);
		plain = r.d->ops;
		once = *plain;
		once.read_block = read_once_wrong;
		r.d->ops = &once;
		is_spoilt = false;
		assert_int_equal(card_recheck(r.d, &r.tiles[0], &r.data, r.state.b_checked,
			&wrong, &misread), 0);
		assert_int_equal(wrong, 0);
		assert_int_equal(misread, 1);
		r.d->ops = plain;
		end(&r);
	}
}

static void test_all_tiles(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct run r;

		run(&r, libraries[l], &conv, CARD_TILES);
		assert_true(r.n == 80 || r.n == 140);
		for (size_t i = 0; i < r.n; i++) {
			look(&r, i);
			assert_int_equal(r.state.b_checked, 2);
			assert_int_equal(r.state.b_errors, 0);
		}
		end(&r);
	}
}

static void flip(struct run *r, size_t tile, uint32_t at, unsigned bit)
{
	struct reg_addr a = { REG_NOC, r->tiles[tile].x, r->tiles[tile].y, at };
	uint32_t w = word(r->d, &r->tiles[tile], at);

	assert_int_equal(device_write(r->d, a, w ^ 1u << bit), 0);
}

/* The fault of one tile is that tile's alone. */
static void check_others(struct run *r, size_t struck)
{
	for (size_t i = 0; i < r->n; i++) {
		look(r, i);
		if (i != struck && (r->state.b_errors || r->state.b_checked < r->data.order.rows))
			fail_msg("tile %u-%u: %u blocks, %u wrong words", r->tiles[i].x,
				r->tiles[i].y, r->state.b_checked, r->state.b_errors);
	}
	look(r, struck);
}

/* Of all tiles, one has one bit wrong in what it compares with. */
static void test_golden_flip(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct run r;
		size_t struck;
		uint32_t want;

		begin(&r, libraries[l], &conv, CARD_TILES);
		struck = r.n / 3;
		want = r.data.golden[4096 + 1234];
		flip(&r, struck, KERNEL_AT_GOLDEN + KERNEL_BLOCK_BYTES + 4 * 1234, 13);
		start(&r);
		await(&r);
		check_others(&r, struck);
		assert_int_equal(r.state.b_errors, 1);
		assert_int_equal(r.state.mismatch[0].block, 1);
		assert_int_equal(r.state.mismatch[0].word, 1234);
		assert_int_equal(r.state.mismatch[0].got, want);
		assert_int_equal(r.state.mismatch[0].want, want ^ 1 << 13);
		end(&r);
	}
}

/* One bit of an operand: found, in the words that it reaches and no others. */
static void test_operand_flips(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct run r;

		/* A weight of output channel 5: that channel, in pixels of both rows. */
		begin(&r, libraries[l], &conv, 3);
		flip(&r, 1, KERNEL_AT_WEIGHTS + 2 * (4 * 256 + 3 * 16 + 4), 16);
		start(&r);
		await(&r);
		check_others(&r, 1);
		assert_true(r.state.b_errors > 60 && r.state.b_errors <= 128);
		for (size_t i = 0; i < KERNEL_MISMATCHES; i++)
			assert_int_equal(r.state.mismatch[i].word % 16 +
				r.state.mismatch[i].word / 1024 * 16, 5);
		end(&r);

		/* An input pixel: at most the 9 pixels around it, in all channels. */
		begin(&r, libraries[l], &conv, 3);
		flip(&r, 2, KERNEL_AT_INPUT + 2 * 16 * (66 + 10), 0);
		start(&r);
		await(&r);
		check_others(&r, 2);
		assert_true(r.state.b_errors > 64 && r.state.b_errors <= 9 * 64);
		for (size_t i = 0; i < KERNEL_MISMATCHES; i++)
			assert_in_range(r.state.mismatch[i].word % 1024 / 16, 8, 10);
		end(&r);
	}
}

static void test_stop(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;

		w.passes = 0;
		begin(&r, libraries[l], &w, 1);
		start(&r);
		do
			look(&r, 0);
		while (r.state.b_checked < 4);
		assert_int_equal(card_tell(r.d, r.tiles, r.n, true, 0), 0);
		await(&r);
		assert_int_equal(r.state.t0_end, KERNEL_STOPPED);
		assert_int_equal(r.state.b_errors, 0);
		assert_int_equal(r.state.b_checked, r.state.t0_passes * w.rows);
		end(&r);
	}
}

static void put_word(struct run *r, size_t tile, uint32_t at, uint32_t word)
{
	assert_int_equal(device_write(r->d, (struct reg_addr){ REG_NOC, r->tiles[tile].x,
		r->tiles[tile].y, at }, word), 0);
}

/* An order of the host to one tile, which was loaded already. */
static void set_order(struct run *r, size_t tile, size_t member, uint32_t value)
{
	put_word(r, tile, KERNEL_AT_ORDER + (uint32_t)member, value);
}

/*
 * The host says nothing more: all tiles end by themselves, and well.  In pulses, so that
 * the simulator's clock goes on faster.
 */
static void test_deadman(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;

		w.passes = 0;
		w.taps = w.rows = 1;
		begin(&r, libraries[l], &w, CARD_TILES);
		for (size_t i = 0; i < r.n; i++) {
			set_order(&r, i, offsetof(struct kernel_order, deadman), 2);
			set_order(&r, i, offsetof(struct kernel_order, pulse), 9);
		}
		start(&r);
		await(&r);
		for (size_t i = 0; i < r.n; i++) {
			look(&r, i);
			assert_int_equal(r.state.t0_end, KERNEL_HOST_GONE);
			assert_int_equal(r.state.b_errors, 0);
			assert_int_equal(r.state.t1_throttled, 0);
			assert_int_equal(r.state.b_checked, r.state.t0_passes * w.rows);
		}
		end(&r);
	}
}

/* The simulator with a fault between it and us. */
static const char *wrap(const char *library, const char *fault)
{
	static char path[256];
	const char *built = getenv("top_builddir");

	setenv("TTSIM_REAL", library, 1);
	setenv("TTSIM_FAULT", fault, 1);
	snprintf(path, sizeof(path), "%s/tests/rig/wrap_ttsim.so", built ? built : ".");
	return path;
}

/* The firmware asks for less power: obeyed, counted, and as exact. */
static void test_throttle(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct run r;

		begin(&r, wrap(libraries[l], "throttle"), &conv, CARD_TILES);
		r.n = 1;
		r.tiles[0] = (struct card_tile){ 4, 5 };
		start(&r);
		await(&r);
		assert_true(r.state.t1_throttled > 0);
		assert_int_equal(r.state.b_errors, 0);
		assert_int_equal(r.state.b_checked, conv.rows);
		end(&r);
	}
}

/* One tile of four stops for good: its heart stands still, the others go on. */
static void test_stopped_tile(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		int64_t until = clock_steady() + PATIENCE;
		struct kernel_state before[4];
		struct run r;

		w.passes = 0;
		begin(&r, wrap(libraries[l], "stop@3"), &w, CARD_TILES);
		r.n = 4;
		for (uint8_t i = 0; i < 4; i++)
			r.tiles[i] = (struct card_tile){ (uint8_t)(i + 1), 5 };
		start(&r);
		do {
			assert_true(clock_steady() < until);
			for (size_t i = 0; i < 4; i++)
				assert_int_equal(read_state(&r, i, &before[i]), 0);
			for (size_t i = 0; i < 3; i++)
				do
					look(&r, i);
				while (r.state.b_checked < before[i].b_checked + 2 &&
					clock_steady() < until);
			look(&r, 3);
		} while (before[3].b_phase != KERNEL_RUNS ||
			r.state.b_heart != before[3].b_heart);
		assert_int_equal(r.state.b_errors, 0);
		assert_int_equal(r.state.b_phase, KERNEL_RUNS);
		/* The others, told to stop, end well. */
		assert_int_equal(card_tell(r.d, r.tiles, 3, true, 0), 0);
		r.n = 3;
		await(&r);
		check_others(&r, 0);
		assert_int_equal(r.state.b_errors, 0);
		end(&r);
	}
}

/* Three tiles around tile 4-5, which is the middle one. */
static void begin_three(struct run *r, const char *library, const struct card_work *w)
{
	begin(r, library, w, CARD_TILES);
	r->n = 3;
	for (uint8_t i = 0; i < 3; i++)
		r->tiles[i] = (struct card_tile){ 4, (uint8_t)(4 + i) };
	if (r->d->chip == DEVICE_WORMHOLE)
		r->tiles[2].y = 3;	/* row 6 is none of compute tiles */
}

/* One bit of an output, after it was written and before it is compared. */
static void test_output_flip(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		int64_t until = clock_steady() + PATIENCE;
		const struct kernel_mismatch *m;
		uint32_t want;
		struct run r;

		w.passes = 0;
		begin_three(&r, wrap(libraries[l], "output@4001"), &w);
		start(&r);
		do
			look(&r, 1);
		while (r.state.b_errors == 0 && clock_steady() < until);
		assert_int_equal(card_tell(r.d, r.tiles, r.n, true, 0), 0);
		await(&r);
		check_others(&r, 1);
		m = &r.state.mismatch[0];
		want = r.data.golden[m->block % 2 * KERNEL_BLOCK_WORDS + 4001];
		assert_int_equal(r.state.b_errors, 1);
		assert_int_equal(m->word, 4001);
		assert_int_equal(m->want, want);
		assert_int_equal(m->got, want ^ 1 << 7);
		end(&r);
	}
}

/* Cycles that T1 took for all products. */
static uint64_t cycles(const struct kernel_state *s)
{
	return ((uint64_t)s->t1_clock_high << 32 | s->t1_clock) -
		((uint64_t)s->t1_first_high << 32 | s->t1_first);
}

/*
 * One tile is slower than others: its own counters show that, and why.  No more blocks than
 * have room before they are compared, as the simulator counts no cycles for a product.
 */
static void test_slow_tile(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;
		uint64_t slow;

		w.rows = 4;
		begin_three(&r, wrap(libraries[l], "slow"), &w);
		start(&r);
		await(&r);
		check_others(&r, 1);
		slow = cycles(&r.state);
		assert_true(r.state.t1_throttled > 0);
		assert_int_equal(r.state.b_errors, 0);
		for (size_t i = 0; i < r.n; i += 2) {
			look(&r, i);
			assert_int_equal(r.state.t1_throttled, 0);
			assert_true(slow > 2 * cycles(&r.state));
		}
		end(&r);
	}
}

/* A tile that cannot keep the program is named, and nothing is started. */
static void test_image(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct bus *bus = open_bus(wrap(libraries[l], "image"));
		struct card_tile t[CARD_TILES];
		size_t n = card_tiles(bus->dev[0].chip, 0, t);
		struct card_data data = make(&conv);
		struct error e = { 0 };

		assert_int_equal(card_load(&bus->dev[0], t, n, true, true, &data, &e), -EIO);
		assert_string_equal(e.text, "tile 4-5: program reads back otherwise than written");
		for (size_t i = 0; i < n; i++)
			assert_int_equal(word(&bus->dev[0], &t[i], 0xffb121b0), 0x47800);
		card_data_clear(&data);
		bus_close(bus);
	}
}

/* Every channel of the card's memory. */
#define ALL_CHANNELS 0xff

static void begin_loads(struct run *r, const char *library, const struct card_work *w,
	uint32_t channels, size_t tiles)
{
	struct error e = { 0 };

	r->bus = open_bus(library);
	r->d = &r->bus->dev[0];
	r->n = card_tiles(r->d->chip, 0, r->tiles);
	memmove(r->tiles, r->tiles + r->n / 2, tiles * sizeof(r->tiles[0]));
	r->n = tiles;
	r->data = make(w);
	card_exchange_aim(&r->data, r->d->chip);
	if (card_traffic_aim(&r->data, r->d->chip, UINT32_MAX, channels, &e) < 0 ||
		card_load(r->d, r->tiles, r->n, false, true, &r->data, &e) < 0)
		fail_msg("%s", e.text);
}

static struct kernel_traffic traffic(struct run *r, size_t tile)
{
	struct kernel_traffic t;

	const struct reg_addr at = { REG_NOC, r->tiles[tile].x, r->tiles[tile].y,
		KERNEL_AT_TRAFFIC };

	assert_int_equal(device_read(r->d, at, (uint32_t *)&t, sizeof(t) / 4), 0);
	assert_true(card_take_trials(&r->data, &r->tiles[tile], &t) || t.nc_phase != KERNEL_DONE);
	return t;
}

static size_t channels_of(const struct run *r)
{
	return r->d->chip == DEVICE_BLACKHOLE ? 8 : 6;
}

/* Until a tile has read each channel of the mask so often. */
static void await_bursts(struct run *r, uint32_t mask, uint32_t bursts)
{
	int64_t until = clock_steady() + PATIENCE;
	bool enough;

	do {
		enough = true;
		for (size_t i = 0; i < r->n; i++) {
			struct kernel_traffic t = traffic(r, i);

			for (size_t c = 0; c < channels_of(r); c++)
				enough &= !(mask >> c & 1) || t.channel[c].bursts >= bursts;
		}
		if (clock_steady() > until)
			fail_msg("the memory is not read");
	} while (!enough);
}

/* All end well, NC too. */
static void stop_all(struct run *r)
{
	int64_t until = clock_steady() + PATIENCE;

	assert_int_equal(card_tell(r->d, r->tiles, r->n, true, 0), 0);
	await(r);
	for (size_t i = 0; i < r->n; i++)
		while (traffic(r, i).nc_phase != KERNEL_DONE)
			assert_true(clock_steady() < until);
}

/* The words of every live channel are right, and no other channel is read. */
static void test_bursts(void **state)
{
	const uint32_t mask = ALL_CHANNELS & ~(1u << 1);

	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;

		w.passes = 0;
		w.bursts = true;
		begin_loads(&r, libraries[l], &w, mask, 3);
		start(&r);
		await_bursts(&r, mask, 7);
		stop_all(&r);
		for (size_t i = 0; i < r.n; i++) {
			struct kernel_traffic t = traffic(&r, i);

			look(&r, i);
			assert_int_equal(r.state.b_errors, 0);
			assert_int_equal(t.nc_errors, 0);
			assert_int_equal(t.nc_tries, 0);
			for (size_t c = 0; c < KERNEL_CHANNELS_MAX; c++) {
				bool live = c < channels_of(&r) && c != 1;

				assert_int_equal(t.channel[c].bursts >= 7, live);
				assert_int_equal(t.channel[c].words > 0, live);
				assert_int_equal(t.channel[c].errors, 0);
			}
		}
		end(&r);
	}
}

/* So many blocks more. */
static void await_checked(struct run *r, uint32_t blocks)
{
	int64_t until = clock_steady() + PATIENCE;

	look(r, 0);
	for (uint32_t from = r->state.b_checked; r->state.b_checked < from + blocks; look(r, 0))
		assert_true(clock_steady() < until);
}

/* The memory is verified between one product and another, not before all or after. */
static void test_bursts_beside_products(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		int64_t until = clock_steady() + PATIENCE;
		struct card_work w = conv;
		struct run r;
		uint64_t words = 0, sum = 0;
		uint32_t blocks;

		w.passes = 0;
		w.bursts = true;
		begin_loads(&r, libraries[l], &w, ALL_CHANNELS, 1);
		start(&r);
		await_checked(&r, 1);
		blocks = r.state.t1_blocks;
		for (size_t c = 0; c < channels_of(&r); c++)
			words += traffic(&r, 0).channel[c].words;
		while (sum < words + 16384 || r.state.t1_blocks < blocks + 4) {
			assert_true(clock_steady() < until);
			sum = 0;
			for (size_t c = 0; c < channels_of(&r); c++)
				sum += traffic(&r, 0).channel[c].words;
			look(&r, 0);
			assert_int_equal(r.state.t0_phase, KERNEL_RUNS);
		}
		print_message("# %llu bytes were verified while %llu products were made\n",
			(unsigned long long)(4 * (sum - words)), (unsigned long long)
			((r.state.t1_blocks - blocks) * r.data.mvmuls));
		stop_all(&r);
		assert_int_equal(traffic(&r, 0).nc_errors, 0);
		end(&r);
	}
}

/* Byte 3 of each word of a channel's first part is that of 64 bytes before. */
static void shift_lane(struct run *r, uint32_t channel)
{
	static uint32_t words[4096];
	const uint16_t *at = r->data.loads.channel[channel];
	uint32_t seed = r->data.loads.seed;

	for (uint32_t from = KERNEL_DRAM_AT; from < KERNEL_DRAM_AT + KERNEL_DRAM_SIZE;
		from += sizeof(words)) {
		for (uint32_t i = 0; i < ARRAY_LEN(words); i++)
			words[i] = (kernel_dram_word(seed, channel, from + 4 * i) & 0xffffff) |
				(kernel_dram_word(seed, channel, from + 4 * i - 64) & 0xff000000);
		assert_int_equal(device_write_block(r->d, (struct reg_addr){ REG_NOC,
			at[0] & 63, (uint8_t)(at[0] >> 6), from }, words, ARRAY_LEN(words)), 0);
	}
}

/* The fault of the field: one lane of one channel brings old bytes.  Channel and lane are told. */
static void test_bad_lane(void **state)
{
	const uint32_t bad = 2;

	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;

		w.passes = 0;
		w.bursts = true;
		begin_loads(&r, libraries[l], &w, ALL_CHANNELS, 2);
		shift_lane(&r, bad);
		start(&r);
		await_bursts(&r, ALL_CHANNELS & ((1u << channels_of(&r)) - 1), 9);
		stop_all(&r);
		for (size_t i = 0; i < r.n; i++) {
			struct kernel_traffic t = traffic(&r, i);
			const struct kernel_wrong *first = &t.wrong[0];

			for (size_t c = 0; c < KERNEL_CHANNELS_MAX; c++)
				assert_int_equal(t.channel[c].errors > 0, c == bad);
			assert_int_equal(t.nc_errors, t.channel[bad].errors);
			assert_true(t.channel[bad].bits >> 24);
			assert_int_equal(t.channel[bad].bits & 0xffffff, 0);
			assert_int_equal(first->where >> 8, bad);
			assert_int_equal(first->want, kernel_dram_word(r.data.loads.seed, bad,
				first->at));
			assert_int_equal(first->got >> 24, kernel_dram_word(r.data.loads.seed, bad,
				first->at - 64) >> 24);
			look(&r, i);
			assert_int_equal(r.state.b_errors, 0);
		}
		end(&r);
	}
}

static void await_loads(struct run *r, uint32_t loads)
{
	int64_t until = clock_steady() + PATIENCE;

	while (traffic(r, 0).t0_loads < loads)
		if (clock_steady() > until)
			fail_msg("operands: %u tried, %u good, %u in use", traffic(r, 0).nc_tries,
				traffic(r, 0).nc_loads, traffic(r, 0).t0_loads);
}

/* The operands come from each channel in turn, and the products stay exact. */
static void test_reload(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;
		size_t n;

		w.passes = 0;
		w.reload = 1;
		begin_loads(&r, libraries[l], &w, ALL_CHANNELS, 1);
		n = channels_of(&r);
		start(&r);
		await_loads(&r, (uint32_t)n + 1);
		stop_all(&r);
		assert_int_equal(r.state.b_errors, 0);
		assert_int_equal(traffic(&r, 0).nc_errors, 0);
		for (size_t c = 0; c < n; c++)
			assert_true(traffic(&r, 0).channel[c].words >=
				r.data.n_weights + r.data.n_input);
		end(&r);

		/* Once more: the first copy may be spoilt then, the one that came is in use. */
		w.reload = 1000000;
		begin_loads(&r, libraries[l], &w, ALL_CHANNELS, 1);
		start(&r);
		await_loads(&r, 1);
		await_checked(&r, 6);
		flip(&r, 0, KERNEL_AT_WEIGHTS, 16);
		await_checked(&r, 6);
		assert_int_equal(r.state.b_errors, 0);
		flip(&r, 0, KERNEL_AT_WEIGHTS + r.data.loads.weights, 16);
		await_checked(&r, 6);
		assert_true(r.state.b_errors > 0);
		stop_all(&r);
		end(&r);
	}
}

/* One bit of the operands is wrong in one channel: the channel is blamed, no product is wrong. */
static void test_reload_bad(void **state)
{
	const uint32_t bad = 3;

	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct kernel_traffic t;
		const uint16_t *at;
		struct run r;

		w.passes = 0;
		w.reload = 1;
		begin_loads(&r, libraries[l], &w, ALL_CHANNELS, 1);
		at = r.data.loads.channel[bad];
		assert_int_equal(device_write(r.d, (struct reg_addr){ REG_NOC, at[0] & 63,
			(uint8_t)(at[0] >> 6), KERNEL_DRAM_OPERANDS + 4 * 777 },
			r.data.weights[777] ^ 1 << 21), 0);
		start(&r);
		await_loads(&r, (uint32_t)channels_of(&r));
		stop_all(&r);
		t = traffic(&r, 0);
		assert_int_equal(r.state.b_errors, 0);
		assert_true(t.nc_loads < t.nc_tries);
		assert_int_equal(t.nc_errors, t.nc_tries - t.nc_loads);
		for (size_t c = 0; c < KERNEL_CHANNELS_MAX; c++)
			assert_int_equal(t.channel[c].errors > 0, c == bad);
		assert_int_equal(t.channel[bad].bits, 1 << 21);
		assert_int_equal(t.wrong[0].where >> 8, bad);
		assert_int_equal(t.wrong[0].at, KERNEL_DRAM_OPERANDS + 4 * 777);
		assert_int_equal(t.wrong[0].got, r.data.weights[777] ^ 1 << 21);
		assert_int_equal(t.wrong[0].want, r.data.weights[777]);
		end(&r);
	}
}

/* All loads at once, in either shape of the products: none disturbs another. */
static void test_all_loads(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++)
		for (uint32_t taps = 1; taps <= 3; taps += 2) {
			struct card_work w = { .seed = 9, .taps = taps, .depth = 2, .rows = 3,
				.repeats = 3, .phases = 4, .bursts = true, .reload = 2,
				.vector = 2 };
			struct run r;

			begin_loads(&r, libraries[l], &w, ALL_CHANNELS, 3);
			start(&r);
			await_bursts(&r, (1u << channels_of(&r)) - 1, 3);
			await_loads(&r, 3);
			stop_all(&r);
			for (size_t i = 0; i < r.n; i++) {
				struct kernel_traffic t = traffic(&r, i);

				look(&r, i);
				assert_int_equal(r.state.b_errors, 0);
				assert_int_equal(t.nc_errors, 0);
				assert_int_equal(t.nc_loads, t.nc_tries);
				assert_int_equal(r.state.t2_vector, 2 * r.state.b_checked);
			}
			end(&r);
		}
}

/* A constant of the vector unit in T2's program. */
static uint32_t vector_constant(enum device_chip chip)
{
	const uint32_t load = 0x71u << 24 | 7 << 20 | KERNEL_TERM_1, want = load << 2 | load >> 30;

	for (size_t i = 0; i < KERNEL_IMAGES; i++)
		for (size_t n = 0; kernel_images[i].chip == chip &&
			kernel_images[i].at == KERNEL_AT_T2 && n < kernel_images[i].n; n++)
			if (kernel_images[i].words[n] == want)
				return KERNEL_AT_T2 + 4 * (uint32_t)n;
	fail_msg("T2's program has no such constant");
	return 0;
}

/* The vector unit works on each block, and one that is wrong on one tile makes words wrong, but for
 * a few on which it comes out the same. */
static void test_vector(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;

		w.vector = 3;
		w.passes = 2;
		begin(&r, libraries[l], &w, 3);
		start(&r);
		await(&r);
		check_others(&r, 0);
		assert_int_equal(r.state.b_errors, 0);
		assert_int_equal(r.state.t2_vector, 3 * r.state.b_checked);
		end(&r);

		begin(&r, libraries[l], &w, 3);
		flip(&r, 1, vector_constant(r.d->chip), 9);
		start(&r);
		await(&r);
		check_others(&r, 1);
		assert_in_range(r.state.b_errors, 4090 * r.state.b_checked,
			4096 * r.state.b_checked);
		end(&r);
	}
}

/* Each word of T2's program that is an instruction of the vector unit, but for the one that has
 * all lanes take part: they do so already, unless somebody had them left out. */
static size_t vector_words(enum device_chip chip, uint32_t at[CARD_TILES])
{
	size_t found = 0;

	for (size_t i = 0; i < KERNEL_IMAGES; i++)
		for (size_t n = 0; kernel_images[i].chip == chip &&
			kernel_images[i].at == KERNEL_AT_T2 && n < kernel_images[i].n; n++) {
			const uint32_t word = kernel_images[i].words[n];
			const uint32_t code = (word >> 2 | word << 30) >> 24;

			if ((word & 3) != 3 && code >= 0x70 && code <= 0x99 && code != 0x8a)
				at[found++] = KERNEL_AT_T2 + 4 * (uint32_t)n;
		}
	return found;
}

/* On each tile another instruction of the vector unit does nothing, on one they all do nothing:
 * no block of these is right, and those of the tile behind them all are. */
static void test_vector_left_out(void **state)
{
	const uint32_t nop = 0x02u << 26;

	(void)state;
	for (size_t l = 0; l < n_libraries; l++)
		for (uint32_t sweeps = 1; sweeps <= 2; sweeps++) {
			struct card_work w = conv;
			uint32_t at[CARD_TILES];
			struct run r;
			size_t n;

			w.vector = sweeps;
			begin(&r, libraries[l], &w, CARD_TILES);
			n = vector_words(r.d->chip, at);
			assert_int_equal(n, 4 + 4 + 24 + 4);
			r.n = n + 2;
			for (size_t i = 0; i < n; i++) {
				put_word(&r, i, at[i], nop);
				put_word(&r, n, at[i], nop);
			}
			start(&r);
			await(&r);
			for (size_t i = 0; i < r.n; i++) {
				look(&r, i);
				if ((r.state.b_errors > 0) != (i <= n))
					fail_msg("%u sweeps, instruction %zu: %u wrong words",
						sweeps, i, r.state.b_errors);
			}
			end(&r);
		}
}

/* Passes begin where the clock is a multiple: fewer of them in the same time, as exact. */
static void test_pulse(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		struct card_work w = conv;
		struct run r;

		w.passes = 4;
		begin(&r, libraries[l], &w, 1);
		set_order(&r, 0, offsetof(struct kernel_order, pulse), 18);
		start(&r);
		await(&r);
		assert_true(cycles(&r.state) >= 3 << 18);
		assert_int_equal(r.state.b_checked, 4 * w.rows);
		assert_int_equal(r.state.b_errors, 0);
		end(&r);
	}
}

/* The clock behind a few passes on one tile, with this order of when they begin. */
static uint64_t clock_after(const char *library, uint32_t pulse)
{
	struct card_work w = conv;
	struct run r;

	w.passes = 4;
	begin(&r, library, &w, 1);
	set_order(&r, 0, offsetof(struct kernel_order, pulse), pulse);
	start(&r);
	await(&r);
	assert_int_equal(r.state.b_checked, 4 * w.rows);
	assert_int_equal(r.state.b_errors, 0);
	end(&r);
	return (uint64_t)r.state.t1_clock_high << 32 | r.state.t1_clock;
}

/*
 * A ramp of two windows: nothing in the first one, which begins with the clock, and as much as in
 * a steady load in the second one.
 */
static void test_ramp(void **state)
{
	(void)state;
	for (size_t l = 0; l < n_libraries; l++) {
		const uint64_t steady = clock_after(libraries[l], 0);
		uint64_t ramp;
		uint32_t window = 8;

		while (1ULL << window < 2 * steady)
			window++;
		ramp = clock_after(libraries[l], 2 << KERNEL_RAMP_AT | window);
		assert_true(ramp > 1ULL << window && ramp < (1ULL << window) + 2 * steady);
	}
}

/* Until each tile has begun this walk. */
static void await_walk(struct run *r, uint32_t walk)
{
	int64_t until = clock_steady() + PATIENCE;

	for (size_t k = 0; k < r->n;) {
		const struct kernel_exchange e = traffic(r, k).exchange;

		assert_true(clock_steady() < until);
		k += e.walks >= walk && e.bytes > 0;
	}
}

/* Each tile tests all spare memory of the next one, or its own, and nothing else of it. */
static void test_exchange(void **state)
{
	struct card_work w = conv;

	(void)state;
	w.passes = 0;
	for (size_t i = 0; i < 2 * n_libraries; i++) {
		uint32_t end_of_memory;
		struct run r;

		begin_loads(&r, libraries[i / 2], &w, 0, 1 + i % 2);
		end_of_memory = kind_of(r.d->chip)->tensix_memory;
		start(&r);
		await_walk(&r, 1);
		/* A bit that changes after it was compared is found by the next walk. */
		if (r.n == 1) {
			flip(&r, 0, end_of_memory - 4, 7);
			await_walk(&r, 2);
		}
		stop_all(&r);
		for (size_t k = 0; k < r.n; k++) {
			const struct card_tile *peer = &r.tiles[(k + 1) % r.n];
			struct kernel_exchange e = traffic(&r, k).exchange;
			struct kernel_wrong last;

			look(&r, k);
			assert_int_equal(r.state.b_errors, 0);
			assert_int_equal(e.errors, r.n == 1 ? 2 : 1);
			assert_true(card_take_exchange_trial(&r.data, &r.tiles[k], &e));
			assert_int_equal(e.errors, r.n == 1 ? 1 : 0);
			if (r.n == 1) {
				assert_int_equal(e.wrong[0].where, KERNEL_LEVEL_KEPT);
				assert_int_equal(e.wrong[0].at, end_of_memory - 4);
				assert_int_equal(e.wrong[0].got ^ e.wrong[0].want, 1 << 7);
			}
			assert_true(card_exchange_last(&r.data.loads,
				card_name(&r.data, &r.tiles[k]), &e, &last));
			assert_int_equal(device_read(r.d, card_at(peer, last.at), &last.got, 1), 0);
			assert_int_equal(last.got, last.want);
		}
		end(&r);
	}
}

int main(void)
{
	static const char *const names[] = { "TTSIM_WH", "TTSIM_BH" };
	const struct CMUnitTest tests[] = {
		{ "exact in each mode and fidelity", test_exact, NULL, NULL, NULL },
		{ "exact on all tiles at once", test_all_tiles, NULL, NULL, NULL },
		{ "the host may misread a block", test_host_misreads, NULL, NULL, NULL },
		{ "a golden bit that is wrong on one tile of all is found there alone", test_golden_flip,
			NULL, NULL, NULL },
		{ "a flipped bit of an operand is found in the words that it reaches",
			test_operand_flips, NULL, NULL, NULL },
		{ "a flipped bit of an output is found in its word", test_output_flip, NULL, NULL,
			NULL },
		{ "an endless run stops when told", test_stop, NULL, NULL, NULL },
		{ "all tiles end by themselves when the host is silent", test_deadman, NULL, NULL, NULL },
		{ "the firmware's wish for less power is obeyed and counted", test_throttle, NULL, NULL,
			NULL },
		{ "a tile that stops shows as one whose heart stands still", test_stopped_tile, NULL,
			NULL, NULL },
		{ "a slow tile shows it by its own counters, and says why", test_slow_tile, NULL, NULL, NULL },
		{ "a tile that cannot keep the program is named and nothing runs", test_image, NULL,
			NULL, NULL },
		{ "the card's memory is read and right, and a channel left out is not read",
			test_bursts, NULL, NULL, NULL },
		{ "the card's memory is verified while products are made",
			test_bursts_beside_products, NULL, NULL, NULL },
		{ "a lane of a channel that brings old bytes is told by channel and lane",
			test_bad_lane, NULL, NULL, NULL },
		{ "operands come from each channel in turn, and are used", test_reload, NULL, NULL,
			NULL },
		{ "a channel that spoils the operands is blamed, and no product is wrong",
			test_reload_bad, NULL, NULL, NULL },
		{ "all loads at once, and none disturbs another", test_all_loads, NULL, NULL, NULL },
		{ "each tile tests all spare memory of the next one", test_exchange, NULL, NULL,
			NULL },
		{ "the vector unit works on each block, and its faults are found", test_vector, NULL,
			NULL, NULL },
		{ "an instruction of the vector unit that does nothing makes wrong blocks",
			test_vector_left_out, NULL, NULL, NULL },
		{ "pulses begin with the clock", test_pulse, NULL, NULL, NULL },
		{ "a ramp rests in its first window and works throughout its last one", test_ramp,
			NULL, NULL, NULL },
	};

	/* A busy machine is no fault. */
	setenv("TT_SMI_TTSIM_PATIENCE", "100", 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *path = getenv(names[i]);

		if (path && *path)
			libraries[n_libraries++] = path;
	}
	if (n_libraries == 0) {
		puts("1..0 # SKIP TTSIM_WH and TTSIM_BH name no simulator");
		return 0;
	}
	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
