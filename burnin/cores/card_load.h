/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_load.h - the kernel on a card's compute tiles: loaded, started, watched,
 * stopped, through a handle that is held for ACCESS_BURN.
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

/* The least rectangle with all of them, for one write to all. */
struct reg_rect card_rect(const struct card_tile *tiles, size_t n);

/*
 * Hold all cores of these tiles, and write programs and data.  Programs and orders are
 * read back from every tile; operands and golden blocks are summed up by its own
 * core, and read back where the sum is not right or does not come.  What is
 * not right is written again up to twice.  Each tile is given a name first, and all names
 * are read back when all were given: two addresses of one tile show the later one's.
 * `whole`: they are all tiles that live, so that one write can reach all at once.
 * -EIO: a tile keeps something else, or is another; the text says which.
 */
int card_load(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	const struct card_data *data, struct error *e);

/* The same onto tiles that have their programs. */
int card_load_data(struct device *d, const struct card_tile *tiles, size_t n, bool whole,
	const struct card_data *data, struct error *e);

/* It has said its word, and where it is on the network is where it was looked for. */
bool card_is_named(const struct card_data *data, const struct card_tile *t,
	const struct kernel_state *s);

/* -EILSEQ with its text where a word is all ones, which no register or state of a tile ever is. */
int card_check_ones(const struct card_tile *t, uint32_t word, struct error *e);

/* Pieces of tiles' memory, together; the text names the tile that cannot be read. */
int card_read_pieces(struct device *d, const struct device_piece *pieces, size_t n,
	struct error *e);

/* -EILSEQ: the reset register of a tile, read back, says that it stays held. */
int card_start(struct device *d, const struct card_tile *tiles, size_t n, struct error *e);

/* Let the host's end be seen: `stop` once, or a new beat. */
int card_tell(struct device *d, const struct card_tile *tiles, size_t n, bool stop, uint32_t beat);

/* The last block that was compared, against the golden one again: how many words differ. */
int card_recheck(struct device *d, const struct card_tile *tile, const struct card_data *data,
	uint32_t blocks, size_t *wrong);

/* Back into reset, whatever they do.  -EILSEQ: a tile's register says that they are not. */
int card_hold(struct device *d, const struct card_tile *tiles, size_t n, struct error *e);
