/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.c - the addresses that may be touched on a real card.
 *
 * Some registers hang the chip, pop a queue or damage hardware when they are
 * merely read (chip-facts 1.9), so this is a list of what is known to be
 * harmless, and everything else is refused, whoever asks.
 */
#include "config.h"
#include "device/access.h"
#include "base/array.h"
#include "device/eth.h"

enum tile {
	TILE_NONE,	/* BAR0 */
	TILE_ARC,
	TILE_ETH
};

struct rule {
	enum device_chip chip;
	enum tile tile;
	uint64_t start, end;	/* end is exclusive */
	bool store;		/* may be written too */
};

/* clang-format off */
static const struct rule rules[] = {
	/* The ARC's CSM; its reset unit up to the NOC ids (0x328 behind them is unsafe). */
	{ DEVICE_GRAYSKULL, TILE_NONE, 0x1fe80000, 0x1ff00000, false },
	{ DEVICE_GRAYSKULL, TILE_NONE, 0x1ff30020, 0x1ff30200, false },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1fe80000, 0x1ff00000, false },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1ff30020, 0x1ff30200, false },
	{ DEVICE_WORMHOLE, TILE_ARC, 0x810000000, 0x810080000, false },
	{ DEVICE_WORMHOLE, TILE_ARC, 0x880030020, 0x880030200, false },
	/* The mailbox: SCRATCH_3, SCRATCH_5, the doorbell (chip-facts 4.1). */
	{ DEVICE_GRAYSKULL, TILE_NONE, 0x1ff3006c, 0x1ff30070, true },
	{ DEVICE_GRAYSKULL, TILE_NONE, 0x1ff30074, 0x1ff30078, true },
	{ DEVICE_GRAYSKULL, TILE_NONE, 0x1ff30100, 0x1ff30104, true },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1ff3006c, 0x1ff30070, true },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1ff30074, 0x1ff30078, true },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1ff30100, 0x1ff30104, true },
	/* NIU node id and PCIe counters of both NOCs. */
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1ff5002c, 0x1ff50030, false },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1fd02200, 0x1fd02300, false },
	{ DEVICE_WORMHOLE, TILE_NONE, 0x1fd0a200, 0x1fd0a300, false },
	/* L1 of the ethernet cores; in it the two queues to the routing firmware. */
	{ DEVICE_WORMHOLE, TILE_ETH, 0x00000, 0x40000, false },
	{ DEVICE_WORMHOLE, TILE_ETH, 0x11080, 0x112c0, true },

	/* PCIe tile: NOC id, counters.  The ARC's registers are not behind BAR0 on every board. */
	{ DEVICE_BLACKHOLE, TILE_NONE, 0x1fd04044, 0x1fd04048, false },
	{ DEVICE_BLACKHOLE, TILE_NONE, 0x1fd04200, 0x1fd04300, false },
	{ DEVICE_BLACKHOLE, TILE_NONE, 0x1fd14200, 0x1fd14300, false },
	/* SCRATCH_0.., ARC_MISC_CNTL, SCRATCH_RAM; reading 0x800b0000 would pop a message. */
	{ DEVICE_BLACKHOLE, TILE_ARC, 0x80030060, 0x800300a0, false },
	{ DEVICE_BLACKHOLE, TILE_ARC, 0x80030100, 0x80030104, false },
	{ DEVICE_BLACKHOLE, TILE_ARC, 0x80030400, 0x80030500, false },
	{ DEVICE_BLACKHOLE, TILE_ARC, 0x10000000, 0x10080000, false },
	{ DEVICE_BLACKHOLE, TILE_ETH, 0x00000, 0x80000, false },
};
/* clang-format on */

static bool is_one_of(struct reg_addr at, const uint8_t (*xy)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at.x == xy[i][0] && at.y == xy[i][1])
			return true;
	return false;
}

static bool is_on(enum device_chip chip, enum tile tile, struct reg_addr at)
{
	switch (tile) {
	case TILE_NONE:
		return at.space == REG_BAR0;
	case TILE_ARC:
		return at.space == REG_NOC && (chip == DEVICE_BLACKHOLE ? at.x == 8 && at.y == 0
									: at.x == 0 && at.y == 10);
	case TILE_ETH:
		break;
	}
	if (at.space != REG_NOC)
		return false;
	return chip == DEVICE_BLACKHOLE
		? is_one_of(at, eth_xy_blackhole, ARRAY_LEN(eth_xy_blackhole))
		: is_one_of(at, eth_xy_wormhole, ARRAY_LEN(eth_xy_wormhole));
}

bool access_allowed(enum device_chip chip, struct reg_addr at, size_t n, bool store)
{
	uint64_t len = (uint64_t)n * 4;

	if ((at.addr & 3) != 0 || n == 0 || n > ACCESS_WORDS_MAX)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct rule *r = &rules[i];

		if (r->chip == chip && (r->store || !store) && at.addr >= r->start &&
		    at.addr < r->end && len <= r->end - at.addr && is_on(chip, r->tile, at))
			return true;
	}
	return false;
}
