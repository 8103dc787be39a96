/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_table.h - what the program can be asked to do, and every option with
 * all that the parser, -h and the manual's check know of it.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mode {
	MODE_LIVE, MODE_SNAPSHOT, MODE_LIST, MODE_DUMP, MODE_FINISH, MODE_FIELDS, MODE_HELP,
	MODE_VERSION,
	MODE_RESET, MODE_MOBO_RESET, MODE_GALAXY_RESET, MODE_RESET_CONFIG, MODE_TRAYS, MODE_BURNIN,
	MODE_CHECK_MEMORY, MODE_DIAG, MODE_QUERY, MODE_METRICS, MODE_DURING, MODE_HEALTH,
	MODE_COMPARE, MODE_BUNDLE, MODE_LINKS, MODE_MERGE, MODE_IMAGE,
	MODE_CONFIG_PRINT, MODE_CONFIG_CHECK,
	MODE_DUMP_OPTIONS, MODE_DUMP_LIBRARIES, MODE_COMPLETION, MODE_COMPLETE,
	MODES
};

/*
 * What -b is to do: the command that its first word names, else a burn of what all its words name.
 * A burn's dump, and reference data that a card computes, count as commands of their own, so that
 * an option can go with these alone.
 */
enum command {
	COMMAND_LIST, COMMAND_GENERATE, COMMAND_VERIFY, COMMAND_COMPARE, COMMAND_CHECK,
	COMMAND_BENCH, COMMAND_PROFILE, COMMAND_HELP,
	COMMAND_HOST, COMMAND_CARDS, COMMAND_DUMP, COMMAND_ON_CARD,
	COMMANDS
};

/* In the order of -h. */
enum option_id {
	OPT_HELP,
	OPT_VERSION,
	OPT_SNAPSHOT,
	OPT_LIST,
	OPT_QUERY,
	OPT_TRAYS,
	OPT_DUMP,
	OPT_FINISH,
	OPT_MERGE,
	OPT_CHECK_MEMORY,
	OPT_HEALTH,
	OPT_COMPARE,
	OPT_BUNDLE,
	OPT_LINKS,
	OPT_ETH_STATUS,
	OPT_IMAGE,
	OPT_DIAG,
	OPT_CONFIG_PRINT,
	OPT_CONFIG_CHECK,
	OPT_DURING,
	OPT_TEXTFILE,
	OPT_EXPORTER,
	OPT_METRICS,
	OPT_COMPLETION,
	OPT_THEME,
	OPT_NO_COLOR,
	OPT_COMPACT,
	OPT_BELL,
	OPT_INTERVAL,
	OPT_FILENAME,
	OPT_JSON,
	OPT_NO_TTY,
	OPT_EXTERNAL,
	OPT_PLAIN,
	OPT_PARTIAL_OK,
	OPT_STRICT,
	OPT_CHECKS,
	OPT_NAGIOS,
	OPT_DEADLINE,
	OPT_FLOORS,
	OPT_EXPECT,
	OPT_SAVE,
	OPT_AGAINST,
	OPT_FORMAT,
	OPT_HOSTS,
	OPT_EXPECTED_CARDS,
	OPT_WITHIN,
	OPT_WORKBOOK,
	OPT_DUMP_DIR,
	OPT_DURATION,
	OPT_FIELDS,
	OPT_UTC,
	OPT_NDJSON,
	OPT_ON_ALERT,
	OPT_ROTATE,
	OPT_KEEP,
	OPT_ONCE,
	OPT_COMMANDS,
	OPT_EXPECTED,
	OPT_JOB,
	OPT_WARM_RESET,
	OPT_RESET,
	OPT_MOBO_RESET,
	OPT_YES,
	OPT_DRY_RUN,
	OPT_WAIT,
	OPT_FORCE,
	OPT_CHECK_BUSY,
	OPT_DMC,
	OPT_FORBID,
	OPT_REQUIRE_LINKS,
	OPT_REPORT,
	OPT_GALAXY_RESET,
	OPT_GALAXY_RESET_AUTO,
	OPT_GALAXY_RESET_TRAY,
	OPT_IPMI,
	OPT_CREDENTIALS,
	OPT_RESET_CONFIG,
	OPT_BURNIN,
	OPT_CASES,
	OPT_SHAPE,
	OPT_DTYPE,
	OPT_PCC,
	OPT_ULP,
	OPT_WORKLOAD,
	OPT_SIZE,
	OPT_CHANNELS,
	OPT_IMPL,
	OPT_ITERATIONS,
	OPT_THREADS,
	OPT_PATTERN,
	OPT_SEED,
	OPT_STOP_ON_ERROR,
	OPT_MAX_TEMP,
	OPT_RESUME,
	OPT_BLOCK,
	OPT_PHASES,
	OPT_HELD,
	OPT_FIRST_LIGHT,
	OPT_NO_RESET,
	OPT_DEVICE,
	OPT_LOCAL,
	OPT_REMOTE,
	OPT_PASSIVE,
	OPT_BUSY,
	OPT_TIMEOUT,
	OPT_SIM,
	OPT_SIM_SEED,
	OPT_TTSIM,
	OPT_ROOT,
	OPT_REPLAY,
	OPT_LOAD,
	OPT_RECORD,
	OPT_VERSION_AS,
	OPT_OFFLINE,
	OPT_USE_LUWEN,
	OPT_NO_REINIT,
	OPT_ETH_TRAIN_SKIP,
	OPT_DUMP_OPTIONS,
	OPT_DUMP_LIBRARIES,
	OPT_COMPLETE,
	OPTIONS
};

