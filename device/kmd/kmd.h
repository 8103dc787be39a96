/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd.h - shared by the files of the driver's transport; no other file includes
 * it.
 *
 * A struct device lies in memory that all processes share, but file descriptors
 * and mappings belong to one process.  So a card's handles are kept here, in
 * private memory, made on first use.  A generation number beside the shared
 * devices shows every process that a card was attached anew and that its old
 * handles are useless.
 */
#pragma once

#include "base/error.h"
#include "device/bus.h"

#include <stdatomic.h>
#include <stdbool.h>

#define KMD_PATH    512
#define KMD_WINDOWS 3		/* NOC windows that a process keeps per card */

enum { KMD_DIRS = ATTR_PCI + 1 };

/* The ways to map a piece of the chip; each mapping is made on first use. */
enum kmd_way {
	KMD_LOAD,		/* for reading */
	KMD_STORE,		/* for writing, word by word */
	KMD_COPY,		/* for reading memory, in wide pieces */
	KMD_FILL,		/* for writing memory, write-combined */
	KMD_WAYS
};

/* The target of a NOC window: its first byte, and one tile or the tiles of a rectangle. */
struct kmd_aim {
	uint64_t base;
	struct reg_rect to;
	bool multicast;
	uint8_t ordering;		/* enum kmd_ordering */
};

/* A NOC window lent by the driver. */
struct kmd_window {
	uint32_t id;
	uint64_t size;			/* 0: not allocated */
	uint64_t offset_uc, offset_wc;	/* for mmap() */
	bool aimed;
	struct kmd_aim aim;
	uint64_t used;			/* larger: used more recently */
	volatile uint32_t *at[KMD_WAYS];	/* NULL: not mapped */
};

/* State of a card that all processes share. */
struct kmd_shared {
	_Atomic unsigned generation;
	_Atomic pid_t active;		/* our process whose handle asks for power, or 0 */
};

struct kmd_card {
	struct kmd_shared *shared;
	unsigned generation;
	int dir[KMD_DIRS];		/* by enum attr_dir; see kmd_attr.c */
	int attr[ATTR_COUNT];		/* kept open, or -1 */

	int lock[DEVICE_LOCKS];		/* locked files, or -1; they outlive an attach */
	int fd;				/* the node, or -1 */
	int claim;			/* a duplicate of fd that holds the driver's lock, or -1 */
	struct error recorded;		/* set if a recorded tree has a plain file as node */
	enum access_purpose purpose;	/* of fd */
	enum device_handle how;
	bool hung;			/* a load was late and all ones: do not read again */
	bool was_queried;		/* bar0_offset and bar0_size are known */
	uint64_t bar0_offset, bar0_size;	/* from QUERY_MAPPINGS */
	volatile uint32_t *bar0[KMD_WAYS];	/* the registers, see kmd_window.c */
	size_t bar0_len;
	uint64_t tick;
	struct kmd_window window[KMD_WINDOWS];
};

/* A process that was seen with /dev/tenstorrent/<node> open. */
struct kmd_held {
	int node;
	pid_t pid;
};

/* bus->priv */
struct kmd {
	pid_t pid;			/* of the process that opened the bus */
	struct kmd_shared *shared;	/* between processes, by device index */
	struct kmd_card *card[DEVICE_MAX];

	/* Result of the last walk through /proc, for all nodes; see kmd_holders.c. */
	struct kmd_held *held;
	size_t n_held, max_held;
	int64_t held_at;		/* clock_steady(), 0: never */
	bool held_partial;
};

/* This process's handles for a device; empty again after it was attached anew. */
struct kmd_card *kmd_card(struct device *d);

/* kmd_path.c: paths below a root, also in trees where links became plain files. */
int kmd_path(const char *root, char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int kmd_link_name(const char *path, char *name, size_t size);	/* last part of a link's target */
bool kmd_is_number(const char *text, int *out);			/* decimal digits only */

/* kmd_scan.c */
ssize_t kmd_scan(struct bus *bus, struct device *found, size_t max, struct error *e);

/* kmd_attr.c */
ssize_t kmd_attr(struct device *d, enum attr a, char *buf, size_t size);
void kmd_attr_begin_sample(struct kmd_card *card);

/* kmd_holders.c, kmd_pinned.c */
bool kmd_proc_is_whole(const char *proc);
ssize_t kmd_holders(struct device *d, pid_t *pids, size_t max, bool *partial);
bool kmd_is_ours(const struct kmd *kmd, pid_t pid);	/* a process of this program */
