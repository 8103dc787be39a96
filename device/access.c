/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.c - the addresses that may be touched on a real card.
 *
 * Some registers hang the chip, pop a queue or damage hardware when they are
 * merely read (chip-facts 1.9), so this is a list of what is known to be
 * harmless, and everything else is refused, whoever asks.  Each rule names the
 * purposes it serves: what a burn-in or a reset needs, a reader of telemetry
 * does not get.
 */
#include "config.h"
#include "device/access.h"
#include "base/array.h"
#include "device/eth.h"

enum tile {
	TILE_NONE,	/* BAR0 */
	TILE_ARC,
	TILE_ETH,
	TILE_TENSIX	/* harvested ones as well, which must not be read: the caller knows them */
};

enum {
	ANY = 1 << ACCESS_TELEMETRY | 1 << ACCESS_RESET | 1 << ACCESS_BURN,
	RESET = 1 << ACCESS_RESET,
	BURN = 1 << ACCESS_BURN,
	ACT = RESET | BURN
};

struct rule {
	enum device_chip chip;
	enum tile tile;
	uint64_t start, end;	/* end is exclusive */
	bool store;		/* may be written too */
	unsigned purposes;	/* bit per enum access_purpose */
};

#define GS DEVICE_GRAYSKULL
#define WH DEVICE_WORMHOLE
#define BH DEVICE_BLACKHOLE

/* clang-format off */
static const struct rule rules[] = {
	/* The ARC's CSM; its reset unit up to the NOC ids (0x328 beyond them is unsafe). */
	{ GS, TILE_NONE, 0x1fe80000, 0x1ff00000, false, ANY },
	{ GS, TILE_NONE, 0x1ff30020, 0x1ff30200, false, ANY },
	{ WH, TILE_NONE, 0x1fe80000, 0x1ff00000, false, ANY },
	{ WH, TILE_NONE, 0x1ff30020, 0x1ff30200, false, ANY },
	{ WH, TILE_ARC, 0x810000000, 0x810080000, false, ANY },
	{ WH, TILE_ARC, 0x880030020, 0x880030200, false, ANY },
	/* The mailbox: SCRATCH_3, SCRATCH_5, the doorbell (chip-facts 4.1). */
	{ GS, TILE_NONE, 0x1ff3006c, 0x1ff30070, true, ANY },
	{ GS, TILE_NONE, 0x1ff30074, 0x1ff30078, true, ANY },
	{ GS, TILE_NONE, 0x1ff30100, 0x1ff30104, true, ANY },
	{ WH, TILE_NONE, 0x1ff3006c, 0x1ff30070, true, ANY },
	{ WH, TILE_NONE, 0x1ff30074, 0x1ff30078, true, ANY },
	{ WH, TILE_NONE, 0x1ff30100, 0x1ff30104, true, ANY },
	/* NIU node id and PCIe counters of both NOCs. */
	{ WH, TILE_NONE, 0x1ff5002c, 0x1ff50030, false, ANY },
	{ WH, TILE_NONE, 0x1fd02200, 0x1fd02300, false, ANY },
	{ WH, TILE_NONE, 0x1fd0a200, 0x1fd0a300, false, ANY },
	/* L1 of the ethernet cores; in it the two queues to the routing firmware. */
	{ WH, TILE_ETH, 0x00000, 0x40000, false, ANY },
	{ WH, TILE_ETH, 0x11080, 0x112c0, true, ANY },

	/* PCIe tile: NOC id, counters.  Not every board has the ARC's registers in BAR0. */
	{ BH, TILE_NONE, 0x1fd04044, 0x1fd04048, false, ANY },
	{ BH, TILE_NONE, 0x1fd04200, 0x1fd04300, false, ANY },
	{ BH, TILE_NONE, 0x1fd14200, 0x1fd14300, false, ANY },
	/* SCRATCH_0.., ARC_MISC_CNTL, SCRATCH_RAM; reading 0x800b0000 would pop a message. */
	{ BH, TILE_ARC, 0x80030060, 0x800300a0, false, ANY },
	{ BH, TILE_ARC, 0x80030100, 0x80030104, false, ANY },
	{ BH, TILE_ARC, 0x80030400, 0x80030500, false, ANY },
	{ BH, TILE_ARC, 0x10000000, 0x10080000, false, ANY },
	{ BH, TILE_ETH, 0x00000, 0x80000, false, ANY },

	/* Grayskull's RISC-V and Tensix resets (chip-facts 5.3). */
	{ GS, TILE_NONE, 0x1ff30020, 0x1ff30060, true, RESET },
	/* Blackhole's message queues, wherever in CSM they are, and their doorbell (4.3). */
	{ BH, TILE_ARC, 0x10000000, 0x10080000, true, ACT },
	{ BH, TILE_ARC, 0x80030100, 0x80030104, true, ACT },

	/*
	 * L1 but for the words at 0x10, where firmware writes; soft reset, the
	 * reset PCs of Blackhole, the wall clock.
	 */
	{ WH, TILE_TENSIX, 0x00000, 0x16e000, false, BURN },
	{ WH, TILE_TENSIX, 0x00000, 0x000010, true, BURN },
	{ WH, TILE_TENSIX, 0x00020, 0x16e000, true, BURN },
	{ WH, TILE_TENSIX, 0xffb121b0, 0xffb121b4, true, BURN },
	{ WH, TILE_TENSIX, 0xffb121f0, 0xffb121fc, false, BURN },
	{ BH, TILE_TENSIX, 0x00000, 0x180000, false, BURN },
	{ BH, TILE_TENSIX, 0x00000, 0x000010, true, BURN },
	{ BH, TILE_TENSIX, 0x00020, 0x180000, true, BURN },
	{ BH, TILE_TENSIX, 0xffb121b0, 0xffb121b4, true, BURN },
	{ BH, TILE_TENSIX, 0xffb121f0, 0xffb121fc, false, BURN },
	{ BH, TILE_TENSIX, 0xffb12228, 0xffb12238, true, BURN },
};

