/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/complete/line.h"
#include "src/option_fit.h"

#include <string.h>

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
		l->o.mode = row->mode;
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
	if (strcmp(word, "--") == 0 || (word[0] != '-' && l->o.mode == MODE_DURING)) {
		if (l->o.mode == MODE_DURING)
			l->command = word[0] == '-' ? i + 1 : i;
		l->is_over = true;
		return false;
	}
	id = option_find(word);
	if (id < OPTIONS)
		line_take_option(l, (enum option_id)id, word);
	return true;
}

void line_read(struct line *l, const char **words, size_t n)
{
	*l = (struct line){ .o.mode = MODE_LIVE, .word = words[n - 1] };
	for (size_t i = 1; i + 1 < n && line_take_word(l, words, i); i++)
		;
	l->o.commands = option_commands(&l->o);
}

bool line_takes(const struct line *l, enum option_id id)
{
	const struct option_row *row = &option_rows[id];
	const bool repeats = row->kind == OPTION_LIST || row->kind == OPTION_SHAPES;

	if ((l->o.typed[id] && !repeats) || option_conflict(&l->o, id) < OPTIONS)
		return false;
	return !l->has_mode || option_fits_mode(&l->o, row) ||
	       (row->mode && option_is_beside(l->o.mode, row->mode));
}
