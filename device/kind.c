/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind.c - the kinds of chip, the trays of a galaxy, and versions of the driver.
 */
#include "config.h"
#include "device/kind.h"

#include "base/mem.h"
#include "device/eth.h"

#include <stdio.h>

/* Blackhole: telemetry needs windows on the NOC; 14 by 10 compute tiles. */

#define BLACKHOLE_DRAM_SIZE 0xff000000

const uint8_t eth_xy_blackhole[ETH_CHANNELS_BLACKHOLE][2] = {
	{ 1, 1 }, { 16, 1 }, { 2, 1 }, { 15, 1 }, { 3, 1 }, { 14, 1 }, { 4, 1 },
	{ 13, 1 }, { 5, 1 }, { 12, 1 }, { 6, 1 }, { 11, 1 }, { 7, 1 }, { 10, 1 },
};

static const uint8_t blackhole_columns[] = { 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10 };

/* Translated coordinates: windows accept no others. */
static const uint8_t blackhole_dram_xy[][KIND_PORTS][2] = {
	{ { 17, 12 }, { 17, 13 }, { 17, 14 } }, { { 17, 15 }, { 17, 16 }, { 17, 17 } },
	{ { 17, 18 }, { 17, 19 }, { 17, 20 } }, { { 17, 21 }, { 17, 22 }, { 17, 23 } },
	{ { 18, 12 }, { 18, 13 }, { 18, 14 } }, { { 18, 15 }, { 18, 16 }, { 18, 17 } },
	{ { 18, 18 }, { 18, 19 }, { 18, 20 } }, { { 18, 21 }, { 18, 22 }, { 18, 23 } },
};

/* clang-format off */
static const struct kind_rule blackhole_rules[] = {
	/* PCIe tile: NOC id, counters.  Not every board has the ARC's registers in BAR0. */
	{ TILE_NONE, 0x1fd04044, 0x1fd04048, false, FOR_ANY },
	{ TILE_NONE, 0x1fd04200, 0x1fd04300, false, FOR_ANY },
	{ TILE_NONE, 0x1fd14200, 0x1fd14300, false, FOR_ANY },
	/* SCRATCH_0.., ARC_MISC_CNTL, SCRATCH_RAM; reading 0x800b0000 would pop a message. */
	{ TILE_ARC, 0x80030060, 0x800300a0, false, FOR_ANY },
	{ TILE_ARC, 0x80030100, 0x80030104, false, FOR_ANY },
	{ TILE_ARC, 0x80030400, 0x80030500, false, FOR_ANY },
	{ TILE_ARC, 0x10000000, 0x10080000, false, FOR_ANY },
	{ TILE_ETH, 0x00000, 0x80000, false, FOR_ANY },
	/* The message queues, which may be anywhere in CSM, and their doorbell (4.3). */
	{ TILE_ARC, 0x10000000, 0x10080000, true, FOR_ACTS },
	{ TILE_ARC, 0x80030100, 0x80030104, true, FOR_ACTS },
	/* L1 except the words at 0x10, where firmware writes; soft reset, PCs, wall clock. */
	{ TILE_TENSIX, 0x00000, 0x180000, false, FOR_CORES },
	{ TILE_TENSIX, 0x00000, 0x000010, true, FOR_BURN },
	{ TILE_TENSIX, 0x00020, 0x180000, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121b0, 0xffb121b4, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121f0, 0xffb121fc, false, FOR_BURN },
	{ TILE_TENSIX, 0xffb12228, 0xffb12238, true, FOR_BURN },
	/* A memory channel except its last 16 MiB, where the tile has registers. */
	{ TILE_DRAM, 0, BLACKHOLE_DRAM_SIZE, false, FOR_MEMORY },
	{ TILE_DRAM, 0, BLACKHOLE_DRAM_SIZE, true, FOR_BURN },
	{ .end = 0 }
};
/* clang-format on */

