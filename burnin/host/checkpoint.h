/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkpoint.h - the progress of a burn, as a text that another process can
 * continue from: the host and the settings it belongs to, its time, every
 * worker's counters, the first mismatches.  The last line is a hash of the rest,
 * so that a text that was cut or changed is refused.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "burnin/host/burn.h"

#include <stddef.h>
#include <stdint.h>

enum {
	CHECKPOINT_WORKERS = 1024, CHECKPOINT_COUNTERS = BURN_COUNTS_KEPT, CHECKPOINT_ERRORS = 64,
	CHECKPOINT_TEXT = 512
};

struct checkpoint {
	char host[CHECKPOINT_TEXT];	/* which machine; must match */
	char settings[CHECKPOINT_TEXT];	/* the request: "seed 42;threads 2;..."; must match */
	char kernel[CHECKPOINT_TEXT];	/* only shown */
	char fault[CHECKPOINT_TEXT];	/* of burn_result, of any process so far; "": none */
	/* Why the burn stays INCOMPLETE: a thread was moved, or stood still; "": it need not */
	char gap[CHECKPOINT_TEXT];
	int64_t elapsed;		/* ns of load */
	uint64_t runs;			/* processes that ran it so far */
	int workers;
	uint64_t (*counters)[CHECKPOINT_COUNTERS];
	int n_errors;
	struct burn_error errors[CHECKPOINT_ERRORS];
};

/*
 * Copy the burn's counters and mismatches, and note a thread that was moved; the caller fills in
 * host, settings, kernel, elapsed and runs.  False if a counter contradicts itself: do not continue
 * from such a checkpoint.
 */
bool checkpoint_take(struct checkpoint *c, const struct burn *b);

void checkpoint_put(struct strbuf *to, const struct checkpoint *c);

/* -EINVAL: not a checkpoint, cut off, or changed. */
int checkpoint_parse(const char *text, size_t len, struct checkpoint *c, struct error *e);

/* -EXDEV: another host; -EINVAL: other settings, or another number of workers. */
int checkpoint_match(const struct checkpoint *c, const char *host, const char *settings,
	int workers, struct error *e);

/* Copy the counters and mismatches to a burn with this many workers that is about to begin. */
void checkpoint_apply(const struct checkpoint *c, struct burn_shared *shared, int workers);
void checkpoint_clear(struct checkpoint *c);
