/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * galaxy.c - trays of a galaxy by PCI bus number.
 */
#include "config.h"
#include "device/galaxy.h"
#include "device/kind.h"

#include <stdio.h>

const uint8_t *galaxy_buses(enum device_chip chip)
{
	return kind_of(chip)->galaxy ? kind_of(chip)->galaxy_bus : NULL;
}

int galaxy_tray(const struct device *d, int *chip)
{
	const struct device_kind *k = kind_of(d->chip);
	unsigned domain, bus, place;

	if (!k->galaxy || d->subsys_device != k->galaxy ||
		sscanf(d->bdf, "%x:%x:", &domain, &bus) != 2)
		return 0;
	place = bus & 0xf;
	for (int tray = 0; place >= 1 && place <= GALAXY_CHIPS && tray < GALAXY_TRAYS; tray++) {
		if (k->galaxy_bus[tray] != (bus & 0xf0))
			continue;
		if (chip)
			*chip = (int)place;
		return tray + 1;
	}
	return 0;
}
