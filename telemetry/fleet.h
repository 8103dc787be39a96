/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet.h - all chips at one moment, as plain data: what screens and files are
 * made from.  Nothing here reaches a card.
 */
#pragma once

#include "telemetry/host/process.h"
#include "telemetry/snapshot.h"

/* What is known now: the array has one snapshot per chip, by index. */
struct fleet {
	size_t n;
	const struct snapshot *chips;
	uint64_t tick;			/* 0 before the first */
	int64_t time, real;		/* clock_mono() and clock_real() of the tick */
	const char *file_time;		/* of a loaded file, as printed in it; else NULL */
	size_t n_processes;
	const struct process *processes;	/* that hold a device, by device and pid */
	bool processes_partial;		/* some could not be seen for lack of privilege */
	const char *pinned_unknown;	/* why their pinned memory is not known; or NULL */
	const char *processes_unknown;	/* why the list is not known, current or whole; else "" */
	const bool *wanted;		/* DEVICE_MAX by index: the chips to sample */
	const char *selection;		/* what limits them ("TT_VISIBLE_DEVICES=0,2"), or "" */
	const char *driver;		/* driver version or "" */
	const char *source;		/* "kmd", "sim", "replay", "load" */
	uint64_t workers_lost;
};

/*
 * What the boards are when they are not the cards of a machine: "simulated",
 * "recorded", "loaded from a file"; else NULL.
 */
const char *fleet_stand_in(const struct fleet *f);

/* snapshot_can_be_reset() of this chip's card. */
bool fleet_can_be_reset(const struct fleet *f, size_t index);

/* Whether all its cards are simulated, by either simulator. */
bool fleet_is_simulated(const struct fleet *f);

/*
 * A digest that changes with anything but time that a screen could show; without readings, only
 * with a state, a message or a process.
 */
uint64_t fleet_digest(const struct fleet *f, bool readings);