/* Where the Tensix tiles are: routers leave out what else lies in these rectangles. */
static const struct {
	struct reg_rect all;
	uint8_t gap;		/* a column of other tiles; Wormhole's row 6 is one as well */
} grid[DEVICE_CHIPS] = {
	[WH] = { { 1, 1, 9, 11 }, 5 },
	[BH] = { { 1, 2, 16, 11 }, 8 },
};
/* clang-format on */

static bool is_one_of(struct reg_addr at, const uint8_t (*xy)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at.x == xy[i][0] && at.y == xy[i][1])
			return true;
	return false;
}

static bool is_inside(struct reg_rect r, unsigned x, unsigned y)
{
	return x >= r.x0 && x <= r.x1 && y >= r.y0 && y <= r.y1;
}

static bool is_tensix(enum device_chip chip, unsigned x, unsigned y)
{
	if (!grid[chip].gap || !is_inside(grid[chip].all, x, y) || x == grid[chip].gap)
		return false;
	return chip == BH ? x != 9 : y != 6;
}

static bool is_on(enum device_chip chip, enum tile tile, struct reg_addr at)
{
	if (tile == TILE_NONE)
		return at.space == REG_BAR0;
	if (at.space != REG_NOC)
		return false;
	switch (tile) {
	case TILE_NONE:
		break;
	case TILE_ARC:
		return chip == BH ? at.x == 8 && at.y == 0 : at.x == 0 && at.y == 10;
	case TILE_ETH:
		return chip == BH ? is_one_of(at, eth_xy_blackhole, ARRAY_LEN(eth_xy_blackhole))
				  : is_one_of(at, eth_xy_wormhole, ARRAY_LEN(eth_xy_wormhole));
	case TILE_TENSIX:
		return is_tensix(chip, at.x, at.y);
	}
	return false;
}

static bool is_in(const struct rule *r, uint64_t addr, size_t n)
{
	return addr >= r->start && addr < r->end && (uint64_t)n * 4 <= r->end - addr;
}

static bool is_sane(uint64_t addr, size_t n)
{
	return (addr & 3) == 0 && n > 0 && n <= ACCESS_WORDS_MAX;
}

bool access_allowed(enum device_chip chip, enum access_purpose purpose, struct reg_addr at,
	size_t n, bool store)
{
	for (size_t i = 0; is_sane(at.addr, n) && i < ARRAY_LEN(rules); i++) {
		const struct rule *r = &rules[i];

		if (r->chip == chip && (r->purposes >> purpose & 1) && (r->store || !store) &&
		    is_in(r, at.addr, n) && is_on(chip, r->tile, at))
			return true;
	}
	return false;
}

bool access_multicast_allowed(enum device_chip chip, enum access_purpose purpose,
	struct reg_rect to, uint64_t addr, size_t n)
{
	if (!is_inside(grid[chip].all, to.x0, to.y0) || !is_inside(grid[chip].all, to.x1, to.y1))
		return false;
	for (size_t i = 0; is_sane(addr, n) && i < ARRAY_LEN(rules); i++)
		if (rules[i].chip == chip && (rules[i].purposes >> purpose & 1) &&
		    rules[i].tile == TILE_TENSIX && rules[i].store && is_in(&rules[i], addr, n))
			return true;
	return false;
}
