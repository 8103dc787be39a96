/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/complete/offer.h"
#include "base/text.h"
#include "src/options.h"

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
