/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_runtime_memory.c - any bytes as a file of the runtime: what is taken of it is of a process
 * that can be, and is an amount of memory that can be.
 */
#include "config.h"
#include "telemetry/host/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_possible(const struct runtime_memory_slot *slot)
{
	if (slot->pid < 0)
		abort();
	if (slot->pid > 0 && slot->time < 0)
		abort();
	for (int i = 0; i < PROCESS_MEMORIES && slot->pid > 0; i++)
		if (slot->bytes[i] < 0 || slot->bytes[i] > (int64_t)1 << 40)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t id = 0x0011223344556601;
	struct runtime_memory m, before;

	memset(&before, 0, sizeof(before));
	if (!runtime_memory_parse(data, size, id, &m))
		return 0;
	for (size_t i = 0; i < RUNTIME_MEMORY_SLOTS; i++)
		must_be_possible(&m.slots[i]);
	runtime_memory_settle(&before, &m);
	for (size_t i = 0; i < RUNTIME_MEMORY_SLOTS; i++)
		if (m.slots[i].pid != 0)
			abort();
	return 0;
}
