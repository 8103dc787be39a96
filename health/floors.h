/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floors.h - the oldest driver and firmware, and the slowest PCIe, that are good enough.  They are
 * built in (health/floors.conf), or read from a file of the same form.
 */
#pragma once

#include "base/error.h"
#include "device/ident.h"
#include "health/pins.h"

#include <stddef.h>
#include <stdint.h>

enum floors_way { FLOORS_TO_CARD, FLOORS_FROM_CARD, FLOORS_WAYS };

/* Versions as 0xaabbccdd; 0: no floor. */
struct floors {
	uint32_t driver;
	uint32_t firmware[DEVICE_CHIPS];	/* the bundle, by chip */
	const struct pins *pins;	/* versions that --expect wants; NULL: nothing is pinned */
	uint32_t pcie[DEVICE_CHIPS][FLOORS_WAYS];	/* MB/s, through the driver's windows */
};

/* The built-in floors. */
void floors_init(struct floors *f);

/*
 * Parse lines "driver 2.9.0", "firmware CHIP 19.11.0", "pcie-to CHIP MB/S" and "pcie-from CHIP
 * MB/S"; blank lines and lines that begin with # are ignored.  -EINVAL: *e names the line, and *f
 * is not changed.
 */
int floors_parse(const char *text, size_t len, struct floors *f, struct error *e);

/* The same for a file. */
int floors_read(const char *path, struct floors *f, struct error *e);

extern const char floors_text[];	/* health/floors.conf */
