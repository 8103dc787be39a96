/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_eth.c - the way to a chip over ethernet: on a simulated n300, and on
 * a left chip made here that can misbehave in each way.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "device/eth.h"
#include "device/kind.h"
#include "device/bus.h"
#include "tests/rig/sim_bus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CORE8 (eth_xy_wormhole[8])

/* The left chip: 80 KiB of memory in each ethernet core, and firmware on channel 8. */
static struct {
	uint32_t l1[ETH_CHANNELS_WORMHOLE][0x14000 / 4];
	bool acquired, gone, beats, serves;
	unsigned served, stores;
	uint32_t answer_flags;
	uint64_t asked;			/* address of the last command */
	uint32_t rack;
} left;

static uint32_t *cell(struct reg_addr at)
{
	size_t i = 0;

	while (i < ARRAY_LEN(left.l1) - 1 &&
		(eth_xy_wormhole[i][0] != at.x || eth_xy_wormhole[i][1] != at.y))
		i++;
	assert_int_equal(eth_xy_wormhole[i][0], at.x);
	assert_int_equal(eth_xy_wormhole[i][1], at.y);
	return &left.l1[i][at.addr / 4];
}

static uint32_t *core8(uint64_t addr)
{
	return &left.l1[8][addr / 4];
}

static int left_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	(void)d, (void)e, (void)purpose, (void)how;
	left.acquired = true;
	return 0;
}

static void left_release(struct device *d)
{
	(void)d;
	left.acquired = false;
}

static int left_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	(void)d;
	assert_true(left.acquired);
	assert_int_equal(n, 1);
	if (left.gone)
		return -ENODEV;
	if (at.addr == 0x1c && left.beats)
		++*cell(at);
	*words = *cell(at);
	return 0;
}

static void serve(void)
{
	const uint32_t *in = core8(0x110c0 + (*core8(0x110b0) & 3) * 32);
	uint32_t *out = core8(0x11240 + (*core8(0x11220) & 3) * 32);

	left.asked = in[0] | (uint64_t)in[1] << 32;
	left.rack = in[4];
	assert_int_equal(in[3], 4);
	*core8(0x110b0) = (*core8(0x110b0) + 1) & 7;
	*core8(0x11220) = (*core8(0x11220) + 1) & 7;
	out[2] = 100 + left.served++;
	out[3] = left.answer_flags;
}

static int left_write(struct device *d, struct reg_addr at, uint32_t word)
{
	(void)d;
	assert_int_equal(at.x, CORE8[0]);
	assert_int_equal(at.y, CORE8[1]);
	left.stores++;
	*cell(at) = word;
	if (at.addr == 0x110a0 && left.serves)
		serve();
	return 0;
}

static const struct transport_ops left_ops = {
	.name = "left", .acquire = left_acquire, .release = left_release, .read = left_read,
	.write = left_write,
};

static struct bus *bus;
static struct device *right;

static int make_left(void **state)
{
	(void)state;
	memset(&left, 0, sizeof(left));
	left.beats = left.serves = true;
	left.answer_flags = 8;
	*core8(0x1c) = 0xabcd0001;
	*core8(0x170) = 0x11000;
	*core8(0x210) = 0x0606e000;
	*core8(0x1200 + 32) = 3;
	*core8(0x1124) = 2 << 16 | 5 << 22;
	*core8(0x1128) = 0x0302;
	bus = mem_calloc(1, sizeof(*bus));
	bus->own = mem_calloc(1, sizeof(*bus->own));
	bus->ops = &left_ops;
	bus->n = 1;
	bus->dev[0] = (struct device){ .ops = &left_ops, .bus = bus, .local = -1,
		.chip = DEVICE_WORMHOLE };
	right = bus_add_remote(bus, 0);
	return right ? 0 : -1;
}

static int free_left(void **state)
{
	(void)state;
	device_release(right);
	free(bus->own->links);
	free(bus->own);
	free(bus);
	return 0;
}

static int read_one(uint32_t *value)
{
	return device_read(right, noc(0, 10, 0x880030060), value, 1);
}

static void a_word_is_asked_for_where_the_facts_say(void **state)
{
	uint32_t words[9];

	(void)state;
	assert_int_equal(device_acquire(right, NULL), 0);
	assert_int_equal(left.stores, 0);	/* finding the way changes nothing */
	assert_int_equal(device_read(right, noc(0, 10, 0x880030060), words, 9), 0);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(words[i], 100 + i);
	assert_int_equal(left.asked & 0xfffffffff, 0x880030080);
	assert_int_equal(left.asked >> 36 & 63, 0);
	assert_int_equal(left.asked >> 42 & 63, 10);
	assert_int_equal(left.asked >> 48 & 63, 2);
	assert_int_equal(left.asked >> 54 & 63, 5);
	assert_int_equal(left.rack, 0x0302);
	assert_int_equal(*core8(0x110a0), 1);	/* 9 modulo 8 */
	assert_int_equal(*core8(0x11230), 1);
	device_release(right);
	assert_false(left.acquired);
}

