/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_again.c - the command line that asks for the same again.
 */
#include "config.h"
#include "src/options.h"

#include <string.h>

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
