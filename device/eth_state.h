/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth_state.h - a link, as its ethernet core says it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ETH_LINKS_MOST 14	/* of a chip that can be asked */

enum eth_link_state { ETH_LINK_UNKNOWN, ETH_LINK_UP, ETH_LINK_DOWN, ETH_LINK_UNUSED, ETH_LINKS };

struct eth_state {
	bool is_on;			/* there is such a core */
	uint8_t state;			/* enum eth_link_state */
	uint8_t place, core;		/* of the other end, as it says itself, where it is up */
	uint16_t speed, target;		/* Gbit/s; 0: not known */
	uint64_t asic, board;		/* numbers of the other end; 0: not known */
};
