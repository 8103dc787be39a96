/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - the begin and end of phases, verdicts, advice, and lines of the log.
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

/* Open or create reset.log; -errno: no log can be kept. */
int log_open(struct log *l, struct error *e);

void log_close(struct log *l);

/* Write a first line and sync it to the disk; -errno: that failed, and the log is closed. */
int log_prove(struct log *l, struct error *e);

void log_sync(struct log *l);
