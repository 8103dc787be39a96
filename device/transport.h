/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transport.h - the operations of a transport, a way to reach cards.  A NULL
 * member is not supported; the wrappers in device.h then return -EOPNOTSUPP.
 */
#pragma once

#include "device/device.h"

/* The message of acquire while the driver gives no access to the card. */
#define DEVICE_SHUT "the driver has no access to the card now: off the bus, or in a reset"

struct transport_ops {
	const char *name;	/* as in a recording and in messages */
	const char *help;
	bool is_still;		/* no firmware runs: there is no heartbeat and no PCIe link */

	/*
	 * Open `where` (--sim's SPEC, --replay's FILE, or NULL for the machine
	 * under bus->root) and fill bus->driver.
	 */
	int (*open)(struct bus *bus, const char *where, struct error *e);
	void (*close)(struct bus *bus);

	/*
	 * Find the devices that are there now and fill the identity of each (all
	 * of struct device but ops, bus, priv, index) from what the kernel holds
	 * in memory, without touching a card.  Returns how many, or -errno.
	 */
	ssize_t (*scan)(struct bus *bus, struct device *found, size_t max, struct error *e);

	/* A device got its place in bus->dev[], or its node changed: make priv; free it again. */
	int (*attach)(struct device *d);
	void (*detach)(struct device *d);

	ssize_t (*attr)(struct device *d, enum attr a, char *buf, size_t size);
	int (*acquire)(struct device *d, enum access_purpose purpose, enum device_handle how,
		struct error *e);
	void (*release)(struct device *d);
	int (*read)(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
	/* NULL: read() does it. */
	int (*read_block)(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
	/* NULL: read_block() for each piece. */
	int (*gather)(struct device *d, const struct device_piece *pieces, size_t n,
		size_t *failed);
	int (*write)(struct device *d, struct reg_addr at, uint32_t word);
	/* NULL: write() or write_block() for each piece. */
	int (*scatter)(struct device *d, const struct device_piece *pieces, size_t n,
		size_t *failed);
	int (*write_block)(struct device *d, struct reg_addr at, const uint32_t *words, size_t n);
	int (*multicast)(struct device *d, struct reg_rect to, uint64_t addr,
		const uint32_t *words, size_t n);

	int (*reset)(struct device *d, enum device_reset kind, uint32_t *result);
	ssize_t (*config)(struct device *d, size_t offset, uint8_t *buf, size_t n);
	int (*power)(struct device *d, unsigned flags);
	/* How many ms the driver waits after the last request for power before it powers down. */
	int (*grace)(struct device *d);
	bool needs_no_lock;		/* each run of the program has cards of its own */
	/* The path of a lock's file. */
	int (*lock_path)(struct device *d, enum device_lock which, char *path, size_t size,
		struct error *e);
	int *(*lock_fd)(struct device *d, enum device_lock which);	/* -1: it is not taken */
	int (*claim)(struct device *d);

	ssize_t (*holders)(struct device *d, pid_t *pids, size_t max, bool *partial);
	int (*pinned)(struct device *d, const pid_t *pids, size_t n, int64_t *bytes);

	/*
	 * A worker is about to sample this device: a recording turns its page
	 * here.  Returns 0, or -ENODATA if there is no further page and the last
	 * one answers again.
	 */
	int (*begin_sample)(struct device *d);
};

extern const struct transport_ops transport_kmd;	/* kmd.c: the driver */
extern const struct transport_ops transport_sim;	/* sim.c: boards at register level */
extern const struct transport_ops transport_replay;	/* replay.c: answers from a file */
extern const struct transport_ops transport_ttsim;	/* ttsim/ttsim.c: chips of a simulator */

/* Remote chips: register reads carried over ethernet by another device; not in the array. */
extern const struct transport_ops transport_eth;	/* eth.c */

/* All transports, in the order of their listing; ended by NULL. */
extern const struct transport_ops *const transports[];
