/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - finds the cards that words name, the same for every act: an index, a PCI address, a
 * node, a serial, "all" or "cards".
 */
#pragma once

#include "src/session.h"

enum named_as {
	NAMED_NOT,
	NAMED_CARD,
	NAMED_SECOND,		/* its board was named, and it is reached over ethernet alone */
	NAMED_HIDDEN,		/* excluded by --device or TT_VISIBLE_DEVICES */
	NAMED_GONE		/* it was here at an earlier scan, and is not now */
};

struct named {
	enum named_as chip[DEVICE_MAX];
	bool by_index[DEVICE_MAX];	/* a word names it by its index */
	size_t n;			/* how many are NAMED_CARD */
	int hidden;			/* the first NAMED_HIDDEN that "all" did not name, or -1 */
};

/*
 * Find the cards that these words name; they are one text.  -EINVAL: a word cannot be a name;
 * -ENODEV: there is no such card.
 */
int named_find(const struct session *s, const char *words, struct named *out, struct error *e);

/*
 * Limit the session to the cards that the words after the mode name, if there are words.  If one of
 * them is hidden, stderr says so, and the session misses it.
 */
enum exit_code named_limit(struct session *s, const struct options *o);

/* The words of the command line in one text; "all" where there are none. */
void named_join(const struct options *o, struct strbuf *words);

/*
 * True: a card was named by itself that may not be seen here.  Then stderr says so, and what was
 * not done ("nothing was reset"; NULL: the others are still shown).
 */
bool named_is_hidden(const struct session *s, const struct named *named, const char *undone);

/*
 * For an act: EXIT_DONE if there is a card and none is hidden that was named by itself; else stderr
 * says why nothing is done.
 */
enum exit_code named_verdict(const struct options *o, const struct session *s,
	const struct named *named);

/*
 * True: the cards are from a file (--load, --replay, --root), so they cannot be acted on.  The text
 * is the reason.
 */
#define NAMED_TEXT 96
bool named_is_recorded(const struct options *o, char text[static NAMED_TEXT]);
