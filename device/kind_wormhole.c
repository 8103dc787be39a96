/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind_wormhole.c - Wormhole: registers in BAR0, a grid of 8 by 10 compute tiles.
 */
#include "config.h"
#include "device/kind.h"
#include "base/array.h"
#include "device/eth.h"

#define DRAM_SIZE 0x80000000

const uint8_t eth_xy_wormhole[ETH_CHANNELS_WORMHOLE][2] = {
	{ 9, 0 }, { 1, 0 }, { 8, 0 }, { 2, 0 }, { 7, 0 }, { 3, 0 }, { 6, 0 }, { 4, 0 },
	{ 9, 6 }, { 1, 6 }, { 8, 6 }, { 2, 6 }, { 7, 6 }, { 3, 6 }, { 6, 6 }, { 4, 6 },
};

static const uint8_t dram_xy[][KIND_PORTS][2] = {
	{ { 0, 0 }, { 0, 1 }, { 0, 11 } }, { { 0, 5 }, { 0, 6 }, { 0, 7 } },
	{ { 5, 0 }, { 5, 1 }, { 5, 11 } }, { { 5, 2 }, { 5, 9 }, { 5, 10 } },
	{ { 5, 3 }, { 5, 4 }, { 5, 8 } }, { { 5, 5 }, { 5, 6 }, { 5, 7 } },
};

/* clang-format off */
static const struct kind_rule rules[] = {
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
	{ TILE_TENSIX, 0x00000, 0x16e000, false, FOR_BURN },
	{ TILE_TENSIX, 0x00000, 0x000010, true, FOR_BURN },
	{ TILE_TENSIX, 0x00020, 0x16e000, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121b0, 0xffb121b4, true, FOR_BURN },
	{ TILE_TENSIX, 0xffb121f0, 0xffb121fc, false, FOR_BURN },
	/* Both halves of a memory channel; its registers lie above them. */
	{ TILE_DRAM, 0, DRAM_SIZE, false, FOR_MEMORY },
	{ TILE_DRAM, 0, DRAM_SIZE, true, FOR_BURN },
	{ .end = 0 }
};
/* clang-format on */

const struct device_kind kind_wormhole = {
	.name = "Wormhole",
	.pci_device = 0x401e,
	.idle_mhz = 500,
	.power_since = 0x020900,	/* in 2.6 to 2.8 they do nothing (chip-facts 1.8.5) */
	.hang = 0x1ff30078,		/* SCRATCH_6 */
	.windows = { 1 << 20, 2 << 20, 16 << 20 },
	.in_bar0 = true,
	.arc_x = 0, .arc_y = 10,
	.alias = { { 0x810000000, 0x1fe80000, 0x80000 }, { 0x880030000, 0x1ff30000, 0x1000 } },
	.rules = rules,
	.message_since = 0x011a00,	/* 1.26, the oldest that any tool relies on */
	.eth_xy = eth_xy_wormhole,
	.n_eth = ARRAY_LEN(eth_xy_wormhole),
	.tensix = { 1, 1, 9, 11 },
	.other_columns = 1 << 5, .other_rows = 1 << 6,
	.dram_xy = dram_xy,
	.n_dram = ARRAY_LEN(dram_xy),
	.dram_size = DRAM_SIZE,
	.galaxy = { 0x0035 },
	.galaxy_bus = { 0xc0, 0x80, 0x00, 0x40 },
};
