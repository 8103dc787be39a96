/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkpoint.h - what a burn has done so far, as a text that another process can
 * continue from: the host and the settings it belongs to, its time, every
 * worker's counters, the first mismatches.  Its last line is a hash of the rest,
 * so that a text that was cut or changed is refused.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "burnin/host/burn.h"

#include <stddef.h>
#include <stdint.h>

enum {
	CHECKPOINT_WORKERS = 1024, CHECKPOINT_COUNTERS = BURN_COUNTS_KEPT, CHECKPOINT_ERRORS = 64,
	CHECKPOINT_TEXT = 512
};

struct checkpoint {
	char host[CHECKPOINT_TEXT];	/* which machine: compared */
	char settings[CHECKPOINT_TEXT];	/* what was asked for: "seed 42;threads 2;...", compared */
	char kernel[CHECKPOINT_TEXT];	/* shown */
	int64_t elapsed;		/* ns of load */
	uint64_t runs;			/* processes that did it */
	int workers;
	uint64_t (*counters)[CHECKPOINT_COUNTERS];
	int n_errors;
	struct burn_error errors[CHECKPOINT_ERRORS];
};

/*
 * What stands in the burn's counters; host, settings, kernel, elapsed and runs are the caller's.
 * False where they contradict themselves: nobody is to go on with those.
 */
bool checkpoint_take(struct checkpoint *c, const struct burn *b);

void checkpoint_put(struct strbuf *to, const struct checkpoint *c);

/* -EINVAL: not one, not whole, changed. */
int checkpoint_parse(const char *text, size_t len, struct checkpoint *c, struct error *e);

/* -EXDEV: of another host; -EINVAL: with other settings, or another number of workers. */
int checkpoint_match(const struct checkpoint *c, const char *host, const char *settings,
	int workers, struct error *e);

/* The counters of a burn that is about to begin, with so many workers. */
void checkpoint_apply(const struct checkpoint *c, struct burn_shared *shared, int workers);
void checkpoint_clear(struct checkpoint *c);
