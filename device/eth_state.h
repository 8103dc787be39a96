/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth_state.h - a link's state, as its ethernet core reports it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ETH_LINKS_MOST 14	/* of a chip that reports link states */

enum eth_link_state { ETH_LINK_UNKNOWN, ETH_LINK_UP, ETH_LINK_DOWN, ETH_LINK_UNUSED, ETH_LINKS };

struct eth_state {
	bool is_on;			/* the chip has this core */
	uint8_t state;			/* enum eth_link_state */
	uint8_t place, core;		/* of the other end, as it reports them; only if up */
	uint16_t speed, target;		/* Gbit/s; 0: not known */
	uint64_t asic, board;		/* ids of the other end; 0: not known */
};
