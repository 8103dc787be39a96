/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_tag_table.c - the tag table's reader on any memory: 4 bytes of table
 * pointer, 4 of values pointer, 1 that picks the chip, then what lies from the
 * start of its memory on.
 */
#include "config.h"
#include "tests/fuzz/fuzz_check.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_chip f;

	if (size < 9 || size - 9 > sizeof(f.csm))
		return 0;
	fake_init(&f, data[8] & 1 ? DEVICE_WORMHOLE : DEVICE_BLACKHOLE);
	memcpy(&f.table_ptr, data, 4);
	memcpy(&f.values_ptr, data + 4, 4);
	memcpy(f.csm, data + 9, size - 9);
	fuzz_sample(&f, &(struct reader_policy){ .fresh = true });
	/* The same again from memory, then with other words in the same places. */
	fuzz_sample(&f, &(struct reader_policy){ .keep = true });
	for (size_t i = 0; i < (size - 9) / 4; i++)
		f.csm[i] = ~f.csm[i];
	fuzz_sample(&f, &(struct reader_policy){ .keep = false });
	return 0;
}
