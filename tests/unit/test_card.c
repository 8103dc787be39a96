/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The burn on a card's own cores, up to the transport: operands and golden
 * blocks, which tiles, loading that believes nothing.  What the kernel does
 * with all that is test_kernel.c's.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/cores/card_load.h"
#include "burnin/firmware/images.h"
#include "device/bus.h"
#include "device/kind.h"
#include "tests/rig/count_words.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/tt-smi-card.XXXXXX";

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

/* The fake simulator under a name that says what it does. */
static struct bus *open_fake(const char *name)
{
	const char *built = getenv("top_builddir");
	char path[128], command[512];

	snprintf(path, sizeof(path), "%s/%s.so", folder, name);
	snprintf(command, sizeof(command), "cp '%s/tests/rig/fake_ttsim.so' '%s'",
		built ? built : ".", path);
	assert_int_equal(system(command), 0);
	return open_bus(path);
}

static float value(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static float half(const uint32_t *words, size_t i)
{
	return value(words[i / 2] << (i % 2 ? 0 : 16) & 0xffff0000);
}

/* Of the weights of even repeats, or of odd ones. */
static float weight(const struct card_data *d, bool odd, size_t i)
{
	return half(d->weights + (odd ? d->n_weights / 2 : 0), i);
}

/* What a repeat adds to an output, by the definition of a convolution, in double. */
static double expect(const struct card_data *d, bool odd, uint32_t row, uint32_t pixel,
	uint32_t out)
{
	const struct kernel_order *o = &d->order;
	double sum = 0;

	for (uint32_t c = 0; c < o->depth * 16; c++)
		for (uint32_t y = 0; y < o->taps; y++)
			for (uint32_t x = 0; x < o->taps; x++) {
				size_t step = (c / 16 * o->taps + y) * o->taps + x;
				size_t w = (step * 4 + out / 16) * 256 + c % 16 * 16 + out % 16;
				size_t in = ((c / 16 * o->height + row + y) * o->width + pixel + x)
					* 16 + c % 16;

				sum += (double)weight(d, odd, w) * (double)half(d->input, in);
			}
	return sum;
}

static void test_golden(void **state)
{
	static const struct card_work works[] = {
		{ .seed = 1, .taps = 3, .depth = 1, .rows = 2, .repeats = 1, .phases = 1 },
		{ .seed = 2, .taps = 3, .depth = 4, .rows = 1, .repeats = 3, .phases = 4 },
		{ .seed = 3, .taps = 1, .depth = 2, .rows = 16, .repeats = 1, .phases = 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(works); i++) {
		struct card_data d = make(&works[i]);

		for (uint32_t n = 0; n < 500; n++) {
			uint32_t row = n % d.order.rows, p = n * 7 % 64, c = n * 13 % 64;
			size_t at = row * KERNEL_BLOCK_WORDS + c / 16 * 1024 + p * 16 + c % 16;
			double want = (d.order.repeats / 2 + 1) * expect(&d, false, row, p, c) +
				d.order.repeats / 2 * expect(&d, true, row, p, c);

			if ((double)value(d.golden[at]) != want)
				fail_msg("work %zu, row %u, %u %u: %g, not %g", i, row, p, c,
					(double)value(d.golden[at]), want);
		}
		card_data_clear(&d);
	}
}

enum { EIGHT = 8, SIDE = 16 };	/* pixels and channels of one product */

static bool is_zero(double v)
{
	return fpclassify(v) == FP_ZERO;
}

/* The bits that a phase multiplies: 5 and 3 of a weight, 7 and 1 of an input. */
static double bits_of(float v, int low_bits, bool low)
{
	int exponent;
	double unit, high;

	frexp((double)v, &exponent);
	unit = ldexp(1, exponent - 8 + low_bits);
	high = trunc((double)v / unit) * unit;
	return low ? (double)v - high : high;
}

static size_t weight_at(uint32_t step, uint32_t in, uint32_t out)
{
	return ((size_t)step * 4 + out / SIDE) * 256 + in * SIDE + out % SIDE;
}

static size_t input_at(const struct kernel_order *o, uint32_t step, uint32_t row, uint32_t pixel)
{
	const uint32_t area = o->taps * o->taps, y = step % area / o->taps, x = step % o->taps;

	return (((size_t)step / area * o->height + row + y) * o->width + pixel + x) * SIDE;
}

/* Channels and pixels of a step by outputs, in one phase. */
static void product(const struct card_data *d, bool odd, uint32_t step, uint32_t phase,
	uint32_t nth, double out[EIGHT * SIDE])
{
	for (uint32_t i = 0; i < EIGHT * SIDE; i++) {
		const size_t in = input_at(&d->order, step, 0, nth % 8 * EIGHT + i / SIDE);

		out[i] = 0;
		for (uint32_t c = 0; c < SIDE; c++)
			out[i] += bits_of(weight(d, odd, weight_at(step, c, nth / 8 * SIDE +
				i % SIDE)), 3, phase & 1) *
				bits_of(half(d->input, in + c), 1, phase & 2);
	}
}

/* Left out of some even repeats and some odd ones: only what is proportional can cancel out. */
static bool can_cancel(const double even[EIGHT * SIDE], const double odd[EIGHT * SIDE])
{
	uint32_t k = 0;

	while (k < EIGHT * SIDE && is_zero(even[k]) && is_zero(odd[k]))
		k++;
	for (uint32_t i = k; i < EIGHT * SIDE; i++)
		if (!is_zero(even[k] * odd[i] - odd[k] * even[i]))
			return false;
	return true;
}

static bool is_nothing(const double out[EIGHT * SIDE])
{
	for (uint32_t i = 0; i < EIGHT * SIDE; i++)
		if (!is_zero(out[i]))
			return false;
	return true;
}

/* Of the border of a convolution's input are zeros made. */
static void no_number_of_lost_products_cancels_out(void **state)
{
	static const struct card_work works[] = {
		{ .seed = 1, .taps = 3, .depth = 4, .rows = 2, .repeats = 33, .phases = 4 },
		{ .seed = 2, .taps = 1, .depth = 4, .rows = 2, .repeats = 297, .phases = 4 },
		{ .seed = 3, .taps = 3, .depth = 4, .rows = 2, .repeats = 33, .phases = 2 },
		{ .seed = 4, .taps = 1, .depth = 4, .rows = 2, .repeats = 297, .phases = 1 },
	};
	double even[EIGHT * SIDE], odd[EIGHT * SIDE];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(works); i++) {
		struct card_data d = make(&works[i]);
		const uint32_t steps = works[i].taps * works[i].taps * works[i].depth;
		size_t blind = 0, all = steps * works[i].phases * KERNEL_STEP_MVMULS;

		for (size_t n = 0; n < all; n++) {
			const uint32_t nth = (uint32_t)(n % KERNEL_STEP_MVMULS);
			const uint32_t phase = (uint32_t)(n / KERNEL_STEP_MVMULS %
				works[i].phases);
			const uint32_t step = (uint32_t)(n / KERNEL_STEP_MVMULS / works[i].phases);

			product(&d, false, step, phase, nth, even);
			product(&d, true, step, phase, nth, odd);
			blind += is_nothing(even);
			if (!is_nothing(even) && can_cancel(even, odd))
				fail_msg("work %zu: step %u, phase %u, product %u cancels out", i,
					step, phase, nth);
		}
		assert_int_equal(blind, works[i].taps == 3 ? all / 3 : 0);
		card_data_clear(&d);
	}
}

enum { FRACTION = 10 };	/* bits of a phase's product below its exponent */

/* The exponent of the least bit of an exact sum of operands' products. */
static int least_bit(double v)
{
	int exponent;

	v = frexp(v, &exponent);
	for (; fabs(v - rint(v)) > 0; v *= 2)
		exponent--;
	return exponent;
}

/*
 * One result as the matrix unit makes it, product by product.  It aligns the products of a phase
 * to the largest exponent among them, and adds them to a sum of 24 bits: nothing may be lost in
 * either.  Returns the sum, or fails.  Which of the 16 are aligned together does not matter.  A
 * Wormhole makes a sum of -1 in the last place wrong: no phase may add enough to lead there.
 */
static double sum_phases(const struct card_data *d, uint32_t row, uint32_t pixel, uint32_t out)
{
	static const int below[4] = { 0, 5, 7, 12 };	/* exponents of phases */
	const uint32_t steps = d->order.taps * d->order.taps * d->order.depth;
	double sum = 0, most = 0;
	int least = 1000;

	for (uint32_t n = 0; n < d->order.repeats * steps * d->order.phases; n++) {
		const uint32_t phase = n % d->order.phases, step = n / d->order.phases % steps;
		const bool odd = n / d->order.phases / steps % 2;
		const size_t in = input_at(&d->order, step, row, pixel);
		int top = -1000, exponent[2], frame;
		double added = 0, products[SIDE];

		for (uint32_t i = 0; i < SIDE; i++) {
			const float a = weight(d, odd, weight_at(step, i, out));
			const float b = half(d->input, in + i);

			products[i] = bits_of(a, 3, phase & 1) * bits_of(b, 1, phase & 2);
			frexp((double)a, &exponent[0]);
			frexp((double)b, &exponent[1]);
			if (fabsf(a) > 0 && fabsf(b) > 0 && exponent[0] + exponent[1] - 2 > top)
				top = exponent[0] + exponent[1] - 2;
			added += products[i];
		}
		top -= below[phase];
		for (uint32_t i = 0; i < SIDE; i++) {
			const int bit = is_zero(products[i]) ? 1000 : least_bit(products[i]);

			least = bit < least ? bit : least;
			if (bit < top - FRACTION)
				fail_msg("step %u, phase %u: product %u is rounded", step, phase,
					i);
		}
		frexp(sum, &exponent[0]);
		frame = (!is_zero(sum) && exponent[0] - 1 > top ? exponent[0] - 1 : top) - 23;
		sum += added;
		frexp(sum, &exponent[0]);
		if (!is_zero(sum) && least_bit(sum) < (exponent[0] - 24 > frame ?
			exponent[0] - 24 : frame))
			fail_msg("step %u, phase %u: a sum is rounded", step, phase);
		most = fmax(most, fabs(added));
	}
	if (most >= ldexp(1, least + 23))
		fail_msg("a phase adds %g, where 1 is 2^%d", most, least);
	return sum;
}

/* The blocks of a burn on cards and on simulated chips; fewer phases leave some bits out. */
static const struct burnt {
	struct card_work work;
	uint32_t toggled[CARD_PARTS];
} burnt[] = {
	{ { .taps = 3, .depth = 4, .rows = 4, .repeats = 33, .phases = 1 },
		{ 0xfff8, 0xfffe, 0xffffffff } },
	{ { .taps = 3, .depth = 4, .rows = 4, .repeats = 33, .phases = 2 },
		{ 0xffff, 0xfffe, 0xffffffff } },
	{ { .taps = 3, .depth = 4, .rows = 4, .repeats = 33, .phases = 4 },
		{ 0xffff, 0xffff, 0xffffffff } },
	{ { .taps = 1, .depth = 4, .rows = 4, .repeats = 297, .phases = 1 },
		{ 0xfff8, 0xfffe, 0xffffffff } },
	{ { .taps = 1, .depth = 4, .rows = 4, .repeats = 297, .phases = 2 },
		{ 0xffff, 0xfffe, 0xffffffff } },
	{ { .taps = 1, .depth = 4, .rows = 4, .repeats = 297, .phases = 4 },
		{ 0xffff, 0xffff, 0xffffffff } },
	{ { .taps = 3, .depth = 1, .rows = 2, .repeats = 1, .phases = 4 },
		{ 0xffff, 0xffff, 0xffffffff } },
	{ { .taps = 1, .depth = 4, .rows = 2, .repeats = 1, .phases = 4 },
		{ 0xffff, 0xffff, 0xffffffff } },
	/* Two steps, of which none may add 2^23 units. */
	{ { .taps = 1, .depth = 2, .rows = 2, .repeats = 1, .phases = 4 },
		{ 0xffff, 0xffff, 0xfffffffe } },
	{ { .taps = 3, .depth = 4, .rows = 4, .repeats = 33, .phases = 4, .vector = 1 },
		{ 0xffff, 0xffff, 0xffffffff } },
	{ { .taps = 1, .depth = 4, .rows = 4, .repeats = 297, .phases = 1, .vector = 1 },
		{ 0xfff8, 0xfffe, 0xffffffff } },
};

static void no_sum_of_a_phase_is_rounded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(burnt); i++) {
		struct card_work w = burnt[i].work;
		struct card_data d;

		w.vector = 0;
		w.seed = 100 + i;
		d = make(&w);
		for (uint32_t n = 0; n < (w.repeats == 1 ? 2000 : 40); n++) {
			const uint32_t row = n % w.rows, p = n * 7 % 64, c = n * 13 % 64;
			const double sum = sum_phases(&d, row, p, c);

			assert_true(is_zero(sum - (double)value(d.golden[row * KERNEL_BLOCK_WORDS +
				c / 16 * 1024 + p * 16 + c % 16])));
		}
		card_data_clear(&d);
	}
}

