/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transport.h - what a way of reaching cards can do.  A NULL member is
 * something it cannot; device.h's wrappers then answer -EOPNOTSUPP.
 */
#pragma once

#include "device/device.h"

struct transport_ops {
	const char *name;	/* as in a recording and in messages */
	const char *help;

	/*
	 * Take up `where` (--sim's SPEC, --replay's FILE, or NULL for the
	 * machine under bus->root) and fill bus->driver.
	 */
	int (*open)(struct bus *bus, const char *where, struct error *e);
	void (*close)(struct bus *bus);

	/*
	 * The devices that are there now: fill the identity of each (all of
	 * struct device but ops, bus, priv, index) from what the kernel holds
	 * in memory, touching no card.  Returns how many, or -errno.
	 */
	ssize_t (*scan)(struct bus *bus, struct device *found, size_t max, struct error *e);

	/* A device got its place in bus->dev[], or its node changed: make priv; give it back. */
	int (*attach)(struct device *d);
	void (*detach)(struct device *d);

	ssize_t (*attr)(struct device *d, enum attr a, char *buf, size_t size);
	int (*acquire)(struct device *d, struct error *e);
	void (*release)(struct device *d);
	int (*read)(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
	int (*write)(struct device *d, struct reg_addr at, uint32_t word);
	ssize_t (*holders)(struct device *d, pid_t *pids, size_t max, bool *partial);

	/*
	 * A worker is about to look at this device: a recording turns its page
	 * here.  Returns 0, or -ENODATA when it has none left and the last one
	 * answers again.
	 */
	int (*look)(struct device *d);
};

extern const struct transport_ops transport_kmd;	/* kmd.c: the driver */
extern const struct transport_ops transport_sim;	/* sim.c: boards at register level */
extern const struct transport_ops transport_replay;	/* replay.c: answers from a file */

/* Remote chips: register reads carried over ethernet by another device; not in the array. */
extern const struct transport_ops transport_eth;	/* eth.c */

/* All ways, in the order of their listing; ended by NULL. */
extern const struct transport_ops *const transports[];
