/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - the option table and its parser.
 *
 * getopt_long_only() takes "-dur" and "--duration" alike.  It would also take
 * abbreviations; a spelling is exact here, so what it matched is compared with
 * what was typed.  It cannot give an option the next word only if that word is
 * no option; that is done here, by moving optind.
 */
#include "config.h"
#include "src/options.h"
#include "base/array.h"
#include "base/parse.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	OPT_DUMP_OPTIONS
};

static const char *const groups[] = { "Modes", "Live display", "Snapshot and list", "Dump",
	"Reset and burn-in (accepted; not built yet)", "Which cards, and how far a look may go",
	"Where cards come from", "Accepted for today's callers" };

struct option_row {
	enum option_id id;
	const char *names[4]; /* every spelling, without its dashes; the short one first */
	enum arg_kind arg;
	const char *arg_name;
	int group; /* index into groups; -1: not in -h */
	int mode; /* the mode it asks for, or -1 */
	const char *help;
};

static const struct option_row rows[] = {
	{ OPT_HELP, { "h", "help" }, ARG_NONE, NULL, 0, MODE_HELP, "show this help" },
	{ OPT_VERSION, { "v", "version" }, ARG_NONE, NULL, 0, MODE_VERSION, "show the version" },
	{ OPT_SNAPSHOT, { "s", "snapshot" }, ARG_NONE, NULL, 0, MODE_SNAPSHOT,
		"host and device information of now: a file from a terminal, else JSON on stdout" },
	{ OPT_LIST, { "ls", "list" }, ARG_NONE, NULL, 0, MODE_LIST,
		"list all boards with every name they have" },
	{ OPT_DUMP, { "d", "dump" }, ARG_NONE, NULL, 0, MODE_DUMP,
		"record telemetry to CSV and XLSX until Enter, q or a signal" },
	{ OPT_FINISH, { "finish" }, ARG_REQUIRED, "DIR", 0, MODE_FINISH,
		"make the workbook of a dump that was cut off" },

	{ OPT_THEME, { "t", "theme" }, ARG_REQUIRED, "{default,dark}", 1, -1,
		"colours; dark is for light backgrounds" },
	{ OPT_NO_COLOR, { "nc", "no-color" }, ARG_NONE, NULL, 1, -1, "no colour" },
	{ OPT_COMPACT, { "c", "compact" }, ARG_NONE, NULL, 1, -1, "without side bar and frames" },
	{ OPT_INTERVAL, { "i", "interval" }, ARG_OPTIONAL, "SECONDS", 1, -1,
		"time between readings (0.5); from 0.01 live, from 0.001 in a dump" },

	{ OPT_FILENAME, { "f", "filename" }, ARG_OPTIONAL, "FILE", 2, -1,
		"where the snapshot goes; - is stdout" },
	{ OPT_JSON, { "json" }, ARG_NONE, NULL, 2, -1, "print JSON, never save a file (-s, -ls)" },
	{ OPT_NO_TTY, { "snapshot_no_tty" }, ARG_NONE, NULL, 2, -1,
		"the same for -s, as upstream spells it" },
	{ OPT_EXTERNAL, { "external" }, ARG_NONE, NULL, 2, -1,
		"leave out raw words, ASIC ids and the host name" },

	{ OPT_DUMP_DIR, { "dir", "dump_dir" }, ARG_OPTIONAL, "DIR", 3, -1, "folder of the dump" },
	{ OPT_DURATION, { "dur", "duration" }, ARG_REQUIRED, "SECONDS", 3, -1,
		"stop after this time" },
	{ OPT_FIELDS, { "fields" }, ARG_REQUIRED, "LIST", 3, -1,
		"which fields; help lists them all" },
	{ OPT_NDJSON, { "ndjson" }, ARG_NONE, NULL, 3, -1,
		"one JSON object per card and reading on stdout, no files" },
	{ OPT_ROTATE, { "rotate" }, ARG_REQUIRED, "SIZE|TIME", 3, -1,
		"begin new files after 100M, 1G ... or 30s, 10m, 1h" },
	{ OPT_KEEP, { "keep" }, ARG_REQUIRED, "N", 3, -1,
		"with --rotate, keep only the newest N parts" },

	{ OPT_WARM_RESET, { "wr", "warm_reset" }, ARG_WORDS, "BOARDS", 4, MODE_RESET,
		"warm reset" },
	{ OPT_RESET, { "r", "reset" }, ARG_WORDS, "BOARDS", 4, MODE_RESET,
		"the same, as upstream spells it" },
	{ OPT_MOBO_RESET, { "mr", "mobo_nb_reset" }, ARG_NONE, NULL, 4, MODE_MOBO_RESET,
		"warm reset a mobo" },
	{ OPT_GALAXY_RESET, { "glx_reset", "galaxy_6u_trays_reset" }, ARG_NONE, NULL, 4,
		MODE_GALAXY_RESET, "reset a galaxy" },
	{ OPT_GALAXY_RESET_AUTO, { "glx_reset_auto" }, ARG_NONE, NULL, 4, MODE_GALAXY_RESET,
		"reset a galaxy, with up to three tries" },
	{ OPT_GALAXY_RESET_TRAY, { "glx_reset_tray" }, ARG_REQUIRED, "TRAY", 4, MODE_GALAXY_RESET,
		"reset one tray of a galaxy" },
	{ OPT_TRAYS, { "glx_list_tray_to_device" }, ARG_NONE, NULL, 4, MODE_TRAYS,
		"list the trays of a galaxy" },
	{ OPT_RESET_CONFIG, { "g", "generate_reset_json" }, ARG_OPTIONAL,
		"FILE", 4, MODE_RESET_CONFIG,
		"write a reset configuration" },
	{ OPT_BURNIN, { "b", "burnin" }, ARG_WORDS, "BOARDS", 4, MODE_BURNIN, "stress and verify" },

	{ OPT_DEVICE, { "device", "devices" }, ARG_REQUIRED, "LIST", 5, -1,
		"only these: index, BDF, /dev/tenstorrent/N, board serial, or all" },
	{ OPT_LOCAL, { "l", "local" }, ARG_NONE, NULL, 5, -1,
		"chips on PCIe only, no remote ones" },
	{ OPT_REMOTE, { "remote" }, ARG_NONE, NULL, 5, -1,
		"live and dump too read an n300's second chip, and ask Grayskull, if unheld" },
	{ OPT_PASSIVE, { "passive" }, ARG_NONE, NULL, 5, -1, "read sysfs only, open no device" },
	{ OPT_TIMEOUT, { "timeout" }, ARG_REQUIRED, "SECONDS", 5, -1,
		"give a chip this long to answer (1)" },

	{ OPT_SIM, { "sim" }, ARG_REQUIRED, "SPEC", 6, -1,
		"simulated boards: 'n300,2*p150a:hang@5' (see the manual)" },
	{ OPT_SIM_SEED, { "sim-seed" }, ARG_REQUIRED, "N", 6, -1, "seed of the simulated values" },
	{ OPT_ROOT, { "root" }, ARG_REQUIRED, "DIR", 6, -1, "a recorded tree instead of /" },
	{ OPT_REPLAY, { "replay" }, ARG_REQUIRED, "FILE", 6, -1, "play a recording" },
	{ OPT_LOAD, { "load" }, ARG_REQUIRED, "FILE", 6, -1,
		"a snapshot file as if its cards were here" },
	{ OPT_RECORD, { "record" }, ARG_REQUIRED, "FILE", 6, -1, "write every access to FILE" },

	{ OPT_OFFLINE, { "offline" }, ARG_NONE, NULL, 7, -1, "no network: always so" },
	{ OPT_USE_LUWEN, { "use_luwen" }, ARG_NONE, NULL, 7, -1, "no meaning here" },
	{ OPT_NO_REINIT, { "no_reinit" }, ARG_NONE, NULL, 7, -1, "no detection after a reset" },
	{ OPT_ETH_TRAIN_SKIP, { "eth_train_skip" }, ARG_NONE, NULL, 7, -1,
		"no wait for ethernet after a reset" },

	{ OPT_DUMP_OPTIONS, { "dump-options" }, ARG_NONE, NULL, -1, MODE_DUMP_OPTIONS,
		"this table, for the manual's check" },
};

