/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.c - whether a register may be touched on a real card.
 *
 * Some registers hang the chip, pop a queue or damage hardware when they are
 * merely read (chip-facts 1.9), so each kind of chip lists the registers that are
 * known to be harmless.  All others are refused to every caller.  Each rule names the
 * purposes it serves: a reader of telemetry does not get the registers that only a
 * burn-in or a reset needs.
 */
#include "config.h"
#include "device/access.h"
#include "base/array.h"
#include "device/kind.h"

static bool is_inside(struct reg_rect r, unsigned x, unsigned y)
{
	return x >= r.x0 && x <= r.x1 && y >= r.y0 && y <= r.y1;
}

static bool is_eth(const struct device_kind *k, struct reg_addr at)
{
	if (k->eth_moved[0] && at.y == k->eth_moved[1] && at.x >= k->eth_moved[0] &&
		at.x < k->eth_moved[0] + k->n_eth - ARRAY_LEN(k->eth_spare))
		return true;
	for (size_t i = 0; i < k->n_eth; i++)
		if (at.x == k->eth_xy[i][0] && at.y == k->eth_xy[i][1])
			return true;
	return false;
}

static bool is_dram(const struct device_kind *k, struct reg_addr at)
{
	for (size_t i = 0; i < k->n_dram; i++)
		for (size_t p = 0; p < KIND_PORTS; p++)
			if (at.x == k->dram_xy[i][p][0] && at.y == k->dram_xy[i][p][1])
				return true;
	return false;
}

static bool is_on(const struct device_kind *k, enum kind_tile tile, struct reg_addr at)
{
	if (tile == TILE_NONE)
		return at.space == REG_BAR0;
	if (at.space != REG_NOC)
		return false;
	switch (tile) {
	case TILE_NONE:
		break;
	case TILE_ARC:
		return at.x == k->arc_x && at.y == k->arc_y;
	case TILE_ETH:
		return is_eth(k, at);
	case TILE_DRAM:
		return is_dram(k, at);
	case TILE_TENSIX:
		return is_inside(k->tensix, at.x, at.y) && !(k->other_columns >> at.x & 1) &&
			!(k->other_rows >> at.y & 1);
	}
	return false;
}

static bool is_in(const struct kind_rule *r, uint64_t addr, size_t n)
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
	const struct device_kind *k = kind_of(chip);

	for (const struct kind_rule *r = k->rules; is_sane(at.addr, n) && r->end; r++)
		if ((r->purposes >> purpose & 1) && (r->store || !store) && is_in(r, at.addr, n) &&
			is_on(k, r->tile, at))
			return true;
	return false;
}

bool access_multicast_allowed(enum device_chip chip, enum access_purpose purpose,
	struct reg_rect to, uint64_t addr, size_t n)
{
	const struct device_kind *k = kind_of(chip);

	if (!is_inside(k->tensix, to.x0, to.y0) || !is_inside(k->tensix, to.x1, to.y1))
		return false;
	for (const struct kind_rule *r = k->rules; is_sane(addr, n) && r->end; r++)
		if ((r->purposes >> purpose & 1) && r->tile == TILE_TENSIX && r->store &&
			is_in(r, addr, n))
			return true;
	return false;
}
