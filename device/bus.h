/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus.h - the devices of a machine: found, numbered, named, recorded.
 */
#pragma once

#include "device/device.h"

struct bus_config {
	const char *root;	/* "/" or a recorded tree */
	const char *sim;	/* --sim SPEC, or NULL */
	uint64_t sim_seed;
	const char *ttsim;	/* --ttsim LIBRARIES, or NULL */
	const char *replay;	/* --replay FILE, or NULL */
	const char *record;	/* --record FILE, or NULL: every access is written there */
	bool passive;
};

/*
 * Find the devices.  *bus is the caller's to bus_close().  A machine without a
 * driver or a device is no error: bus->n is 0.
 */
int bus_open(const struct bus_config *c, struct bus **bus, struct error *e);
void bus_close(struct bus *bus);

/* The way its cards are reached: "kmd", "sim", "ttsim" or "replay". */
const char *bus_source(const struct bus *bus);

/*
 * What files in the state directory are called that keep something of these cards: "kmd", "root"
 * (of a recorded tree) or as above.  NULL: nothing is kept of them, for they are not this machine's
 * own, and nobody named the directory.
 */
const char *bus_state_name(const struct bus *bus);

/* A simulator whose telemetry stands still, heartbeat included, and without a PCIe link. */
bool bus_is_still(const struct bus *bus);

/*
 * Scan again: new devices get a place at the end, missing ones stay with
 * DEVICE_GONE, returned ones are fine again (matched by BDF).  Returns 1 if
 * anything changed, 0 if not, or -errno.
 */
int bus_rescan(struct bus *bus, struct error *e);

/*
 * Give the remote chip behind local device `local` a place at the end; returns
 * it, or the one that is there already; NULL when there is no room.
 */
struct device *bus_add_remote(struct bus *bus, int local);
