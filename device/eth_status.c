/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth_status.c - the link states that the ethernet cores of a Blackhole keep in their memory.
 *
 * Facts: github.com/tenstorrent/tt-umd at 3ed9cb6d0533, device/api/umd/device/types/
 * blackhole_eth.hpp: boot_results_t at 0x7cc00.  Its words 1 and 3 are state and speed of the
 * port, word 35 is the requested speed, and words 248 to 255 are chip_info_t of the other end,
 * by which UMD finds chips (topology_discovery_blackhole.cpp).  kind_eth() knows the cores' tiles.
 */
#include "config.h"
#include "device/eth.h"
#include "device/kind.h"

#include <errno.h>
#include <string.h>

enum { WORD_STATE = 0, WORD_SPEED = 2, WORDS, OFFSET_STATE = 4, OFFSET_TARGET = 0x8c };

/* The other end: its words, where they are, and bit offsets in the first one. */
enum {
	END_BOARD = 1, END_ASIC = 5, END_WORDS = 7, OFFSET_END = 0x3e0, END_PLACE = 8, END_CORE = 16
};

#define MOST_GBPS 1600		/* a larger word is not a speed */

static uint16_t speed_of(uint32_t word)
{
	return word <= MOST_GBPS ? (uint16_t)word : 0;
}

static int read_end(struct device *d, const uint8_t xy[2], uint64_t status, struct eth_state *l)
{
	uint32_t w[END_WORDS];
	int r = device_read(d, (struct reg_addr){ REG_NOC, xy[0], xy[1], status + OFFSET_END }, w,
		END_WORDS);

	if (r < 0)
		return r;
	l->place = (uint8_t)(w[0] >> END_PLACE);
	l->core = (uint8_t)(w[0] >> END_CORE);
	l->board = (uint64_t)w[END_BOARD] << 32 | w[END_BOARD + 1];
	l->asic = (uint64_t)w[END_ASIC] << 32 | w[END_ASIC + 1];
	return 0;
}

static int read_link(struct device *d, const uint8_t xy[2], uint64_t status, struct eth_state *l)
{
	uint32_t words[WORDS], target;
	int r = device_read(d, (struct reg_addr){ REG_NOC, xy[0], xy[1], status + OFFSET_STATE },
		words, WORDS);

	if (r == 0)
		r = device_read(d, (struct reg_addr){ REG_NOC, xy[0], xy[1],
			status + OFFSET_TARGET }, &target, 1);
	if (r < 0)
		return r;
	l->state = words[WORD_STATE] < ETH_LINKS ? (uint8_t)words[WORD_STATE] : ETH_LINK_UNKNOWN;
	l->speed = l->state == ETH_LINK_UP ? speed_of(words[WORD_SPEED]) : 0;
	l->target = speed_of(target);
	return l->state == ETH_LINK_UP ? read_end(d, xy, status, l) : 0;
}

int eth_read_links(struct device *d, uint32_t on, bool translated,
	struct eth_state links[static ETH_LINKS_MOST])
{
	const struct device_kind *k = kind_of(d->chip);
	uint8_t xy[ETH_LINKS_MOST][2];
	int r = 0;

	memset(links, 0, ETH_LINKS_MOST * sizeof(*links));
	if (k->eth_status == 0 || k->n_eth > ETH_LINKS_MOST)
		return -EOPNOTSUPP;
	/* Read all cores or none: reading a wrong tile can stop the whole NOC. */
	for (unsigned i = 0; i < k->n_eth; i++) {
		links[i].is_on = on >> i & 1;
		if (links[i].is_on && !kind_eth(k, on, translated, i, xy[i]))
			return -EOPNOTSUPP;
	}
	for (unsigned i = 0; i < k->n_eth && r == 0; i++)
		if (links[i].is_on)
			r = read_link(d, xy[i], k->eth_status, &links[i]);
	return r;
}