const struct device_kind kind_blackhole = {
	.name = "Blackhole",
	.pci_device = 0xb140,
	.idle_mhz = 800,
	.hang = 0x1fd04044,		/* NOC id of the PCIe tile */
	.windows = { 2 << 20 },
	.arc_x = 8, .arc_y = 0,
	.rules = blackhole_rules,
	.reset_since = { [DEVICE_CONFIG_WRITE] = 0x011f00 },	/* 1.31 */
	.eth_xy = eth_xy_blackhole,
	.n_eth = ARRAY_LEN(eth_xy_blackhole),
	.eth_moved = { 20, 25 },
	.eth_spare = { 0x070, 0x380 },
	.tensix = { 1, 2, 16, 11 },
	.tensix_memory = 0x180000,
	.other_columns = 1 << 8 | 1 << 9,
	.tensix_lines = blackhole_columns,
	.n_tensix_lines = ARRAY_LEN(blackhole_columns),
	.dram_xy = blackhole_dram_xy,
	.n_dram = ARRAY_LEN(blackhole_dram_xy),
	.dram_size = BLACKHOLE_DRAM_SIZE,
	.dram_moves = true,
	.dram_turns = true,
	.galaxy = { 0x0047, 0x0202 },
	.galaxy_bus = { 0x00, 0x40, 0xc0, 0x80 },
};

/* Grayskull, which today's drivers do not bind. */

/* clang-format off */
static const struct kind_rule grayskull_rules[] = {
	/* The ARC's CSM; its reset unit up to the NOC ids (0x328 beyond them is unsafe). */
	{ TILE_NONE, 0x1fe80000, 0x1ff00000, false, FOR_ANY },
	{ TILE_NONE, 0x1ff30020, 0x1ff30200, false, FOR_ANY },
	/* The mailbox: SCRATCH_3, SCRATCH_5, the doorbell (chip-facts 4.1). */
	{ TILE_NONE, 0x1ff3006c, 0x1ff30070, true, FOR_ANY },
	{ TILE_NONE, 0x1ff30074, 0x1ff30078, true, FOR_ANY },
	{ TILE_NONE, 0x1ff30100, 0x1ff30104, true, FOR_ANY },
	/* The resets of memory, Tensix and RISC-V, and window 184 (reset/agent.c). */
	{ TILE_NONE, 0x1ff30008, 0x1ff3000c, true, FOR_RESET },
	{ TILE_NONE, 0x1ff30020, 0x1ff30060, true, FOR_RESET },
	{ TILE_NONE, 0x1fc005c0, 0x1fc005c8, true, FOR_RESET },
	/* Through it: a tile's ports to both NOCs, a memory tile's, the cores' soft resets. */
	{ TILE_NONE, 0x1db20100, 0x1db20114, true, FOR_RESET },
	{ TILE_NONE, 0x1db30100, 0x1db30114, true, FOR_RESET },
	{ TILE_NONE, 0x1dff4100, 0x1dff4114, true, FOR_RESET },
	{ TILE_NONE, 0x1dff5100, 0x1dff5114, true, FOR_RESET },
	{ TILE_NONE, 0x1db121b0, 0x1db121b4, true, FOR_RESET },
	/* The ARC's and PCIe's ports. */
	{ TILE_NONE, 0x1ff50100, 0x1ff50114, true, FOR_RESET },
	{ TILE_NONE, 0x1ff58100, 0x1ff58114, true, FOR_RESET },
	{ TILE_NONE, 0x1fd00100, 0x1fd00114, true, FOR_RESET },
	{ TILE_NONE, 0x1fd08100, 0x1fd08114, true, FOR_RESET },
	{ .end = 0 }
};
/* clang-format on */

const struct device_kind kind_grayskull = {
	.name = "Grayskull",
	.pci_device = 0xfaca,
	.last_driver = "2.1.0",
	.in_bar0 = true,
	.arc_x = 0, .arc_y = 2,
	.rules = grayskull_rules,
	.cores_only = true,
	.reset_bar0 = 0x1d000000,
};

/* Wormhole: registers in BAR0, a grid of 8 by 10 compute tiles. */

#define WORMHOLE_DRAM_SIZE 0x80000000

const uint8_t eth_xy_wormhole[ETH_CHANNELS_WORMHOLE][2] = {
	{ 9, 0 }, { 1, 0 }, { 8, 0 }, { 2, 0 }, { 7, 0 }, { 3, 0 }, { 6, 0 }, { 4, 0 },
	{ 9, 6 }, { 1, 6 }, { 8, 6 }, { 2, 6 }, { 7, 6 }, { 3, 6 }, { 6, 6 }, { 4, 6 },
};

static const uint8_t wormhole_rows[] = { 11, 1, 10, 2, 9, 3, 8, 4, 7, 5 };

