/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * galaxy.h - a chip's place in a galaxy, from its PCI address
 * (chip-facts 1.2 and 5.4): the bus number's high digit is the tray's, its low
 * digit the chip's.
 */
#pragma once

#include "device/device.h"

#define GALAXY_TRAYS 4
#define GALAXY_CHIPS 8	/* of a tray */

/* Bus numbers of a galaxy of this chip, less the chip's own digit, by tray; NULL: there is none. */
const uint8_t *galaxy_buses(enum device_chip chip);

/* The tray, 1 to 4, and in *chip (or NULL) which of its chips, 1 to 8; 0: not of a galaxy. */
int galaxy_tray(const struct device *d, int *chip);

/* The same of a chip with this subsystem id at this address. */
int galaxy_place(enum device_chip kind, uint16_t subsystem, const char *bdf, int *chip);
