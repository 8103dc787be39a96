/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - from words to cards, the same for every act: an index, a PCI address, a node, a
 * serial, "all" or "cards".
 */
#pragma once

#include "src/session.h"

enum named_as {
	NAMED_NOT,
	NAMED_CARD,
	NAMED_SECOND,		/* its board was named, and it is reached over ethernet alone */
	NAMED_HIDDEN,		/* it may not be seen here: --device, TT_VISIBLE_DEVICES */
	NAMED_GONE		/* it was here at an earlier scan */
};

struct named {
	enum named_as chip[DEVICE_MAX];
	bool by_index[DEVICE_MAX];	/* a word is its index */
	size_t n;			/* NAMED_CARD */
};

/*
 * Find what these words name, all of it in one text.  -EINVAL: one of them cannot be a name;
 * -ENODEV: there is no such card.
 */
int named_find(const struct session *s, const char *words, struct named *out, struct error *e);

/* Of the session's cards leave those that the words after the mode name, where there are any. */
enum exit_code named_limit(struct session *s, const struct options *o);

/* The words of the command line in one text; "all" where there are none. */
void named_join(const struct options *o, struct strbuf *words);

/* EXIT_DONE: one card or more may be acted on; else it is said why there is none. */
enum exit_code named_verdict(const struct session *s, const struct named *named);

/* Why nothing can be done with the session's cards; NULL: they are not a file's. */
const char *named_objection(const struct session *s);

/* The same, said; true: there is none. */
bool named_can_act(const struct session *s);
