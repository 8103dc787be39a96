/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - parses the command line by the option table.
 *
 * getopt_long_only() takes "-dur" and "--duration" alike.  It would also take
 * abbreviations; a spelling is exact here, so what it matched is compared with
 * what was typed.  It cannot give an option the next word only if that word is
 * not an option; that is done here, by moving optind.
 */
#include "config.h"
#include "src/options.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/conf/conf.h"
#include "src/option_value.h"
#include "src/mode.h"
#include "src/say.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The command line that asks for the same again. */

void options_put_word(struct strbuf *to, const char *word)
{
	strbuf_putc(to, ' ');
	if (*word && word[strspn(word, OPTIONS_PLAIN)] == '\0') {
		strbuf_puts(to, word);
		return;
	}
	strbuf_putc(to, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_puts(to, "'\\''");
		else
			strbuf_putc(to, *word);
	strbuf_putc(to, '\'');
}

/* How many words here are an option with a path that must be new, and its value; 0: none. */
static size_t count_fresh(const struct options *o, char *const *word)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->fresh && o->typed[i] == *word)
			return word[1] && word[1] == *(char *const *)((const char *)o + row->at) ?
				2 : 1;
	}
	return 0;
}

void options_put_again(struct strbuf *to, const struct options *o)
{
	char name[40];

	strbuf_puts(to, "tt-smi");
	for (char *const *word = o->argv + 1; *word;) {
		const size_t skip = count_fresh(o, word);

		if (skip == 0)
			options_put_word(to, *word);
		word += skip ? skip : 1;
	}
	for (size_t i = 0; i < OPTIONS; i++) {
		if (!o->typed[i] || !o->stands[i])
			continue;
		options_put_word(to, option_spelling((enum option_id)i, name, sizeof(name)));
		if (o->given[i] && option_rows[i].kind != OPTION_FLAG)
			options_put_word(to, o->given[i]);
	}
}

void options_set_seed(struct options *o, uint64_t seed)
{
	const struct option_row *row = &option_rows[OPT_SEED];
	char text[24], trouble[8];

	if (o->typed[OPT_SEED] || !option_fits_mode(o, row))
		return;
	snprintf(text, sizeof(text), "%" PRIu64, seed);
	option_set_value(o, row, text, trouble, sizeof(trouble));
	o->typed[OPT_SEED] = o->stands[OPT_SEED] = "this run";
}

/* Values of options that were not typed. */

#define TROUBLES 3	/* printed at most; --config-check prints all */

/* Whether a variable or a line of the configuration may still set it. */
static bool option_is_open(const struct options *o, enum option_id id)
{
	return !o->typed[id] && !o->stands[id] && option_fits_mode(o, &option_rows[id]);
}

static bool is_source(enum option_id id)
{
	return option_rows[id].from != FROM_HERE && id != OPT_SIM_SEED;
}

static bool has_source(const struct options *o)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (o->typed[i] && is_source((enum option_id)i))
			return true;
	return false;
}

/*
 * Whether it yields to an option that excludes it or, if it says where cards come from, to any that
 * does: --root may be typed beside --sim, but means another machine than a variable's boards.  A
 * value that means no excludes nothing.
 */
static bool option_yields(const struct options *o, enum option_id id)
{
	return !option_rows[id].env_binds &&
		(option_conflict(o, id) < OPTIONS || (is_source(id) && has_source(o)));
}

/* One that forbids what this mode cannot do without is no option of it: the mode says so. */
static void keep_unheeded(struct options *o, enum option_id id, const char *from, bool on)
{
	const struct option_row *row = &option_rows[id];

	if (!row->env_binds || o->stands[id] || option_fits_mode(o, row))
		return;
	o->stands[id] = from;
	if (on)
		o->unheeded = from;
}

