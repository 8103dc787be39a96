/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_table.h - what options.c and option_table.c share: the rows.
 */
#pragma once

enum arg_kind { ARG_NONE, ARG_REQUIRED, ARG_OPTIONAL, ARG_WORDS };

enum option_id {
	OPT_HELP,
	OPT_VERSION,
	OPT_THEME,
	OPT_NO_COLOR,
	OPT_COMPACT,
	OPT_INTERVAL,
	OPT_SNAPSHOT,
	OPT_FILENAME,
	OPT_JSON,
	OPT_NO_TTY,
	OPT_LIST,
	OPT_EXTERNAL,
	OPT_DUMP,
	OPT_DUMP_DIR,
	OPT_DURATION,
	OPT_FIELDS,
	OPT_NDJSON,
	OPT_ROTATE,
	OPT_KEEP,
	OPT_FINISH,
	OPT_WARM_RESET,
	OPT_RESET,
	OPT_MOBO_RESET,
	OPT_GALAXY_RESET,
	OPT_GALAXY_RESET_AUTO,
	OPT_GALAXY_RESET_TRAY,
	OPT_TRAYS,
	OPT_RESET_CONFIG,
	OPT_NO_REINIT,
	OPT_ETH_TRAIN_SKIP,
	OPT_BURNIN,
	OPT_DEVICE,
	OPT_LOCAL,
	OPT_REMOTE,
	OPT_PASSIVE,
	OPT_TIMEOUT,
	OPT_SIM,
	OPT_SIM_SEED,
	OPT_ROOT,
	OPT_REPLAY,
	OPT_LOAD,
	OPT_RECORD,
	OPT_OFFLINE,
	OPT_USE_LUWEN,
	OPT_DUMP_OPTIONS,
	OPTIONS
};

struct option_row {
	enum option_id id;
	const char *names[4];	/* every spelling, without its dashes; the short one first */
	enum arg_kind arg;
	const char *arg_name;
	int group;		/* of -h; -1: not shown there */
	int mode;		/* the mode it asks for, or -1 */
	const char *help;
};

/* One for each enum option_id, in the order of -h. */
extern const struct option_row option_rows[OPTIONS];