/* What follows an option.  It decides the type of the option's member of struct options. */
enum option_kind {
	OPTION_FLAG,		/* nothing: bool */
	OPTION_TEXT,		/* const char * */
	OPTION_PATH,		/* a file or folder: const char * */
	OPTION_LIST,		/* words with commas between; given twice, both count: char * */
	OPTION_WORDS,		/* all words up to the next option: targets[] */
	OPTION_CHOICE,		/* one of .choices: unsigned, its place there */
	OPTION_SECONDS,		/* int64_t, ns: "0.5", "500ms", "10m" */
	OPTION_COUNT,		/* uint64_t */
	OPTION_DECIMAL,		/* int64_t, in 1/OPTION_DECIMALS: "0.999" */
	OPTION_SET,		/* words with commas between, each some bits: uint32_t */
	OPTION_AMOUNT,		/* "4G", "50%", "all": struct option_amount */
	OPTION_PERIOD,		/* "100M" or "10m": struct option_period */
	OPTION_VERSION,		/* "6.2.1": const char * */
	OPTION_SHAPES		/* "16x32x32", commas between; given twice, both count:
				   struct option_shapes */
};

/* Which table has the values, for completions, in addition to .choices and paths. */
enum option_values {
	VALUES_UNSAID, VALUES_FREE, VALUES_BOARDS, VALUES_BURNIN, VALUES_CARDS, VALUES_CASES,
	VALUES_CHECKS, VALUES_DUMP_FIELDS, VALUES_FILES, VALUES_FOLDERS,
	VALUES_IMPLS, VALUES_METHODS, VALUES_QUERY,
	OPTION_VALUES
};

#define OPTION_DECIMALS 1000000000

enum option_group {
	OPTION_HIDDEN, OPTION_MODES, OPTION_LIVE, OPTION_ONCE, OPTION_DUMPS, OPTION_METRICS,
	OPTION_RESETS, OPTION_ACTS, OPTION_CARDS, OPTION_SOURCES, OPTION_ACCEPTED,
	OPTION_REFERENCE,		/* of -b help */
	OPTION_GROUPS
};

/* Where cards come from; modes[] says which of these a mode takes. */
enum from {
	FROM_HERE,			/* this machine; no option names it */
	FROM_SIM, FROM_TTSIM, FROM_TREE, FROM_RECORDING, FROM_FILE,
	FROM_SOURCES
};

struct option_row {
	const char *names[4];		/* every spelling, without dashes; the short one first */
	enum option_group group;
	const char *help;

	uint64_t modes;			/* 1ull << MODE_..., those that use it */
	enum from from;			/* instead of modes: the source that it names */
	unsigned commands;		/* the same of -b, 1u << COMMAND_...; 0: all, or none */
	enum mode mode;			/* the mode it asks for; 0: none */
	enum mode beside;		/* a mode that it may be given with, which then stays */
	enum mode implies;		/* the mode if no option asks for one */
	enum option_id not_with[3];	/* options it excludes; 0 ends the list */
	enum option_id needs;		/* the option without which it does nothing */
	const char *note;		/* printed on stderr whenever it is given */