static int take_variables(struct options *o)
{
	bool taken[OPTIONS] = { false };

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		const char *value = row->env ? getenv(row->env) : NULL;
		bool counts;

		if (!value || !*value)
			continue;
		keep_unheeded(o, (enum option_id)i, row->env, true);
		if (!option_is_open(o, (enum option_id)i))
			continue;
		/* Any other value means no, whatever the configuration says. */
		counts = !row->env_value || strcmp(value, row->env_value) == 0;
		if (counts && option_yields(o, (enum option_id)i))
			continue;
		o->stands[i] = row->env;
		if (!counts)
			continue;
		if (option_set_said(o, row, row->env, value) < 0)
			return -EINVAL;
		taken[i] = true;
	}
	/* Two variables that exclude each other are a contradiction: neither yields. */
	for (size_t i = 0; i < OPTIONS; i++)
		if (taken[i])
			o->typed[i] = o->stands[i];
	return 0;
}

/* Lines of the user's file come first.  Several lines of one file may add to one list. */
static void take_lines(struct options *o)
{
	const struct conf_line *last[OPTIONS] = { NULL };
	const struct conf *c = o->conf;
	char trouble[8];

	for (size_t k = 0; k < c->n; k++) {
		const struct conf_line *line = &c->lines[k];
		const enum option_id id = line->id;
		bool on;

		if (id == OPTIONS)
			continue;
		on = option_is_on(&option_rows[id], line->value);
		keep_unheeded(o, id, line->where, on);
		if (last[id] ? last[id]->file != line->file :
			!option_is_open(o, id) || (on && option_yields(o, id)))
			continue;
		last[id] = line;
		o->stands[id] = o->stands[id] ? o->stands[id] : line->where;
		if (!on)
			continue;
		/* The value was checked when the file was read. */
		option_set_value(o, &option_rows[id], line->value, trouble, sizeof(trouble));
		o->typed[id] = o->stands[id];
	}
}

static void say_troubles(const struct conf *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		if (c->files[i].error.code < 0)
			say_error(&c->files[i].error);
	for (size_t i = 0; i < c->n_troubles && i < TROUBLES; i++)
		say_as(CODE_BAD_CONFIG, "%s", c->troubles[i]);
	if (c->n_troubles > TROUBLES)
		say("%zu more of this kind: tt-smi --config-check says all",
			c->n_troubles - TROUBLES);
}

static bool has_troubles(const struct conf *c)
{
	size_t n = c->n_troubles;

	for (size_t i = 0; i < c->n_files; i++)
		n += c->files[i].error.code < 0;
	return n > 0;
}

int options_take_standing(struct options *o)
{
	const int r = take_variables(o);

	if (r < 0 || !o->conf)
		return r;
	say_troubles(o->conf);
	if (o->does->is_gate && has_troubles(o->conf)) {
		say_as(CODE_BAD_CONFIG, "nothing is judged by a configuration that is wrong: "
			"mend it, or set TT_SMI_CONFIG= to do without");
		return -EINVAL;
	}
	take_lines(o);
	return 0;
}

/* The parser. */

/* getopt's own answers are characters: ':' and '?'. */
#define FIRST_CODE 256
#define SPELLINGS (OPTIONS * ARRAY_LEN(option_rows[0].names))

static int complain_pair(enum code code, const char *typed, const char *trouble, const char *other)
{
	char text[320];

	snprintf(text, sizeof(text), "%s %.*s", trouble, (int)strcspn(other, "="), other);
	return option_complain(code, typed, text);
}

/* For a word that is not an option, or only the beginning of one. */
static int complain_unknown(const char *typed)
{
	char text[120] = "unknown option; spellings are exact", near[64];

	if (option_nearest(typed, near, sizeof(near)))
		snprintf(text, sizeof(text), "unknown option; is %s meant?", near);
	return option_complain(CODE_UNKNOWN_OPTION, typed, text);
}