static const uint8_t wormhole_dram_xy[][KIND_PORTS][2] = {
	{ { 0, 0 }, { 0, 1 }, { 0, 11 } }, { { 0, 5 }, { 0, 6 }, { 0, 7 } },
	{ { 5, 0 }, { 5, 1 }, { 5, 11 } }, { { 5, 2 }, { 5, 9 }, { 5, 10 } },
	{ { 5, 3 }, { 5, 4 }, { 5, 8 } }, { { 5, 5 }, { 5, 6 }, { 5, 7 } },
};

/* clang-format off */
static const struct kind_rule wormhole_rules[] = {
	/* The ARC's CSM; its reset unit up to the NOC ids (0x328 beyond them is unsafe). */
	{ TILE_NONE, 0x1fe80000, 0x1ff00000, false, FOR_ANY },
	{ TILE_NONE, 0x1ff30020, 0x1ff30200, false, FOR_ANY },
	{ TILE_ARC, 0x810000000, 0x810080000, false, FOR_ANY },
	{ TILE_ARC, 0x880030020, 0x880030200, false, FOR_ANY },
	/* The mailbox: SCRATCH_3, SCRATCH_5, the doorbell (chip-facts 4.1). */
	{ TILE_NONE, 0x1ff3006c, 0x1ff30070, true, FOR_ANY },
	{ TILE_NONE, 0x1ff30074, 0x1ff30078, true, FOR_ANY },
	{ TILE_NONE, 0x1ff30100, 0x1ff30104, true, FOR_ANY },
	/* NIU node id and PCIe counters of both NOCs. */
	{ TILE_NONE, 0x1ff5002c, 0x1ff50030, false, FOR_ANY },
	{ TILE_NONE, 0x1fd02200, 0x1fd02300, false, FOR_ANY },
	{ TILE_NONE, 0x1fd0a200, 0x1fd0a300, false, FOR_ANY },
	/* L1 of the ethernet cores, with the two queues of the routing firmware. */
	{ TILE_ETH, 0x00000, 0x40000, false, FOR_ANY },
	{ TILE_ETH, 0x11080, 0x112c0, true, FOR_ANY },
	/* L1 except the words at 0x10, where firmware writes; soft reset, wall clock. */
	{ TILE_TENSIX, 0x00000, 0x16e000, false, FOR_CORES },
	{ TILE_TENSIX, 0x00000, 0x000010, true, FOR_BURN },
	{ TILE_TENSIX, 0x00020, 0x16e000, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121b0, 0xffb121b4, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121f0, 0xffb121fc, false, FOR_BURN },
	/* Both halves of a memory channel; its registers lie above them. */
	{ TILE_DRAM, 0, WORMHOLE_DRAM_SIZE, false, FOR_MEMORY },
	{ TILE_DRAM, 0, WORMHOLE_DRAM_SIZE, true, FOR_BURN },
	{ .end = 0 }
};
/* clang-format on */

const struct device_kind kind_wormhole = {
	.name = "Wormhole",
	.pci_device = 0x401e,
	.idle_mhz = 500,
	.lingers = true,
	.power_since = 0x020900,	/* in 2.6 to 2.8 they do nothing (chip-facts 1.8.5) */
	.hang = 0x1ff30078,		/* SCRATCH_6 */
	.windows = { 1 << 20, 2 << 20, 16 << 20 },
	.in_bar0 = true,
	.arc_x = 0, .arc_y = 10,
	.rules = wormhole_rules,
	/* 1.26, the oldest that any tool relies on; the firmware gets a message after the call. */
	.reset_since = { [DEVICE_RESET_LINK] = 0x011a00 },
	.eth_xy = eth_xy_wormhole,
	.n_eth = ARRAY_LEN(eth_xy_wormhole),
	.tensix = { 1, 1, 9, 11 },
	.tensix_memory = 0x16e000,
	.other_columns = 1 << 5, .other_rows = 1 << 6,
	.tensix_lines = wormhole_rows,
	.n_tensix_lines = ARRAY_LEN(wormhole_rows),
	.tensix_in_rows = true,
	.moved = { 18, 16 },
	.dram_xy = wormhole_dram_xy,
	.n_dram = ARRAY_LEN(wormhole_dram_xy),
	.dram_size = WORMHOLE_DRAM_SIZE,
	.galaxy = { 0x0035 },
	.galaxy_bus = { 0xc0, 0x80, 0x00, 0x40 },
};

/* All kinds. */

static const struct kind_rule nothing[] = { { .end = 0 } };
static const struct device_kind unknown = { .name = "unknown", .rules = nothing,
	.no_reset = "this chip is not known here" };

