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
 * -EIO: a tile keeps something else, or is another tile; the text says which.
 */
int card_load(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	const struct card_data *data, struct error *e);

/* The same for tiles that already have their programs. */
int card_load_data(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	const struct card_data *data, struct error *e);

/* Whether the tile reported the name that it was given, and the place where it is addressed. */
bool card_is_named(const struct card_data *data, const struct card_tile *t,
	const struct kernel_state *s);

/* -EILSEQ if a word is all ones, which no register or state of a tile ever is. */
int card_check_ones(const struct card_tile *t, uint32_t word, struct error *e);

/* Read pieces of tiles' memory together; the text names the tile that cannot be read. */
int card_read_pieces(struct device *d, const struct device_piece *pieces, size_t n,
	struct error *e);

/* Start the tiles.  -EILSEQ: a tile's reset register, read back, says that it is still held. */
int card_start(struct device *d, const struct card_tile *tiles, size_t n, struct error *e);

/* Order the tiles to stop, or give them a new beat, by which they see that the host lives. */
int card_tell(struct device *d, const struct card_tile *tiles, size_t n, bool stop, uint32_t beat);

/* Compare the last block that a tile compared, on the host; *wrong: how many words differ. */
int card_recheck(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t blocks, size_t *wrong);

/* Put the cores into reset, whatever they do.  -EILSEQ: a tile's register says otherwise. */
int card_hold(struct device *d, const struct card_tile *tiles, size_t n, struct error *e);

/* The card's own memory in a burn: what the tiles read from it and compare, or take as operands. */

/*
 * Choose the channels of the memory that take part: those of the mask that are
 * enabled.  Others are never touched.  `enabled` has all channels that are not
 * switched off, trained or not: the place of a channel depends on them.  -EINVAL:
 * the work has traffic, and no channel is left for it.
 */
int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t enabled,
	uint32_t channels, struct error *e);

/*
 * Fill the memory that the bursts and reloads of this work read.  Nothing is read back:
 * the tiles will find words that a channel does not keep.
 */
int card_traffic_fill(struct device *d, const struct card_data *data, struct error *e);

/* Find the address in the channel where this word belongs; false if there is none. */
bool card_traffic_find(uint32_t seed, uint32_t channel, uint32_t word, uint64_t *addr);

/* The reports of all tiles on the card's memory, summed up. */
struct card_traffic {
	struct {
		uint64_t words, errors;
		uint32_t bits;		/* all that were wrong in some word */
		size_t blamed;		/* tiles that found errors in it */
		struct kernel_wrong first;
	} channel[KERNEL_CHANNELS_MAX];
	size_t tiles;
	uint64_t loads, tries;		/* of operands: good loads, all of them */
	size_t waiting;			/* tiles that wait for an answer now */
	uint32_t where;			/* of the last of them, as in kernel_wrong */
};

/* Add one tile's report at the end of a run; start with a sum of all zeros. */
void card_traffic_add(struct card_traffic *sum, const struct kernel_traffic *one);

/*
 * Describe the wrong words of a channel: how many, which of their bits, the first one.  False
 * if there are none.
 */
bool card_traffic_say(const struct card_traffic *t, unsigned channel, char *text, size_t size);
