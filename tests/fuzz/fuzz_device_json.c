/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_device_json.c - the device.json of a compiled model: what is refused changes nothing, and
 * what is taken is within bounds and plain.
 */
#include "config.h"
#include "src/image/card.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ended, and nothing in it commands a terminal. */
static void check_text(const char *text, size_t size)
{
	const size_t len = strnlen(text, size);

	if (len == size)
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image i, before;
	struct error e = { 0 };

	memset(&i, 0x5a, sizeof(i));
	before = i;
	if (image_parse((const char *)data, size, &i, &e) < 0) {
		if (memcmp(&i, &before, sizeof(i)) != 0 || !*e.text)
			abort();
		return 0;
	}
	check_text(i.version, sizeof(i.version));
	check_text(i.name, sizeof(i.name));
	check_text(i.arch, sizeof(i.arch));
	check_text(i.inputs, sizeof(i.inputs));
	if (i.rows < 1 || i.rows > 64 || i.columns < 1 || i.columns > 64 || i.n_chips < 1 ||
		i.n_chips > DEVICE_MAX || i.n_masks > i.n_chips)
		abort();
	for (size_t k = 0; k < i.n_chips; k++)
		if (i.chips[k] >= DEVICE_MAX)
			abort();
	return 0;
}
