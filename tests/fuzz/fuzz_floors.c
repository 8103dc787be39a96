/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_floors.c - the file of --floors: what is refused changes nothing, and says which line.
 */
#include "config.h"
#include "health/pins.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct floors f, before;
	struct error e = { 0 };

	memset(&f, 0x5a, sizeof(f));
	before = f;
	if (floors_parse((const char *)data, size, &f, &e) < 0 &&
		(memcmp(&f, &before, sizeof(f)) != 0 || strncmp(e.text, "line ", 5) != 0))
		abort();
	return 0;
}
