/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - what a card is to everything above: an identity, and a handful of
 * accesses that some transport carries out.  Nothing above this knows whether
 * silicon, a simulated board or a recording answers.
 *
 * One struct device is one chip.  A PCI function is a device; the second chip
 * of an n300 is a remote device (device/eth.c), reached through the first.
 *
 * What may be called where: discovery reads only what the kernel holds in memory and
 * may run anywhere; attr, read and write can block in the kernel for ever when a
 * card is dead and are called in a worker process only (telemetry/sampler/sampler.c).
 */
#pragma once

#include "base/error.h"
#include "device/attr.h"
#include "device/ident.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The tiles of a multicast, both corners included; NOC0 coordinates. */
struct reg_rect {
	uint8_t x0, y0, x1, y1;
};

/* What a handle is for.  It decides which registers may be touched: device/access.c. */
enum access_purpose {
	ACCESS_TELEMETRY,	/* what can be read without changing anything */
	ACCESS_RESET,		/* and what a reset by message or by register needs */
	ACCESS_BURN,		/* and the compute tiles' memory and cores, and the card's memory */
	ACCESS_MEMORY		/* and the card's memory, to be read */
};

/* How the node is opened. */
enum device_handle {
	DEVICE_PASSIVE,		/* casts no power vote: open and close change nothing */
	DEVICE_ACTIVE		/* asks for power while it is open, as a program that computes */
};

/* The kinds of reset, as the driver offers them (chip-facts 5.1). */
enum device_reset {
	DEVICE_RESTORE_STATE,	/* restore config space, initialise the chip; clears the marker */
	DEVICE_RESET_LINK,	/* secondary-bus reset of the PCIe link */
	DEVICE_CONFIG_WRITE,	/* Blackhole, old way: the firmware's timer interrupt */
	DEVICE_USER_RESET,	/* the marker alone: something else is about to reset the chip */
	DEVICE_ASIC_RESET,
	DEVICE_DMC_RESET,	/* the board's controller resets every chip of the board */
	DEVICE_POST_RESET,	/* after one of the three before: make the chip usable again */
	DEVICE_RESETS
};

/* Flags of device_power(). */
enum device_power_flag {
	DEVICE_POWER_AICLK = 1 << 0,	/* the highest clock */
	DEVICE_POWER_MRISC = 1 << 1,	/* the memory's PHY awake */
	DEVICE_POWER_TENSIX = 1 << 2,
	DEVICE_POWER_L2CPU = 1 << 3
};

/* PCI config space, the part that every user may read. */
#define DEVICE_CONFIG_SIZE   64
#define DEVICE_CONFIG_MARKER 0x40	/* in byte 4: the driver sets it, a reset clears it */

/* Why a device that is there cannot be read as it should. */
enum device_trouble {
	DEVICE_FINE,
	DEVICE_NO_DRIVER,	/* a PCI function without a driver */
	DEVICE_NO_NODE,		/* driven, but without /dev/tenstorrent/N */
	DEVICE_NO_PERMISSION,	/* the node is not ours to open: sysfs only */
	DEVICE_GONE		/* was here at an earlier scan */
};

/*
 * The locks of a card.  Anybody may take the first one, and so keep all others away; root does
 * without it then, where it was asked to, and the second one keeps those apart who do.
 */
enum device_lock { DEVICE_LOCK_ANYBODYS, DEVICE_LOCK_ROOTS, DEVICE_LOCKS };

struct transport_ops;
struct bus;

struct device {
	const struct transport_ops *ops;
	struct bus *bus;
	void *priv;		/* the transport's */

	int index;		/* the number people use, everywhere */
	int local;		/* for a remote chip the index of its local one; else -1 */
	enum device_chip chip;
	char bdf[16];		/* "0000:41:00.0"; "" for a remote chip */
	int node;		/* N of /dev/tenstorrent/N, or -1 */
	uint16_t vendor, device, subsys_vendor, subsys_device;
	uint8_t revision;
	int numa_node;		/* -1 where unknown */

	enum device_trouble trouble;
	char reason[160];	/* of the trouble, for people; "" when fine */
	bool is_passed;		/* device_pass_stranger(): acted on without anybody's lock */
};

/*
 * What each process keeps of a bus for itself; a child goes on with a copy.
 * Made on first use, freed with the bus.
 */
struct bus_own {
	struct eth_link *links;		/* ways to remote chips, by index */
	struct record *record;		/* NULL: nothing is recorded */
	struct linger *linger;		/* boards that may be about to power down, by index */
	void *reader[DEVICE_MAX];	/* what the reader of telemetry remembers, by index */
};

#define DEVICE_KEEP 3	/* of a bus, and the lock of one card */

/* The devices of one machine, in the order of their indices. */
struct bus {
	const struct transport_ops *ops;
	void *priv;
	struct bus_own *own;
	char root[256];		/* "/" or a recorded tree; sim and replay: where host facts are */
	char driver[64];	/* driver version as the driver says it; "" without a driver */
	bool passive;		/* sysfs alone: no node is opened */
	int keep[DEVICE_KEEP - 1];	/* descriptors that a process which reads cards must keep */
	size_t n_keep;
	uint64_t sim_seed;	/* --sim-seed */
	size_t n;
	struct device dev[DEVICE_MAX];
};

