/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a healthy simulated board shows, against the facts and not against the
 * simulator's own tables.  Virtual time: nothing here waits.
 */
#include "config.h"
#include "tests/rig/sim_bus.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/clock.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

static void boards_have_the_ids_and_places_of_real_ones(void **state)
{
	static const struct {
		const char *spec;
		size_t n;
		uint16_t device;
		const char *card, *first, *last;
	} cases[] = {
		{ "e75", 1, 0xfaca, "e75", "0000:01:00.0", "0000:01:00.0" },
		{ "e150", 1, 0xfaca, "e150", "0000:01:00.0", "0000:01:00.0" },
		{ "n150", 1, 0x401e, "n150", "0000:01:00.0", "0000:01:00.0" },
		{ "n300-new", 1, 0x401e, "n300", "0000:01:00.0", "0000:01:00.0" },
		{ "n300-links", 1, 0x401e, "n300", "0000:01:00.0", "0000:01:00.0" },
		{ "p100", 1, 0xb140, "p100", "0000:01:00.0", "0000:01:00.0" },
		{ "p100a", 1, 0xb140, "p100a", "0000:01:00.0", "0000:01:00.0" },
		{ "3*p150a", 3, 0xb140, "p150a", "0000:01:00.0", "0000:03:00.0" },
		{ "p150b", 1, 0xb140, "p150b", "0000:01:00.0", "0000:01:00.0" },
		{ "p150c", 1, 0xb140, "p150c", "0000:01:00.0", "0000:01:00.0" },
		{ "p150a-x8", 1, 0xb140, "p150a", "0000:01:00.0", "0000:01:00.0" },
		{ "galaxy-bh-c", 32, 0xb140, "galaxy-blackhole", "0000:01:00.0", "0000:c8:00.0" },
		{ "tt-galaxy-bh-bin6", 32, 0xb140, "galaxy-blackhole", "0000:01:00.0",
			"0000:c8:00.0" },
		{ "p300", 2, 0xb140, "p300a", "0000:01:00.0", "0000:02:00.0" },
		{ "p300b", 2, 0xb140, "p300b", "0000:01:00.0", "0000:02:00.0" },
		{ "p300c", 2, 0xb140, "p300c", "0000:01:00.0", "0000:02:00.0" },
		{ "galaxy-wh", 32, 0x401e, "galaxy-wormhole", "0000:01:00.0", "0000:c8:00.0" },
		{ "galaxy-bh", 32, 0xb140, "galaxy-blackhole", "0000:01:00.0", "0000:c8:00.0" },
		{ "2*galaxy-bh", 64, 0xb140, "galaxy-blackhole", "0000:01:00.0", "0001:c8:00.0" },
		{ "256*p150a", 256, 0xb140, "p150a", "0000:01:00.0", "0001:01:00.0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus(cases[i].spec, 0);
		struct device *d = bus->dev;

		assert_int_equal(bus->n, cases[i].n);
		assert_string_equal(bus->driver, "2.10.0");
		assert_string_equal(d->bdf, cases[i].first);
		assert_string_equal(d[bus->n - 1].bdf, cases[i].last);
		assert_int_equal(d->vendor, 0x1e52);
		assert_int_equal(d->device, cases[i].device);
		assert_int_equal(d->chip, device_chip_of(cases[i].device));
		assert_int_equal(d->trouble, DEVICE_FINE);
		assert_string_equal(text(d, ATTR_TT_CARD_TYPE), cases[i].card);
		bus_close(bus);
	}
}

/* Tray 1 to 4 have bus high nibbles c, 8, 0, 4 on Wormhole and 0, 4, c, 8 on Blackhole. */
static void galaxy_nodes_follow_the_trays(void **state)
{
	static const struct {
		const char *spec;
		const char *bdf;
		int node;
	} cases[] = {
		{ "galaxy-wh", "0000:c1:00.0", 0 }, { "galaxy-wh", "0000:88:00.0", 15 },
		{ "galaxy-wh", "0000:01:00.0", 16 }, { "galaxy-wh", "0000:48:00.0", 31 },
		{ "galaxy-bh", "0000:01:00.0", 0 }, { "galaxy-bh", "0000:48:00.0", 15 },
		{ "galaxy-bh", "0000:c1:00.0", 16 }, { "galaxy-bh", "0000:88:00.0", 31 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus(cases[i].spec, 0);
		int node = -1;

		for (size_t k = 0; k < bus->n; k++)
			if (strcmp(bus->dev[k].bdf, cases[i].bdf) == 0)
				node = bus->dev[k].node;
		assert_int_equal(node, cases[i].node);
		bus_close(bus);
	}
}

static void a_galaxys_chip_knows_its_tray(void **state)
{
	static const struct {
		const char *bdf;
		enum device_chip chip;
		uint16_t subsystem;
		int tray, place;
	} cases[] = {
		{ "0000:c1:00.0", DEVICE_WORMHOLE, 0x35, 1, 1 },
		{ "0000:88:00.0", DEVICE_WORMHOLE, 0x35, 2, 8 },
		{ "0000:02:00.0", DEVICE_WORMHOLE, 0x35, 3, 2 },
		{ "0001:48:00.0", DEVICE_WORMHOLE, 0x35, 4, 8 },
		{ "0000:01:00.0", DEVICE_BLACKHOLE, 0x47, 1, 1 },
		{ "0000:41:00.0", DEVICE_BLACKHOLE, 0x47, 2, 1 },
		{ "0000:c3:00.0", DEVICE_BLACKHOLE, 0x47, 3, 3 },
		{ "0000:c3:00.0", DEVICE_BLACKHOLE, 0x202, 3, 3 },
		{ "0000:c3:00.0", DEVICE_WORMHOLE, 0x202, 0, 0 },
		{ "0000:88:00.0", DEVICE_BLACKHOLE, 0x47, 4, 8 },
		{ "0000:c9:00.0", DEVICE_WORMHOLE, 0x35, 0, 0 },
		{ "0000:c0:00.0", DEVICE_WORMHOLE, 0x35, 0, 0 },
		{ "0000:11:00.0", DEVICE_BLACKHOLE, 0x47, 0, 0 },
		{ "0000:01:00.0", DEVICE_BLACKHOLE, 0x40, 0, 0 },
		{ "0000:01:00.0", DEVICE_GRAYSKULL, 0x35, 0, 0 },
		{ "", DEVICE_WORMHOLE, 0x35, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct device d = { .local = -1, .chip = cases[i].chip,
			.subsys_device = cases[i].subsystem };
		int place = 0;

		mem_copy_text(d.bdf, sizeof(d.bdf), cases[i].bdf);
		if (galaxy_tray(&d, &place) != cases[i].tray || place != cases[i].place ||
			galaxy_tray(&d, NULL) != cases[i].tray)
			fail_msg("case %zu", i);
	}
}

static void chips_of_a_board_share_its_id_and_not_their_own(void **state)
{
	struct bus *bus = sim_bus("p300,p300", 7);
	char serial[4][ATTR_TEXT], asic[4][ATTR_TEXT];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		mem_copy_text(serial[i], ATTR_TEXT, text(&bus->dev[i], ATTR_TT_SERIAL));
		mem_copy_text(asic[i], ATTR_TEXT, text(&bus->dev[i], ATTR_TT_ASIC_ID));
	}
	assert_string_equal(serial[0], serial[1]);
	assert_string_equal(serial[2], serial[3]);
	assert_string_not_equal(serial[0], serial[2]);
	assert_string_not_equal(asic[0], asic[1]);
	assert_memory_equal(serial[0], "0000045", 7);
	bus_close(bus);
}

/* chip-facts 1.3: which file there is on which chip, and what it looks like. */
static void attributes_are_those_of_the_driver(void **state)
{
	static const struct {
		enum attr a;
		const char *e150, *n150, *n300, *p150a;
	} cases[] = {
		{ ATTR_TT_ARCCLK, "540", "540", "-ENOENT", "800" },
		{ ATTR_TT_AXICLK, "900", "900", "-ENOENT", "960" },
		{ ATTR_TT_CARD_TYPE, "e150", "n150", "-ENOENT", "p150a" },
		{ ATTR_TT_FW_BUNDLE_VER, "80.4.0.0", "19.10.0.0", "-ENOENT", "19.11.0.0" },
		{ ATTR_TT_M3APP_FW_VER, "-ENOENT", "5.12.0.0", "-ENOENT", "0.24.0.0" },
		{ ATTR_TT_M3BL_FW_VER, "-ENOENT", "129.2.0.0", "-ENOENT", "-ENOENT" },
		{ ATTR_TT_ARC_FW_VER, "1.7.0.0", "2.39.0.0", "-ENOENT", "-ENOENT" },
		{ ATTR_TT_ETH_FW_VER, "-ENOENT", "7.5.0", "-ENOENT", "-ENOENT" },
		{ ATTR_TT_TTFLASH_VER, "0.3.10.0", "0.3.10.0", "-ENOENT", "-ENOENT" },
		{ ATTR_TT_THERM_TRIP_COUNT, "-ENOENT", "-ENOENT", "-ENOENT", "0" },
		{ ATTR_HWMON_TEMP_MAX, "75000", "75000", "-ENOENT", "90000" },
		{ ATTR_HWMON_VCORE_MAX, "950", "1000", "-ENOENT", "900" },
		{ ATTR_HWMON_CURRENT_MAX, "160000", "160000", "-ENOENT", "200000" },
		{ ATTR_HWMON_POWER_MAX, "150000000", "160000000", "-ENOENT", "150000000" },
		{ ATTR_LINK_SPEED, "16.0 GT/s PCIe", "16.0 GT/s PCIe", "16.0 GT/s PCIe",
			"32.0 GT/s PCIe" },
		{ ATTR_LINK_WIDTH, "16", "16", "16", "16" },
		{ ATTR_LINK_WIDTH_MAX, "16", "16", "16", "16" },
		{ ATTR_CONFIG_ID, "faca1e52", "401e1e52", "401e1e52", "b1401e52" },
	};
	struct bus *bus = sim_bus("e150,n150,n300,p150a", 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(text(&bus->dev[0], cases[i].a), cases[i].e150);
		assert_string_equal(text(&bus->dev[1], cases[i].a), cases[i].n150);
		assert_string_equal(text(&bus->dev[2], cases[i].a), cases[i].n300);
		assert_string_equal(text(&bus->dev[3], cases[i].a), cases[i].p150a);
	}
	assert_string_equal(text(&bus->dev[0], ATTR_PERF_SLV_RD_1), "-ENOENT");
	assert_int_not_equal(text(&bus->dev[2], ATTR_PERF_SLV_RD_1)[0], '-');
	assert_int_equal(strlen(text(&bus->dev[3], ATTR_TT_SERIAL)), 16);
	assert_int_equal(strlen(text(&bus->dev[3], ATTR_TT_ASIC_ID)), 16);
	bus_close(bus);
}

/* The order that chip-facts 2.2.1 gives for firmware 19.7.99, its holes included. */
static void the_blackhole_table_has_the_order_and_holes_of_the_firmware(void **state)
{
	static const uint8_t order[] = {
		1, 2, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
		24, 25, 26, 27, 28, 29, 30, 31, 32, 34, 35, 36, 37, 38, 40, 41, 42, 43, 44, 45, 46,
		47, 48, 49, 50, 51, 52, 53, 54, 61, 62, 60, 33, 63, 55, 56, 64, 65, 66, 67, 68, 69,
		0, 0, 0, 0, 0
	};
	struct bus *bus = sim_bus("p150a", 0);
	struct device *d = bus->dev;
	uint32_t table = word(d, noc(8, 0, 0x80030434));

	(void)state;
	assert_int_equal(ARRAY_LEN(order), 70);
	assert_int_equal(word(d, noc(8, 0, 0x80030408)) & 7, 5);
	assert_int_equal(word(d, noc(8, 0, table + 4)), 70);
	for (uint32_t i = 0; i < 70; i++)
		assert_int_equal(word(d, noc(8, 0, table + 8 + 4 * i)),
			order[i] | (uint32_t)order[i] << 16);
	bus_close(bus);
}

/* Bundle 19.15 has more tags (fleet.md), and room for them. */
static void the_newest_table_goes_to_the_last_tag(void **state)
{
	struct bus *bus = sim_bus("p150c,p150a", 0);
	uint32_t v;

	(void)state;
	assert_int_equal(word(bus->dev, noc(8, 0, word(bus->dev, noc(8, 0, 0x80030434)) + 4)),
		SIM_ENTRIES);
	for (uint16_t t = 70; t < SIM_TAGS; t++) {
		assert_true(tag(&bus->dev[0], t, &v));
		assert_false(tag(&bus->dev[1], t, &v));
	}
	assert_true(tag(&bus->dev[0], 72, &v));
	assert_int_equal(v, 0x2);
	bus_close(bus);
}

static void the_tag_table_says_what_the_attributes_say(void **state)
{
	struct bus *bus = sim_bus("n150,p150a,p100a,galaxy-bh", 3);
	uint32_t v;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct device *d = &bus->dev[i];

		assert_true(tag(d, 14, &v));
		assert_int_equal(v, (int)number(d, ATTR_TT_AICLK));
		assert_true(tag(d, 32, &v));
		assert_int_equal(v, (int)number(d, ATTR_TT_HEARTBEAT));
		assert_true(tag(d, 7, &v));
		assert_int_equal((uint64_t)v * 1000000, number(d, ATTR_HWMON_POWER));
		assert_true(tag(d, 11, &v));
		assert_int_equal((v >> 16) * 1000 + ((v & 0xffff) * 1000 >> 16),
			(int)number(d, ATTR_HWMON_TEMP));
		assert_false(tag(d, 39, &v));
		assert_false(tag(d, 3, &v));
	}
	bus_close(bus);
}

/* Each firmware era as chip-facts 2.2.2 has it. */
static void firmware_eras_differ_as_they_did(void **state)
{
	struct bus *bus = sim_bus("p150a-old,p100a,p150a,p300,n300,n150-old,n150", 0);
	struct device *d = bus->dev;
	uint32_t v = 0;

	(void)state;
	assert_false(tag(&d[0], 64, &v));
	assert_false(tag(&d[0], 66, &v));
	assert_true(tag(&d[0], 22, &v));
	assert_int_equal(v, 0x5555);
	assert_true(tag(&d[1], 22, &v));	/* channel 3 is harvested, no BIST yet */
	assert_int_equal(v, 0x5515);
	assert_true(tag(&d[1], 36, &v));
	assert_int_equal(v, 0xf7);
	assert_true(tag(&d[2], 22, &v));
	assert_int_equal(v, 0x55555555);
	assert_true(tag(&d[1], 21, &v));	/* no ethernet status before 19.9 */
	assert_int_equal(v, 0);
	assert_true(tag(&d[3], 21, &v));
	assert_int_equal(v & 0xffff, 0x3edf);
	assert_int_not_equal(v >> 16, 0);
	for (size_t i = 5; i < 7; i++) {	/* 18.3 has no tags */
		assert_int_equal(word(&d[i], bar0(UNIT + 0x1d0)), 0);
		assert_int_equal(word(&d[i], bar0(UNIT + 0x1d4)), 0);
	}
	assert_true(tag(&d[7], 22, &v));
	assert_int_equal(v, 0x555);
	assert_true(tag(&d[7], 41, &v));
	assert_int_equal(v >> 16, 0xffff);
	assert_in_range(v & 0xffff, 500, 6000);
	bus_close(bus);
}

/* chip-facts 2.3.1, at the address every reader knows. */
static void wormhole_keeps_the_legacy_struct(void **state)
{
	static const char *const specs[] = { "n300", "n150-old", "n150", "galaxy-wh" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct bus *bus = sim_bus(specs[i], 0);
		struct device *d = bus->dev;
		uint32_t w[50], again[50];

		assert_int_equal(device_acquire(d, NULL), 0);
		assert_int_equal(device_read(d, bar0(0x1fef8d60), w, 50), 0);
		assert_int_equal(device_read(d, noc(0, 10, 0x810078d60), again, 50), 0);
		assert_memory_equal(w, again, sizeof(w));
		assert_int_equal(w[1], 0x401e1e52);
		assert_int_equal(w[4] >> 24, 1);
		assert_int_equal(w[14], 0x02222222);
		assert_in_range(w[24] & 0xffff, 500, 1000);
		assert_int_equal(w[24] >> 16, 1000);
		assert_in_range(w[28], 780, 1000);
		assert_in_range((w[29] & 0xffff) / 16, 25, 75);
		assert_int_equal(w[35], 75 | 83 << 16);
		assert_int_equal(w[49] >> 24, i < 2 ? 18 : 19);
		bus_close(bus);
	}
}

static void heartbeats_advance_at_ten_a_second(void **state)
{
	struct bus *bus = sim_bus("p150a,n150,n300", 0);
	struct device *d = bus->dev;
	struct reg_addr arc3 = bar0(0x1fef8d60 + 22 * 4);
	int bh = (int)number(&d[0], ATTR_TT_HEARTBEAT), wh = (int)number(&d[1], ATTR_TT_HEARTBEAT);
	uint32_t legacy = word(&d[2], arc3);

	(void)state;
	/* The firmware's refreshes are not at our times. */
	wait_until(14 * CLOCK_MS);
	assert_int_equal((int)number(&d[0], ATTR_TT_HEARTBEAT), bh);
	wait_until(15 * CLOCK_MS);
	assert_int_equal((int)number(&d[0], ATTR_TT_HEARTBEAT), bh + 1);
	wait_until(114 * CLOCK_MS);
	assert_int_equal((int)number(&d[0], ATTR_TT_HEARTBEAT), bh + 1);
	wait_until(10 * CLOCK_SECOND);
	assert_int_equal((int)number(&d[0], ATTR_TT_HEARTBEAT), bh + 100);
	assert_int_equal((int)number(&d[1], ATTR_TT_HEARTBEAT), wh + 100);
	assert_int_equal(word(&d[2], arc3), legacy + 100);
	bus_close(bus);
}

/* An hour of eight boards: everything stays believable, and everything moves. */
static void values_move_within_what_boards_do(void **state)
{
	struct bus *bus = sim_bus("8*p150a", 1);
	int coldest = 1000000, hottest = 0, slowest = 10000, fastest = 0;
	int64_t most = 0;

	(void)state;
	for (int minute = 0; minute < 60; minute++) {
		wait_until(minute * 60 * CLOCK_SECOND);
		for (size_t i = 0; i < bus->n; i++) {
			int temp = (int)number(&bus->dev[i], ATTR_HWMON_TEMP);
			int clock = (int)number(&bus->dev[i], ATTR_TT_AICLK);
			int64_t power = number(&bus->dev[i], ATTR_HWMON_POWER);

			coldest = temp < coldest ? temp : coldest;
			hottest = temp > hottest ? temp : hottest;
			slowest = clock < slowest ? clock : slowest;
			fastest = clock > fastest ? clock : fastest;
			most = power > most ? power : most;
			assert_in_range(power, 20000000, 150000000);
		}
	}
	assert_in_range(coldest, 35000, 50000);
	assert_in_range(hottest, 65000, 80000);
	assert_int_equal(slowest, 800);
	assert_int_equal(fastest, 1350);
	assert_in_range(most, 100000000, 150000000);
	bus_close(bus);
}

static void pcie_counters_advance_and_wrap(void **state)
{
	struct bus *bus = sim_bus("4*p150a", 0);
	uint64_t last[4] = { 0 };
	unsigned wraps = 0, moves = 0;

	(void)state;
	for (int s = 0; s < 600; s += 2) {
		wait_until(s * CLOCK_SECOND);
		for (size_t i = 0; i < 4; i++) {
			uint64_t now = (uint64_t)number(&bus->dev[i], ATTR_PERF_MST_RD_0);

			assert_in_range(now, 0, UINT32_MAX);
			moves += s && now != last[i];
			wraps += now < last[i];
			last[i] = now;
		}
	}
	assert_in_range(wraps, 2, 600);
	assert_in_range(moves, 600, 1199);
	bus_close(bus);
}

/* They are the PCIe core's, not the firmware's: under even load they gain the same each 10 ms. */
static void pcie_counters_run_between_refreshes(void **state)
{
	struct bus *bus = sim_bus("4*p150a", 0);
	uint32_t busy = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		uint32_t last = 0, gain = 0;

		for (int k = 0; k < 400; k++) {
			uint32_t now;

			wait_until((int64_t)(i * 640 + (size_t)k) * 10 * CLOCK_MS);
			now = (uint32_t)number(&bus->dev[i], ATTR_PERF_MST_RD_0);
			if (k == 1)
				gain = now - last;
			else if (k > 1)
				assert_in_range(now - last + 1 - gain, 0, 2);
			last = now;
		}
		busy += gain > 0;
	}
	assert_in_range(busy, 1, 4);
	bus_close(bus);
}