static void a_way_that_is_not_open_is_not_tried(void **state)
{
	static const struct {
		uint64_t addr;
		uint32_t value;
		int code;
		const char *why;
	} cases[] = {
		{ 0x1220, 1, -ENETDOWN, "link to this chip is down" },
		{ 0x1220, 2, -ENETDOWN, "link to this chip is down" },
		{ 0x1220, UINT32_MAX, -ENETDOWN, "link to this chip is down" },
		{ 0x104c, 1, -ENETDOWN, "switched off" },
		{ 0x210, 0x06062000, -EOPNOTSUPP, "update it" },
		{ 0x210, UINT32_MAX, -EOPNOTSUPP, "update it" },
		{ 0x170, 0x12000, -EPROTO, "queues" },
		{ 0x1c, UINT32_MAX - 1, -EHOSTDOWN, "heartbeat" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error e = { 0 };
		uint32_t was = *core8(cases[i].addr);

		*core8(cases[i].addr) = cases[i].value;
		assert_int_equal(device_acquire(right, &e), cases[i].code);
		assert_non_null(strstr(e.text, cases[i].why));
		assert_false(left.acquired);
		*core8(cases[i].addr) = was;
	}
	assert_int_equal(left.stores, 0);
}

static void firmware_whose_heart_stands_still_is_asked_nothing(void **state)
{
	struct error e = { 0 };

	(void)state;
	left.beats = false;
	assert_int_equal(device_acquire(right, &e), -EHOSTDOWN);
	assert_non_null(strstr(e.text, "heartbeat"));
	assert_int_equal(left.stores, 0);
}

static void one_question_without_answer_ends_the_asking(void **state)
{
	unsigned stores;
	uint32_t value;

	(void)state;
	left.serves = false;
	assert_int_equal(device_acquire(right, NULL), 0);
	assert_int_equal(read_one(&value), -ETIMEDOUT);
	stores = left.stores;
	assert_int_equal(read_one(&value), -ETIMEDOUT);
	assert_int_equal(left.stores, stores);
}

static void a_queue_that_another_program_uses_is_left_alone(void **state)
{
	uint32_t value;

	(void)state;
	assert_int_equal(device_acquire(right, NULL), 0);
	*core8(0x110a0) = 4;		/* full */
	assert_int_equal(read_one(&value), -EBUSY);
	assert_int_equal(left.stores, 0);
	*core8(0x110a0) = 0;
	*core8(0x11220) = 1;		/* an answer that is not ours */
	device_release(right);
	assert_int_equal(device_acquire(right, NULL), 0);
	assert_int_equal(read_one(&value), -EBUSY);
	assert_int_equal(left.stores, 0);
	*core8(0x11220) = 9;		/* rubbish */
	device_release(right);
	assert_int_equal(device_acquire(right, NULL), 0);
	assert_int_equal(read_one(&value), -EPROTO);
}

static void bad_answers_are_no_values(void **state)
{
	static const struct {
		uint32_t flags;
		int code;
	} cases[] = { { 1U << 31 | 8, -EHOSTUNREACH }, { 1U << 30, -EHOSTUNREACH }, { 2, -EPROTO },
		{ UINT32_MAX, -EIO } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint32_t value;

		left.answer_flags = cases[i].flags;
		assert_int_equal(device_acquire(right, NULL), 0);
		assert_int_equal(read_one(&value), cases[i].code);
		assert_int_equal(*core8(0x11220), *core8(0x11230));	/* off the queue */
		device_release(right);
	}
}

static void a_left_chip_that_goes_takes_the_right_one_along(void **state)
{
	uint32_t value;

	(void)state;
	assert_int_equal(device_acquire(right, NULL), 0);
	left.gone = true;
	assert_int_equal(read_one(&value), -ENODEV);
	assert_int_equal(read_one(&value), -EBADF);
	assert_int_equal(device_acquire(right, NULL), -ENODEV);
}

static void only_what_is_harmless_is_asked_for(void **state)
{
	uint32_t value;

	(void)state;
	assert_int_equal(read_one(&value), -EBADF);
	assert_int_equal(device_acquire(right, NULL), 0);
	assert_int_equal(device_read(right, bar0(0x1ff30060), &value, 1), -EPERM);
	assert_int_equal(device_read(right, noc(0, 10, 0x880030328), &value, 1), -EPERM);
	assert_int_equal(device_read(right, noc(1, 1, 0), &value, 1), -EPERM);
	assert_int_equal(device_write(right, noc(0, 10, 0x880030060), 1), -EOPNOTSUPP);
	assert_int_equal(device_attr(right, ATTR_TT_AICLK, (char[8]){ 0 }, 8), -EOPNOTSUPP);
	assert_int_equal(left.stores, 0);
}

/* The firmware's own way to fill its table: cores in order, but for one of each half. */
static int translated_x(uint32_t on, unsigned core)
{
	int x = 20;

	for (unsigned i = 0; i < 14; i++) {
		bool is_spare = false;

		for (unsigned first = 4; first <= 7; first += 3) {
			unsigned last = 0;

			for (unsigned k = first; k < first + 3; k++)
				last = on >> k & 1 ? last : k;
			is_spare |= i == last && last > 0;
		}
		if (i == core)
			return is_spare ? -1 : x;
		x += !is_spare;
	}
	return -1;
}

static void a_blackholes_cores_are_where_its_firmware_puts_them(void **state)
{
	const struct device_kind *k = kind_of(DEVICE_BLACKHOLE);
	uint8_t xy[2];

	(void)state;
	for (uint32_t on = 0; on < 1 << 14; on++)
		for (unsigned core = 0; core < 16; core++) {
			const bool is_on = core < 14 && on >> core & 1;
			const bool told = (~on & 0x070) && (~on & 0x380);

			assert_int_equal(kind_eth(k, on, false, core, xy), is_on);
			if (is_on) {
				assert_int_equal(xy[0], eth_xy_blackhole[core][0]);
				assert_int_equal(xy[1], eth_xy_blackhole[core][1]);
			}
			assert_int_equal(kind_eth(k, on, true, core, xy), is_on && told);
			if (is_on && told) {
				assert_int_equal(xy[0], translated_x(on, core));
				assert_in_range(xy[0], 20, 31);
				assert_int_equal(xy[1], 25);
			}
		}
}

/* Of a core that cannot be found none is touched. */
static void a_core_that_is_not_found_keeps_all_from_being_asked(void **state)
{
	struct eth_state links[ETH_LINKS_MOST];
	struct device d = { .chip = DEVICE_BLACKHOLE };

	(void)state;
	assert_int_equal(eth_read_links(&d, 0x3fff, true, links), -EOPNOTSUPP);
	d.chip = DEVICE_GRAYSKULL;
	assert_int_equal(eth_read_links(&d, 0x3edf, true, links), -EOPNOTSUPP);
	d.chip = DEVICE_BLACKHOLE;
	assert_int_equal(eth_read_links(&d, 0, true, links), 0);
	for (int i = 0; i < ETH_LINKS_MOST; i++)
		assert_false(links[i].is_on);
}

static void a_simulated_n300_shows_its_right_chip(void **state)
{
	static const char *const specs[] = { "n300", "n300-new", "n300:eth" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct bus *sim = sim_bus(specs[i], 1);
		struct device *l = &sim->dev[0], *r = bus_add_remote(sim, 0);
		uint8_t coords[4];

		assert_int_equal(r->local, 0);
		assert_int_equal(word(r, noc(0, 10, 0x880030060)) >> 16, 0xc0de);
		/* Both chips carry the id of the one board: words 4 and 5 of the struct. */
		for (uint32_t k = 4; k < 6; k++)
			assert_int_equal(word(r, noc(0, 10, 0x810078d60 + 4 * k)),
				word(l, csm(l, 0x10078d60 + 4 * k)));
		assert_int_equal(eth_coords(l, coords), 0);
		assert_memory_equal(coords, ((uint8_t[4]){ 0, 0, 0, 0 }), 4);
		assert_int_equal(eth_coords(r, coords), 0);
		assert_memory_equal(coords, ((uint8_t[4]){ 1, 0, 0, 0 }), 4);
		device_release(r);
		device_release(l);
		assert_int_equal(counts(sim).violations, 0);
		bus_close(sim);
	}
}

static void a_board_of_one_chip_has_coordinates_and_no_way_on(void **state)
{
	struct bus *sim = sim_bus("n150,p150a", 1);
	struct device *n150 = &sim->dev[0], *p150 = &sim->dev[1];
	struct error e = { 0 };
	uint8_t coords[4];

	(void)state;
	assert_int_equal(device_acquire(n150, NULL), 0);
	assert_int_equal(eth_coords(n150, coords), 0);
	assert_int_equal(eth_coords(p150, coords), -ENODATA);
	assert_int_equal(device_acquire(bus_add_remote(sim, 0), &e), -ENETDOWN);
	assert_int_equal(device_acquire(bus_add_remote(sim, 1), &e), -EOPNOTSUPP);
	bus_close(sim);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, make_left, free_left)
	const struct CMUnitTest tests[] = {
		CASE(a_word_is_asked_for_where_the_facts_say),
		CASE(a_way_that_is_not_open_is_not_tried),
		CASE(firmware_whose_heart_stands_still_is_asked_nothing),
		CASE(one_question_without_answer_ends_the_asking),
		CASE(a_queue_that_another_program_uses_is_left_alone),
		CASE(bad_answers_are_no_values),
		CASE(a_left_chip_that_goes_takes_the_right_one_along),
		CASE(only_what_is_harmless_is_asked_for),
		cmocka_unit_test(a_blackholes_cores_are_where_its_firmware_puts_them),
		cmocka_unit_test(a_core_that_is_not_found_keeps_all_from_being_asked),
		cmocka_unit_test(a_simulated_n300_shows_its_right_chip),
		cmocka_unit_test(a_board_of_one_chip_has_coordinates_and_no_way_on),
	};

	setenv("TT_SMI_VIRTUAL_TIME", "1795252364", 1);
	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
