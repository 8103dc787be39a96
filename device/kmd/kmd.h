/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd.h - shared by the files of the driver's transport; no other file includes it.
 *
 * A struct device lies in memory that all processes share, but file descriptors and mappings belong
 * to one process.  So a card's handles are kept here, in private memory, made on first use.  A
 * generation number beside the shared devices shows every process that a card was attached anew and
 * that its old handles are useless.
 */
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "device/bus.h"
#include "device/kmd/kmd_abi.h"

#include <stdatomic.h>
#include <stdbool.h>

#define KMD_PATH    512
#define KMD_LATE    (100 * CLOCK_MS)	/* a good load takes 1 to 3 us */
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

/* What is known of a call that only newer drivers have. */
enum kmd_call { KMD_UNTRIED, KMD_WORKS, KMD_LACKS };

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
	_Atomic enum kmd_call noc_read, noc_write;
};

struct kmd_card {
	struct kmd_shared *shared;
	unsigned generation;
	int dir[KMD_DIRS];		/* by enum attr_dir; see kmd_io.c */
	int attr[ATTR_COUNT];		/* kept open, or -1 */

	int fd;				/* the node, or -1 */
	int claim;			/* a duplicate of fd that holds the driver's lock, or -1 */
	enum access_purpose purpose;	/* of fd */
	enum device_handle how;
	bool hung;			/* a load was late and all ones: do not read again */
	bool was_queried;		/* bar0_offset and bar0_size are known */
	uint64_t bar0_offset, bar0_size;	/* from QUERY_MAPPINGS */
	volatile uint32_t *bar0[KMD_WAYS];	/* the registers, see kmd_node.c */
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

	/* Result of the last walk through /proc, for all nodes; see kmd.c. */
	struct kmd_held *held;
	size_t n_held, max_held;
	int64_t held_at;		/* clock_steady(), 0: never */
	bool held_partial;
};

/* This process's handles for a device; empty again after it was attached anew. */
struct kmd_card *kmd_card(struct device *d);

/* Paths below a root, also in trees where links became plain files. */
int kmd_path(const char *root, char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The last part of the target of a link in such a folder. */
int kmd_link_name(const char *root, const char *folder, const char *link, char *name, size_t size);
bool kmd_is_number(const char *text, int *out);			/* decimal digits only */

/* Find the cards. */
ssize_t kmd_scan(struct bus *bus, struct device *found, size_t max, struct error *e);

/* Sysfs and hwmon attributes. */
ssize_t kmd_attr(struct device *d, enum attr a, char *buf, size_t size);
int kmd_begin_sample(struct device *d);

/* The processes that hold a card's node. */
bool kmd_proc_is_whole(const char *proc);
bool kmd_is_ours(const struct kmd *kmd, pid_t pid);	/* a process of this program */

/* A handle for a card, and loads and stores through it. */
int kmd_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e);
void kmd_release(struct device *d);
void kmd_io_drop(struct kmd_card *card);	/* all that is known of it: the card was replaced */

int kmd_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int kmd_read_block(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int kmd_write(struct device *d, struct reg_addr at, uint32_t word);
int kmd_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n);
int kmd_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n);
int kmd_reset(struct device *d, enum device_reset kind, uint32_t *result);
int kmd_power(struct device *d, unsigned flags);
int kmd_claim(struct device *d);

/* The device node, and requests to the driver through it. */

/* Returns 0 or -errno; an interrupted call is tried again. */
int kmd_ioctl(int fd, enum kmd_ioctl request, void *arg);

/*
 * Read or write one word on the NOC by the driver's own call: 0; -ENOTTY: it has none, and a window
 * is needed; -ETIMEDOUT: late, and all ones; or the driver's -errno.
 */
int kmd_noc_word(struct kmd_card *card, struct reg_addr at, uint32_t *word, bool loads);

/*
 * Open the node, check that it is this card's, and unless it is for a reset get ready to map the
 * chip; on failure close it again.  Closing unmaps everything and frees the windows.
 */
int kmd_node_open(struct device *d, struct kmd_card *card, enum access_purpose purpose,
	enum device_handle how, struct error *e);
void kmd_node_close(struct kmd_card *card);
void kmd_window_drop(struct kmd_card *card);	/* only unmap and free */

/*
 * Returns where `at` is mapped in this process, and in *len the bytes from there to
 * the mapping's end; NULL and -errno in *error if it cannot be mapped.  If rect is not NULL, a
 * KMD_FILL goes to all of its tiles.
 */
volatile uint32_t *kmd_window_map(struct device *d, struct kmd_card *card, struct reg_addr at,
	const struct reg_rect *rect, enum kmd_way way, uint64_t *len, int *error);
