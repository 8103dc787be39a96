/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - which versions of driver, firmware and tools there should be: the manifest of upstream's
 * golden stack (golden.json of tt-sw-manifest), or a file of the same form.
 */
#pragma once

#include "base/error.h"

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
