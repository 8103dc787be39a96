/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_complete.c - --completion SHELL prints a script for the shell.  The script passes the line
 * that is being typed to --complete SHELL, and itself knows nothing of options.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/impl.h"
#include "device/sim/sim.h"
#include "health/health.h"
#include "reset/plan.h"
#include "src/complete/shell.h"
#include "src/mode.h"
#include "src/option_value.h"
#include "src/options.h"
#include "src/say.h"
#include "src/session.h"
#include "telemetry/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A command line that is still being typed, read by the option table.  options_parse() needs one
 * that is complete and correct; here what there is is taken, and what is not known is skipped.
 */
struct line {
	struct options o;		/* only typed[], mode, dump, commands, devices, targets */
	const char *values[OPTIONS];	/* as they were typed; NULL: none */
	bool has_mode;			/* an option asked for one */
	const char *word;		/* the last one, up to the cursor */
	enum option_id of;		/* the option whose value the word may be */
	bool may_be_value, must_be_value;
	size_t command;			/* words before the command of --during; 0: none yet */
	bool is_over;			/* nothing of ours can follow */
};

static void line_take_value(struct line *l, const char **word)
{
	const struct option_row *row = &option_rows[l->of];

	l->values[l->of] = *word;
	if (row->gives)
		l->o.typed[row->gives] = *word;
	if (l->of == OPT_DEVICE)
		l->o.devices = (char *)(uintptr_t)*word;
	l->must_be_value = l->may_be_value = false;
	if (row->kind != OPTION_WORDS)
		return;
	if (l->o.n_targets++ == 0)
		l->o.targets = word;
	l->may_be_value = !row->most || l->o.n_targets < (size_t)row->most;
}

static void line_take_option(struct line *l, enum option_id id, const char *word)
{
	const struct option_row *row = &option_rows[id];
	const char *value = strchr(word, '=');

	l->o.typed[id] = word;
	l->o.dump = l->o.dump || id == OPT_DUMP;
	if (row->mode && !(l->has_mode && row->beside && row->beside == l->o.mode)) {
		options_set_mode(&l->o, row->mode);
		l->has_mode = true;
	}
	l->of = id;
	l->may_be_value = row->kind != OPTION_FLAG && (!value || row->kind == OPTION_WORDS);
	l->must_be_value = l->may_be_value && !row->optional && !value;
	if (value)
		l->values[id] = value + 1;
}

/* False: what follows is not ours. */
static bool line_take_word(struct line *l, const char **words, size_t i)
{
	const char *word = words[i];
	size_t id;

	if (l->must_be_value || (l->may_be_value && word[0] != '-')) {
		line_take_value(l, &words[i]);
		return true;
	}
	l->may_be_value = false;
	if (strcmp(word, "--") == 0 || (word[0] != '-' && l->o.typed[OPT_DURING])) {
		if (l->o.typed[OPT_DURING])
			l->command = word[0] == '-' ? i + 1 : i;
		l->is_over = true;
		return false;
	}
	id = option_find(word);
	if (id < OPTIONS)
		line_take_option(l, (enum option_id)id, word);
	return true;
}

/* Read n words, at least one; the first is the program's name.  They must outlive *l. */
static void line_read(struct line *l, const struct mode_ops *table, const char **words, size_t n)
{
	*l = (struct line){ .o.modes = table, .o.does = &table[MODE_LIVE], .word = words[n - 1] };
	for (size_t i = 1; i + 1 < n && line_take_word(l, words, i); i++)
		;
	l->o.commands = option_commands(&l->o);
}

/* Whether the option may be added: it fits the mode and the others, and is not there yet. */
static bool line_takes(const struct line *l, enum option_id id)
{
	const struct option_row *row = &option_rows[id];
	const bool repeats = row->kind == OPTION_LIST || row->kind == OPTION_SHAPES;

	if ((l->o.typed[id] && !repeats) || option_conflict(&l->o, id) < OPTIONS)
		return false;
	return !l->has_mode || option_fits_mode(&l->o, row) ||
	       (row->mode && option_is_beside(l->o.mode, row->mode));
}

