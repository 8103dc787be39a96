/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus.h - the devices of a machine, to find, number, name and record them; and its transports.
 */
#pragma once

#include "device/device.h"

/* The message of acquire while the driver gives no access to the card. */
#define DEVICE_SHUT "the driver has no access to the card now: off the bus, or in a reset"

/*
 * The operations of a transport, a way to reach cards.  A NULL member is not supported; the
 * wrappers in device.h then return -EOPNOTSUPP.
 */
struct transport_ops {
	const char *name;	/* as in a recording and in messages */
	bool has_node;		/* a driver's node, which newer drivers open exclusively */
	const struct origin *origin;
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
	int (*claim)(struct device *d);

	/* *partial is false at first. */
	ssize_t (*holders)(struct device *d, pid_t *pids, size_t max, bool *partial);
	int (*pinned)(struct device *d, const pid_t *pids, size_t n, int64_t *bytes);

	/*
	 * A worker is about to sample this device: a recording turns its page
	 * here.  Returns 0, or -ENODATA if there is no further page and the last
	 * one answers again.
	 */
	int (*begin_sample)(struct device *d);
};

struct bus_config {
	const char *root;	/* "/" or a recorded tree */
	const char *sim;	/* --sim SPEC, or NULL */
	uint64_t sim_seed;
	const char *ttsim;	/* --ttsim LIBRARIES, or NULL */
	const char *replay;	/* --replay FILE, or NULL */
	const char *record;	/* --record FILE to write every access to, or NULL */
	bool passive;
};

/*
 * Find the devices.  The caller closes *bus with bus_close().  A machine without
 * a driver or a device is not an error: bus->n is 0.
 */
int bus_open(const struct bus_config *c, struct bus **bus, struct error *e);
void bus_close(struct bus *bus);

const struct origin *bus_origin(const struct bus *bus);

/*
 * The name in the state directory for files about these cards: "kmd", "root" (a recorded tree) or
 * as above.  NULL: nothing is stored, because the cards are not this machine's own and the user
 * did not choose a state directory.
 */
const char *bus_state_name(const struct bus *bus);

/* A simulator whose telemetry and heartbeat never change, and that has no PCIe link. */
bool bus_is_still(const struct bus *bus);

/* Firmware runs behind it now: it has stopped if its heartbeat stands still. */
bool bus_is_live(const struct bus *bus);

/*
 * Scan again: add new devices at the end, mark missing ones DEVICE_GONE, and
 * clear that mark on those that came back (matched by BDF).  Returns 1 if
 * anything changed, 0 if not, or -errno.
 */
int bus_rescan(struct bus *bus, struct error *e);

/*
 * Add the remote chip behind local device `local` at the end, unless it is there
 * already; returns it, or NULL if there is no room.
 */
struct device *bus_add_remote(struct bus *bus, int local);

extern const struct transport_ops transport_kmd;	/* kmd.c: the driver */
extern const struct transport_ops transport_sim;	/* sim.c: boards at register level */
extern const struct transport_ops transport_replay;	/* replay.c: answers from a file */
extern const struct transport_ops transport_ttsim;	/* ttsim/ttsim.c: chips of a simulator */

/* Remote chips: register reads carried over ethernet by another device; not in the array. */
extern const struct transport_ops transport_eth;	/* eth.c */
