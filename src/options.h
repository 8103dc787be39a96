/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line, parsed whole before anything is done.
 *
 * option_table.c names every option: its spellings, the modes that take it,
 * its value, its range and where it lands here; the parser only walks it.
 */
#pragma once

#include "base/text.h"
#include "src/option_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum theme { THEME_AUTO, THEME_DEFAULT, THEME_DARK };	/* AUTO: by the background */

enum work { WORK_CONV, WORK_MATMUL, WORK_MEMORY, WORK_VECTOR, WORKS };	/* --workload */

/* A size or a time; the other is 0. */
struct option_period {
	uint64_t bytes;
	int64_t ns;
};

/* Bytes, or a share of what there is; the other is 0. */
struct option_amount {
	uint64_t bytes;
	int64_t share;			/* in 1/1000 percent */
};

/* Shapes of a matmul: rows, terms of each sum, columns. */
enum { OPTION_MOST_SHAPES = 32, OPTION_MOST_SIDE = 1 << 20 };

struct option_shapes {
	size_t n;
	struct {
		int m, k, n;
	} of[OPTION_MOST_SHAPES];
};

struct act_ops;				/* src/act.h */
struct conf;				/* src/conf/conf.h */

struct options {
	enum mode mode;
	const struct mode_ops *modes, *does;	/* the table, and this mode's row */
	const struct act_ops *act;	/* the row that main() found for them; NULL: none */
	unsigned commands;		/* of -b: 1u << COMMAND_... */
	const char *mode_option;	/* as it was typed: "-wr" */
	const char *typed[OPTIONS];	/* as typed, or what stands for it; NULL: not given */
	const char *stands[OPTIONS];	/* the variable, the line of the configuration, or the
					   run that decided in its place; NULL: none did */
	const char *unheeded;		/* one of these that forbids what an act on cards has to
					   do, and which it names; NULL: there is none */
	char *given[OPTIONS];		/* the value as text; NULL: none */
	char *const *argv;		/* all that was typed */
	struct conf *conf;		/* the configuration; NULL: this mode has none */

	unsigned theme;			/* enum theme */
	bool no_color, compact, bell;
	int64_t interval;		/* ns between readings; 0: the mode's default */

	bool json;			/* --json: data to stdout as JSON, never saved */
	bool no_tty;			/* --snapshot_no_tty */
	const char *filename;		/* after -f; NULL: the default name */
	bool external;			/* leave out engineering data, and who uses a card */
	bool plain;			/* a snapshot without readings */
	bool partial_ok;		/* one card that was read makes exit code 0 */
	bool strict;			/* it does not, even into a pipe */
	bool local, remote, passive, busy;

	char *checks;			/* --checks LIST; NULL: all */
	bool nagios;
	int64_t run_deadline;		/* --deadline: ns for the whole run; 0: the usual */
	const char *bundle;		/* --bundle FILE */
	const char *image;		/* --image FILE; NULL: none */
	const char *config_check;	/* --config-check FILE; NULL: those that are read */
	const char *version_as;		/* --version-as VERSION; NULL: ours */
	const char *floors;		/* --floors FILE; NULL: what is built in */
	const char *expect;		/* --expect FILE; NULL: nothing is pinned */
	const char *save, *against;	/* --save FILE, --against FILE; NULL: not given */
	unsigned diag;			/* --diag: a place in diag_levels[] */

	bool dump;			/* -d was given: also beside a burn */
	const char *dump_dir;		/* after -dir; NULL: the default name */
	int64_t duration;		/* ns; 0: until stopped */
	char *fields;			/* --fields LIST */
	const char *on_alert;		/* --on-alert PROGRAM; NULL: none */
	bool utc, ndjson;
	char *query, *format;		/* --query LIST, --format LIST; NULL: not given */
	struct option_period rotate;
	uint64_t keep;			/* --keep N parts; 0: all */
	const char *finish;		/* --finish DIR */
	char *hosts;			/* --hosts LIST; NULL: not given */
	const char *expected_cards;	/* --expected-cards N|any; NULL: not given */
	int64_t within;			/* --within: ns; 0: the usual */
	const char *workbook;		/* --workbook FILE; NULL: none */

