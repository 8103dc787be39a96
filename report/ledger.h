/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - what was asked of an act, and what it did: it passes only if both agree.
 *
 * The request is recorded before the start, in memory that the load cannot write to.  The
 * judging code counts the work done, from observations, never from the request.  A new item
 * of coverage is one enumerator and one row of the table.
 */
#pragma once

#include "report/figure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ledger_item {
	LEDGER_TIME,		/* ns of load */
	LEDGER_ROUNDS,		/* rounds over all operands by the slowest worker or core */
	LEDGER_THREADS,		/* host threads that verified everything at their end */
	LEDGER_WORKED,		/* host threads that worked as long as the load lasted */
	LEDGER_PLACES,		/* host threads that were only on the processor that they test */
	LEDGER_CORES,		/* a card's cores that both they and the host compared */
	LEDGER_IDENTITIES,	/* cores that reported their own coordinates */
	LEDGER_WORDS,		/* words of results compared, over all blocks */
	LEDGER_SUMS,		/* checksums of operands verified */
	LEDGER_JUDGES,		/* checks that reported a word made wrong on purpose */
	LEDGER_KINDS,		/* kinds of work that ran, summed over threads or cores */
	LEDGER_MOVERS,		/* cores whose second data mover did its part */
	LEDGER_VECTORS,		/* cores whose vector unit did its part */
	LEDGER_RELOADS,		/* cores that reloaded their operands from the card's memory */
	LEDGER_CHANNELS,	/* channels of a card's memory */
	LEDGER_MARKS,		/* channels that kept their own mark: no two are the same */
	LEDGER_ENDPOINTS,	/* endpoints of channels */
	LEDGER_PATTERNS,	/* patterns verified through each endpoint */
	LEDGER_BYTES,		/* bytes of memory verified */
	LEDGER_ITEMS
};

struct ledger_row {
	const char *key;	/* in the report; never renamed */
	const char *title;	/* "12 of 140 <title>" */
	uint64_t unit;		/* amounts are shown divided by this */
	bool is_least;		/* may exceed the request: times, rounds */
};

extern const struct ledger_row ledger_rows[LEDGER_ITEMS];

/* All zero: nothing is asked for, and nothing was done. */
struct ledger {
	uint64_t asked[LEDGER_ITEMS], done[LEDGER_ITEMS];
};

void ledger_ask(struct ledger *l, enum ledger_item item, uint64_t amount);
void ledger_count(struct ledger *l, enum ledger_item item, uint64_t amount);

/* An act ends with its time or its rounds, whichever is done first: no longer ask for the other. */
void ledger_choose_end(struct ledger *l);

/* Something was asked for and all of it was done; no more than that, but for is_least items. */
bool ledger_is_met(const struct ledger *l);

/*
 * Each part that falls short, "1 of 1024 MiB of memory verified; ..."; "" where the ledger is
 * met.  At most size bytes with the end; what does not fit is left out at a part's border.
 */
void ledger_put_gaps(const struct ledger *l, char *text, size_t size);

/* Add the items that were asked for or done. */
extern const struct figure_group ledger_figures;
void ledger_add_all(struct figure_value *to, const struct ledger *l);

/* Read such a list back; false: it has an item or an amount that no ledger can have. */
bool ledger_read(struct ledger *l, const struct figure_value *list);