#define MAX_SPELLINGS (4 * ARRAY_LEN(rows) + 1)

static int complain(const char *option, const char *trouble)
{
	fprintf(stderr, "tt-smi: %s: %s (tt-smi -h lists the options)\n", option, trouble);
	return -EINVAL;
}

static void spellings(struct option out[static MAX_SPELLINGS])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(rows[i].names) && rows[i].names[k]; k++)
			out[n++] = (struct option){ rows[i].names[k],
				rows[i].arg == ARG_NONE	      ? no_argument
				: rows[i].arg == ARG_REQUIRED ? required_argument
							      : optional_argument,
				NULL, (int)i };
	out[n] = (struct option){ 0 };
}

/* The text of a typed option without dashes and value is exactly one of the row's names. */
static bool spelled_exactly(const struct option_row *row, const char *typed)
{
	const char *name = typed + strspn(typed, "-");
	size_t len = strcspn(name, "=");

	for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
		if (strlen(row->names[k]) == len && strncmp(row->names[k], name, len) == 0)
			return true;
	return false;
}

/* Take the next word for an option with an optional value, if it is no option itself. */
static const char *next_word(int argc, char **argv)
{
	if (optind < argc && (argv[optind][0] != '-' || strcmp(argv[optind], "-") == 0))
		return argv[optind++];
	return NULL;
}

