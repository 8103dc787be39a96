/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/eth.h"
#include "device/transport.h"

#include <errno.h>

const uint8_t eth_xy_wormhole[ETH_CHANNELS_WORMHOLE][2] = {
	{ 9, 0 }, { 1, 0 }, { 8, 0 }, { 2, 0 }, { 7, 0 }, { 3, 0 }, { 6, 0 }, { 4, 0 },
	{ 9, 6 }, { 1, 6 }, { 8, 6 }, { 2, 6 }, { 7, 6 }, { 3, 6 }, { 6, 6 }, { 4, 6 },
};

const uint8_t eth_xy_blackhole[ETH_CHANNELS_BLACKHOLE][2] = {
	{ 1, 1 }, { 16, 1 }, { 2, 1 }, { 15, 1 }, { 3, 1 }, { 14, 1 }, { 4, 1 },
	{ 13, 1 }, { 5, 1 }, { 12, 1 }, { 6, 1 }, { 11, 1 }, { 7, 1 }, { 10, 1 },
};

const struct transport_ops transport_eth = {
	.name = "eth",
};

int eth_coords(struct device *d, uint8_t coords[4])
{
	(void)d, (void)coords;
	return -ENODATA;
}
