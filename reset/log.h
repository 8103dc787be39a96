/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - the log of all resets, in the state directory: one JSON object a
 * line, on the disk before the step that it tells of.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"

struct log {
	int fd;			/* -1: none */
	char path[4096];
	struct strbuf line;
	struct json_out json;
};

/* Open, or make, reset.log; -errno says why no log can be kept. */
int log_open(struct log *l, struct error *e);
void log_close(struct log *l);

/*
 * Write one line: log_begin() with what happened, the caller's own keys to the
 * json_out it returns, then log_end(), which returns when the line is on the disk.
 */
struct json_out *log_begin(struct log *l, const char *event);
int log_end(struct log *l);
