/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind.c - the kinds of chip.
 */
#include "config.h"
#include "device/kind.h"
#include "base/array.h"

static const struct kind_rule nothing[] = { { .end = 0 } };
static const struct device_kind unknown = { .name = "unknown", .rules = nothing,
	.no_reset = "this chip is not known here" };

static const struct device_kind *const kinds[DEVICE_CHIPS] = {
	[DEVICE_UNKNOWN] = &unknown,
	[DEVICE_GRAYSKULL] = &kind_grayskull,
	[DEVICE_WORMHOLE] = &kind_wormhole,
	[DEVICE_BLACKHOLE] = &kind_blackhole,
};

const struct device_kind *kind_of(enum device_chip chip)
{
	return chip < DEVICE_CHIPS ? kinds[chip] : &unknown;
}

/*
 * Blackhole's firmware translates coordinates so that the column with a
 * switched-off channel becomes the second one, and that channel's row becomes
 * the last in both columns (tt-system-firmware, noc_init.c).
 */
static unsigned dram_place(const struct device_kind *k, uint32_t enabled, unsigned channel)
{
	const unsigned half = (unsigned)k->n_dram / 2;
	unsigned off = 0, column = channel / half, row = channel % half;

	while (off < k->n_dram && enabled >> off & 1)
		off++;
	if (!k->dram_moves || off == k->n_dram)
		return channel;
	if (off < half)
		column = !column;
	if (row == off % half)
		row = half - 1;
	else if (row > off % half)
		row--;
	return column * half + row;
}

struct reg_addr kind_dram(const struct device_kind *k, uint32_t enabled, unsigned channel,
	unsigned port, uint64_t addr)
{
	const uint8_t *xy = k->dram_xy[dram_place(k, enabled, channel)][port];

	return (struct reg_addr){ REG_NOC, xy[0], xy[1], addr };
}

/*
 * Blackhole's firmware leaves one core of each half out of the translated row: the last one that is
 * off among those that may be off.  The others follow in order (tt-system-firmware at 37359d8651e5,
 * lib/tenstorrent/bh_arc/noc_init.c; UMD reads them there: tt-umd at 3ed9cb6d0533,
 * device/coordinates/blackhole_coordinate_manager.cpp).
 */
bool kind_eth(const struct device_kind *k, uint32_t on, bool translated, unsigned core,
	uint8_t xy[2])
{
	uint32_t left_out = 0;

	if (core >= k->n_eth || !(on >> core & 1))
		return false;
	xy[0] = k->eth_xy[core][0];
	xy[1] = k->eth_xy[core][1];
	if (!translated || !k->eth_moved[0])
		return true;
	for (size_t i = 0; i < ARRAY_LEN(k->eth_spare); i++) {
		const uint32_t off = k->eth_spare[i] & ~on;

		if (off == 0)
			return false;
		left_out |= 0x80000000U >> __builtin_clz(off);
	}
	xy[0] = (uint8_t)(k->eth_moved[0] + core -
		(unsigned)__builtin_popcount(left_out & ((1U << core) - 1)));
	xy[1] = k->eth_moved[1];
	return true;
}

/*
 * On Blackhole the left column counts its ports upwards and the right one downwards;
 * the firmware's translation keeps the order of the rows (tt-system-firmware, noc.c).
 */
int kind_dram_port(const struct device_kind *k, unsigned channel, unsigned number)
{
	if (channel >= k->n_dram || number >= KIND_PORTS)
		return -1;
	return (int)(k->dram_turns && channel >= k->n_dram / 2 ? KIND_PORTS - 1 - number : number);
}

const char *device_chip_name(enum device_chip chip)
{
	return kind_of(chip)->name;
}

enum device_chip device_chip_of(uint16_t pci_device)
{
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		if (kinds[c]->pci_device == pci_device)
			return c;
	return DEVICE_UNKNOWN;
}
