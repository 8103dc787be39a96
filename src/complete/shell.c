/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/complete/shell.h"

#include "base/mem.h"
#include "base/text.h"
#include "src/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void offer_list(struct offer *to)
{
	const char *comma = strrchr(to->word + to->from, ',');

	to->is_open = true;
	if (comma)
		to->part = (size_t)(comma + 1 - to->word);
}

/* A star is plain as well, since it is quoted for the shell. */
static bool offer_is_plain(const char *word)
{
	return word[strspn(word, OPTIONS_PLAIN "*")] == '\0';
}

/* Whether the list has this word before its last part. */
static bool offer_stands_there(const struct offer *to, const char *word)
{
	const size_t len = strlen(word);

	for (size_t at = to->from; at < to->part;) {
		const size_t n = strcspn(to->word + at, ",");

		if (n == len && strncmp(to->word + at, word, n) == 0)
			return true;
		at += n + 1;
	}
	return false;
}

void offer_add(struct offer *to, const char *word, const char *help)
{
	const char *begun = to->word + to->part;
	char plain[256];

	if (strncmp(word, begun, strlen(begun)) != 0 || !offer_is_plain(word) ||
		!offer_is_plain(to->word) || offer_stands_there(to, word))
		return;
	strbuf_printf(&to->text, "%.*s%s\t%s\n", (int)to->part, to->word, word,
		text_plain(plain, sizeof(plain), help));
}

/* Copy a word from *at without its quotes; *quote is the one that is still open at its end. */
static char *shell_word(char **at, char *to, char *quote)
{
	for (; **at && (*quote || !strchr(" \t\n", **at)); (*at)++) {
		const bool is_quote = **at == '\'' || **at == '"';

		if (is_quote && (!*quote || *quote == **at)) {
			*quote = *quote ? '\0' : **at;
			continue;
		}
		if (**at == '\\' && *quote != '\'' && (*at)[1])
			(*at)++;
		*to++ = **at;
	}
	return to;
}

size_t shell_split(char *line, const char ***words, bool *in_quotes)
{
	size_t n = 0;
	char quote = '\0', *at = line;
	bool ends;

	*words = NULL;
	do {
		char *word, *end;

		at += strspn(at, " \t\n");
		word = at;
		end = shell_word(&at, word, &quote);
		ends = *at == '\0';
		at += !ends;
		*end = '\0';
		*words = mem_realloc(*words, (n + 1) * sizeof(**words));
		(*words)[n++] = word;
	} while (!ends);
	*in_quotes = quote != '\0';
	return n;
}

static void shell_put_flags(struct strbuf *to, const struct offer *offer)
{
	if (offer->is_open)
		strbuf_puts(to, "open ");
	if (offer->files)
		strbuf_puts(to, "files ");
	if (offer->folders)
		strbuf_puts(to, "folders ");
	if (offer->command)
		strbuf_printf(to, "command=%zu ", offer->command);
	strbuf_putc(to, '\n');
}

void shell_put(struct strbuf *to, const struct offer *offer)
{
	shell_put_flags(to, offer);
	strbuf_add(to, offer->text.text, offer->text.len);
}

void shell_put_bash(struct strbuf *to, const struct offer *offer, const char *tail, bool in_quotes)
{
	const size_t len = strlen(offer->word);
	const char *line = offer->text.len > 0 ? offer->text.text : "";
	size_t cut = strlen(tail);

	shell_put_flags(to, offer);
	cut = cut <= len && strcmp(offer->word + len - cut, tail) == 0 ? len - cut : 0;
	for (; *line; line += strcspn(line, "\n") + 1) {
		for (const char *c = line + cut; *c != '\t'; c++) {
			if (*c == '*' && !in_quotes)
				strbuf_putc(to, '\\');
			strbuf_putc(to, *c);
		}
		strbuf_putc(to, '\n');
	}
}
