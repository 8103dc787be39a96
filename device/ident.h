/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ident.h - what kinds of chip there are and how their registers are named, but
 * no way to touch one: screens and files need nothing else of this room.
 */
#pragma once

#include <stdint.h>

enum device_chip {
	DEVICE_UNKNOWN,
	DEVICE_GRAYSKULL,	/* PCI 1e52:faca */
	DEVICE_WORMHOLE,	/* 1e52:401e */
	DEVICE_BLACKHOLE,	/* 1e52:b140 */
	DEVICE_CHIPS
};

#define DEVICE_VENDOR 0x1e52	/* Tenstorrent, chip-facts 1.1 */
#define DEVICE_MAX    320	/* chips of one machine */

/* Where a register is.  NOC coordinates are NOC0's; BAR0 ignores x and y. */
enum reg_space { REG_BAR0, REG_NOC };

struct reg_addr {
	enum reg_space space;
	uint8_t x, y;
	uint64_t addr;		/* byte address, a multiple of 4 */
};

const char *device_chip_name(enum device_chip chip);	/* "Wormhole", as people write it */
enum device_chip device_chip_of(uint16_t pci_device);