/* "100M" is a size, "30s", "10m", "1h" a time. */
static bool parse_rotate(const char *text, struct options *o)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t len = strlen(text);
	char number[24];
	int64_t v;

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (len < 2 || len > sizeof(number) || text[len - 1] != units[i].unit)
			continue;
		memcpy(number, text, len - 1);
		number[len - 1] = '\0';
		if (!parse_seconds(number, &v) || v == 0 || v > INT64_MAX / units[i].seconds)
			return false;
		o->rotate_ns = v * units[i].seconds;
		return true;
	}
	return parse_size(text, &o->rotate_bytes) && o->rotate_bytes >= 4096;
}

static int set_seconds(const char *typed, const char *value, int64_t least, int64_t *out)
{
	if (!parse_seconds(value, out) || *out < least || *out > 10LL * 366 * 86400 * 1000000000) {
		char text[96];

		snprintf(text, sizeof(text), "'%.40s' is not a time in seconds of at least %g",
			value, (double)least / 1e9);
		return complain(typed, text);
	}
	return 0;
}

static int set_value(
	struct options *o, const struct option_row *row, const char *typed, const char *value)
{
	uint64_t number;

	switch (row->id) {
	case OPT_THEME:
		if (strcmp(value, "default") != 0 && strcmp(value, "dark") != 0)
			return complain(typed, "the theme is default or dark");
		o->theme = strcmp(value, "dark") == 0 ? THEME_DARK : THEME_DEFAULT;
		return 0;
	case OPT_INTERVAL:
		return value ? set_seconds(typed, value, 1000000, &o->interval) : 0;
	case OPT_DURATION:
		return set_seconds(typed, value, 1000000, &o->duration);
	case OPT_TIMEOUT:
		return set_seconds(typed, value, 10000000, &o->deadline);
	case OPT_ROTATE:
		return parse_rotate(value, o)
			       ? 0
			       : complain(typed,
					 "neither a size of at least 4k (100M) nor a time (10m)");
	case OPT_KEEP:
		if (!parse_u64(value, &number) || number < 1 || number > 1000000)
			return complain(typed, "not a number from 1 to 1000000");
		o->keep = (unsigned)number;
		return 0;
	case OPT_SIM_SEED:
		return parse_u64(value, &o->sim_seed) ? 0 : complain(typed, "not a whole number");
	default:
		return 0;
	}
}