static int read_when_told(void *arg, int fd)
{
	uint8_t vendor[2];
	char byte;

	return recv(fd, &byte, 1, 0) == 1 && device_config(arg, 0, vendor, 2) == 2 ? 0 : 1;
}

/* A process that goes on with a card when its tool has ended (a reset's, for one). */
static void a_card_outlives_the_bus_of_another_process(void **state)
{
	struct bus *bus = sim_bus("p150a", 0);
	const struct child_config how = { .run = read_when_told, .arg = &bus->dev[0],
		.keep = bus->keep, .n_keep = bus->n_keep };
	struct child child;

	(void)state;
	assert_int_equal(child_start(&child, &how, NULL), 0);
	bus_close(bus);
	assert_int_equal(send(child.fd, "", 1, 0), 1);
	child_end(&child, 10 * CLOCK_SECOND);
	assert_int_equal(child.status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(boards_have_the_ids_and_places_of_real_ones),
		cmocka_unit_test(a_card_outlives_the_bus_of_another_process),
		cmocka_unit_test(galaxy_nodes_follow_the_trays),
		cmocka_unit_test(a_galaxys_chip_knows_its_tray),
		cmocka_unit_test(chips_of_a_board_share_its_id_and_not_their_own),
		cmocka_unit_test(attributes_are_those_of_the_driver),
		cmocka_unit_test(the_blackhole_table_has_the_order_and_holes_of_the_firmware),
		cmocka_unit_test(the_newest_table_goes_to_the_last_tag),
		cmocka_unit_test(the_tag_table_says_what_the_attributes_say),
		cmocka_unit_test(firmware_eras_differ_as_they_did),
		cmocka_unit_test(wormhole_keeps_the_legacy_struct),
		cmocka_unit_test(heartbeats_advance_at_ten_a_second),
		cmocka_unit_test(values_move_within_what_boards_do),
		cmocka_unit_test(pcie_counters_advance_and_wrap),
		cmocka_unit_test(pcie_counters_run_between_refreshes),
	};

	setenv("TT_SMI_VIRTUAL_TIME", "1763716364", 1);
	clock_init();
	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
