/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listed.h - which card an index meant when a person last saw it.
 *
 * An index counts the cards that are there: after one has left the bus it names
 * another.  So what was listed on a terminal is remembered, for this boot, this
 * user and this source of cards.
 */
#pragma once

#include "src/options.h"
#include "telemetry/fleet.h"

#include <stdint.h>

/* What a card is called, however the others come and go. */
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

/* A second chip, which has no address of its own, goes by that of its board. */
void listed_card_of(const struct fleet *f, size_t index, struct listed_card *c);

/* False: they are two.  A serial that is not known is not a difference. */
bool listed_is_same(const struct listed_card *a, const struct listed_card *b);

/*
 * These cards are shown now: remember them, unless stdout is not a terminal or they are
 * not this machine's.  Where it cannot be written nothing is said.
 */
void listed_remember(const struct options *o, const struct fleet *f);

/*
 * Names after an option that acts: true where one of them is an index that was another card's
 * when it was last listed, which is said with both names.  Never with --force.
 */
bool listed_has_moved(const struct options *o, const struct fleet *f, const char *names);

/* What to do then. */
#define LISTED_HINT \
	"name it by its bus address or serial, or list the cards again (tt-smi -ls)"

/* The text of its file (not terminated); false: it is not whole, or not one. */
bool listed_parse(const char *text, size_t len, struct listed *l);
void listed_put(const struct listed *l, struct strbuf *text);
