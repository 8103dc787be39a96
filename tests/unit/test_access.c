/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_access.c - which registers may be touched, and for what.
 */
#include "config.h"
#include "base/mem.h"
#include "device/device.h"
#include "device/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define GS DEVICE_GRAYSKULL
#define WH DEVICE_WORMHOLE
#define BH DEVICE_BLACKHOLE

static void what_may_hurt_a_chip_is_never_touched(void **state)
{
	static const struct {
		enum device_chip chip;
		struct reg_addr at;
		size_t n;
		bool read, write;
	} cases[] = {
		{ BH, { REG_BAR0, 0, 0, 0x1ff30400 }, 1, false, false },	/* not routed */
		{ BH, { REG_NOC, 8, 0, 0x800b0000 }, 1, false, false },	/* pops */
		{ BH, { REG_NOC, 8, 0, 0x800b0004 }, 1, false, false },	/* flushes */
		{ BH, { REG_NOC, 8, 0, 0x80030434 }, 1, true, false },
		{ BH, { REG_NOC, 8, 1, 0x80030434 }, 1, false, false },	/* another tile */
		{ BH, { REG_NOC, 8, 0, 0x1007fffc }, 1, true, false },
		{ BH, { REG_NOC, 8, 0, 0x1007fffc }, 2, false, false },	/* runs out of it */
		{ BH, { REG_NOC, 1, 1, 0x7cc70 }, 1, true, false },
		{ BH, { REG_NOC, 20, 25, 0x7cc04 }, 3, true, false },	/* as translated */
		{ BH, { REG_NOC, 31, 25, 0x7cc8c }, 1, true, false },
		{ BH, { REG_NOC, 32, 25, 0x7cc04 }, 1, false, false },
		{ BH, { REG_NOC, 19, 25, 0x7cc04 }, 1, false, false },
		{ BH, { REG_NOC, 20, 24, 0x7cc04 }, 1, false, false },	/* PCIe */
		{ BH, { REG_NOC, 20, 25, 0x80000 }, 1, false, false },
		{ WH, { REG_NOC, 20, 25, 0x1c }, 1, false, false },
		{ BH, { REG_NOC, 1, 2, 0x0 }, 1, false, false },	/* Tensix */
		{ BH, { REG_BAR0, 0, 0, 0x1fd04044 }, 1, true, false },
		{ WH, { REG_BAR0, 0, 0, 0x1ff30328 }, 1, false, false },	/* unsafe */
		{ WH, { REG_BAR0, 0, 0, 0x1ff20000 }, 1, false, false },	/* APB */
		{ WH, { REG_BAR0, 0, 0, 0x1fc00000 }, 1, false, false },	/* windows */
		{ WH, { REG_BAR0, 0, 0, 0x1ff30062 }, 1, false, false },	/* unaligned */
		{ WH, { REG_BAR0, 0, 0, 0x1ff30060 }, 0, false, false },
		{ WH, { REG_BAR0, 0, 0, 0x1ff30060 }, SIZE_MAX / 2, false, false },
		{ WH, { REG_BAR0, 0, 0, 0x1ff30100 }, 1, true, true },
		{ WH, { REG_NOC, 0, 10, 0x880030328 }, 1, false, false },
		{ WH, { REG_NOC, 4, 6, 0x1c }, 1, true, false },
		{ WH, { REG_NOC, 5, 6, 0x1c }, 1, false, false },
		{ WH, { REG_NOC, 9, 0, 0x11238 }, 1, true, true },
		{ GS, { REG_BAR0, 0, 0, 0x1fef836c }, 1, true, false },
		{ DEVICE_UNKNOWN, { REG_BAR0, 0, 0, 0x1ff30060 }, 1, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool read = access_allowed(cases[i].chip, ACCESS_TELEMETRY, cases[i].at,
			cases[i].n, false);
		bool write = access_allowed(cases[i].chip, ACCESS_TELEMETRY, cases[i].at,
			cases[i].n, true);

		if (read != cases[i].read || write != cases[i].write)
			fail_msg("case %zu", i);
	}
}

/* What is opened for one purpose stays shut for the others. */
static void each_purpose_has_its_own_registers(void **state)
{
	static const struct {
		enum device_chip chip;
		struct reg_addr at;
		size_t n;
		bool read[5], write[5];		/* by enum access_purpose */
	} cases[] = {
		/* What telemetry may read, all may. */
		{ WH, { REG_BAR0, 0, 0, 0x1ff30060 }, 1, { 1, 1, 1, 1, 1 }, { 0 } },
		{ WH, { REG_BAR0, 0, 0, 0x1ff30074 }, 1, { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 } },
		/* Grayskull's Tensix reset. */
		{ GS, { REG_BAR0, 0, 0, 0x1ff30020 }, 8, { 1, 1, 1, 1, 1 }, { 0, 1, 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1ff30008 }, 1, { 0, 1, 0 }, { 0, 1, 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1ff3000c }, 1, { 0 }, { 0 } },
		/* Its window 184, and what of the tiles may be touched through it. */
		{ GS, { REG_BAR0, 0, 0, 0x1fc005c0 }, 2, { 0, 1, 0 }, { 0, 1, 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1fc005c8 }, 1, { 0 }, { 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1fc005bc }, 1, { 0 }, { 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1db20100 }, 5, { 0, 1, 0 }, { 0, 1, 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1db20100 }, 6, { 0 }, { 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1db121b0 }, 1, { 0, 1, 0 }, { 0, 1, 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1db121b4 }, 1, { 0 }, { 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1d000000 }, 1, { 0 }, { 0 } },
		{ GS, { REG_BAR0, 0, 0, 0x1fd00110 }, 1, { 0, 1, 0 }, { 0, 1, 0 } },
		{ WH, { REG_BAR0, 0, 0, 0x1fc005c0 }, 1, { 0 }, { 0 } },
		{ WH, { REG_BAR0, 0, 0, 0x1ff30008 }, 1, { 0 }, { 0 } },
		/* Messages to a Blackhole. */
		{ BH, { REG_NOC, 8, 0, 0x10074900 }, 8, { 1, 1, 1, 1, 1 }, { 0, 1, 1 } },
		{ BH, { REG_NOC, 8, 0, 0x80030100 }, 1, { 1, 1, 1, 1, 1 }, { 0, 1, 1 } },
		{ BH, { REG_NOC, 8, 0, 0x80030060 }, 1, { 1, 1, 1, 1, 1 }, { 0 } },
		{ BH, { REG_NOC, 8, 0, 0x800b0000 }, 1, { 0 }, { 0 } },
		/* Tensix tiles: L1, soft reset. */
		{ WH, { REG_NOC, 1, 1, 0x0 }, 4, { 0, 0, 1, 0, 1 }, { 0, 0, 1 } },
		{ WH, { REG_NOC, 1, 1, 0x10 }, 1, { 0, 0, 1, 0, 1 }, { 0 } },
		{ WH, { REG_NOC, 1, 1, 0x0 }, 16, { 0, 0, 1, 0, 1 }, { 0 } },
		{ WH, { REG_NOC, 9, 11, 0x16dffc }, 1, { 0, 0, 1, 0, 1 }, { 0, 0, 1 } },
		{ WH, { REG_NOC, 9, 11, 0x16dffc }, 2, { 0 }, { 0 } },
		{ WH, { REG_NOC, 10, 1, 0x0 }, 1, { 0 }, { 0 } },
		{ WH, { REG_NOC, 1, 6, 0x20000 }, 1, { 1, 1, 1, 1, 1 }, { 0 } },
		{ WH, { REG_NOC, 1, 1, 0xffb121b0 }, 1, { 0, 0, 1 }, { 0, 0, 1 } },
		{ WH, { REG_NOC, 1, 1, 0xffb12228 }, 1, { 0 }, { 0 } },
		{ BH, { REG_NOC, 16, 11, 0x17fffc }, 1, { 0, 0, 1, 0, 1 }, { 0, 0, 1 } },
		{ BH, { REG_NOC, 8, 2, 0x20000 }, 1, { 0 }, { 0 } },
		{ BH, { REG_NOC, 9, 2, 0x20000 }, 1, { 0 }, { 0 } },
		{ BH, { REG_NOC, 1, 2, 0xffb12228 }, 4, { 0, 0, 1 }, { 0, 0, 1 } },
		{ BH, { REG_NOC, 1, 2, 0xffb121f0 }, 3, { 0, 0, 1 }, { 0 } },
		{ GS, { REG_NOC, 1, 1, 0x20000 }, 1, { 0 }, { 0 } },
		/* Memory: to be read for its check, to be written by a burn alone. */
		{ WH, { REG_NOC, 0, 0, 0x0 }, 4, { 0, 0, 1, 1 }, { 0, 0, 1, 0 } },
		{ WH, { REG_NOC, 5, 8, 0x7ffffffc }, 1, { 0, 0, 1, 1 }, { 0, 0, 1, 0 } },
		{ WH, { REG_NOC, 5, 8, 0x7ffffffc }, 2, { 0 }, { 0 } },
		{ WH, { REG_NOC, 5, 6, 0x0 }, 1, { 0, 0, 1, 1 }, { 0, 0, 1, 0 } },
		{ WH, { REG_NOC, 0, 2, 0x0 }, 1, { 0 }, { 0 } },
		{ WH, { REG_NOC, 0, 10, 0x0 }, 1, { 0 }, { 0 } },	/* the ARC */
		{ WH, { REG_NOC, 0, 0, 0x100080000 }, 1, { 0 }, { 0 } },	/* registers */
		{ BH, { REG_NOC, 17, 12, 0x0 }, 4, { 0, 0, 1, 1 }, { 0, 0, 1, 0 } },
		{ BH, { REG_NOC, 18, 23, 0xfefffffc }, 1, { 0, 0, 1, 1 }, { 0, 0, 1, 0 } },
		{ BH, { REG_NOC, 18, 23, 0xff000000 }, 1, { 0 }, { 0 } },
		{ BH, { REG_NOC, 17, 11, 0x0 }, 1, { 0 }, { 0 } },
		{ BH, { REG_NOC, 19, 12, 0x0 }, 1, { 0 }, { 0 } },
		{ BH, { REG_NOC, 0, 0, 0x0 }, 1, { 0 }, { 0 } },	/* not translated */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (enum access_purpose p = ACCESS_TELEMETRY; p <= ACCESS_BUSY; p++)
			if (access_allowed(cases[i].chip, p, cases[i].at, cases[i].n, false) !=
				cases[i].read[p] ||
			    access_allowed(cases[i].chip, p, cases[i].at, cases[i].n, true) !=
				cases[i].write[p])
				fail_msg("case %zu, purpose %d", i, (int)p);
}

static void a_multicast_stays_among_the_compute_tiles(void **state)
{
	static const struct {
		enum device_chip chip;
		enum access_purpose purpose;
		struct reg_rect to;
		uint64_t addr;
		bool allowed;
	} cases[] = {
		{ WH, ACCESS_BURN, { 1, 1, 9, 11 }, 0x20000, true },
		{ WH, ACCESS_BURN, { 1, 1, 9, 11 }, 0xffb121b0, true },
		{ WH, ACCESS_BURN, { 1, 0, 9, 11 }, 0x20000, false },
		{ WH, ACCESS_BURN, { 1, 1, 10, 11 }, 0x20000, false },
		{ WH, ACCESS_BURN, { 1, 1, 9, 11 }, 0xffb121f0, false },
		{ WH, ACCESS_TELEMETRY, { 1, 1, 9, 11 }, 0x20000, false },
		{ WH, ACCESS_RESET, { 1, 1, 9, 11 }, 0x20000, false },
		{ BH, ACCESS_BURN, { 1, 2, 16, 11 }, 0x20000, true },
		{ BH, ACCESS_BURN, { 1, 1, 16, 11 }, 0x20000, false },
		{ GS, ACCESS_BURN, { 1, 1, 9, 11 }, 0x20000, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (access_multicast_allowed(cases[i].chip, cases[i].purpose, cases[i].to,
			cases[i].addr, 1) != cases[i].allowed)
			fail_msg("case %zu", i);
}

/* A Wormhole without rows 4 and 11, and Blackholes without their last two columns. */
static void only_enabled_cores_are_found(void **state)
{
	static const struct kind_cores wh = { 0x37e, 0xfffe, true },
		raw_wh = { 0x37e, 0xfffe, false }, bh = { 0xfff, 0x3f3f, true },
		raw_bh = { 0xfff, 0x3f3f, false };
	static const struct {
		const struct device_kind *kind;
		const struct kind_cores *on;
		unsigned x, y;
		uint8_t xy[2];		/* 0: there is none */
	} cases[] = {
		{ &kind_wormhole, &wh, 18, 18, { 1, 1 } },
		{ &kind_wormhole, &wh, 18, 21, { 1, 5 } },
		{ &kind_wormhole, &wh, 22, 22, { 6, 7 } },
		{ &kind_wormhole, &wh, 25, 25, { 9, 10 } },
		{ &kind_wormhole, &wh, 18, 26, { 0 } },		/* 8 rows */
		{ &kind_wormhole, &wh, 26, 18, { 0 } },
		{ &kind_wormhole, &wh, 17, 18, { 0 } },
		{ &kind_wormhole, &wh, 18, 16, { 1, 0 } },	/* ethernet */
		{ &kind_wormhole, &wh, 25, 17, { 9, 6 } },
		{ &kind_wormhole, &wh, 25, 16, { 0 } },		/* off */
		{ &kind_wormhole, &wh, 1, 10, { 1, 10 } },	/* NOC0 coordinates */
		{ &kind_wormhole, &wh, 1, 11, { 0 } },
		{ &kind_wormhole, &wh, 1, 4, { 0 } },
		{ &kind_wormhole, &wh, 5, 1, { 0 } },		/* memory */
		{ &kind_wormhole, &wh, 65535, 65535, { 0 } },
		{ &kind_wormhole, &raw_wh, 18, 18, { 0 } },
		{ &kind_wormhole, &raw_wh, 1, 1, { 1, 1 } },
		{ &kind_blackhole, &bh, 14, 11, { 14, 11 } },
		{ &kind_blackhole, &bh, 15, 2, { 0 } },
		{ &kind_blackhole, &bh, 8, 2, { 0 } },
		{ &kind_blackhole, &bh, 1, 1, { 0 } },
		{ &kind_blackhole, &bh, 20, 25, { 20, 25 } },
		{ &kind_blackhole, &bh, 31, 25, { 31, 25 } },
		{ &kind_blackhole, &bh, 32, 25, { 0 } },
		{ &kind_blackhole, &raw_bh, 7, 2, { 0 } },
		{ &kind_blackhole, &raw_bh, 16, 2, { 16, 2 } },
		{ &kind_blackhole, &raw_bh, 1, 1, { 1, 1 } },
		{ &kind_blackhole, &raw_bh, 20, 25, { 0 } },
		{ &kind_grayskull, &wh, 1, 1, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint8_t xy[2] = { 0 };
		const bool found = kind_find_core(cases[i].kind, cases[i].on, cases[i].x,
			cases[i].y, xy);
		const struct reg_addr at = { REG_NOC, xy[0], xy[1], 0x20000 };

		if (found != (cases[i].xy[0] != 0) || (found && memcmp(xy, cases[i].xy, 2) != 0))
			fail_msg("case %zu", i);
		if (found && !access_allowed(device_chip_of(cases[i].kind->pci_device),
			ACCESS_BUSY, at, 74, false))
			fail_msg("case %zu: not allowed", i);
	}
	assert_int_equal(kind_count_cores(&kind_wormhole, &wh), 8 * 8 + 15);
	assert_int_equal(kind_count_cores(&kind_blackhole, &bh), 12 * 10 + 12);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_hurt_a_chip_is_never_touched),
		cmocka_unit_test(each_purpose_has_its_own_registers),
		cmocka_unit_test(a_multicast_stays_among_the_compute_tiles),
		cmocka_unit_test(only_enabled_cores_are_found),
	};

	return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