	const char *textfile;		/* --textfile FILE; NULL: none */
	const char *exporter;		/* --exporter [ADDR:]PORT; NULL: none */
	unsigned metrics;		/* --metrics help */
	bool once;
	bool holder_commands;		/* command lines of holders among the metrics */
	const char *expected;		/* --expected N|forget */

	char *const *command;		/* of --during, or --complete's words; ended by NULL */
	const char *job;		/* --job ID; NULL: none */

	bool yes, dry_run, force, check_busy, dmc, require_links;
	int64_t wait;			/* --wait: ns until giving up on holders; 0: for ever */
	char *forbid;			/* --forbid LIST: methods that must not be tried */
	const char *report;		/* --report FILE */
	uint64_t tray;			/* -glx_reset_tray TRAY; 0: all */
	const char *ipmi;		/* --ipmi HOST */
	const char *reset_config;	/* -g FILE; NULL: the default name */
	const char *credentials;	/* --credentials FILE */

	char *devices;			/* --device LIST; NULL: all */
	const char **targets;		/* words after -r, -wr, -b, --merge */
	size_t n_targets;

	uint32_t cases;			/* 1u << a place in burn_cases; all, if not given */
	struct option_shapes shapes;	/* none: the cases */
	uint32_t dtypes;		/* 1u << BURN_FLOAT32 ...; both of reference data */
	int64_t pcc;			/* in 1/OPTION_DECIMALS */
	int64_t ulp;			/* the same; negative: no limit */
	uint32_t workload;		/* 1u << WORK_... */
	struct option_amount size;	/* of memory */
	uint32_t channels;		/* of a card's memory */
	uint32_t impls;			/* 1u << a place in impls; 0: the fastest */
	uint64_t iterations;		/* 0: until the time is over */
	uint64_t threads;		/* 0: one for each processor */
	unsigned pattern;		/* enum load_pattern, in load_pattern_names[] */
	uint64_t seed;
	bool stop_on_error;
	uint64_t max_temp;		/* degrees Celsius; 0: only what sensors call critical */
	const char *resume;		/* --resume FILE; NULL: the default name */
	uint64_t block;			/* --block: steps of a card's block; 0: the usual */
	unsigned phases;		/* --phases: place in 4, 2, 1 */
	bool held, first_light, no_reset;

	const char *sim, *ttsim, *replay, *load, *record, *root;
	uint64_t sim_seed;
	unsigned shell;			/* --completion: enum shell */
	int64_t deadline;		/* --timeout: ns for one sample of one chip; 0: default */
};

/*
 * Parse argv into *o by the rows of modes[].  Returns 0, or -EINVAL after saying on stderr what is
 * wrong.  Variables and the configuration set options that were not given
 * (options_take_standing()).  Notes for options that mean nothing here go to stderr.
 */
int options_parse(struct options *o, const struct mode_ops *table, int argc, char **argv);

/* Choose this mode, with its row. */
void options_set_mode(struct options *o, enum mode mode);

/* Characters that mean nothing to a shell. */
#define OPTIONS_PLAIN \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%"

/*
 * Append a command line that does the same again, into new files: the words that were typed,
 * quoted for a shell, and the options that were set without being typed.
 */
void options_put_again(struct strbuf *to, const struct options *o);

/*
 * Set the seed of this run, if its mode takes --seed and none was given.  It counts as an option
 * that was set without being typed, so the command that options_put_again() appends repeats it.
 */
void options_set_seed(struct options *o, uint64_t seed);

/* Append a blank and a word, quoted for a shell. */
void options_put_word(struct strbuf *to, const char *word);

/* Free what parsing allocated, also after an error. */
void options_clear(struct options *o);

/*
 * Set options that were not typed, from the environment and from o->conf (or NULL).
 *
 * The order is option, variable, the user's file, /etc's file, default: the first that has a value
 * decides.  Variables and lines of the configuration yield to an option that excludes them, except
 * those with env_binds: they were set to forbid something in every call.  -EINVAL: a variable is
 * wrong, as stderr says.  Wrong lines of the configuration are reported there, too, and ignored.
 */
int options_take_standing(struct options *o);