static void spellings(struct option out[static SPELLINGS + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		int has_arg = row->kind == OPTION_FLAG ? no_argument :
			      row->optional ? optional_argument : required_argument;

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			out[n++] = (struct option){ row->names[k], has_arg, NULL,
				FIRST_CODE + (int)i };
	}
	out[n] = (struct option){ 0 };
}

/* "-r0,1", "-i5", "-fFILE": its option; OPTIONS: none, as for "-sd", which is a typing error. */
static size_t find_attached(const char *word)
{
	if (word[0] != '-' || option_find(word) < OPTIONS)
		return OPTIONS;
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		const size_t len = strlen(row->names[0]);
		const char *value = word + 1 + len;

		if (!row->attached || strncmp(word + 1, row->names[0], len) != 0)
			continue;
		if (*row->attached ? value[strspn(value, row->attached)] == '\0' :
			!option_is_near(word))
			return i;
	}
	return OPTIONS;
}

/* "-1" is a wrong number rather than an unknown option. */
static bool is_negative(const struct option_row *row, const char *word)
{
	return (row->kind == OPTION_SECONDS || row->kind == OPTION_COUNT) && word[0] == '-' &&
	       (isdigit((unsigned char)word[1]) || word[1] == '.');
}

/* Take the next word for an option with an optional value, if it is not an option itself. */
static const char *next_word(const struct option_row *row, int argc, char **argv)
{
	if (optind < argc && (argv[optind][0] != '-' || strcmp(argv[optind], "-") == 0 ||
			      is_negative(row, argv[optind])))
		return argv[optind++];
	return NULL;
}

void options_set_mode(struct options *o, enum mode mode)
{
	o->mode = mode;
	o->does = &o->modes[mode];
}

static int set_mode(struct options *o, const struct option_row *row, const char *typed)
{
	const struct mode_ops *now = &o->modes[row->mode];

	if (!row->mode || now->outranks < o->does->outranks ||
		(now == o->does && now->outranks > 0))
		return 0;
	if (o->mode_option && row->beside && row->beside == o->mode)
		return 0;
	if (o->mode_option && row->mode && option_is_beside(o->mode, row->mode))
		o->mode_option = NULL;
	/* Two spellings of a reset may disagree on whether it asks first. */
	if (o->mode_option && now->outranks == 0 && (o->does != now || (now->spellings_differ &&
		strcmp(typed, o->mode_option) != 0)))
		return complain_pair(CODE_CONFLICT, typed, "cannot be used together with",
			o->mode_option);
	options_set_mode(o, row->mode);
	o->mode_option = typed;
	return 0;
}

static int set_words(struct options *o, const struct option_row *row, const char *typed,
	const char *value, int argc, char **argv)
{
	for (; value; value = next_word(row, argc, argv)) {
		if (row->most && o->n_targets == (size_t)row->most)
			return option_complain(CODE_BAD_VALUE, typed, "too many names");
		if (row->values == VALUES_FILES && strcmp(value, "-") == 0)
			return option_complain(CODE_BAD_VALUE, typed, option_no_dash);
		o->targets = mem_realloc(o->targets, (o->n_targets + 1) * sizeof(*o->targets));
		o->targets[o->n_targets++] = value;
	}
	return 0;
}

/* Take an option, with its value if that was found; the rest of argv is not parsed yet. */
static int take_value(struct options *o, enum option_id id, const char *typed, const char *value,
	int argc, char **argv)
{
	const struct option_row *row = &option_rows[id];
	int r;

	if (row->optional && !value)
		value = next_word(row, argc, argv);
	r = set_mode(o, row, typed);
	if (r == 0)
		r = option_set_said(o, row, typed, value);
	if (r == 0 && row->gives && value)
		o->typed[row->gives] = typed;
	if (r == 0 && row->kind == OPTION_WORDS)
		r = set_words(o, row, typed, value, argc, argv);
	if (r == 0 && row->note)
		say("note: %s %s", typed, row->note);
	o->typed[id] = typed;
	return r;
}

