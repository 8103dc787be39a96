/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * galaxy.h - a chip's place in a galaxy, from its PCI address (chip-facts 1.2
 * and 5.4): the bus number's high digit stands for the tray, its low digit for
 * the chip.
 */
#pragma once

#include "device/device.h"

#define GALAXY_TRAYS 4
#define GALAXY_CHIPS 8	/* of a tray */

/* Bus numbers by tray, without the chip's digit; NULL: this chip is not built into galaxies. */
const uint8_t *galaxy_buses(enum device_chip chip);

/* The tray, 1 to 4, and in *chip (may be NULL) its chip, 1 to 8; 0: not in a galaxy. */
int galaxy_tray(const struct device *d, int *chip);

/* The same for a chip with this subsystem id at this address. */
int galaxy_place(enum device_chip kind, uint16_t subsystem, const char *bdf, int *chip);
