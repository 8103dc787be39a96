/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_dram.c - the memory of simulated boards.  It is read-only: its contents are
 * a function of the chip's number, the channel and the address.
 *
 * Memory is read in chunks of 32 bytes.  With SIM_LANE one byte lane returns the
 * data of the chunk that was read two (even chunks) or four (odd ones) earlier.
 */
#include "config.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

int sim_dram_channel(const struct sim_chip *c, uint8_t x, uint8_t y)
{
	const struct device_kind *k = kind_of(c->board->chip);

	for (unsigned i = 0; i < k->n_dram; i++)
		for (unsigned p = 0; p < KIND_PORTS; p++) {
			const struct reg_addr tile = kind_dram(k, c->board->gddr, i, p, 0);

			if (x == tile.x && y == tile.y)
				return (int)i;
		}
	return -1;
}

#define CHUNK	  32
#define LATE_LANE 3

static uint32_t word_at(const struct sim_chip *c, unsigned channel, uint64_t addr)
{
	return (uint32_t)sim_hash(c->sim, c->number, channel + 1, addr / 4);
}

void sim_dram_begin(struct sim_chip *c)
{
	c->begins = true;
}

/* The word at the same place in an earlier chunk, which the late lane returns. */
static uint32_t late_word(struct sim_chip *c, unsigned channel, uint64_t addr)
{
	const uint64_t chunk = addr / CHUNK;
	const unsigned late = chunk & 1 ? 4 : 2;

	if (c->begins || c->chunk[c->chunks % SIM_CHUNKS] != chunk)
		c->chunk[++c->chunks % SIM_CHUNKS] = chunk;
	c->begins = false;
	return word_at(c, channel, c->chunk[(c->chunks - late) % SIM_CHUNKS] * CHUNK +
		addr % CHUNK);
}

uint32_t sim_dram_read(struct sim_chip *c, const struct sim_now *now, unsigned channel,
	uint32_t addr)
{
	const uint32_t mask = 0xffu << 8 * LATE_LANE, word = word_at(c, channel, addr);

	if (channel != SIM_BAD_CHANNEL || !sim_has_fault(now, SIM_LANE))
		return word;
	return (word & ~mask) | (late_word(c, channel, addr) & mask);
}