/* Take one option, typed as argv[at]; getopt has moved on already. */
static int take_option(struct options *o, enum option_id id, int at, int argc, char **argv)
{
	const char *typed = argv[at], *value = optarg;

	if (option_find(typed) != id)
		return complain_unknown(typed);
	if (value && value == argv[optind - 1] && optind - 1 > at && option_find(value) < OPTIONS)
		return complain_pair(CODE_MISSING_VALUE, typed,
			"needs a value, but what follows is the option", value);
	return take_value(o, id, typed, value, argc, argv);
}

/* The same for an option and a value in one word. */
static int take_attached(struct options *o, enum option_id id, int argc, char **argv)
{
	const char *word = argv[optind++];

	return take_value(o, id, word, word + 1 + strlen(option_rows[id].names[0]), argc, argv);
}

/* Check the words after a command; "-" means stdout only after -f. */
static int check_command_words(const struct options *o)
{
	const size_t n = o->n_targets - 1;

	for (int i = 0; i < COMMANDS; i++) {
		const struct command_row *c = &o->does->commands[i];
		bool dash = false;

		if (!c->run || !(o->commands & 1u << i))
			continue;
		for (size_t k = 1; k <= n; k++)
			dash = dash || strcmp(o->targets[k], "-") == 0;
		if (dash)
			say_as(CODE_BAD_VALUE, "'-' is not a file here; ./- is one of that name");
		if (dash || n < c->least || n > c->most) {
			say_as(CODE_BAD_VALUE, "usage: tt-smi --burnin %s%s", c->name, c->words);
			return -EINVAL;
		}
	}
	return 0;
}

/* Name the modes that take it; or the commands of -b, if only others of these take it. */
static int complain_of_mode(const struct options *o, const struct option_row *row,
	const char *typed)
{
	const bool commands = option_goes_with(o, row, o->mode);
	char takers[260] = "", text[280], name[40];

	for (int m = 0; m < MODES && !commands; m++)
		if (option_goes_with(o, row, (enum mode)m) && m != MODE_FIELDS)
			text_join(takers, sizeof(takers), ", ", "%s",
				option_mode_name((enum mode)m, name, sizeof(name)));
	for (int c = 0; c < COMMANDS && commands; c++)
		if (row->commands & 1u << c)
			text_join(takers, sizeof(takers), ", ", "%s %s", o->mode_option,
				o->does->commands[c].name);
	snprintf(text, sizeof(text), "goes with %s, not with", takers);
	option_mode_name(o->mode, name, sizeof(name));
	if (commands)
		snprintf(name, sizeof(name), "%s %s", o->mode_option,
			o->does->commands[__builtin_ctz(o->commands)].name);
	return complain_pair(CODE_CONFLICT, typed, text, name);
}

/* An option that the mode would ignore is an error: something else was meant. */
static int check_modes(const struct options *o)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (o->typed[i] && !option_fits_mode(o, &option_rows[i]))
			return complain_of_mode(o, &option_rows[i], o->typed[i]);
	return 0;
}

static bool was_typed(const struct options *o, enum option_id id)
{
	return o->typed[id] && !o->stands[id];
}

/* Two files are compared with each other: no card is read. */
static int check_compared(const struct options *o)
{
	for (size_t i = 0; i < OPTIONS && o->n_targets > 1; i++)
		if (was_typed(o, (enum option_id)i) && (option_rows[i].group == OPTION_CARDS ||
			option_rows[i].group == OPTION_SOURCES))
			return complain_pair(CODE_CONFLICT, o->typed[i],
				"does nothing beside two files of", o->mode_option);
	return 0;
}

