/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listed.h - the cards that words name, and which card an index meant when a person last saw it.
 *
 * An index counts the cards that are present: after one has left the bus, it
 * names another card.  So the cards that were listed on a terminal are
 * remembered, for this boot, this user and this source of cards.
 */
#pragma once

#include "base/record_file.h"
#include "src/options.h"
#include "src/session.h"
#include "telemetry/snapshot.h"

#include <stdint.h>

/* Names of a card that stay the same when other cards come and go. */
struct listed_card {
	char bdf[16];		/* "": none is remembered */
	uint64_t serial;	/* of its board; 0: not known */
};

struct listed {
	char boot[STATE_BOOT];
	uint64_t user;
	char source[16];
	struct listed_card cards[DEVICE_MAX];	/* by index */
};

/* A second chip has no address of its own and gets that of its board. */
void listed_card_of(const struct fleet *f, size_t index, struct listed_card *c);

/* Whether both are the same card.  An unknown serial is not a difference. */
bool listed_is_same(const struct listed_card *a, const struct listed_card *b);

/*
 * Remember the cards that are shown now, if stdout is a terminal and they are this
 * machine's.  A file that cannot be written is not reported.
 */
void listed_remember(const struct options *o, const struct fleet *f);

/*
 * For names after an option that acts: true if one is an index that meant another card when it
 * was last listed; both cards are then named on stderr.  Always false with --force.
 */
bool listed_has_moved(const struct options *o, const struct fleet *f, const char *names);

/* What to do then. */
#define LISTED_HINT \
	"name it by its bus address or serial, or list the cards again (tt-smi -ls)"

/* The file that keeps a struct listed. */
extern const struct record_file listed_file;

/* The cards that words name: by an index, PCI address, node or serial, "all" or "cards". */

enum named_as {
	NAMED_NOT,
	NAMED_CARD,
	NAMED_SECOND,		/* its board was named, and it is reached over ethernet alone */
	NAMED_HIDDEN,		/* excluded by --device or TT_VISIBLE_DEVICES */
	NAMED_GONE,		/* it was here at an earlier scan, and is not now */
	NAMED_GIVEN		/* by "all", but another driver has it: no act, no gate wants it */
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
