/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * galaxy.c - trays of a galaxy by PCI bus number.
 */
#include "config.h"
#include "device/galaxy.h"

#include <stdio.h>

static const struct {
	uint16_t subsystem;	/* what a chip of such a galaxy has as its PCI subsystem id */
	uint8_t bus[GALAXY_TRAYS];
} galaxies[DEVICE_CHIPS] = {
	[DEVICE_WORMHOLE] = { 0x0035, { 0xc0, 0x80, 0x00, 0x40 } },
	[DEVICE_BLACKHOLE] = { 0x0047, { 0x00, 0x40, 0xc0, 0x80 } },
};

const uint8_t *galaxy_buses(enum device_chip chip)
{
	return chip < DEVICE_CHIPS && galaxies[chip].subsystem ? galaxies[chip].bus : NULL;
}

int galaxy_tray(const struct device *d, int *chip)
{
	unsigned domain, bus, place;

	if (!galaxy_buses(d->chip) || d->subsys_device != galaxies[d->chip].subsystem ||
		sscanf(d->bdf, "%x:%x:", &domain, &bus) != 2)
		return 0;
	place = bus & 0xf;
	for (int tray = 0; place >= 1 && place <= GALAXY_CHIPS && tray < GALAXY_TRAYS; tray++) {
		if (galaxies[d->chip].bus[tray] != (bus & 0xf0))
			continue;
		if (chip)
			*chip = (int)place;
		return tray + 1;
	}
	return 0;
}
