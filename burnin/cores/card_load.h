/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_load.h - load, start, watch and stop the kernel on a card's compute tiles,
 * through a handle that is held for ACCESS_BURN.
 */
#pragma once

#include "burnin/cores/card_data.h"
#include "device/device.h"

#define CARD_TILES 140		/* of the largest chip */

struct card_tile {
	uint8_t x, y;		/* NOC0; on Blackhole as translated */
};

/* An address in a tile's memory. */
static inline struct reg_addr card_at(const struct card_tile *t, uint64_t addr)
{
	return (struct reg_addr){ REG_NOC, t->x, t->y, addr };
}

/*
 * The compute tiles of a chip, in the order of their columns.  `off` are the
 * rows (Wormhole) or columns (Blackhole) that are switched off, one bit each by
 * NOC0 coordinate: they must never be touched.  Returns how many.
 */
size_t card_tiles(enum device_chip chip, uint32_t off, struct card_tile tiles[CARD_TILES]);

/* The smallest rectangle that contains all these tiles, for one write to all of them. */
struct reg_rect card_rect(const struct card_tile *tiles, size_t n);

/*
 * Hold all cores of these tiles, and write programs and data.  Programs and orders are
 * read back from every tile.  Operands and golden blocks are summed up by the tile's own
 * core, and read back if the sum is wrong or missing.  Wrong pieces are written again up
 * to twice.  First each tile is given a name; all names are read back after all were
 * written, so if two addresses lead to one tile, both show the later name.
 * `whole`: these are all live tiles, so that one write can reach all at once.
 * `programs`: false for tiles that already have their programs.
 * -EIO: a tile keeps something else, or is another tile; the text says which.
 */
int card_load(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	bool programs, const struct card_data *data, struct error *e);

/* The word that only this tile is given in this load; it has to report it whenever it starts. */
uint32_t card_name(const struct card_data *data, const struct card_tile *t);

/* Whether the tile reported the name that it was given, and the place where it is addressed. */
bool card_is_named(const struct card_data *data, const struct card_tile *t,
	const struct kernel_state *s);

/*
 * Take the word that was wrong on purpose out of a tile's mismatches and errors.  False if the tile
 * compared a block and did not report it: then its judge says yes to everything.
 */
bool card_take_trial(const struct card_data *data, const struct card_tile *t,
	struct kernel_state *s);

/* The same of the errors that its data mover had to report, and no others of that channel. */
bool card_take_trials(const struct card_data *data, const struct card_tile *t,
	struct kernel_traffic *k);

/* -EILSEQ if a word is all ones, which no register or state of a tile ever is. */
int card_check_ones(const struct card_tile *t, uint32_t word, struct error *e);

/* Read pieces of tiles' memory together; the text names the tile that cannot be read. */
int card_read_pieces(struct device *d, const struct device_piece *pieces, size_t n,
	struct error *e);

/* Read `words` words at an address from each of these tiles, one tile's behind the other's. */
int card_read_tiles(struct device *d, const struct card_tile *tiles, size_t n, uint64_t addr,
	uint32_t *to, size_t words, struct error *e);

/* Start the tiles.  -EILSEQ: a tile's reset register, read back, says that it is still held. */
int card_start(struct device *d, const struct card_tile *tiles, size_t n, struct error *e);

/* Order the tiles to stop, or give them a new beat, by which they see that the host lives. */
int card_tell(struct device *d, const struct card_tile *tiles, size_t n, bool stop, uint32_t beat);

/* Read a block that a tile has compared, without the stamp that this tile put on it. */
int card_read_block(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t block, uint32_t words[KERNEL_BLOCK_WORDS]);

/*
 * Compare the last block that a tile compared, on the host.  *wrong: how many words differ, also
 * when they are read again; *misread: how many are right then.
 */
int card_recheck(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t blocks, size_t *wrong, size_t *misread);

/* Put the cores into reset, whatever they do.  -EILSEQ: a tile's register says otherwise. */
int card_hold(struct device *d, const struct card_tile *tiles, size_t n, struct error *e);

/*
 * The exchange: each tile writes to the spare memory of the next one, reads it back and compares.
 * card_exchange_aim() finds the pieces that this load leaves spare on a chip.
 */
void card_exchange_aim(struct card_data *data, enum device_chip chip);
uint32_t card_exchange_bytes(const struct kernel_loads *l);	/* of all spare pieces */

/* The last word that the tile with this name found right; `got` stays.  False if there is none. */
bool card_exchange_last(const struct kernel_loads *l, uint32_t name,
	const struct kernel_exchange *e, struct kernel_wrong *last);

/* As card_take_trial(), out of what the tile found in its peer's memory. */
bool card_take_exchange_trial(const struct card_data *data, const struct card_tile *t,
	struct kernel_exchange *e);

/* The card's own memory in a burn: what the tiles read from it and compare, or take as operands. */

/*
 * Choose the channels of the memory that take part: those of the mask that are
 * enabled.  Others are never touched.  `enabled` has all channels that are not
 * switched off, trained or not: the place of a channel depends on them.  -EINVAL:
 * the work has traffic, and no channel is left for it.
 */
int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t enabled,
	uint32_t channels, struct error *e);

/* Find the address in the channel where this word belongs; false if there is none. */
bool card_traffic_find(uint32_t seed, uint32_t channel, uint32_t word, uint64_t *addr);
