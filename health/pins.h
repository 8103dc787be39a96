/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - which versions of driver, firmware and tools there should be: the manifest of upstream's
 * golden stack (golden.json of tt-sw-manifest), or a file of the same form; and floors.
 */
#pragma once

#include "base/error.h"
#include "device/ident.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pin {
	PIN_NONE, PIN_DRIVER, PIN_FIRMWARE, PIN_SMI, PIN_FLASH, PIN_SFPI, PIN_TOOLS, PINS
};

struct pins {
	uint32_t version[PINS];		/* 0xaabbccdd; 0: not pinned */
	char others[128];		/* the keys that no check uses, or "" */
};

/*
 * Parse an object of strings: {"kmd": "2.11.0", "firmware": "19.15.0"}.  -EINVAL: *e says what is
 * wrong, and *p is not changed.  An object that pins nothing that we check is wrong, too.
 */
int pins_parse(const char *text, size_t len, struct pins *p, struct error *e);

/* The same for a file. */
int pins_read(const char *path, struct pins *p, struct error *e);

/*
 * "2.11.0", "v0.78.0", "1:2.8.0-1", "2.10.1-pre" as 0xaabbccdd.  Text before and after the numbers
 * is ignored, as upstream does when it compares.  False: it is not a version.
 */
bool pins_version(const char *text, size_t len, uint32_t *version);

/* "2.11.0", "19.15.0.3".  Returns buf. */
const char *pins_text(uint32_t version, char *buf, size_t size);

/*
 * The oldest driver and firmware, and the slowest PCIe, that are good enough.  They are built in
 * (health/floors.conf), or read from a file of the same form.
 */

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
