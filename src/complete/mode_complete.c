/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_complete.c - --completion SHELL prints a script for the shell.  The script passes the line
 * that is being typed to --complete SHELL, and itself knows nothing of options.
 */
#include "config.h"
#include "base/array.h"
#include "base/mem.h"
#include "src/complete/line.h"
#include "src/complete/offer.h"
#include "src/complete/shell.h"
#include "src/complete/values.h"
#include "src/mode.h"
#include "src/option_fit.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void complete_attached(struct offer *to, const struct line *l, const char *value)
{
	const size_t id = option_find(to->word);

	to->from = to->part = (size_t)(value - to->word);
	if (id < OPTIONS)
		values_offer(to, l, (enum option_id)id);
}

static void complete_word(struct offer *to, const struct line *l)
{
	const char *value = strchr(to->word, '=');
	const bool may_be_option = !l->must_be_value && (to->word[0] == '-' || to->word[0] == '\0');

	to->command = l->command;
	if (l->is_over)
		return;
	if (l->must_be_value || (l->may_be_value && to->word[0] != '-'))
		values_offer(to, l, l->of);
	if (!may_be_option || to->text.len > 0 || to->files || to->folders)
		return;
	to->is_open = false;
	if (value)
		complete_attached(to, l, value + 1);
	else
		complete_options(to, l);
}

static enum exit_code complete_put(const struct options *o, const char **words, size_t n,
	const char *tail, bool in_quotes)
{
	struct strbuf text = { 0 };
	struct offer offer = { .word = words[n - 1] };
	struct line l;

	line_read(&l, words, n);
	complete_word(&offer, &l);
	if (o->shell == SHELL_BASH)
		shell_put_bash(&text, &offer, tail, in_quotes);
	else
		shell_put(&text, &offer);
	strbuf_clear(&offer.text);
	return session_put(&text, EXIT_DONE);
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