static const struct device_kind *const kinds[DEVICE_CHIPS] = {
	[DEVICE_UNKNOWN] = &unknown,
	[DEVICE_GRAYSKULL] = &kind_grayskull,
	[DEVICE_WORMHOLE] = &kind_wormhole,
	[DEVICE_BLACKHOLE] = &kind_blackhole,
};

const struct device_kind *kind_of(enum device_chip chip)
{
	return chip < DEVICE_CHIPS ? kinds[chip] : &unknown;
}

/*
 * Blackhole's firmware translates coordinates so that the column with a
 * switched-off channel becomes the second one, and that channel's row becomes
 * the last in both columns (tt-system-firmware, noc_init.c).
 */
static unsigned dram_place(const struct device_kind *k, uint32_t enabled, unsigned channel)
{
	const unsigned half = (unsigned)k->n_dram / 2;
	unsigned off = 0, column = channel / half, row = channel % half;

	while (off < k->n_dram && enabled >> off & 1)
		off++;
	if (!k->dram_moves || off == k->n_dram)
		return channel;
	if (off < half)
		column = !column;
	if (row == off % half)
		row = half - 1;
	else if (row > off % half)
		row--;
	return column * half + row;
}

struct reg_addr kind_dram(const struct device_kind *k, uint32_t enabled, unsigned channel,
	unsigned port, uint64_t addr)
{
	const uint8_t *xy = k->dram_xy[dram_place(k, enabled, channel)][port];

	return (struct reg_addr){ REG_NOC, xy[0], xy[1], addr };
}

/*
 * Blackhole's firmware leaves one core of each half out of the translated row: the last one that is
 * off among those that may be off.  The others follow in order (tt-system-firmware at 37359d8651e5,
 * lib/tenstorrent/bh_arc/noc_init.c; UMD reads them there: tt-umd at 3ed9cb6d0533,
 * device/coordinates/blackhole_coordinate_manager.cpp).
 */
bool kind_eth(const struct device_kind *k, uint32_t on, bool translated, unsigned core,
	uint8_t xy[2])
{
	uint32_t left_out = 0;

	if (core >= k->n_eth || !(on >> core & 1))
		return false;
	xy[0] = k->eth_xy[core][0];
	xy[1] = k->eth_xy[core][1];
	if (!translated || !k->eth_moved[0])
		return true;
	for (size_t i = 0; i < ARRAY_LEN(k->eth_spare); i++) {
		const uint32_t off = k->eth_spare[i] & ~on;

		if (off == 0)
			return false;
		left_out |= 0x80000000U >> __builtin_clz(off);
	}
	xy[0] = (uint8_t)(k->eth_moved[0] + core -
		(unsigned)__builtin_popcount(left_out & ((1U << core) - 1)));
	xy[1] = k->eth_moved[1];
	return true;
}

/* The n-th coordinate from..to whose bit in `others` is clear; UINT8_MAX: there are fewer. */
static unsigned nth_line(unsigned from, unsigned to, uint32_t others, unsigned n)
{
	for (unsigned i = from; i <= to; i++)
		if (!(others >> i & 1) && n-- == 0)
			return i;
	return UINT8_MAX;
}

uint32_t kind_tensix_off(const struct device_kind *k, uint32_t live, bool translated)
{
	const uint32_t all = (1U << k->n_tensix_lines) - 1;
	const unsigned n = (unsigned)__builtin_popcount(live & all);
	uint32_t off = 0;

	for (unsigned i = 0; i < k->n_tensix_lines; i++)
		off |= translated && !k->tensix_in_rows ?
			(uint32_t)(i >= n) << nth_line(k->tensix.x0, k->tensix.x1,
				k->other_columns, i) :
			(~live >> i & 1) << k->tensix_lines[i];
	return off;
}

unsigned kind_count_cores(const struct device_kind *k, const struct kind_cores *on)
{
	const uint32_t live = on->tensix & ((1U << k->n_tensix_lines) - 1);
	const uint32_t eth = on->eth & ((1U << k->n_eth) - 1);
	const struct reg_rect *t = &k->tensix;
	const unsigned length = k->tensix_in_rows ?
		t->x1 - t->x0 + 1u - (unsigned)__builtin_popcount(k->other_columns) :
		t->y1 - t->y0 + 1u - (unsigned)__builtin_popcount(k->other_rows);

	return (unsigned)__builtin_popcount(live) * length + (unsigned)__builtin_popcount(eth);
}