	enum option_kind kind;
	bool optional;			/* the value may be left out */
	const char *attached;		/* characters of a value attached to the first name; "": a
					   file, if no option is near; NULL: never attached */
	enum option_id gives;		/* the option that a value given here belongs to */
	bool writes;			/* it names a file or folder that is written, by path.h */
	bool dash;			/* of a path: "-" is stdout; elsewhere it is refused */
	bool fresh;			/* of a path: it must not exist yet, so that a repeated
					   call needs another one */
	const char *arg;		/* what the value is called: "SECONDS" */
	const char *unit;		/* of a count: "parts" */
	int64_t least, most;		/* limits of seconds (in ns), counts, bytes, and of the
					   number of words; most 0: no limit */
	int64_t usual;			/* the default of counts, decimals and sets */
	const char *const *choices;	/* ended by NULL; of texts and lists: some of the words */
	enum option_values values;	/* where more words are; lists and words must set it */
	/* Of a set: a word's bits, or 0 and what is wrong with it: "is none of a, b" */
	uint32_t (*bits)(const char *word, char *trouble, size_t size);
	const char *const *letters;	/* of a set: pairs of a short and a whole word, then NULL */
	size_t at;			/* offset in struct options; 0: nowhere */
	const char *env;		/* the variable that is used where it is not given */
	const char *env_value;		/* the only value that counts there; NULL: any */
	bool env_binds;			/* it does not yield to an option that excludes it */
	const char *key;		/* in the configuration; NULL: it is for one call only */
	/* A check of a value there, beyond that of its kind; NULL: none */
	bool (*kept)(const char *value, char *trouble, size_t size);
	const char *unset;		/* the default, in words; NULL: the first choice, or no */
};

extern const struct option_row option_rows[OPTIONS];

/* The k-th spelling of an option as -h has it: "-ls", "--list". */
const char *option_spell(enum option_id id, size_t k, char *buf, size_t size);
/* "-ls", "--finish": an option as -h spells it first. */
const char *option_spelling(enum option_id id, char *buf, size_t size);
/* The name of a mode in messages: "-ls", "the live display". */
const char *option_mode_name(enum mode mode, char *buf, size_t size);

/* The spelling that a wrong one ("--snapshoot", "--snap") was meant to be, or NULL. */
const char *option_nearest(const char *typed, char *buf, size_t size);

/* The key that a wrong one was meant to be, or NULL. */
const char *option_nearest_key(const char *typed);

/* Whether a spelling is within two letters of it, or begins with it. */
bool option_is_near(const char *typed);

/*
 * -h: all options of the table but those of -b help, by group, in lines of at most this many cells;
 * 0: any length.
 */
void options_put_help(struct strbuf *to, size_t columns);

/* A row of it: of an option, or of any name and its help. */
void options_put_option(struct strbuf *to, enum option_id id, size_t columns);
void options_put_row(struct strbuf *to, const char *left, const char *help, size_t columns);

/*
 * For tests: a line with tabs for each spelling: its argument, help and choices, and "writes" if
 * its value is a file or folder that is written.
 */
void options_print_table(void);

/* Words of options that are in the burn-in's tables: their bits, or 0 and what is wrong. */

/* "8": 1u << its place in burn_cases. */
uint32_t option_cases(const char *word, char *trouble, size_t size);
/* "2" or "4-7": memory channels of a card. */
uint32_t option_channels(const char *word, char *trouble, size_t size);
/* "avx2": 1u << its place in impls; "v3": all of this version. */
uint32_t option_impls(const char *word, char *trouble, size_t size);

/* Checks of a value in the configuration, so that no mode fails because of it later. */

/* A number of chips; "forget" is for one call only. */
bool option_kept_chips(const char *value, char *trouble, size_t size);

/* Fields of a dump that exist; "help" is for one call only. */
bool option_kept_fields(const char *value, char *trouble, size_t size);

/* The absolute path of a file of floors that can be read. */
bool option_kept_floors(const char *value, char *trouble, size_t size);

/* The absolute path of a manifest of versions that can be read. */
bool option_kept_pins(const char *value, char *trouble, size_t size);

/* A time that the live display accepts, too. */
bool option_kept_interval(const char *value, char *trouble, size_t size);
