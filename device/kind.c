/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind.c - the kinds of chip.
 */
#include "config.h"
#include "device/kind.h"

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