static int set_option(
	struct options *o, const struct option_row *row, const char *typed, const char *value)
{
	if ((row->arg == ARG_REQUIRED || (row->arg == ARG_OPTIONAL && value)) && !*value)
		return complain(typed, "the value is empty");
	switch (row->id) {
	case OPT_NO_COLOR: o->no_color = true; break;
	case OPT_COMPACT: o->compact = true; break;
	case OPT_JSON: o->json = true; break;
	case OPT_NO_TTY: o->no_tty = true; break;
	case OPT_EXTERNAL: o->external = true; break;
	case OPT_LOCAL: o->local = true; break;
	case OPT_REMOTE: o->remote = true; break;
	case OPT_PASSIVE: o->passive = true; break;
	case OPT_NDJSON: o->ndjson = true; break;
	case OPT_FILENAME: o->has_filename = true; o->filename = value; break;
	case OPT_DUMP_DIR: o->has_dump_dir = true; o->dump_dir = value; break;
	case OPT_FIELDS: o->fields = value; break;
	case OPT_FINISH: o->finish = value; break;
	case OPT_DEVICE: o->devices = value; break;
	case OPT_SIM: o->sim = value; break;
	case OPT_ROOT: o->root = value; break;
	case OPT_REPLAY: o->replay = value; break;
	case OPT_LOAD: o->load = value; break;
	case OPT_RECORD: o->record = value; break;
	case OPT_USE_LUWEN:
	case OPT_NO_REINIT:
	case OPT_ETH_TRAIN_SKIP:
		fprintf(stderr, "tt-smi: note: %s has no meaning here and is ignored\n", typed);
		break;
	default:
		return set_value(o, row, typed, value);
	}
	return 0;
}

static int set_mode(struct options *o, const struct option_row *row, const char *typed)
{
	char text[96];

	if (row->mode < 0 || o->mode == MODE_HELP)
		return 0;
	if (o->mode_option && o->mode != (enum mode)row->mode && row->mode != MODE_HELP &&
		row->mode != MODE_VERSION) {
		snprintf(text, sizeof(text), "cannot be used together with %.40s", o->mode_option);
		return complain(typed, text);
	}
	o->mode = (enum mode)row->mode;
	o->mode_option = typed;
	return 0;
}

static void take_environment(struct options *o)
{
	const char *seed = getenv("TT_SMI_SIM_SEED");

	if (!o->sim && !o->replay && !o->load) {
		o->sim = getenv("TT_SMI_SIM");
		o->replay = getenv("TT_SMI_REPLAY");
		o->load = getenv("TT_SMI_LOAD");
	}
	if (!o->root)
		o->root = getenv("TT_SMI_ROOT");
	if (!o->sim_seed && seed)
		(void)parse_u64(seed, &o->sim_seed);
	if (getenv("TT_SMI_PASSIVE"))
		o->passive = true;
}