static void all_bits_that_are_multiplied_toggle(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(burnt) * 8; i++) {
		const struct burnt *b = &burnt[i % ARRAY_LEN(burnt)];
		struct card_work w = b->work;
		struct card_bits bits[CARD_PARTS] = { 0 };
		struct card_data d;
		size_t zeros = 0;

		w.seed = i;
		d = make(&w);
		card_data_add_bits(&d, bits);
		for (enum card_part part = 0; part < CARD_PARTS; part++)
			if ((bits[part].zeros & bits[part].ones) != b->toggled[part])
				fail_msg("work %td, seed %zu: 0x%x of part %u", b - burnt, i,
					bits[part].zeros & bits[part].ones, part);
		for (size_t k = 0; k < d.n_golden; k++) {
			zeros += d.golden[k] == 0;
			assert_int_not_equal(d.golden[k], 0x80000000);
		}
		assert_true(w.vector || zeros >= KERNEL_CHANNELS);
		/* Operands are 0, too, not only all inputs of one result. */
		zeros = 0;
		for (size_t k = 0; k < 2 * d.n_weights; k++)
			zeros += is_zero((double)half(d.weights, k));
		assert_true(zeros > 0 && zeros < d.n_weights / 50);
		card_data_clear(&d);
	}
}

static void a_block_that_is_too_long_is_refused(void **state)
{
	struct card_work w = { .seed = 1, .taps = 1, .depth = 4, .rows = 1, .repeats = 297,
		.phases = 4, .vector = 1 };
	struct card_data d;
	struct error e;

	(void)state;
	assert_int_equal(card_data_make(&w, &d, &e), 0);
	card_data_clear(&d);
	for (w.repeats = 24999; w.repeats < 1u << 30; w.repeats = w.repeats * 8 + 1)
		assert_int_equal(card_data_make(&w, &d, &e), -ERANGE);
}