/* The values that are in the burn-in's tables. */

static void kernels_offer_cases(struct offer *to)
{
	char channels[12];

	for (size_t i = 0; i < BURN_CASES; i++) {
		snprintf(channels, sizeof(channels), "%d", burn_cases[i].channels);
		offer_add(to, channels, "input channels");
	}
}

static void kernels_offer_impls(struct offer *to)
{
	for (size_t i = 0; impls[i]; i++) {
		offer_add(to, impls[i]->name, impls[i]->version);
		if (i == 0 || strcmp(impls[i]->version, impls[i - 1]->version) != 0)
			offer_add(to, impls[i]->version, "all of this version");
	}
}

/*
 * The cards that a line may name: those of its own --sim, --root, --replay or --load, else those of
 * this machine.  A person has pressed a key and waits.  So no card is opened (as with --passive),
 * nothing is written, and a card that was not read in time is offered without its board.
 */

#define PATIENCE (500 * CLOCK_MS)

static const enum option_id cards_sources[] = {
	OPT_SIM, OPT_SIM_SEED, OPT_ROOT, OPT_REPLAY, OPT_LOAD
};

/* Reading from a pipe or a terminal may wait for ever. */
static bool cards_can_be_read(enum option_id source, const char *value)
{
	struct stat st;

	return option_rows[source].kind != OPTION_PATH ||
	       (stat(value, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)));
}

/* Turn the line's source of cards into options of our own; false: it cannot be read. */
static bool cards_choose(struct options *o, const struct line *l)
{
	char names[ARRAY_LEN(cards_sources)][24];
	char *argv[2 * ARRAY_LEN(cards_sources) + 2] = { (char *)(uintptr_t)"tt-smi" };
	int argc = 1;

	for (size_t i = 0; i < ARRAY_LEN(cards_sources); i++) {
		const enum option_id id = cards_sources[i];

		if (!l->values[id])
			continue;
		if (!cards_can_be_read(id, l->values[id]))
			return false;
		option_spelling(id, names[i], sizeof(names[i]));
		argv[argc++] = names[i];
		argv[argc++] = (char *)(uintptr_t)l->values[id];
	}
	/* A simulator takes seconds. */
	if (options_parse(o, l->o.modes, argc, argv) < 0 || o->ttsim) {
		options_clear(o);
		return false;
	}
	options_set_mode(o, MODE_COMPLETE);
	o->passive = true;
	return true;
}

static void cards_add(struct offer *to, const struct snapshot *s)
{
	static const enum identity_id longer[] = { IDENTITY_NODE, IDENTITY_SERIAL };
	const bool has_begun = to->word[to->part] != '\0';
	/* "N/A": sysfs alone does not have it. */
	const char *series = strcmp(s->series, "N/A") == 0 ? "" : s->series;
	char name[40], help[120];

	snprintf(name, sizeof(name), "%d", s->index);
	snprintf(help, sizeof(help), "%s %s", s->bdf, series);
	offer_add(to, name, help);
	snprintf(help, sizeof(help), "%d %s", s->index, series);
	if (*s->bdf)
		offer_add(to, s->bdf, help);
	/* Offer the longer names only when something has been typed. */
	for (size_t i = 0; has_begun && i < ARRAY_LEN(longer); i++)
		if (*identity_text(longer[i], s, name, sizeof(name)))
			offer_add(to, name, help);
}

/* The names of the cards that the line is about; reads sysfs only, and waits for no card. */
static void cards_offer(struct offer *to, const struct line *l)
{
	struct options o;
	struct session s;
	const struct fleet *f;

	if (l->o.typed[OPT_TTSIM] || !cards_choose(&o, l))
		return;
	if (session_open_until(&s, &o, clock_mono() + PATIENCE) == EXIT_DONE) {
		f = sampler_fleet(s.sampler);
		for (size_t i = 0; i < f->n; i++)
			if (f->wanted[i])
				cards_add(to, &f->chips[i]);
		session_close(&s);
	}
	options_clear(&o);
}

