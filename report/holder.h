/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holder.h - which program has a card, and whether it only watches it.  Three signs show it: the
 * lock of the card's file, the driver's own lock, and a process that has its node open.  All are
 * reported in the same words.
 */
#pragma once

#include "device/device.h"
#include "telemetry/snapshot.h"

/*
 * The acts on cards or on the host, in words: for the code that performs them (src/act.h), and to
 * recognise another program that performs one.
 */

enum act_kind {
	ACT_RESET, ACT_TEST_MEMORY, ACT_BURN_CARDS, ACT_BURN_HOST, ACT_CHECK_MEMORY, ACT_COMPUTE,
	ACT_DIAG,
	ACTS
};

struct act_words {
	const char *name;		/* "memory check" */
	const char *undone;		/* "nothing was read", said when it is refused */
	const char *options[16];	/* every spelling that requests it, without dashes */
};

extern const struct act_words act_words[ACTS];

/* Our own live displays and dumps: they release a card for its reset, and change nothing. */
bool holder_is_monitor(const struct process *p);

/* Whether this process resets a card.  A live display locks one only for that. */
bool holder_resets(pid_t pid);

/* The next process that has the card open, monitors left out; NULL after the last. */
const struct process *holder_next(const struct fleet *f, int index, size_t *at);

#define HOLDER_TEXT 320

/* The beginning of every text that names a holder. */
#define HOLDER_HAS_IT "another program has it: "

/* "another program has it: process 4242 (root) has it open: ./app" */
void holder_put(const struct device *d, const struct process *p, char text[static HOLDER_TEXT]);

/*
 * Look for a process that has the card open now, and write the same about it: about a monitor only
 * if there is nobody else, and about none if none can be seen.  True: it is not a monitor.
 */
bool holder_find(struct device *d, char text[static HOLDER_TEXT]);

/* The same for the driver's lock. */
extern const char holder_of_driver[];
