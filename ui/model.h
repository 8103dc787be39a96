/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h - everything that a screen may show, as plain data.  The loop fills
 * it; the screens only read it.
 */
#pragma once

#include "telemetry/history.h"
#include "telemetry/host/host.h"
#include "telemetry/snapshot.h"
#include "ui/canvas.h"

#include <string.h>

/* The last lines that libraries wrote to stderr, oldest first from `next` on. */
#define UI_LOG_LINES 64
struct ui_log {
	size_t n, next;
	uint64_t total;
	char line[UI_LOG_LINES][200];
};

/* Add text that was read from the pipe; a line counts once its newline has come. */
void ui_log_add(struct ui_log *log, const char *text, size_t len);
const char *ui_log_line(const struct ui_log *log, size_t i);	/* 0 is the oldest kept */

/* A dump that runs beside the screen. */
struct ui_dump {
	bool on;
	int64_t since;		/* clock_mono() of its start */
	uint64_t rows;
	const char *path;	/* of its folder */
};

/* What is being done with a chip; all zero: nothing. */
struct ui_act {
	const char *what, *by;		/* "fire", "ASIC_RESET" */
	int64_t began, limit;		/* clock_mono(); ns that it may take */
};

struct model {
	const char *version;		/* "1.0.0" */
	const struct fleet *fleet;
	const struct host *host;
	const struct history *history;
	const struct ui_log *log;
	const struct ui_dump *dump;
	const struct ui_act *acts;	/* by chip, n_acts of them */
	size_t n_acts;
	size_t expected;		/* how many chips there should be; 0: not known */
	int64_t now, real;		/* clock_mono() and clock_real() of this picture */
	int64_t started;		/* clock_mono() when the display began */
	int64_t interval;		/* ns between readings */
	char alerts[40];		/* the raised ones: "hot 3, lost"; "" if none is */
	bool remote;			/* second chips of boards are read */
	bool busy;			/* counters of runtimes are read */
	bool ended;			/* a snapshot or a replay at its end: nothing moves */
};

/* What is being done with a chip, or NULL. */
static inline const struct ui_act *model_act(const struct model *m, size_t chip)
{
	return chip < m->n_acts && m->acts[chip].what ? &m->acts[chip] : NULL;
}
