/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - what was asked of an act, and what it did: PASS exists only where both agree.
 *
 * What is asked for is written down before the start, in memory that the load cannot write
 * to.  What was done is counted where it is judged, from what was seen, never from what was
 * asked.  A new thing that an act can cover is one enumerator and one row of the table.
 */
#pragma once

#include "telemetry/figure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ledger_item {
	LEDGER_TIME,		/* ns of load */
	LEDGER_ROUNDS,		/* over all operands, of the slowest worker or core */
	LEDGER_THREADS,		/* of the host, that verified all at their end */
	LEDGER_CORES,		/* of a card, that were compared, by themselves and the host */
	LEDGER_IDENTITIES,	/* cores that reported their own coordinates */
	LEDGER_WORDS,		/* of results, that were compared: those of all blocks */
	LEDGER_SUMS,		/* of operands, that were verified */
	LEDGER_KINDS,		/* kinds of work, of each thread or core */
	LEDGER_MOVERS,		/* cores whose second data mover did its part */
	LEDGER_VECTORS,		/* cores whose vector unit did its part */
	LEDGER_RELOADS,		/* cores whose operands came from the card's memory anew */
	LEDGER_CHANNELS,	/* of a card's memory */
	LEDGER_MARKS,		/* channels that kept a mark of their own: no two are one */
	LEDGER_ENDPOINTS,	/* of channels */
	LEDGER_PATTERNS,	/* through each endpoint */
	LEDGER_BYTES,		/* of memory, verified */
	LEDGER_ITEMS
};

struct ledger_row {
	const char *key;	/* of the report; never renamed */
	const char *title;	/* "12 of 140 <title>" */
	uint64_t unit;		/* amounts are shown divided by this */
	bool is_least;		/* more than was asked for is fine: times, rounds */
};

extern const struct ledger_row ledger_rows[LEDGER_ITEMS];

/* All zero: nothing is asked for, and nothing was done. */
struct ledger {
	uint64_t asked[LEDGER_ITEMS], done[LEDGER_ITEMS];
};

void ledger_ask(struct ledger *l, enum ledger_item item, uint64_t amount);
void ledger_count(struct ledger *l, enum ledger_item item, uint64_t amount);

/* Time and rounds end an act, whichever is done first: the other is no longer asked for. */
void ledger_choose_end(struct ledger *l);

/* Something was asked for, and all of that was done; of what is countable, no more. */
bool ledger_is_met(const struct ledger *l);

/*
 * Each part that falls short, "1 of 1024 MiB of memory verified; ..."; "" where the ledger is
 * met.  At most size bytes with the end; what does not fit is left out at a part's border.
 */
void ledger_put_gaps(const struct ledger *l, char *text, size_t size);

/* The items that were asked for, or done, in their units. */
extern const struct figure_group ledger_figures;
void ledger_add_all(struct figure_value *to, const struct ledger *l);

/* From such a list; false where it has what no ledger has. */
bool ledger_read(struct ledger *l, const struct figure_value *list);