/* Which table has the values of an option (enum option_values), and their words. */

#define FEW 16	/* numbers that are worth a list */

static void values_checks(struct offer *to)
{
	for (size_t i = 0; i < health_n_checks; i++)
		offer_add(to, health_checks[i].id, health_checks[i].help);
	offer_add(to, "help", "list them all");
}

static void values_fields(struct offer *to)
{
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
		offer_add(to, fields[f].key, fields[f].help);
	offer_add(to, "help", "list them all");
}

static void values_dump_fields(struct offer *to)
{
	for (int g = 0; g < FIELD_GROUPS; g++)
		offer_add(to, field_group_title((enum field_group)g), "a group of fields");
	offer_add(to, "all", "all fields");
	values_fields(to);
}

static void values_query(struct offer *to)
{
	for (size_t i = 0; i < IDENTITIES; i++)
		offer_add(to, identities[i].key, identities[i].help);
	values_fields(to);
}

static void values_methods(struct offer *to)
{
	/* A method outside the driver is asked for by name, and cannot be forbidden. */
	for (int m = 0; m < PLAN_OUTSIDE; m++)
		offer_add(to, plan_method_name((enum plan_method)m), "");
}

/* [N*]BOARD[:FAULT...]; the time of a fault is not completed. */
static void values_boards(struct offer *to)
{
	const char *part = to->word + to->part, *star = strchr(part, '*');
	const char *colon = strrchr(part, ':');

	to->is_open = true;
	to->from = to->part;	/* the same board may be given twice */
	if (colon || star)
		to->part = (size_t)((colon ? colon : star) + 1 - to->word);
	for (size_t i = 0; colon && i < SIM_FAULTS; i++)
		offer_add(to, sim_faults[i].name, sim_faults[i].help);
	for (size_t i = 0; !colon && sim_board_name(i); i++)
		offer_add(to, sim_board_name(i), "");
}

static void values_cards(struct offer *to)
{
	cards_offer(to, to->line);
	offer_add(to, "all", "all cards");
}

/* Offer a command with its files, or what can be burned. */
static void values_burnin(struct offer *to)
{
	for (int c = 0; c < COMMANDS; c++) {
		const struct command_row *row = &burnin_commands[c];

		if (row->run && to->line->o.n_targets == 0) {
			offer_add(to, row->name, row->words + (row->words[0] == ' '));
		} else if (row->run && strcmp(to->line->o.targets[0], row->name) == 0) {
			to->files = row->most > 0;
			return;
		}
	}
	offer_add(to, "host", "the processors of this machine");
	offer_add(to, "cards", "all cards, without the host");
	values_cards(to);
}

static const struct {
	void (*offer)(struct offer *to);
	bool is_list;		/* commas may stand between them */
	bool files, folders;
} values[OPTION_VALUES] = {
	[VALUES_BOARDS] = { .offer = values_boards, .is_list = true },
	[VALUES_BURNIN] = { .offer = values_burnin },
	[VALUES_CARDS] = { .offer = values_cards, .is_list = true },
	[VALUES_CASES] = { .offer = kernels_offer_cases },
	[VALUES_CHECKS] = { .offer = values_checks },
	[VALUES_DUMP_FIELDS] = { .offer = values_dump_fields },
	[VALUES_FILES] = { .files = true },
	[VALUES_FOLDERS] = { .folders = true },
	[VALUES_IMPLS] = { .offer = kernels_offer_impls },
	[VALUES_METHODS] = { .offer = values_methods },
	[VALUES_QUERY] = { .offer = values_query },
};

