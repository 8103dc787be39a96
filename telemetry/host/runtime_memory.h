/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime_memory.h - the memory of a chip that each process has, as the runtime (tt-metal)
 * publishes it in /dev/shm/tt_device_NUMBER_memory.  Only files are read; no card is touched.
 *
 * What is said there is believed of a process where all of this holds, and is not known else:
 * the layout is one that is known, the file's number is that of this chip and of no other, the
 * process holds the chip, sees itself under the pid that is written there, and was started
 * before the entry was, and the file is its user's own or root's, which nobody else may write.
 */
#pragma once

#include "telemetry/host/process.h"
#include "telemetry/snapshot.h"

#define RUNTIME_MEMORY_IDS   3	/* numbers under which a chip may have its file */
#define RUNTIME_MEMORY_SLOTS 64

/* The numbers, of what was read of the chip; what is not known is 0. */
void runtime_memory_ids(const struct snapshot *s, uint64_t ids[static RUNTIME_MEMORY_IDS]);

/* Put 0 in place of all numbers that more than one of n chips has. */
void runtime_memory_part(uint64_t (*ids)[RUNTIME_MEMORY_IDS], size_t n);

/* As it is in a file; a slot is of no process where its pid is 0. */
struct runtime_memory {
	struct runtime_memory_slot {
		pid_t pid;		/* as its process sees itself */
		int64_t time;		/* of the last change, ns since 1970 */
		int64_t bytes[PROCESS_MEMORIES];
	} slots[RUNTIME_MEMORY_SLOTS];
};

/* False: it is not a file of this number in a layout that is known, or is not finished. */
bool runtime_memory_parse(const void *data, size_t len, uint64_t id, struct runtime_memory *m);

/* What differs from an earlier reading is of no process; true: nothing does. */
bool runtime_memory_settle(const struct runtime_memory *before, struct runtime_memory *m);

/* Fill the memory of those of the n processes, all that hold one chip, of which it is known. */
void runtime_memory_fill(const char *root, const uint64_t ids[static RUNTIME_MEMORY_IDS],
	struct process *p, size_t n);