static void test_seeds(void **state)
{
	struct card_work other = conv;
	struct card_data a = make(&conv), b = make(&conv), c;

	(void)state;
	other.seed++;
	c = make(&other);
	assert_memory_equal(a.golden, b.golden, 4 * a.n_golden);
	assert_memory_not_equal(a.golden, c.golden, 4 * a.n_golden);
	/* Rows differ, so a block of the wrong row is seen. */
	assert_memory_not_equal(a.golden, a.golden + KERNEL_BLOCK_WORDS, KERNEL_BLOCK_BYTES);
	card_data_clear(&a);
	card_data_clear(&b);
	card_data_clear(&c);
}

static void test_no_such_work(void **state)
{
	const struct card_work bad[] = {
		{ .taps = 2, .depth = 1, .rows = 1, .repeats = 1, .phases = 1 },
		{ .taps = 3, .depth = 5, .rows = 1, .repeats = 1, .phases = 1 },
		{ .taps = 3, .depth = 1, .rows = 17, .repeats = 1, .phases = 1 },
		{ .taps = 3, .depth = 1, .rows = 1, .repeats = 2, .phases = 1 },
		{ .taps = 3, .depth = 1, .rows = 1, .repeats = 1, .phases = 3 },
		{ .taps = 3, .depth = 1, .rows = 1, .repeats = 1, .phases = 1, .held = true,
			.reload = 1 },
	};
	const struct card_work rounded = { .seed = 1, .taps = 3, .depth = 4, .rows = 1,
		.repeats = 301, .phases = 4, .held = true };
	struct card_data d;
	struct error e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(card_data_make(&bad[i], &d, &e), -EINVAL);
	assert_int_equal(card_data_make(&rounded, &d, &e), -ERANGE);
}

