/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_pins.c - the manifest of --expect: what is refused changes nothing and says why, and what is
 * taken pins something, which is the same when it is written and read again.
 */
#include "config.h"
#include "health/pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_again(uint32_t version)
{
	char text[32];
	uint32_t again = 0;

	pins_text(version, text, sizeof(text));
	if (!pins_version(text, strlen(text), &again) || again != version)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pins p, before;
	struct error e = { 0 };
	bool any = false;

	memset(&p, 0x5a, sizeof(p));
	before = p;
	if (pins_parse((const char *)data, size, &p, &e) < 0) {
		if (memcmp(&p, &before, sizeof(p)) != 0 || !e.text[0])
			abort();
		return 0;
	}
	for (enum pin pin = PIN_NONE + 1; pin < PINS; pin++)
		if (p.version[pin]) {
			any = true;
			try_again(p.version[pin]);
		}
	if (!any || strlen(p.others) >= sizeof(p.others))
		abort();
	return 0;
}
