/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - the processes that hold a card: pids from the device, names from /proc.
 */
#pragma once

#include "telemetry/host/cgroup.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Memory of a chip, by its kind; what the runtime calls a buffer's type. */
enum process_memory {
	PROCESS_MEMORY_DRAM, PROCESS_MEMORY_L1, PROCESS_MEMORY_L1_SMALL, PROCESS_MEMORY_TRACE,
	PROCESS_MEMORY_CB, PROCESS_MEMORIES
};

struct process {
	int device;		/* index of the chip it holds */
	pid_t pid;		/* 0: in another pid namespace */
	char user[33];		/* the uid where it has no name, "?" where unknown */
	char container[CGROUP_LABEL];	/* label of its cgroup; "" outside of one */
	struct cgroup group;	/* the same in full; empty where it was loaded from a file */
	char command[256];	/* command line, control characters as \xNN (chip-facts 1.7) */
	int64_t started;	/* ns since 1970, to a second; 0: not known */
	int64_t pinned;		/* bytes that the driver keeps in place for it; -1: not known */
	pid_t seen_as;		/* its pid in its own pid namespace; 0: not known */
	int64_t uid;		/* -1: not known */
	bool has_memory;	/* the runtime says what memory of the chip it has: */
	int64_t memory[PROCESS_MEMORIES];	/* bytes */
};

/*
 * Fill all that <root>/proc says of a pid; what is pinned and its memory of the chip is not known
 * then.  False: it says nothing, as of a process that has ended, or lives where we cannot see it.
 */
bool process_describe(const char *root, pid_t pid, struct process *p);

const char *process_memory_key(enum process_memory kind);	/* "dram", "l1", "l1_small" ... */

/* qsort order: by device, then pid. */
int process_compare(const void *a, const void *b);
