/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line, parsed whole before anything is done.
 *
 * One table (options.c) names every option: its spellings, what follows it,
 * its range and its help; it drives -h, the manual's check and the parser.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mode {
	MODE_LIVE, MODE_SNAPSHOT, MODE_LIST, MODE_DUMP, MODE_FINISH, MODE_FIELDS, MODE_HELP,
	MODE_VERSION,
	MODE_RESET, MODE_MOBO_RESET, MODE_GALAXY_RESET, MODE_RESET_CONFIG, MODE_TRAYS, MODE_BURNIN,
	MODE_DUMP_OPTIONS,
	MODES
};

enum theme { THEME_DEFAULT, THEME_DARK };

struct options {
	enum mode mode;
	const char *mode_option;	/* as it was typed: "-wr" */

	enum theme theme;
	bool no_color, compact;
	int64_t interval;		/* ns between readings; 0: the mode's default */

	bool json;			/* --json: data to stdout as JSON, never saved */
	bool no_tty;			/* --snapshot_no_tty */
	bool has_filename;
	const char *filename;		/* after -f; NULL: the default name */
	bool external;			/* leave engineering data out */
	bool local, remote, passive;

	bool has_dump_dir;
	const char *dump_dir;		/* after -dir; NULL: the default name */
	int64_t duration;		/* ns; 0: until stopped */
	const char *fields;		/* --fields LIST */
	bool ndjson;
	uint64_t rotate_bytes;		/* --rotate SIZE */
	int64_t rotate_ns;		/* --rotate TIME */
	unsigned keep;			/* --keep N parts; 0: all */
	const char *finish;		/* --finish DIR */

	const char *devices;		/* --device LIST; NULL: all */
	const char *targets[64];	/* words after -r, -wr, -b */
	size_t n_targets;

	const char *sim, *replay, *load, *record, *root;
	uint64_t sim_seed;
	int64_t deadline;		/* --timeout: ns for one look at one chip; 0: default */
};

/*
 * Parse argv into *o.  Returns 0, or -EINVAL after saying on stderr what is
 * wrong.  The TT_SMI_* environment stands for options that were not given.
 * Notes for options that mean nothing here go to stderr.
 */
int options_parse(struct options *o, int argc, char **argv);

/* -h: all options of the table, by group. */
void options_print_help(void);

/* For the manual's check: a spelling, its argument and its help a line, with tabs between. */
void options_print_table(void);
