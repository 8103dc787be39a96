/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - a card as everything above sees it: an identity, and a handful of
 * accesses that some transport carries out.  Nothing above this file knows whether
 * silicon, a simulated board or a recording answers.
 *
 * One struct device is one chip.  A PCI function is a device; the second chip
 * of an n300 is a remote device (device/eth.c), reached through the first.
 *
 * Discovery reads only what the kernel holds in memory, so it may run anywhere.
 * attr, read and write can block in the kernel for ever if a card is dead, so call
 * them only in a worker process (telemetry/sampler/sampler.c).
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

/* The purpose of a handle.  It decides which registers may be touched: device/device.c. */
enum access_purpose {
	ACCESS_TELEMETRY,	/* registers that can be read without changing anything */
	ACCESS_RESET,		/* also those that a reset by message or register needs */
	ACCESS_BURN,		/* also the compute tiles' memory and cores, and card memory */
	ACCESS_MEMORY,		/* also card memory, to read only */
	ACCESS_BUSY		/* telemetry, and the compute tiles' memory, to read only */
};

/* Whether a handle for one purpose serves another. */
static inline bool access_serves(enum access_purpose has, enum access_purpose wanted)
{
	return has == wanted || (has == ACCESS_BUSY && wanted == ACCESS_TELEMETRY);
}

/* How the node is opened. */
enum device_handle {
	DEVICE_PASSIVE,		/* casts no power vote: open and close change nothing */
	DEVICE_ACTIVE,		/* asks for power while open, as a computing program does */
	DEVICE_EXCLUSIVE	/* passive, and nobody else can open it; device_can_exclude() */
};

/* The kinds of reset, as the driver offers them (chip-facts 5.1). */
enum device_reset {
	DEVICE_RESTORE_STATE,	/* restore config space, initialise the chip; clears the marker */
	DEVICE_RESET_LINK,	/* secondary-bus reset of the PCIe link */
	DEVICE_CONFIG_WRITE,	/* Blackhole, old way: the firmware's timer interrupt */
	DEVICE_USER_RESET,	/* only set the marker: something else will reset the chip */
	DEVICE_ASIC_RESET,
	DEVICE_DMC_RESET,	/* the board's controller resets every chip of the board */
	DEVICE_POST_RESET,	/* after one of the three above: make the chip usable again */
	DEVICE_RESETS
};

/* Flags of device_power(). */
enum device_power_flag {
	DEVICE_POWER_AICLK = 1 << 0,	/* the highest clock */
	DEVICE_POWER_MRISC = 1 << 1,	/* the memory's PHY awake */
	DEVICE_POWER_TENSIX = 1 << 2,
	DEVICE_POWER_L2CPU = 1 << 3
};

/* The part of PCI config space that every user may read. */
#define DEVICE_CONFIG_SIZE   64
#define DEVICE_CONFIG_MARKER 0x40	/* in byte 4: the driver sets it, a reset clears it */

/* Why a device cannot be read, or not in full. */
enum device_trouble {
	DEVICE_FINE,
	DEVICE_NO_DRIVER,	/* a PCI function without a driver */
	DEVICE_NO_NODE,		/* driven, but without /dev/tenstorrent/N */
	DEVICE_NO_PERMISSION,	/* we may not open the node: sysfs only */
	DEVICE_GONE,		/* was here at an earlier scan */
	DEVICE_GIVEN		/* to another driver, such as vfio-pci: nothing here reads it */
};

#define DEVICE_GIVEN_TO "bound to %s, not to the tenstorrent driver: unbind it there to see it here"
#define DEVICE_NODELESS "no /dev/tenstorrent/%d: only sysfs is read; in a container pass the " \
	"device in, else see that udev runs"

/*
 * The locks of a card.  Any user may take the first one, and so keep everyone else away.  On
 * request root then acts without it; the second lock keeps such processes of root apart.
 */
enum device_lock { DEVICE_LOCK_ANYBODYS, DEVICE_LOCK_ROOTS, DEVICE_LOCKS };

struct transport_ops;
struct bus;

struct device {
	const struct transport_ops *ops;
	struct bus *bus;
	void *priv;		/* the transport's */

