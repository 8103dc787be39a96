/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth_state.h - a link's state, as its ethernet core reports it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ETH_LINKS_MOST 16

enum eth_link_state { ETH_LINK_UNKNOWN, ETH_LINK_UP, ETH_LINK_DOWN, ETH_LINK_UNUSED, ETH_LINKS };

/* Whether a core's firmware runs, by two looks at its heartbeat. */
enum eth_pulse { ETH_PULSE_UNKNOWN, ETH_PULSE_MOVES, ETH_PULSE_FROZEN };

#define ETH_FROZEN_AFTER 2000000000	/* ns between the looks (upstream D: refreshed in 1.25 s) */

enum eth_count { ETH_RETRAINS, ETH_CRC_ERRORS, ETH_CORRECTED, ETH_UNCORRECTED, ETH_COUNTS };

struct eth_state {
	bool is_on;			/* the chip has this core */
	uint8_t state;			/* enum eth_link_state */
	uint8_t training;		/* for eth_training_text() */
	uint8_t pulse;			/* enum eth_pulse; unknown in a first sample */
	bool has_end;			/* end[] and core are known */
	uint8_t place, core;		/* of the other end, as it reports them; only if up */
	uint8_t end[4];			/* Wormhole: its x, y, rack, shelf */
	uint16_t speed, target;		/* Gbit/s; 0: not known */
	uint32_t beat;			/* the heartbeat's word */
	uint64_t asic, board;		/* ids of the other end; 0: not known */
	uint64_t count[ETH_COUNTS];	/* since the core started */
};

/* The result of a link's training, in words: "passed", "no signal". */
const char *eth_training_text(const struct eth_state *l);
