/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways into a simulated board that write: mailbox, ethernet queues, and resets.
 * Each handshake is done by hand, step by step as chip-facts 3.11 and 4 tell it.
 */
#include "config.h"
#include "tests/rig/sim_bus.h"
#include "base/mem.h"
#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct reg_addr scratch(unsigned n)
{
	return bar0(UNIT + 0x60 + 4 * n);
}

/* The legacy mailbox; returns SCRATCH_5. */
static uint32_t mailbox(struct device *d, uint32_t code, uint32_t args)
{
	struct reg_addr misc = bar0(UNIT + 0x100);

	put(d, scratch(3), args);
	put(d, scratch(5), 0xaa00 | code);
	assert_int_equal(word(d, misc) & 1u << 16, 0);
	put(d, misc, word(d, misc) | 1u << 16);
	return word(d, scratch(5));
}

static void the_mailbox_tells_where_the_legacy_struct_is(void **state)
{
	static const struct {
		const char *spec;
		uint32_t first_words;
	} cases[] = { { "e75", 0xfaca1e52 }, { "e150", 0xfaca1e52 }, { "n300", 0x401e1e52 },
		{ "n150", 0x401e1e52 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus(cases[i].spec, 0);
		struct device *d = bus->dev;
		uint32_t at;

		assert_int_equal(word(d, scratch(0)) >> 16, 0xc0de);
		assert_int_equal(mailbox(d, 0x2c, 0xffffffff), 0x2c);
		at = word(d, scratch(3));
		assert_in_range(at, 0x10000000, 0x1007ff00);
		assert_int_equal(word(d, csm(d, at + 4)), cases[i].first_words);
		assert_int_equal(counts(bus).messages, 1);
		assert_int_equal(counts(bus).violations, 0);
		bus_close(bus);
	}
}

static void the_mailbox_knows_the_usual_messages(void **state)
{
	struct bus *bus = sim_bus("n300", 0);
	struct device *d = bus->dev;

	(void)state;
	assert_int_equal(mailbox(d, 0x11, 0), 0x11);
	assert_int_equal(mailbox(d, 0x57, 0), 0x57);
	assert_int_equal(__builtin_popcount(word(d, scratch(3))), 2);	/* an n300 lacks two rows */
	assert_int_equal(mailbox(d, 0xb9, 1), 0xb9);
	assert_int_equal(word(d, scratch(3)), 0x12030000);
	assert_int_equal(mailbox(d, 0x29, 0), UINT32_MAX);		/* SPI: never allowed */
	assert_int_equal(mailbox(d, 0x52, 0), 0x52);
	assert_int_equal(word(d, bar0(0x1fef8d60 + 4 * 24)) & 0xffff, 1000);
	bus_close(bus);
}

/* A word of the right chip through ethernet core (x, y) of the left one; false: no answer. */
static bool remote_word(struct device *d, unsigned x, unsigned y, uint64_t to, uint32_t *value)
{
	uint64_t request = 0x11080, response = 0x11200;
	uint32_t wptr = word(d, noc(x, y, request + 32)), rptr = word(d, noc(x, y, response + 48));
	uint64_t in = request + 64 + (wptr & 3) * 32, out = response + 64 + (rptr & 3) * 32;

	put(d, noc(x, y, in), (uint32_t)to);
	put(d, noc(x, y, in + 4), (uint32_t)(to >> 32));
	put(d, noc(x, y, in + 8), 0);
	put(d, noc(x, y, in + 12), 4);
	put(d, noc(x, y, in + 16), 0);
	put(d, noc(x, y, request + 32), (wptr + 1) & 7);
	if (word(d, noc(x, y, response + 32)) == rptr)
		return false;
	assert_int_equal(word(d, noc(x, y, out + 12)), 8);
	*value = word(d, noc(x, y, out + 8));
	put(d, noc(x, y, response + 48), (rptr + 1) & 7);
	return true;
}

/* A command's address: chip (1, 0) on the shelf, its tile (0, 10). */
static uint64_t on_right(uint64_t addr)
{
	return (((1ull << 6 | 10) << 6 | 0) << 36) | addr;
}

static void the_right_chip_of_an_n300_answers_over_ethernet(void **state)
{
	struct bus *bus = sim_bus("n300", 0);
	struct device *d = bus->dev;
	uint32_t v = 0, beat = 0;

	(void)state;
	assert_int_equal(bus->n, 1);
	assert_int_equal(word(d, noc(9, 6, 0x1200 + 4 * 8)), 3);	/* channel 8 is connected */
	assert_int_equal(word(d, noc(9, 6, 0x1200)), 1);		/* channel 0 is not */
	assert_int_equal(word(d, noc(9, 6, 0x1108)), 0);		/* we are at (0, 0) */
	assert_int_equal(word(d, noc(9, 6, 0x1124)) >> 16 & 0x3f, 1);	/* it is at (1, 0) */
	assert_int_equal(word(d, noc(9, 6, 0x104c)), 0);		/* routing is on */
	assert_int_equal(word(d, noc(9, 6, 0x170)), 0x11000);
	for (int i = 0; i < 10; i++) {
		assert_true(remote_word(d, 9, 6, on_right(0x810078d60 + 4 * 49), &v));
		assert_int_equal(v, 0x12030000);
	}
	assert_true(remote_word(d, 1, 6, on_right(0x810078d60 + 4 * 22), &beat));
	wait_until(CLOCK_SECOND);
	assert_true(remote_word(d, 1, 6, on_right(0x810078d60 + 4 * 22), &v));
	assert_int_equal(v, beat + 10);
	assert_int_not_equal(v, word(d, bar0(0x1fef8d60 + 4 * 22)));
	assert_true(remote_word(d, 9, 6, on_right(0x8800301d0), &v));
	assert_int_equal(v, 0);
	assert_int_equal(counts(bus).violations, 0);
	bus_close(bus);
}

static void a_link_that_is_down_swallows_requests(void **state)
{
	struct bus *bus = sim_bus("n300:eth", 0);
	struct device *d = bus->dev;
	uint32_t v = 0;

	(void)state;
	assert_int_equal(word(d, noc(9, 6, 0x1200 + 4 * 8)), 1);
	assert_false(remote_word(d, 9, 6, on_right(0x810078d60 + 4 * 49), &v));
	assert_true(remote_word(d, 1, 6, on_right(0x810078d60 + 4 * 49), &v));
	assert_int_equal(v, 0x12030000);
	bus_close(bus);
}

/* Off the bus for a second, then firmware that counts from 0. */
static void a_reset_takes_the_chip_away_and_back(void **state)
{
	struct bus *bus = sim_bus("p150a,p150a:resetfail", 0);
	uint32_t v;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		sim_reset_outside(&bus->dev[i]);
	wait_until(500 * CLOCK_MS);
	assert_string_equal(text(&bus->dev[0], ATTR_CONFIG_ID), "ffffffff");
	assert_int_equal(word(&bus->dev[0], noc(8, 0, 0x80030408)), UINT32_MAX);
	wait_until(1200 * CLOCK_MS);
	assert_string_equal(text(&bus->dev[0], ATTR_CONFIG_ID), "b1401e52");
	assert_int_not_equal(word(&bus->dev[0], noc(8, 0, 0x80030408)) & 7, 5);
	assert_int_equal(word(&bus->dev[0], noc(8, 0, 0x80030434)), 0);
	wait_until(2 * CLOCK_SECOND);
	assert_int_equal(word(&bus->dev[0], noc(8, 0, 0x80030408)) & 7, 5);
	assert_true(tag(&bus->dev[0], 32, &v));
	assert_in_range(v, 0, 10);
	wait_until(3600 * CLOCK_SECOND);
	assert_string_equal(text(&bus->dev[1], ATTR_CONFIG_ID), "ffffffff");
	bus_close(bus);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mailbox_tells_where_the_legacy_struct_is),
		cmocka_unit_test(the_mailbox_knows_the_usual_messages),
		cmocka_unit_test(the_right_chip_of_an_n300_answers_over_ethernet),
		cmocka_unit_test(a_link_that_is_down_swallows_requests),
		cmocka_unit_test(a_reset_takes_the_chip_away_and_back),
	};

	setenv("TT_SMI_VIRTUAL_TIME", "1763716364", 1);
	clock_init();
	return cmocka_run_group_tests_name("sim_arc", tests, NULL, NULL);
}
