/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind_blackhole.c - Blackhole: telemetry needs windows on the NOC; 14 by 10 compute tiles.
 */
#include "config.h"
#include "device/kind.h"
#include "base/array.h"
#include "device/eth.h"

#define DRAM_SIZE 0xff000000

const uint8_t eth_xy_blackhole[ETH_CHANNELS_BLACKHOLE][2] = {
	{ 1, 1 }, { 16, 1 }, { 2, 1 }, { 15, 1 }, { 3, 1 }, { 14, 1 }, { 4, 1 },
	{ 13, 1 }, { 5, 1 }, { 12, 1 }, { 6, 1 }, { 11, 1 }, { 7, 1 }, { 10, 1 },
};

/* Translated coordinates: windows accept no others. */
static const uint8_t dram_xy[][KIND_PORTS][2] = {
	{ { 17, 12 }, { 17, 13 }, { 17, 14 } }, { { 17, 15 }, { 17, 16 }, { 17, 17 } },
	{ { 17, 18 }, { 17, 19 }, { 17, 20 } }, { { 17, 21 }, { 17, 22 }, { 17, 23 } },
	{ { 18, 12 }, { 18, 13 }, { 18, 14 } }, { { 18, 15 }, { 18, 16 }, { 18, 17 } },
	{ { 18, 18 }, { 18, 19 }, { 18, 20 } }, { { 18, 21 }, { 18, 22 }, { 18, 23 } },
};

/* clang-format off */
static const struct kind_rule rules[] = {
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
	{ TILE_TENSIX, 0x00000, 0x180000, false, FOR_BURN },
	{ TILE_TENSIX, 0x00000, 0x000010, true, FOR_BURN },
	{ TILE_TENSIX, 0x00020, 0x180000, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121b0, 0xffb121b4, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121f0, 0xffb121fc, false, FOR_BURN },
	{ TILE_TENSIX, 0xffb12228, 0xffb12238, true, FOR_BURN },
	/* A memory channel except its last 16 MiB, where the tile has registers. */
	{ TILE_DRAM, 0, DRAM_SIZE, false, FOR_MEMORY },
	{ TILE_DRAM, 0, DRAM_SIZE, true, FOR_BURN },
	{ .end = 0 }
};
/* clang-format on */

const struct device_kind kind_blackhole = {
	.name = "Blackhole",
	.pci_device = 0xb140,
	.hang = 0x1fd04044,		/* NOC id of the PCIe tile */
	.windows = { 2 << 20 },
	.arc_x = 8, .arc_y = 0,
	.rules = rules,
	.config_write_since = 0x011f00,	/* 1.31 */
	.eth_xy = eth_xy_blackhole,
	.n_eth = ARRAY_LEN(eth_xy_blackhole),
	.eth_moved = { 20, 25 },
	.eth_spare = { 0x070, 0x380 },
	.eth_status = 0x7cc00,
	.tensix = { 1, 2, 16, 11 },
	.other_columns = 1 << 8 | 1 << 9,
	.dram_xy = dram_xy,
	.n_dram = ARRAY_LEN(dram_xy),
	.dram_size = DRAM_SIZE,
	.dram_moves = true,
	.dram_turns = true,
	.galaxy = { 0x0047, 0x0202 },
	.galaxy_bus = { 0x00, 0x40, 0xc0, 0x80 },
};
