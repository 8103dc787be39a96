/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/runtime_file.h"

#include <string.h>

void runtime_file_make(uint8_t data[static RUNTIME_FILE_SIZE], uint32_t version, uint64_t id)
{
	const uint32_t ready = 0x52454459;

	memset(data, 0, RUNTIME_FILE_SIZE);
	memcpy(data, &version, sizeof(version));
	memcpy(data + 32, &id, sizeof(id));
	if (version >= 4)
		memcpy(data + 8536, &ready, sizeof(ready));
}

void runtime_file_put(uint8_t data[static RUNTIME_FILE_SIZE], size_t slot, int32_t pid,
	uint64_t bytes, uint64_t time)
{
	uint8_t *at = data + 856 + 120 * slot;

	memcpy(at, &pid, sizeof(pid));
	for (uint64_t i = 0; i < 5; i++) {
		const uint64_t amount = bytes + i;

		memcpy(at + 8 + 8 * i, &amount, sizeof(amount));
	}
	memcpy(at + 48, &time, sizeof(time));
	memcpy(at + 56, "python3", 8);
}