static void test_tiles(void **state)
{
	struct card_tile t[CARD_TILES];

	(void)state;
	assert_int_equal(card_tiles(DEVICE_WORMHOLE, 0, t), 80);
	assert_int_equal(card_tiles(DEVICE_WORMHOLE, 1 << 11, t), 72);
	for (size_t i = 0; i < 72; i++)
		assert_true(t[i].y != 11 && t[i].x != 5 && t[i].y != 6);
	assert_int_equal(card_tiles(DEVICE_BLACKHOLE, 0, t), 140);
	assert_int_equal(card_tiles(DEVICE_BLACKHOLE, 1 << 15 | 1 << 16, t), 120);
	for (size_t i = 0; i < 120; i++)
		assert_true(t[i].x < 15 && t[i].x != 8 && t[i].x != 9 && t[i].y >= 2);
	assert_int_equal(card_tiles(DEVICE_GRAYSKULL, 0, t), 0);
}

/* Nothing that is written lies where the firmware writes, and nothing over something else. */
/* No two bits of words that follow each other cancel out, as two of the highest did. */
static void no_two_wrong_bits_keep_the_sums(void **state)
{
	enum { WORDS = 24, BITS = 32 * WORDS };
	uint32_t words[WORDS], right[2] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < WORDS; i++) {
		words[i] = i * 0x85ebca6b;
		kernel_sum(right, words[i]);
	}
	for (uint32_t a = 0; a < BITS; a++)
		for (uint32_t b = a; b < BITS; b++) {
			uint32_t sums[2] = { 0 };

			for (uint32_t i = 0; i < WORDS; i++)
				kernel_sum(sums, words[i] ^ (a / 32 == i ? 1u << a % 32 : 0) ^
					(b / 32 == i && b != a ? 1u << b % 32 : 0));
			if (sums[0] == right[0] && sums[1] == right[1])
				fail_msg("bits %u and %u", a, b);
		}
}

