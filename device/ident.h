/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ident.h - the kinds of chip and the addresses of their registers, without any
 * way to access them: screens and files need nothing else from this folder.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum device_chip {
	DEVICE_UNKNOWN,
	DEVICE_GRAYSKULL,	/* PCI 1e52:faca */
	DEVICE_WORMHOLE,	/* 1e52:401e */
	DEVICE_BLACKHOLE,	/* 1e52:b140 */
	DEVICE_CHIPS
};

#define DEVICE_VENDOR 0x1e52	/* Tenstorrent, chip-facts 1.1 */
#define DEVICE_MAX    320	/* chips in one machine */

/* The address of a register.  x and y are NOC0 coordinates; BAR0 ignores them. */
enum reg_space { REG_BAR0, REG_NOC };

struct reg_addr {
	enum reg_space space;
	uint8_t x, y;
	uint64_t addr;		/* byte address, a multiple of 4 */
};

/* Where boards come from, and what follows from that for all that is done with them. */
struct origin {
	const char *name;	/* in JSON, recordings and messages: "kmd", "sim", "ttsim", ... */
	const char *stand_in;	/* "simulated", "recorded"; NULL: the cards of a machine */
	const char *title;	/* on screens: "simulated boards"; "" for a machine's own */
	bool is_machine;	/* the kernel of this machine, or a copy of its files, has them */
	bool is_simulated;
	bool is_recorded;	/* they can be shown, and nothing else */
	bool is_moment;		/* of one moment: no reading of them ever changes */
	bool computes;		/* their cores run programs, and their memory can be written */
	bool has_trays;		/* they may stand in a galaxy */
};

extern const struct origin origin_machine, origin_sim, origin_ttsim, origin_replay, origin_file;

const char *device_chip_name(enum device_chip chip);	/* "Wormhole", as users write it */
enum device_chip device_chip_of(uint16_t pci_device);
