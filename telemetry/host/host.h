/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the machine around the cards: read below a root, kept as plain data.
 */
#pragma once

#include "telemetry/host/process.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the machine meets one requirement. */
enum host_verdict {
	HOST_PASS,
	HOST_NOTE,	/* works, but there is something to know */
	HOST_FAIL	/* does not work as it is: the text says what to do */
};

struct host_check {
	const char *name;	/* "OS", "Distro", "Memory", "Driver", "Reset" */
	enum host_verdict verdict;
	char text[96];		/* what was found, what to know, or what to do */
};
#define HOST_CHECKS 8

struct host {
	char os[32];		/* "Linux" */
	char distro[64];	/* "Ubuntu 22.04.5 LTS" */
	char kernel[64];
	char hostname[65];
	char platform[32];	/* "x86_64" */
	char memory[24];	/* "125.49 GB": total, 1024-based, as upstream prints it */
	char driver[80];	/* "TT-KMD 2.10.0", or "No driver" */
	uint64_t memory_bytes;
	bool container, virtual_machine;
	bool xen;		/* a virtual machine whose host takes requests for resets (HVM) */
	size_t n_checks;
	struct host_check checks[HOST_CHECKS];
};

const char *host_verdict_name(enum host_verdict v);	/* "pass", "note", "fail" */

/* Fill *h from <root>/proc and <root>/etc; driver is the driver's version or "". */
void host_read(const char *root, const char *driver, struct host *h);

/*
 * The chip memory that each process has, as the runtime (tt-metal) publishes it in
 * /dev/shm/tt_device_NUMBER_memory.  Only files are read; no card is touched.
 *
 * An entry is believed only if all of this holds, else the memory is not known: the layout is a
 * known one; the file's number belongs to this chip and to no other; the process holds the chip,
 * has the entry's pid in its own pid namespace and was started before the entry was written; and
 * the file belongs to the process's user or to root, and nobody else may write it.
 */

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
