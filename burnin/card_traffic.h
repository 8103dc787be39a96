/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_traffic.h - the card's own memory in a burn: what the tiles read back from it
 * and compare, and the operands that they take from it.
 */
#pragma once

#include "burnin/card_load.h"

/*
 * Which channels of the memory take part: those of the mask that the chip has.  Others are
 * never touched; a channel that is switched off must not be in the mask.  -EINVAL:
 * the work has traffic, and no channel is left for it.
 */
int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t channels,
	struct error *e);

/* Fill them.  What a channel keeps is for the tiles to find: nothing is read back. */
int card_traffic_fill(struct device *d, const struct card_data *data, struct error *e);

int card_traffic_look(struct device *d, const struct card_tile *tile, struct kernel_traffic *t);
