/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus.h - the devices of a machine: find, number, name and record them.
 */
#pragma once

#include "device/device.h"

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

/* How its cards are reached: "kmd", "sim", "ttsim" or "replay". */
const char *bus_source(const struct bus *bus);

/*
 * The name in the state directory for files about these cards: "kmd", "root" (a recorded tree) or
 * as above.  NULL: nothing is stored, because the cards are not this machine's own and the user
 * did not choose a state directory.
 */
const char *bus_state_name(const struct bus *bus);

/* A simulator whose telemetry and heartbeat never change, and that has no PCIe link. */
bool bus_is_still(const struct bus *bus);

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
