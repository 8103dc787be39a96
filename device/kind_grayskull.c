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
	/* Grayskull's RISC-V and Tensix resets (chip-facts 5.3). */
	{ TILE_NONE, 0x1ff30020, 0x1ff30060, true, FOR_RESET },
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
	.no_reset = "a Grayskull is not reset by this program; its cores can be reset by the "
		"tt-smi of its own time, the card by a power cycle",
};
