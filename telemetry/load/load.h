/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - reads snapshot files, our own or those of upstream's 2.x to 6.x.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "telemetry/host/host.h"
#include "telemetry/host/process.h"
#include "telemetry/snapshot.h"

struct loaded {
	struct host host;	/* of the machine the file is from; no checks */
	char time[40];		/* as the file has it */
	char selection[96];	/* what limited its cards; "": nothing, or it is not known */
	char version[32];	/* the tool that wrote it */
	size_t n, n_processes;
	struct snapshot *chips;	/* decoded by our tables */
	struct process *processes;
	bool processes_partial;
	char processes_unknown[160];	/* as in struct fleet */
	int64_t now;		/* clock_mono() taken as the moment of writing, see load_move() */
};

/* Read a snapshot file; the caller frees *out with load_free(). */
int load_file(const char *path, struct loaded **out, struct error *e);
int load_text(const char *text, size_t len, struct loaded **out, struct error *e);
void load_free(struct loaded *l);

/*
 * Shift all times as if the file had been written at `now` (a clock_mono()
 * time); its readings keep their ages.  After loading, that time is 0.
 */
void load_move(struct loaded *l, int64_t now);

/* One entry of a snapshot file's device_info as a chip. */

/*
 * Fill the identity of *s, which must be zeroed.  local becomes -1; where
 * raw.remote is set the caller has to find it.
 */
void load_chip_identity(struct snapshot *s, const struct json *entry);

/*
 * Fill the rest of *s: words, readings, link, health.  Times count from 0, the
 * moment the file was written.  With fan_percent a Blackhole's fan_speed is percent.
 */
void load_chip(struct snapshot *s, const struct json *entry, bool fan_percent);

/* The printed board id, padded or not; false where there is none. */
bool load_chip_board_id(const struct json *entry, uint64_t *id);

/* A text of the file with control characters replaced; "" where there is none. */
void load_chip_text(const struct json *node, char *out, size_t size);
