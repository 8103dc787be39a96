/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - the log of all resets, in the state directory: one JSON object a
 * line, on the disk before the step that it reports.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"

struct log {
	int fd;			/* -1: none */
	int trouble;		/* -errno of the first line that could not be written, or 0 */
	uint64_t started;	/* this process: with the pid, which one it is */
	char path[4096];
	struct strbuf line;
	struct json_out json;
};

/* Open, or make, reset.log; -errno says why no log can be kept. */
int log_open(struct log *l, struct error *e);
void log_close(struct log *l);

/* Write a first line and have it on the disk; -errno: it takes none, and is closed. */
int log_prove(struct log *l, struct error *e);

/*
 * Write one line: log_begin() with what happened, the caller's own keys to the
 * json_out it returns, then log_end(); log_sync() returns when all is on the disk.
 */
struct json_out *log_begin(struct log *l, const char *event);
void log_end(struct log *l);
void log_sync(struct log *l);