static void values_offer(struct offer *to, enum option_id id)
{
	const struct option_row *row = &option_rows[id];
	char number[24];

	if (row->kind == OPTION_LIST || row->kind == OPTION_SET || values[row->values].is_list)
		offer_list(to);
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		offer_add(to, row->choices[i], "");
	for (int64_t v = row->least; row->kind == OPTION_COUNT && row->most > 0 &&
		row->most - row->least < FEW && v <= row->most; v++) {
		snprintf(number, sizeof(number), "%lld", (long long)v);
		offer_add(to, number, row->unit ? row->unit : "");
	}
	if (values[row->values].offer)
		values[row->values].offer(to);
	to->folders |= values[row->values].folders;
	to->files |= values[row->values].files || (row->kind == OPTION_PATH && !to->folders);
}

/* The answer, and the script that asks. */

/* As -h spells it, or with one dash if the word begins with one dash and a letter. */
static const char *complete_spell(const char *word, enum option_id id, size_t k, char *buf,
	size_t size)
{
	if (word[0] == '-' && word[1] && word[1] != '-') {
		snprintf(buf, size, "-%s", option_rows[id].names[k]);
		return buf;
	}
	return option_spell(id, k, buf, size);
}

static void complete_options(struct offer *to, const struct line *l)
{
	char name[64];

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->group == OPTION_HIDDEN || !line_takes(l, (enum option_id)i))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			offer_add(to, complete_spell(to->word, (enum option_id)i, k, name,
				sizeof(name)), row->help);
	}
}

/* "--theme=da" */
static void complete_attached(struct offer *to, const char *value)
{
	const size_t id = option_find(to->word);

	to->from = to->part = (size_t)(value - to->word);
	if (id < OPTIONS)
		values_offer(to, (enum option_id)id);
}

static void complete_word(struct offer *to, const struct line *l)
{
	const char *value = strchr(to->word, '=');
	const bool may_be_option = !l->must_be_value && (to->word[0] == '-' || to->word[0] == '\0');

	to->command = l->command;
	if (l->is_over)
		return;
	if (l->must_be_value || (l->may_be_value && to->word[0] != '-'))
		values_offer(to, l->of);
	if (!may_be_option || to->text.len > 0 || to->files || to->folders)
		return;
	to->is_open = false;
	if (value)
		complete_attached(to, value + 1);
	else
		complete_options(to, l);
}

static enum exit_code complete_put(const struct options *o, const char **words, size_t n,
	const char *tail, bool in_quotes)
{
	struct strbuf text = { 0 };
	struct line l;
	struct offer offer = { .line = &l, .word = words[n - 1] };

	line_read(&l, o->modes, words, n);
	complete_word(&offer, &l);
	if (o->shell == SHELL_BASH)
		shell_put_bash(&text, &offer, tail, in_quotes);
	else
		shell_put(&text, &offer);
	strbuf_clear(&offer.text);
	return outlet_print(&text, EXIT_DONE);
}

enum exit_code mode_complete(const struct options *o)
{
	const char **words = NULL;
	enum exit_code code;
	size_t n = 0;
	bool in_quotes = false;

	while (o->command[n])
		n++;
	if (n == 0 || (o->shell == SHELL_BASH && n != 2)) {
		say_as(CODE_BAD_VALUE, "usage: tt-smi --complete bash -- LINE WORD, or zsh or "
			"fish and all words");
		return EXIT_USAGE;
	}
	if (o->shell == SHELL_BASH) {
		n = shell_split(o->command[0], &words, &in_quotes);
	} else {
		words = mem_calloc(n, sizeof(*words));
		for (size_t i = 0; i < n; i++)
			words[i] = o->command[i];
	}
	code = complete_put(o, words, n, o->command[1], in_quotes);
	free(words);
	return code;
}

enum exit_code mode_completion(const struct options *o)
{
	fputs(shell_scripts[o->shell], stdout);
	return EXIT_DONE;
}
