/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode.h - what the program can be asked to do.  A mode owns policy: when to read, what to print,
 * how to exit.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "src/options.h"
#include "src/outlet.h"
#include "src/say.h"
#include "src/session.h"

enum mode_selection { SELECTION_IS_SAID, SELECTION_IS_SHOWN, SELECTION_IS_SHOWN_IN_JSON };

struct reference_job;			/* src/reference/reference.h */

/* A command of -b: what its first word names, or what else it can be asked to do. */
struct command_row {
	const char *name;		/* in messages, after "-b " */
	enum exit_code (*run)(const struct reference_job *j);	/* NULL: no word names it */
	size_t least, most;		/* words after it */
	const char *words;		/* their names, for usage messages */
	const char *help;		/* NULL: -b help does not show it */
};

extern const struct command_row burnin_commands[COMMANDS];

/*
 * A row of modes[]: the facts about a mode that others go by.  What takes cards is a row of acts[],
 * too.
 */
struct mode_ops {
	enum exit_code (*run)(const struct options *o);
	unsigned sources;	/* 1u << FROM_...: it takes the options of these sources */
	unsigned acts_on;	/* the same: it can act on cards from these */
	bool judges_beats;	/* a card that it calls healthy after one sample must be alive */
	bool is_gate;		/* it judges: a configuration with a wrong line is refused */
	bool asks;		/* it may ask a card for more than a passive read */
	bool alerts;		/* it goes on, and compares readings with the limits of alerts */
	bool awaits_busy;	/* a chip simulator may compute meanwhile, and answer late */
	bool acts_unasked;	/* as upstream's tool does: no question before a reset */
	bool is_parsed;		/* programs read its text: UTF-8 in a pipe or a file */
	bool has_own_code;	/* its exit code is a plug-in's, or that of a command */
	enum mode_selection selection;	/* where it says what limits the cards */

	/* How its command line is read. */
	bool is_default;	/* no option asked for a mode */
	int outranks;		/* its option wins over those for modes of a lower rank */
	bool ends_line;		/* other options are ignored */
	bool stands_only;	/* they are ignored, except in variables and the configuration */
	bool ignores_others;	/* an option that it does not use is no error */
	bool takes_command, needs_command;	/* words after its options */
	const struct command_row *commands;	/* of -b; NULL: it has none */
	bool spellings_differ;	/* two options for it may disagree */
	bool takes_keys;	/* it takes every option that has a key in the configuration */
	bool has_no_configuration;	/* it reads the configuration itself */
	bool compares;		/* if two files are named, it reads no card */
	int64_t least_interval;	/* ns; 0: that of the option */
};

extern const struct mode_ops modes[MODES];

enum exit_code mode_live(const struct options *o);
enum exit_code mode_trays(const struct options *o);
enum exit_code mode_overview(const struct options *o);
enum exit_code mode_snapshot(const struct options *o);
enum exit_code mode_list(const struct options *o);
enum exit_code mode_query(const struct options *o);
enum exit_code mode_metrics(const struct options *o);
enum exit_code mode_during(const struct options *o);
enum exit_code mode_health(const struct options *o);
enum exit_code mode_compare(const struct options *o);
enum exit_code mode_bundle(const struct options *o);
enum exit_code mode_links(const struct options *o);
enum exit_code mode_image(const struct options *o);
enum exit_code mode_dump(const struct options *o);
enum exit_code mode_finish(const struct options *o);
enum exit_code mode_merge(const struct options *o);
enum exit_code mode_fields(const struct options *o);
enum exit_code mode_config_print(const struct options *o);
enum exit_code mode_config_check(const struct options *o);
enum exit_code mode_completion(const struct options *o);
enum exit_code mode_complete(const struct options *o);
enum exit_code mode_burnin(const struct options *o);
enum exit_code mode_reset_config(const struct options *o);

/* The JSON of a snapshot. */
void snapshot_put(struct strbuf *to, const struct options *o, const struct fleet *f,
	const struct host *h);

/*
 * Save it under its default name below ./tt-smi-logs; path gets the name, real
 * is clock_real() of the readings.  It waits for the disk; a thread may call it, too.
 */
int snapshot_save(const struct strbuf *text, int64_t real, char *path, size_t size,
	struct error *e);

/* Save it under this name, replacing a file that is there. */
int snapshot_save_as(const struct strbuf *text, const char *path, struct error *e);

/* The exit code after a usage error: EXIT_USAGE, but UNKNOWN with --nagios. */
enum exit_code mode_refused(char **argv);