/*
 * A Wormhole's translated coordinates are turned into NOC0 coordinates, which stay valid (UMD:
 * tt-umd at 18df82da67f4, device/coordinates/wormhole_coordinate_manager.cpp).
 */
bool kind_find_core(const struct device_kind *k, const struct kind_cores *on, unsigned x,
	unsigned y, uint8_t xy[2])
{
	const struct reg_rect *t = &k->tensix;
	const uint32_t off = kind_tensix_off(k, on->tensix, on->translated);
	const uint32_t columns = k->other_columns | (k->tensix_in_rows ? 0 : off);
	const uint32_t rows = k->other_rows | (k->tensix_in_rows ? off : 0);

	if (k->moved[0] && x >= k->moved[0] && y >= k->moved[1] && on->translated) {
		x = nth_line(t->x0, t->x1, columns, x - k->moved[0]);
		y -= k->moved[1];
		y = y < 2 ? k->eth_xy[y * k->n_eth / 2][1] : nth_line(t->y0, t->y1, rows, y - 2);
	}
	for (unsigned i = 0; i < k->n_eth; i++)
		if (kind_eth(k, on->eth, on->translated, i, xy) && xy[0] == x && xy[1] == y)
			return true;
	xy[0] = (uint8_t)x;
	xy[1] = (uint8_t)y;
	return x >= t->x0 && x <= t->x1 && y >= t->y0 && y <= t->y1 && !(columns >> x & 1) &&
		!(rows >> y & 1);
}

/*
 * On Blackhole the left column counts its ports upwards and the right one downwards;
 * the firmware's translation keeps the order of the rows (tt-system-firmware, noc.c).
 */
int kind_dram_port(const struct device_kind *k, unsigned channel, unsigned number)
{
	if (channel >= k->n_dram || number >= KIND_PORTS)
		return -1;
	return (int)(k->dram_turns && channel >= k->n_dram / 2 ? KIND_PORTS - 1 - number : number);
}

const char *device_chip_name(enum device_chip chip)
{
	return kind_of(chip)->name;
}

const struct origin origin_machine = { "kmd", NULL, "", .is_machine = true, .computes = true,
	.has_trays = true };
const struct origin origin_sim = { "sim", "simulated", "simulated boards", .is_simulated = true,
	.has_trays = true };
const struct origin origin_ttsim = { "ttsim", "simulated", "simulated boards",
	.is_simulated = true, .computes = true };
const struct origin origin_replay = { "replay", "recorded", "recorded boards",
	.is_recorded = true, .has_trays = true };
const struct origin origin_file = { "load", "loaded from a file", "loaded snapshot",
	.is_recorded = true, .is_moment = true, .has_trays = true };

enum device_chip device_chip_of(uint16_t pci_device)
{
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		if (kinds[c]->pci_device == pci_device)
			return c;
	return DEVICE_UNKNOWN;
}

unsigned driver_version(const char *text)
{
	unsigned a, b, c = 0;

	if (sscanf(text, "%3u.%3u.%3u", &a, &b, &c) < 2)
		return 0;
	return (a & 0xff) << 16 | (b & 0xff) << 8 | (c & 0xff);
}

/* Trays of a galaxy by PCI bus number. */

const uint8_t *galaxy_buses(enum device_chip chip)
{
	return kind_of(chip)->galaxy[0] ? kind_of(chip)->galaxy_bus : NULL;
}

static bool is_of_galaxy(const struct device_kind *k, uint16_t subsystem)
{
	for (size_t i = 0; i < ARRAY_LEN(k->galaxy); i++)
		if (subsystem && subsystem == k->galaxy[i])
			return true;
	return false;
}

int galaxy_place(enum device_chip kind, uint16_t subsystem, const char *bdf, int *chip)
{
	const struct device_kind *k = kind_of(kind);
	unsigned domain, bus, place;

	if (!is_of_galaxy(k, subsystem) || sscanf(bdf, "%x:%x:", &domain, &bus) != 2)
		return 0;
	place = bus & 0xf;
	for (int tray = 0; place >= 1 && place <= GALAXY_CHIPS && tray < GALAXY_TRAYS; tray++) {
		if (k->galaxy_bus[tray] != (bus & 0xf0))
			continue;
		if (chip)
			*chip = (int)place;
		return tray + 1;
	}
	return 0;
}

int galaxy_tray(const struct device *d, int *chip)
{
	return d->local < 0 ? galaxy_place(d->chip, d->subsys_device, d->bdf, chip) : 0;
}
