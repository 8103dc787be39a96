/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listed.h - which card an index meant when a person last saw it.
 *
 * An index counts the cards that are present: after one has left the bus, it
 * names another card.  So the cards that were listed on a terminal are
 * remembered, for this boot, this user and this source of cards.
 */
#pragma once

#include "src/options.h"
#include "telemetry/snapshot.h"

#include <stdint.h>

/* Names of a card that stay the same when other cards come and go. */
struct listed_card {
	char bdf[16];		/* "": none is remembered */
	uint64_t serial;	/* of its board; 0: not known */
};

struct listed {
	char boot[40];
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

/* Parse the text of its file (not terminated); false: it is incomplete or malformed. */
bool listed_parse(const char *text, size_t len, struct listed *l);
void listed_put(const struct listed *l, struct strbuf *text);
