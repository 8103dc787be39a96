/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth.h - what can be asked of a chip's ethernet cores.
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
 * Where a Wormhole stands among its neighbours: x, y, rack, shelf, from the
 * routing firmware of one of its ethernet cores.  For a remote chip the answer
 * comes from the other end of the link.  Active: hops over the NOC.  0, or
 * -ENODATA where no routing firmware runs.
 */
int eth_coords(struct device *d, uint8_t coords[4]);

/*
 * What the ethernet cores of a Blackhole say of their links.  on: the cores that the chip has, a
 * bit each, as its firmware reports them; no other is touched.  Active: reads over the NOC.
 * -EOPNOTSUPP: it is not a Blackhole, or it cannot be told for certain where they are.
 */
int eth_read_links(struct device *d, uint32_t on, bool translated,
	struct eth_state links[static ETH_LINKS_MOST]);
