/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - the log of all resets, in the state directory: one JSON object a line, on the disk
 * before the step that it reports.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"

struct log {
	int fd;			/* -1: none */
	int trouble;		/* -errno of the first line that could not be written, or 0 */
	uint64_t started;	/* start time of this process; with its pid, it identifies it */
	char path[4096];
	struct strbuf line;
	struct json_out json;
};

/* Open or create reset.log, and sync a first line to the disk; -errno: no log can be kept. */
int log_open(struct log *l, struct error *e);
void log_close(struct log *l);
void log_sync(struct log *l);
