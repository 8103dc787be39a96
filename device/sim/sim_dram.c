/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_dram.c - the memory of simulated boards, as far as it can be read: a
 * function of the board's number and the address.  Nothing can be written to it.
 */
#include "config.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

int sim_dram_channel(const struct sim_chip *c, struct reg_addr at)
{
	const struct device_kind *k = kind_of(c->board->chip);

	for (unsigned i = 0; i < k->n_dram; i++)
		for (unsigned p = 0; p < KIND_PORTS; p++) {
			const struct reg_addr tile = kind_dram(k, c->board->gddr, i, p, 0);

			if (at.x == tile.x && at.y == tile.y)
				return (int)i;
		}
	return -1;
}

uint32_t sim_dram_read(const struct sim_chip *c, unsigned channel, uint32_t addr)
{
	return (uint32_t)sim_hash(c->sim, c->number, channel + 1, addr / 4);
}
