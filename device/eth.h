/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth.h - reading a chip's ethernet cores.
 */
#pragma once

#include "device/device.h"
#include "device/eth_state.h"

#define ETH_CHANNELS_WORMHOLE  16
#define ETH_CHANNELS_BLACKHOLE 14

/* NOC0 coordinates of the ethernet core of each channel (chip-facts 3.8). */
extern const uint8_t eth_xy_wormhole[ETH_CHANNELS_WORMHOLE][2];
extern const uint8_t eth_xy_blackhole[ETH_CHANNELS_BLACKHOLE][2];

/*
 * Read a Wormhole's place among its neighbours (x, y, rack, shelf) from the
 * routing firmware of one of its ethernet cores.  A remote chip is read through
 * its link.  Active: this reads over the NOC.  Returns 0, or -ENODATA if no
 * routing firmware runs.
 */
int eth_coords(struct device *d, uint8_t coords[4]);

/*
 * Read what the ethernet cores report of their links.  on: the cores that the chip has, a bit each,
 * as its firmware reports them; no other core is touched.  Active: reads over the NOC.
 * -EOPNOTSUPP: it has none, or the cores' tiles are not known for certain.
 */
int eth_read_links(struct device *d, uint32_t on, bool translated,
	struct eth_state links[static ETH_LINKS_MOST]);
