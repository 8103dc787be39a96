/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - what a card is to everything above: an identity, and a handful of
 * accesses that some transport carries out.  Nothing above this knows whether
 * silicon, a simulated board or a recording answers.
 *
 * One struct device is one chip.  A PCI function is a device; the second chip
 * of an n300 is a remote device (device/eth.c), reached through the first.
 *
 * Who may call what: discovery reads only what the kernel holds in memory and
 * may run anywhere; attr, read and write can sit in the kernel for ever when a
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

/* Why a device that is there cannot be read as it should. */
enum device_trouble {
	DEVICE_FINE,
	DEVICE_NO_DRIVER,	/* a PCI function nobody drives */
	DEVICE_NO_NODE,		/* driven, but without /dev/tenstorrent/N */
	DEVICE_NO_PERMISSION,	/* the node is not ours to open: sysfs only */
	DEVICE_GONE		/* was here at an earlier scan */
};

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
};

/* The devices of one machine, in the order of their indices. */
struct bus {
	const struct transport_ops *ops;
	void *priv;
	char root[256];		/* "/" or a recorded tree; sim and replay: where host facts are */
	char driver[64];	/* driver version as the driver says it; "" without a driver */
	bool passive;		/* sysfs alone: no node is opened */
	int keep[2];		/* descriptors that a process which reads cards must keep */
	size_t n_keep;
	uint64_t sim_seed;	/* --sim-seed */
	size_t n;
	struct device dev[DEVICE_MAX];
};

/*
 * The accesses.  All return 0 (attr: the length) or -errno; -EOPNOTSUPP where
 * the transport has no such way, -ENODEV where the device has gone.
 */

/*
 * All accesses to one device between these two belong to one look: a recording's
 * page.  -ENODATA: the recording is over, and its last page answers again.
 */
int device_look(struct device *d);
void device_look_done(struct device *d);

/* A sysfs, hwmon or proc attribute as text, ended by NUL, final newline cut. */
ssize_t device_attr(struct device *d, enum attr a, char *buf, size_t size);

/*
 * Take and let go of the handle that register accesses need (for the driver:
 * the node, opened so that it casts no power vote).  acquire on an acquired
 * device and release on a released one do nothing.
 */
int device_acquire(struct device *d, struct error *e);
void device_release(struct device *d);

/* n aligned 32-bit loads at consecutive addresses, or one store. */
int device_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int device_write(struct device *d, struct reg_addr at, uint32_t word);

/*
 * Processes that hold the device's node, from the driver's list where it has
 * one, else from the links below /proc; our own and our workers' are left out.
 * Returns how many (at most max), or -errno when it cannot be known; a pid of
 * another pid namespace is 0.  *partial tells that some processes could not
 * be looked into for lack of privilege.
 */
ssize_t device_holders(struct device *d, pid_t *pids, size_t max, bool *partial);
