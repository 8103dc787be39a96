/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * galaxy.c - trays of a galaxy by PCI bus number.
 */
#include "config.h"
#include "device/galaxy.h"
#include "base/array.h"
#include "device/kind.h"

#include <stdio.h>

const uint8_t *galaxy_buses(enum device_chip chip)
{
	return kind_of(chip)->galaxy[0] ? kind_of(chip)->galaxy_bus : NULL;
}

static bool is_of_galaxy(const struct device_kind *k, uint16_t subsystem)
{
	for (size_t i = 0; i < ARRAY_LEN(k->galaxy); i++)
		if (subsystem && subsystem == k->galaxy[i])
			return true;
	return false;
}

int galaxy_place(enum device_chip kind, uint16_t subsystem, const char *bdf, int *chip)
{
	const struct device_kind *k = kind_of(kind);
	unsigned domain, bus, place;

	if (!is_of_galaxy(k, subsystem) || sscanf(bdf, "%x:%x:", &domain, &bus) != 2)
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

int galaxy_tray(const struct device *d, int *chip)
{
	return galaxy_place(d->chip, d->subsys_device, d->bdf, chip);
}