	int index;		/* the number that users see, everywhere */
	int local;		/* for a remote chip, the index of its local one; else -1 */
	enum device_chip chip;
	char bdf[16];		/* "0000:41:00.0"; "" for a remote chip */
	int node;		/* N of /dev/tenstorrent/N, or -1 */
	uint16_t vendor, device, subsys_vendor, subsys_device;
	uint8_t revision;
	int numa_node;		/* -1 where unknown */

	enum device_trouble trouble;
	char reason[160];	/* for the trouble, as text for users; "" when fine */
	bool is_passed;		/* device_pass_stranger(): act without DEVICE_LOCK_ANYBODYS */
};

/*
 * State of a bus that is private to each process; a child goes on with a copy.
 * Parts are made on first use and freed with the bus.
 */
struct bus_own {
	struct eth_link *links;		/* ways to remote chips, by index */
	struct record *record;		/* NULL: nothing is recorded */
	struct linger *linger;		/* boards that may be about to power down, by index */
	void *reader[DEVICE_MAX];	/* state of the telemetry reader, by index */
	int lock[DEVICE_MAX][DEVICE_LOCKS];	/* locked files, by index, or -1 */
};

#define DEVICE_KEEP 3	/* descriptors of a bus, and the lock of one card */

/* The devices of one machine, in the order of their indices. */
struct bus {
	const struct transport_ops *ops;
	void *priv;
	struct bus_own *own;
	char root[256];		/* "/" or a recorded tree; sim and replay: for host facts */
	char driver[64];	/* version as the driver reports it; "" without a driver */
	bool passive;		/* only sysfs: no node is opened */
	int keep[DEVICE_KEEP - 1];	/* descriptors that a process reading cards must keep */
	size_t n_keep;
	uint64_t sim_seed;	/* --sim-seed */
	size_t n;
	struct device dev[DEVICE_MAX];
};

/*
 * The accesses.  All return 0 (attr: the length) or -errno: -EOPNOTSUPP if the
 * transport cannot do it, -ENODEV if this handle no longer reaches the device (another program
 * reset it, its driver was unbound, the kernel removed it), -ENOLINK if it has left the bus.
 */

/*
 * All accesses to one device between these two belong to one sample, which is one
 * page of a recording.  -ENODATA: the recording is over and its last page answers again.
 */
int device_begin_sample(struct device *d);
void device_end_sample(struct device *d);

/* Read a sysfs, hwmon or proc attribute as text, ended by NUL, without its final newline. */
ssize_t device_attr(struct device *d, enum attr a, char *buf, size_t size);

/* The code of the device's trouble; CODE_NONE: it is fine. */
enum code device_code(const struct device *d);

/* What an error of an access means for the card, as text for users. */
const char *device_strerror(int code);

/* Whether this error means that the handle has become useless: -ENODEV, -ENOLINK. */
bool device_is_gone(int code);

/*
 * Take and release the handle that register accesses need; device_acquire() takes
 * a passive one for telemetry.  Acquiring or releasing twice does nothing, but
 * -EBUSY: it is held for another purpose.  For ACCESS_RESET the node is opened
 * without touching the chip.
 */
int device_acquire(struct device *d, struct error *e);
int device_acquire_for(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e);

/*
 * Whether a handle can be DEVICE_EXCLUSIVE: from tt-kmd 2.10.  Such a handle stays valid through
 * the resets that it asks for.  It is not given (-EAGAIN) while any other handle is open, and while
 * it is open, others are not given (-EAGAIN to us, other programs may wait).
 */
bool device_can_exclude(const struct device *d);
void device_release(struct device *d);

/* Do n aligned 32-bit loads at consecutive addresses, or one store, in program order. */
int device_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int device_write(struct device *d, struct reg_addr at, uint32_t word);

/*
 * Read n words of memory, in pieces as wide as the processor can load, in any
 * order.  Not recorded.
 */
int device_read_block(struct device *d, struct reg_addr at, uint32_t *words, size_t n);

/* One of several pieces of memory to read or to write: n words. */
struct device_piece {
	struct reg_addr at;
	uint32_t *words;
	size_t n;
};

/*
 * Read many pieces in their order, each as device_read_block() does, one of a word with one load.
 * A transport where each access is expensive asks for them together.  On failure *failed is the
 * index of a piece that could not be read.
 */
