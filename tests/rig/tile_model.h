/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tile_model.h - how long a compute tile takes, by the documented rates of its parts.
 *
 * It runs the kernel's own images on five RISC-V cores and lets their
 * instructions pass through the coprocessor's queues, expanders, gates and
 * units, cycle by cycle.  Nothing is calculated: all memory stays zero, so each
 * block compares well.  What it assumes beyond the documents is in struct
 * tile_rates and at its uses.
 */
#pragma once

#include "burnin/firmware/mailbox.h"
#include "device/ident.h"

#include <stdbool.h>
#include <stdint.h>

#define TILE_NAME 0x12345	/* that the tile was given */

struct tile_rates {
	unsigned unpack_bytes;		/* a cycle, of each unpacker while both run */
	unsigned unpack_lost;		/* cycles lost before each fetch */
	unsigned unpack_latency;	/* cycles from the last byte to a valid bank */
	unsigned pack_cycles;		/* of one PACR, until the next can begin */
	unsigned load_cycles;		/* of a core's load from memory; four overlap */
	unsigned store_cycles;		/* between two of a core's stores to memory */
	unsigned mispredicted;		/* cycles lost at a branch not foreseen */
	unsigned network_cycles;	/* of a request, until its data begin to arrive */
	unsigned queue;			/* instructions that wait before an expander */
	bool is_blind;			/* a fault: to B, no two words differ */
};

extern const struct tile_rates tile_rates_wormhole, tile_rates_blackhole;

struct tile_times {
	uint64_t mvmuls, first, last;	/* how many; cycles of the first and last one */
	uint64_t vector;		/* instructions of the vector unit */
	uint64_t cycles;		/* until B had compared all */
	uint64_t compare;		/* cycles that B took for a block, at most */
	uint32_t blocks;
	uint64_t exchanged;		/* bytes of memory that NC and its requests touched */
	struct kernel_state state;	/* as B left it */
	struct kernel_traffic traffic;	/* as NC left it */
	double told;			/* the most blocks a cycle that T1's own words ever said */
};

/*
 * The work of all cores and of the vector unit; NC tests memory of this tile, and reads none of the
 * card's.
 * False where it did not end within `limit` cycles, or met what it does not know
 * (then it says so).
 */
bool tile_model_run(enum device_chip chip, const struct tile_rates *rates,
	const struct kernel_order *order, uint32_t vector, uint64_t limit,
	struct tile_times *times);
