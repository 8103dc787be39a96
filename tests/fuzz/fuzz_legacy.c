/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_legacy.c - the older struct's reader on any words: 1 byte that picks
 * the chip and how far the reader may go, 4 of the address a Grayskull answers
 * (and of what ethernet cores say), then the words.
 */
#include "config.h"
#include "tests/fuzz/fuzz_check.h"

#include <string.h>

#define LEGACY 0x78d60u		/* of Wormhole, in its memory */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_chip f;
	uint32_t at = LEGACY;

	if (size < 5 || size - 5 > 1024)
		return 0;
	fake_init(&f, data[0] & 1 ? DEVICE_GRAYSKULL : DEVICE_WORMHOLE);
	memcpy(&f.eth, data + 1, 4);
	if (data[0] & 1) {
		memcpy(&f.answer, data + 1, 4);
		at = f.answer - FAKE_CSM;
	}
	if (at % 4 || at > sizeof(f.csm) - 1024)
		at = 0;
	memcpy(&f.csm[at / 4], data + 5, size - 5);
	fuzz_sample(&f, &(struct reader_policy){ .fresh = true, .active = data[0] & 2 });
	fuzz_sample(&f, &(struct reader_policy){ .active = data[0] & 2 });
	return 0;
}
