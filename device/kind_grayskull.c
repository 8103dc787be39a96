/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind_grayskull.c - Grayskull, which today's drivers do not bind.
 */
#include "config.h"
#include "device/kind.h"

/* clang-format off */
static const struct kind_rule rules[] = {
	/* The ARC's CSM; its reset unit up to the NOC ids (0x328 beyond them is unsafe). */
	{ TILE_NONE, 0x1fe80000, 0x1ff00000, false, FOR_ANY },
	{ TILE_NONE, 0x1ff30020, 0x1ff30200, false, FOR_ANY },
	/* The mailbox: SCRATCH_3, SCRATCH_5, the doorbell (chip-facts 4.1). */
	{ TILE_NONE, 0x1ff3006c, 0x1ff30070, true, FOR_ANY },
	{ TILE_NONE, 0x1ff30074, 0x1ff30078, true, FOR_ANY },
	{ TILE_NONE, 0x1ff30100, 0x1ff30104, true, FOR_ANY },
	/* The resets of memory, Tensix and RISC-V, and window 184 (reset/tensix.c). */
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
	.rules = rules,
	.cores_only = true,
	.reset_bar0 = 0x1d000000,
};