/* Options that make no sense together, or without the mode they belong to. */
static int check_together(struct options *o)
{
	const struct {
		bool wrong;
		const char *option, *trouble;
	} cases[] = {
		{ !!o->sim + !!o->replay + !!o->load > 1, "--sim, --replay, --load",
			"only one of them can say where the cards come from" },
		{ o->record && (o->load || o->replay), "--record",
			"there is nothing to record from a file" },
		{ o->has_filename && o->mode != MODE_SNAPSHOT, "-f", "belongs to -s" },
		{ o->json && o->mode != MODE_SNAPSHOT && o->mode != MODE_LIST, "--json",
			"belongs to -s or -ls" },
		{ o->no_tty && o->mode != MODE_SNAPSHOT, "--snapshot_no_tty", "belongs to -s" },
		{ o->has_filename && (o->json || o->no_tty), "-f",
			"a file, or JSON on stdout: not both (use -f -)" },
		{ (o->has_dump_dir || o->duration || o->ndjson || o->rotate_bytes ||
			  o->rotate_ns) &&
				o->mode != MODE_DUMP && o->mode != MODE_LIVE,
			"-dir, -dur, --ndjson, --rotate", "belong to -d" },
		{ (o->duration || o->ndjson || o->rotate_bytes || o->rotate_ns) &&
				o->mode == MODE_LIVE,
			"-dur, --ndjson, --rotate", "belong to -d" },
		{ o->keep && !o->rotate_bytes && !o->rotate_ns, "--keep", "belongs to --rotate" },
		{ o->ndjson && (o->has_dump_dir || o->rotate_bytes || o->rotate_ns), "--ndjson",
			"writes no files: -dir and --rotate do not go with it" },
		{ o->local && o->remote, "--local, --remote", "not both" },
		{ o->passive && o->remote, "--passive, --remote", "not both" },
		{ o->mode == MODE_LIVE && o->interval && o->interval < 10000000, "-i",
			"the live display takes at least 0.01 s" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (cases[i].wrong)
			return complain(cases[i].option, cases[i].trouble);
	return 0;
}

/* One option, typed as argv[at]; getopt has moved on already. */
static int take_option(struct options *o, int match, int at, int argc, char **argv)
{
	const struct option_row *row = &rows[match];
	const char *typed = argv[at], *value = optarg;
	int r;

	if (!spelled_exactly(row, typed))
		return complain(typed, "unknown option; spellings are exact");
	if ((row->arg == ARG_OPTIONAL || row->arg == ARG_WORDS) && !value)
		value = next_word(argc, argv);
	r = set_mode(o, row, typed);
	if (r == 0)
		r = set_option(o, row, typed, value);
	while (r == 0 && row->arg == ARG_WORDS && value) {
		if (o->n_targets == ARRAY_LEN(o->targets))
			return complain(typed, "too many names");
		o->targets[o->n_targets++] = value;
		value = next_word(argc, argv);
	}
	return r;
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct option longs[MAX_SPELLINGS];
	int r = 0;

	*o = (struct options){ .mode = MODE_LIVE };
	spellings(longs);
	opterr = 0;
	optind = 1;
	while (r == 0) {
		int at = optind, c = getopt_long_only(argc, argv, "+:", longs, NULL);

		if (c == -1)
			break;
		if (c == ':')
			return complain(argv[at], "needs a value");
		if (c == '?')
			return complain(argv[at], "unknown option, or a value where none is taken");
		r = take_option(o, c, at, argc, argv);
	}
	if (r < 0 || o->mode == MODE_HELP || o->mode == MODE_VERSION ||
		o->mode == MODE_DUMP_OPTIONS)
		return r;
	if (optind < argc)
		return complain(argv[optind], "what is this word for?");
	if (o->mode == MODE_LIVE && (o->has_filename || o->json || o->no_tty))
		o->mode = MODE_SNAPSHOT;
	if (o->fields && strcmp(o->fields, "help") == 0)
		o->mode = MODE_FIELDS;
	take_environment(o);
	return check_together(o);
}

static void print_spellings(const struct option_row *row, char *buf, size_t size)
{
	int n = 0;

	for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
		n += snprintf(buf + n, size - (size_t)n, "%s%s%s", k ? ", " : "",
			k || strlen(row->names[k]) > 3 ? "--" : "-", row->names[k]);
	if (row->arg == ARG_REQUIRED)
		snprintf(buf + n, size - (size_t)n, " %s", row->arg_name);
	else if (row->arg_name)
		snprintf(buf + n, size - (size_t)n, " [%s]", row->arg_name);
}

void options_print_help(void)
{
	char left[96];

	printf("usage: tt-smi [options]\n\nShows Tenstorrent cards. Without an option: the live "
	       "display.\n");
	for (int g = 0; g < (int)ARRAY_LEN(groups); g++) {
		printf("\n%s:\n", groups[g]);
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			if (rows[i].group != g)
				continue;
			print_spellings(&rows[i], left, sizeof(left));
			if (strlen(left) > 28)
				printf("  %s\n  %28s", left, "");
			else
				printf("  %-28s", left);
			printf("  %s\n", rows[i].help);
		}
	}
	printf("\nExit codes: 0 done, 1 failed, 2 usage, 3 no driver or device, 4 some devices "
	       "failed,\n"
	       "5 negative verdict, 6 refused. The manual (man tt-smi) has the rest.\n");
}

void options_print_table(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(rows[i].names) && rows[i].names[k]; k++)
			if (rows[i].group >= 0)
				printf("%s\t%s\t%s\n", rows[i].names[k],
					rows[i].arg_name ? rows[i].arg_name : "", rows[i].help);
}