static void test_images(void **state)
{
	(void)state;
	for (size_t i = 0; i < KERNEL_IMAGES; i++) {
		const struct kernel_image *k = &kernel_images[i];
		uint32_t end = k->at + 4 * (uint32_t)k->n;

		assert_true(k->n > 16 && end <= KERNEL_AT_OUT);
		if (k->at == KERNEL_AT_B) {
			assert_true(end <= KERNEL_AT_ORDER);
			/* j over the firmware's words, which hold no code. */
			assert_int_equal(k->words[0], 0x0200006f);
		}
		for (size_t n = 0; n < KERNEL_IMAGES; n++)
			if (kernel_images[n].chip == k->chip && kernel_images[n].at > k->at)
				assert_true(end <= kernel_images[n].at);
	}
	assert_int_equal(strlen(kernel_source_hash), 64);
}

static uint32_t word(struct device *d, const struct card_tile *t, uint32_t addr)
{
	uint32_t w = 0;

	assert_int_equal(device_read(d, (struct reg_addr){ REG_NOC, t->x, t->y, addr }, &w, 1), 0);
	return w;
}

/* On some tiles alone, or on all: each has all of it, others nothing, the firmware's word stays. */
static void check_load(const char *name, bool whole)
{
	struct bus *bus = open_fake(name);
	struct device *d = &bus->dev[0];
	struct card_tile t[CARD_TILES];
	size_t n = card_tiles(d->chip, 0, t), some = whole ? n : 3;
	struct card_data data = make(&conv);
	struct error e = { 0 };

	if (card_load(d, t, some, whole, true, &data, &e) < 0)
		fail_msg("%s: %s", name, e.text);
	for (size_t i = 0; i < n; i++) {
		uint32_t last = KERNEL_AT_GOLDEN + 4 * ((uint32_t)data.n_golden - 1);

		assert_int_equal(word(d, &t[i], KERNEL_AT_ORDER), i < some ? KERNEL_MAGIC : 0);
		assert_int_equal(word(d, &t[i], last),
			i < some ? data.golden[data.n_golden - 1] : 0);
		for (uint32_t at = 0x10; at < 0x20; at += 4)
			assert_int_equal(word(d, &t[i], at), 0);
	}
	card_data_clear(&data);
	bus_close(bus);
}

