/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parses the command line by the option table.
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
#include "src/option_table.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPELLINGS (OPTIONS * ARRAY_LEN(option_rows[0].names))

static int complain(const char *option, const char *trouble)
{
	fprintf(stderr, "tt-smi: %s: %s (tt-smi -h lists the options)\n", option, trouble);
	return -EINVAL;
}

static void spellings(struct option out[static SPELLINGS + 1])
{
	static const int has_arg[] = {
		[ARG_NONE] = no_argument, [ARG_REQUIRED] = required_argument,
		[ARG_OPTIONAL] = optional_argument, [ARG_WORDS] = optional_argument,
	};
	size_t n = 0;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			out[n++] = (struct option){ row->names[k], has_arg[row->arg], NULL,
				(int)i };
	}
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
	const struct option_row *row = &option_rows[match];
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
	struct option longs[SPELLINGS + 1];
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
