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

void listed_card_of(const struct snapshot *s, struct listed_card *c);

/* False: they are two.  A serial that is not known is no difference. */
bool listed_is_same(const struct listed_card *a, const struct listed_card *b);

/* "0000:01:00.0 (serial 0100...)" for people. */
const char *listed_name(const struct listed_card *c, char *buf, size_t size);

/*
 * These cards are shown now: remember them, unless stdout is no terminal or they are
 * not this machine's.  Where it cannot be written nothing is said.
 */
void listed_remember(const struct options *o, const struct fleet *f);

/* What is remembered of such cards; false: nothing. */
bool listed_recall(const struct options *o, const struct fleet *f, struct listed *l);

/* The text of its file (not terminated); false: it is not whole, or not one. */
bool listed_parse(const char *text, size_t len, struct listed *l);
void listed_put(const struct listed *l, struct strbuf *text);