static void test_load(void **state)
{
	(void)state;
	check_load("wh", false);
	check_load("bh", false);
	check_load("wh", true);
	check_load("bh", true);
}

/* A multicast that one tile missed is mended; a tile that keeps a wrong bit is named. */
static void test_load_faults(void **state)
{
	struct bus *bus = open_fake("bh+miss@4");
	struct device *d = &bus->dev[0];
	struct card_tile t[CARD_TILES];
	size_t n = card_tiles(d->chip, 0, t);
	struct card_data data = make(&conv);
	struct error e = { 0 };

	(void)state;
	if (card_load(d, t, n, true, true, &data, &e) < 0)
		fail_msg("%s", e.text);
	bus_close(bus);
	bus = open_fake("bh+stuck");
	assert_int_equal(card_load(&bus->dev[0], t, n, true, true, &data, &e), -EIO);
	assert_string_equal(e.text, "tile 4-5: weights reads back otherwise than written");
	bus_close(bus);
	card_data_clear(&data);
}

/* Words of programs that a tile gets. */
static size_t program_words(enum device_chip chip)
{
	size_t n = 0;

	for (size_t i = 0; i < KERNEL_IMAGES; i++)
		n += kernel_images[i].chip == chip ? kernel_images[i].n : 0;
	return n;
}

/*
 * A load over PCIe takes 1 to 3 us, so what is read decides how long a load takes: programs and
 * orders, and not the operands, of which there is a hundred times as much.
 */
static void test_load_words(void **state)
{
	static const char *const chips[] = { "wh", "bh" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(chips); i++) {
		struct bus *bus = open_fake(chips[i]);
		struct device *d = &bus->dev[0];
		struct count_words *words = count_words_begin(d);
		struct card_tile t[CARD_TILES];
		size_t n = card_tiles(d->chip, 0, t), program = program_words(d->chip);
		struct card_data data = make(&conv);
		size_t operands = data.n_weights + data.n_input + data.n_golden;
		struct error e = { 0 };

		if (card_load(d, t, n, true, true, &data, &e) < 0)
			fail_msg("%s", e.text);
		printf("# load of %zu tiles: %zu words by multicast, %zu of them operands; %zu"
			" read, %zu a tile; %zu stores; %zu accesses\n", n, words->multicast,
			operands, words->read, words->read / n, words->stores, words->accesses);
		assert_true(words->multicast < operands + program + 1000);
		assert_int_equal(words->written, 0);
		assert_true(words->stores <= 4 * n);
		assert_true(words->read < n * (program + 1000));
		/* Each tile gets a name of its own; what all tiles have is read together. */
		assert_true(words->accesses < n + 60);
		card_data_clear(&data);
		bus_close(bus);
	}
}

