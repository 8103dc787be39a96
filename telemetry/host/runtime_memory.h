/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime_memory.h - the chip memory that each process has, as the runtime (tt-metal) publishes
 * it in /dev/shm/tt_device_NUMBER_memory.  Only files are read; no card is touched.
 *
 * An entry is believed only if all of this holds, else the memory is not known: the layout is a
 * known one; the file's number belongs to this chip and to no other; the process holds the chip,
 * has the entry's pid in its own pid namespace and was started before the entry was written; and
 * the file belongs to the process's user or to root, and nobody else may write it.
 */
#pragma once

#include "telemetry/host/process.h"
#include "telemetry/snapshot.h"

#define RUNTIME_MEMORY_IDS   3	/* numbers under which a chip may have its file */
#define RUNTIME_MEMORY_SLOTS 64

/* The numbers of a chip's file, from its readings; 0 where one is not known. */
void runtime_memory_ids(const struct snapshot *s, uint64_t ids[static RUNTIME_MEMORY_IDS]);

/* Set each number to 0 that more than one of the n chips has. */
void runtime_memory_part(uint64_t (*ids)[RUNTIME_MEMORY_IDS], size_t n);

/* The table in a file; a slot with pid 0 belongs to no process. */
struct runtime_memory {
	struct runtime_memory_slot {
		pid_t pid;		/* in the process's own namespace */
		int64_t time;		/* of the last change, ns since 1970 */
		int64_t bytes[PROCESS_MEMORIES];
	} slots[RUNTIME_MEMORY_SLOTS];
};

/* False: the number is another one, the layout is not known, or the file is not ready yet. */
bool runtime_memory_parse(const void *data, size_t len, uint64_t id, struct runtime_memory *m);

/* Set pid to 0 in each slot that differs from an earlier reading; true: none differs. */
bool runtime_memory_settle(const struct runtime_memory *before, struct runtime_memory *m);

/* Fill in the known memory of n processes, which are all that hold one chip. */
void runtime_memory_fill(const char *root, const uint64_t ids[static RUNTIME_MEMORY_IDS],
	struct process *p, size_t n);