/*
 * The accesses.  All return 0 (attr: the length) or -errno; -EOPNOTSUPP where
 * the transport cannot do it, -ENODEV where the device is shut to this handle (reset by
 * another program, its driver unbound, removed by the kernel), -ENOLINK where it has left the bus.
 */

/*
 * All accesses to one device between these two belong to one sample, which is one
 * page of a recording.  -ENODATA: the recording is over, its last page answers again.
 */
int device_begin_sample(struct device *d);
void device_end_sample(struct device *d);

/* A sysfs, hwmon or proc attribute as text, ended by NUL, final newline cut. */
ssize_t device_attr(struct device *d, enum attr a, char *buf, size_t size);

/* What an access that ended with `code` says of the card, for people. */
const char *device_strerror(int code);

/* The handle is worth nothing any more: -ENODEV, -ENOLINK. */
bool device_is_gone(int code);

/*
 * Take and release the handle that register accesses need: for telemetry and
 * passive, or as asked.  acquire on an acquired device and release on a
 * released one do nothing; acquire for something else than it is held for is
 * -EBUSY.  For ACCESS_RESET the node is opened and nothing of the chip touched.
 */
int device_acquire(struct device *d, struct error *e);
int device_acquire_for(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e);
void device_release(struct device *d);

/* n aligned 32-bit loads at consecutive addresses, or one store, in order. */
int device_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int device_write(struct device *d, struct reg_addr at, uint32_t word);

/*
 * The same for memory: in pieces as wide as the processor loads them, in any
 * order.  Not recorded.
 */
int device_read_block(struct device *d, struct reg_addr at, uint32_t *words, size_t n);

/* Memory in many places: n words of one of them. */
struct device_piece {
	struct reg_addr at;
	uint32_t *words;
	size_t n;
};

/*
 * The same for many pieces; a transport for which each access is dear takes them
 * together.  Where it fails, *failed is a piece that could not be read.
 */
int device_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed);

/*
 * The same word to several places, as by device_write(): to all that can be reached.  The
 * first error, and in *failed where.
 */
int device_scatter(struct device *d, const struct reg_addr *to, size_t n, uint32_t word,
	size_t *failed);

/*
 * Fill memory of one tile, or the same memory of all tiles of a rectangle.
 * Stores are combined and may arrive in any order; all have left when it returns.
 */
int device_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n);
int device_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n);

/*
 * Ask the driver for a reset, through a handle for ACCESS_RESET.  0: it was
 * carried out and *result is what the driver says of it, 0 for success; neither
 * proves that the chip was reset (watch marker and heartbeat).  -EINVAL: this
 * driver has no such kind; -EINTR: nothing was done; -EBUSY: exported memory
 * is in use.  May block for 12 s and more, deaf to signals.
 */
int device_reset(struct device *d, enum device_reset kind, uint32_t *result);

/* PCI config space from offset on: how many bytes were read (all ones: off the bus), or -errno. */
ssize_t device_config(struct device *d, size_t offset, uint8_t *buf, size_t n);

/*
 * Ask for power for as long as the handle is open: flags of enum
 * device_power_flag, 0 for none.  -EINVAL: the firmware has no power states;
 * -EOPNOTSUPP: the driver has none (before 2.6).
 */
int device_power(struct device *d, unsigned flags);

/*
 * Keep other tools that act on the card (reset, burn-in; any user, and any
 * container whose sysfs is the same one: each network namespace has its own)
 * away until unlock or the end of the process; no handle is needed.  -EBUSY:
 * held, by *holder (0 where that cannot be known).  After the card left the bus
 * and came back, lock again: a lock that still holds is kept.
 */
int device_lock(struct device *d, pid_t *holder, struct error *e);
void device_unlock(struct device *d);

/* For root: a process of another user that has the lock, or 0. */
pid_t device_find_stranger(struct device *d);

/*
 * For root, where it was asked for: if there is one, do without anybody's lock until
 * device_unlock().  That process, or 0: nothing has changed.
 */
pid_t device_pass_stranger(struct device *d);

/*
 * The descriptor that is the lock, or -1: a child that acts on the card keeps it, so that
 * the card stays locked until the last of us has let go of it, whoever is killed.
 */
int device_lock_fd(struct device *d);

/* What a child that acts on the card keeps open: the bus's descriptors and the lock. How many. */
size_t device_keep(struct device *d, int keep[static DEVICE_KEEP]);

/*
 * Through a handle for ACCESS_RESET: take the driver's own lock for resets,
 * which programs in every container meet.  It outlives the handle and resets,
 * and is kept until the process ends.  -EALREADY: another program has it;
 * -ENODEV: the driver answers nothing, since a reset has begun and not ended;
 * -EOPNOTSUPP: it has no locks.
 */
int device_claim(struct device *d);

/*
 * Processes that hold the device's node, from the driver's list where it has
 * one, else from the links below /proc; our own and our workers' are left out.
 * Returns how many (at most max), or -errno when it cannot be known; a pid of
 * another pid namespace is 0.  *partial: some processes could not be
 * examined for lack of privilege.
 */
ssize_t device_holders(struct device *d, pid_t *pids, size_t max, bool *partial);

/*
 * Bytes of each process that the driver keeps in place for this device (pinned pages,
 * buffers for DMA); -1: not known of that one.  Returns 0, or -errno where nothing says it:
 * -EACCES to root alone, -ENOENT not this driver, -EBADMSG in a form that is not known.
 */
int device_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes);
