/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_transfer.h - how fast the host reads and writes a card's memory, and whether the data
 * arrives unchanged.
 *
 * Each piece of memory is read, overwritten, read again and restored; the next piece is at
 * another place.  All accesses go through the windows that the driver lends: they are the
 * processor's own loads and stores, not transfers that the card makes by itself.
 */
#pragma once

#include "act/ledger.h"
#include "base/error.h"
#include "burnin/memory/memory_kept.h"
#include "device/device.h"

#include <stdatomic.h>

#define CARD_TRANSFER_PIECE (64u << 10)

enum card_transfer_way { CARD_TRANSFER_TO, CARD_TRANSFER_FROM, CARD_TRANSFER_WAYS };

struct card_transfer_plan {
	uint32_t enabled, channels;	/* as in struct card_memory_plan */
	struct memory_kept kept;
	uint64_t seed;			/* for places and data */
	int64_t duration;		/* ns; but each channel gets at least one piece */
};

struct card_transfer_wrong {
	unsigned channel;
	uint64_t addr;
	uint32_t got, want;
};

struct card_transfer {
	_Atomic uint64_t moved;		/* bytes: a sign of life */
	uint64_t bytes[CARD_TRANSFER_WAYS];
	int64_t took[CARD_TRANSFER_WAYS];	/* ns of a processor, for these bytes */
	uint32_t done;			/* channels where a piece was written, read and restored */
	uint64_t wrong;			/* words */
	struct card_transfer_wrong first;
};

/*
 * The caller holds the handle for ACCESS_BURN.  go_on() is called before each piece.  0, or
 * -errno with the place in e.
 */
int card_transfer_run(struct device *d, const struct card_transfer_plan *p,
	struct card_transfer *t, bool (*go_on)(void *arg), void *arg, struct error *e);

/* Bytes a second; 0: nothing was measured. */
double card_transfer_rate(const struct card_transfer *t, enum card_transfer_way way);