/* What each channel of the mask is to hold, and no other; by the words themselves. */
static void check_channels(const char *name, uint32_t enabled, uint32_t mask)
{
	struct bus *bus = open_fake(name);
	struct device *d = &bus->dev[0];
	const struct device_kind *k = kind_of(d->chip);
	struct card_work w = conv;
	struct card_data data;
	struct card_tile t[CARD_TILES];
	struct error e = { 0 };
	uint32_t slot = 0, loads[2];

	w.bursts = true;
	data = make(&w);
	assert_int_equal(card_traffic_aim(&data, d->chip, enabled, mask, &e), 0);
	card_tiles(d->chip, 0, t);
	if (card_load(d, t, 1, false, true, &data, &e) < 0)
		fail_msg("%s", e.text);
	for (uint32_t c = 0; c < k->n_dram; c++) {
		bool live = mask >> c & 1;
		const uint32_t last = KERNEL_DRAM_AT + KERNEL_DRAM_HALF + KERNEL_DRAM_SIZE - 4;
		struct reg_addr at = kind_dram(k, enabled, c, 0, KERNEL_DRAM_AT);

		assert_int_equal(device_read(d, at, loads, 2), 0);
		assert_int_equal(loads[1], live ? kernel_dram_word(data.loads.seed, c,
			KERNEL_DRAM_AT + 4) : 0);
		at.addr = last;
		assert_int_equal(device_read(d, at, loads, 1), 0);
		assert_int_equal(loads[0], live ? kernel_dram_word(data.loads.seed, c, last) : 0);
		at.addr = KERNEL_DRAM_OPERANDS + 4 * (data.n_weights + data.n_input - 1);
		assert_int_equal(device_read(d, at, loads, 1), 0);
		assert_int_equal(loads[0], live ? data.input[data.n_input - 1] : 0);
		if (live)
			assert_int_equal(data.loads.channel[slot++][KERNEL_PORTS], c);
	}
	assert_int_equal(data.loads.channels, slot);
	assert_int_equal(word(d, &t[0], KERNEL_AT_LOADS), 1);
	card_data_clear(&data);
	bus_close(bus);
}

static void test_channels(void **state)
{
	struct card_work w = conv;
	struct card_data data;
	struct error e = { 0 };

	(void)state;
	check_channels("wh", 0x3f, 0x3f);
	check_channels("wh", 0x3f, 0x2d);
	check_channels("bh", 0xff, 0xff);
	check_channels("bh", 0xfd, 0xfd);
	check_channels("bh", 0xff, 0xfd);	/* one is not trained, and stays where it is */
	w.reload = 3;
	data = make(&w);
	assert_int_equal(card_traffic_aim(&data, DEVICE_BLACKHOLE, 0xff, 0, &e), -EINVAL);
	/* No core goes through the endpoint that the controller keeps. */
	data.kept.ports[3] = 1 << 2;
	assert_int_equal(card_traffic_aim(&data, DEVICE_BLACKHOLE, 0xff, 0xff, &e), 0);
	assert_int_equal(data.loads.channel[3][2], data.loads.channel[3][0]);
	assert_int_not_equal(data.loads.channel[3][1], data.loads.channel[3][0]);
	assert_int_not_equal(data.loads.channel[2][2], data.loads.channel[2][0]);
	assert_int_equal(card_traffic_aim(&data, DEVICE_WORMHOLE, 0x3f, 0xc0, &e), -EINVAL);
	card_data_clear(&data);
}