static int check_together(const struct options *o)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		enum option_id needs = option_rows[i].needs;
		size_t other;
		char name[40];

		if (!o->typed[i])
			continue;
		other = option_conflict(o, (enum option_id)i);
		if (other < OPTIONS)
			return complain_pair(CODE_CONFLICT, o->typed[i],
				"cannot be used together with", o->typed[other]);
		if (needs && !o->typed[needs] && was_typed(o, (enum option_id)i))
			return complain_pair(CODE_NEEDS_OPTION, o->typed[i], "does nothing without",
				option_spelling(needs, name, sizeof(name)));
	}
	if (o->interval && o->interval < o->does->least_interval)
		return option_complain(CODE_BAD_VALUE, o->typed[OPT_INTERVAL],
			"the live display takes at least 0.01 s");
	return o->does->compares ? check_compared(o) : 0;
}

static int take_standing(struct options *o)
{
	/* --config-check itself reports what is wrong with the configuration. */
	if (!o->does->has_no_configuration)
		o->conf = conf_open(o);
	return options_take_standing(o);
}

/* Some options imply a mode (-f, --json), and so does the value "help". */
static void imply_mode(struct options *o)
{
	for (size_t i = 0; i < OPTIONS && o->does->is_default; i++)
		if (o->typed[i] && option_rows[i].implies)
			options_set_mode(o, option_rows[i].implies);
	if (o->fields && strcmp(o->fields, "help") == 0 &&
		(o->does->is_default || option_rows[OPT_FIELDS].modes & 1ull << o->mode))
		options_set_mode(o, MODE_FIELDS);
	if ((o->query && strcmp(o->query, "help") == 0) || (o->sim && strcmp(o->sim, "help") == 0))
		options_set_mode(o, MODE_FIELDS);
	if (o->checks && strcmp(o->checks, "help") == 0 && o->does->is_default)
		options_set_mode(o, MODE_HEALTH);
}

int options_parse(struct options *o, const struct mode_ops *table, int argc, char **argv)
{
	struct option longs[SPELLINGS + 1];
	int r = 0;

	*o = (struct options){ .modes = table, .does = &table[MODE_LIVE], .argv = argv };
	options_set_usual(o);
	spellings(longs);
	opterr = 0;
	optind = 1;
	while (r == 0) {
		const size_t attached = optind < argc ? find_attached(argv[optind]) : OPTIONS;
		int at = optind, c;

		if (attached < OPTIONS) {
			r = take_attached(o, (enum option_id)attached, argc, argv);
			continue;
		}
		c = getopt_long_only(argc, argv, "+:", longs, NULL);
		if (c == -1)
			break;
		if ((c == ':' || c == '?') && option_find(argv[at]) == OPTIONS)
			return complain_unknown(argv[at]);
		if (c == ':' || c == '?')
			return option_complain(c == ':' ? CODE_MISSING_VALUE
				: CODE_BAD_VALUE, argv[at],
				c == ':' ? "needs a value" : "takes no value");
		r = take_option(o, (enum option_id)(c - FIRST_CODE), at, argc, argv);
	}
	if (r < 0 || o->does->ends_line)
		return r;
	if (o->does->stands_only)
		return take_standing(o);
	o->dump = o->typed[OPT_DUMP] != NULL;
	o->command = o->does->takes_command ? argv + optind : NULL;
	if (o->does->needs_command && optind == argc)
		return option_complain(CODE_NOTHING_NAMED, o->mode_option,
			"needs a command: tt-smi --during -- COMMAND");
	if (!o->command && optind < argc)
		return option_complain(CODE_UNEXPECTED_ARGUMENT, argv[optind],
			"no option takes this word");
	imply_mode(o);
	if (o->does->ignores_others)
		return 0;
	if (o->does->commands)
		o->commands = option_commands(o);
	r = check_modes(o);
	if (r == 0 && o->does->commands)
		r = check_command_words(o);
	if (r == 0)
		r = take_standing(o);
	return r == 0 ? check_together(o) : r;
}

void options_clear(struct options *o)
{
	conf_free(o->conf);
	o->conf = NULL;
	option_clear_values(o);
}