int device_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed);

/*
 * Write many pieces in their order, each as device_write_block() does, one of a word as
 * device_write(); go on after an error.  Returns the first error, and its index in *failed.
 */
int device_scatter(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed);

/*
 * Fill memory of one tile, or the same memory of all tiles of a rectangle.
 * Stores are combined and may arrive in any order; all have left when it returns.
 */
int device_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n);
int device_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n);

/*
 * Ask the driver for a reset, through a handle for ACCESS_RESET.  Returns 0 when
 * the request was carried out; *result is the driver's own verdict, 0 for success.
 * Neither proves that the chip was reset: watch marker and heartbeat.  -EINVAL: this
 * driver has no such kind; -EINTR: nothing was done; -EBUSY: exported memory
 * is in use.  May block for 12 s and more without reacting to signals.
 */
int device_reset(struct device *d, enum device_reset kind, uint32_t *result);

/* Read PCI config space from offset on: the number of bytes (all ones: off the bus), or -errno. */
ssize_t device_config(struct device *d, size_t offset, uint8_t *buf, size_t n);

/*
 * Ask for power for as long as the handle is open: flags of enum
 * device_power_flag, 0 for none.  -EINVAL: the firmware has no power states;
 * -EOPNOTSUPP: the driver has none (before 2.6).
 */
int device_power(struct device *d, unsigned flags);

/*
 * Keep other tools that act on the card (reset, burn-in) away until unlock or the
 * end of the process.  This works between users, and between containers that share
 * one sysfs; each network namespace has its own.  No handle is needed.  -EBUSY: held
 * by *holder (0 if that cannot be known).  When the card has left the bus and come
 * back, lock again; a lock that is still valid is kept.
 */
int device_lock(struct device *d, pid_t *holder, struct error *e);
void device_unlock(struct device *d);

/* For root: a process of another user that holds DEVICE_LOCK_ANYBODYS, or 0. */
pid_t device_find_stranger(struct device *d);

/*
 * For root, on request: if there is such a process, act without DEVICE_LOCK_ANYBODYS until
 * device_unlock().  Returns its pid, or 0 if there is none.
 */
pid_t device_pass_stranger(struct device *d);

/*
 * The lock's descriptor, or -1.  A child that acts on the card keeps it open, so that the card
 * stays locked until the last of our processes has ended, even if another one is killed.
 */
int device_lock_fd(struct device *d);

/* List the descriptors a child acting on the card keeps: the bus's and the lock's; the count. */
size_t device_keep(struct device *d, int keep[static DEVICE_KEEP]);

/*
 * Through a handle for ACCESS_RESET: take the driver's own lock for resets,
 * which works between all containers.  It outlives resets and a handle that is not
 * exclusive, and is kept until the process ends.  -EALREADY: another program has it;
 * -ENODEV: the driver does not answer, because a reset is still under way;
 * -EOPNOTSUPP: it has no locks.
 */
int device_claim(struct device *d);

/*
 * Find the processes that hold the device's node, from the driver's list if it has
 * one, else from the links below /proc, without ourselves and our workers.
 * Returns how many (at most max), or -errno if that cannot be known; a pid of
 * another pid namespace is 0.  *partial: some processes could not be
 * examined for lack of privilege.
 */
ssize_t device_holders(struct device *d, pid_t *pids, size_t max, bool *partial);

/*
 * Read how many bytes of each process the driver has pinned for this device (pinned pages,
 * buffers for DMA); -1: not known for that process.  Returns 0, or -errno: -EACCES: only root
 * may know; -ENOENT: this driver does not report it; -EBADMSG: its format is not known.
 */
int device_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes);

#define ACCESS_WORDS_MAX 131072	/* in one access: the whole CSM */

/* Whether n words from `at` on may be read, or written if store, for this purpose. */
bool access_allowed(enum device_chip chip, enum access_purpose purpose, struct reg_addr at,
	size_t n, bool store);

/* Whether n words from addr on may be written to all tiles of a rectangle at once. */
bool access_multicast_allowed(enum device_chip chip, enum access_purpose purpose,
	struct reg_rect to, uint64_t addr, size_t n);