/* No byte that the load uses is spare, and of the others less than KERNEL_BURST_STEP at a gap. */
static void test_spares(void **state)
{
	static uint8_t used[0x180000];

	(void)state;
	for (int i = 0; i < 4; i++) {
		const enum device_chip chip = i % 2 ? DEVICE_BLACKHOLE : DEVICE_WORMHOLE;
		const uint32_t size = kind_of(chip)->tensix_memory;
		uint32_t n = 0, copies = 1 + (uint32_t)i / 2;
		struct card_work w = conv;
		struct card_data data;

		w.reload = (uint32_t)i / 2;
		data = make(&w);
		card_exchange_aim(&data, chip);
		memset(used, 0, sizeof(used));
		for (size_t k = 0; k < KERNEL_IMAGES; k++)
			if (kernel_images[k].chip == chip)
				memset(used + kernel_images[k].at, 1, 4 * kernel_images[k].n);
		memset(used + KERNEL_AT_ORDER, 1, KERNEL_AT_TRAFFIC - KERNEL_AT_ORDER +
			sizeof(struct kernel_traffic));
		memset(used + KERNEL_AT_BURSTS, 1, KERNEL_AT_END - KERNEL_AT_BURSTS);
		memset(used + KERNEL_AT_OUT, 1, 2 * KERNEL_BLOCK_BYTES);
		memset(used + KERNEL_AT_GOLDEN, 1, 4 * data.n_golden);
		memset(used + KERNEL_AT_WEIGHTS, 1, 4 * data.n_weights * copies);
		memset(used + KERNEL_AT_INPUT, 1, 4 * data.n_input * copies);
		for (uint32_t k = 0; k < data.loads.spares; k++)
			for (uint32_t at = data.loads.spare[k].at;
				at < data.loads.spare[k].at + data.loads.spare[k].bytes; at++, n++)
				assert_int_equal(at < size ? used[at]++ : 1, 0);
		assert_int_equal(card_exchange_bytes(&data.loads), n);
		for (uint32_t at = 0, gap = 0; at < size; at++) {
			gap = used[at] ? 0 : gap + 1;
			/* The mailbox is left alone to its end. */
			assert_true(gap < KERNEL_BURST_STEP || at / 4096 == 5);
		}
		card_data_clear(&data);
	}
}

static int prepare(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

/* What a new kind's row left out would be a block without steps, or another kind's work. */
static void each_kind_of_work_makes_operands_of_its_own(void **state)
{
	struct card_work all[CARD_KINDS];

	(void)state;
	for (int k = 0; k < CARD_KINDS; k++) {
		struct card_data d = { 0 };
		struct error e = { 0 };

		all[k] = (struct card_work){ .seed = 42, .depth = 4, .rows = 2, .repeats = 1,
			.phases = 4, .taps = card_kinds[k].taps };
		if (card_data_make(&all[k], &d, &e) < 0)
			fail_msg("%s: %s", card_kinds[k].name, e.text);
		card_data_clear(&d);
		for (int i = 0; i < k; i++)
			if (all[i].taps == all[k].taps && all[i].depth == all[k].depth)
				fail_msg("%s is %s", card_kinds[k].name, card_kinds[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "golden blocks are the convolution of the operands", test_golden, NULL, NULL, NULL },
		cmocka_unit_test(no_two_wrong_bits_keep_the_sums),
		cmocka_unit_test(no_number_of_lost_products_cancels_out),
		cmocka_unit_test(no_sum_of_a_phase_is_rounded),
		cmocka_unit_test(all_bits_that_are_multiplied_toggle),
		cmocka_unit_test(a_block_that_is_too_long_is_refused),
		cmocka_unit_test(each_kind_of_work_makes_operands_of_its_own),
		{ "a seed makes the same operands, another seed others", test_seeds, NULL, NULL,
			NULL },
		{ "work that would be rounded, or cannot be done, is refused", test_no_such_work, NULL,
			NULL, NULL },
		{ "tiles that are switched off are left out", test_tiles, NULL, NULL, NULL },
		{ "images leave the firmware's words and each other alone", test_images, NULL, NULL,
			NULL },
		{ "what is loaded is on each tile, and on no other", test_load, NULL, NULL, NULL },
		{ "a tile that missed a multicast gets it again, one that cannot keep it is named",
			test_load_faults, NULL, NULL, NULL },
		{ "a load reads programs and orders back, and has the cores sum up the rest",
			test_load_words, NULL, NULL, NULL },
		{ "each channel of the card's memory that is there is filled, and no other",
			test_channels, NULL, NULL, NULL },
		{ "no byte that a load uses is spare, and all others are", test_spares, NULL, NULL,
			NULL },
	};

	return cmocka_run_group_tests_name("card", tests, prepare, clean);
}
