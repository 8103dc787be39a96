/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * totals.h - the totals of a machine's chips, kept in the state directory, so that counters go on
 * where they were when this program or the host starts again.
 *
 * One process at a time writes them, and holds a lock.  The others show what that one writes, but
 * what they count themselves for a chip that it does not sample; when it ends, one of them takes
 * over.  Counts of acts (act/counted.h) are read in addition.
 */
#pragma once

#include "act/counted.h"
#include "output/journal.h"
#include "src/session.h"
#include "telemetry/roster.h"
#include "telemetry/tally_book.h"

struct totals {
	struct bus *bus;
	struct tally_book *own;		/* those of this process */
	/* As we wrote them last; of another process' totals, as we read them first. */
	struct tally_book *written;
	struct tally_book *theirs;	/* as another process wrote it */
	char boot[TALLY_BOOT];
	int64_t next_links;		/* clock_mono() of the next look at link errors */

	/* Where they are kept. */
	char dir[4096];			/* "": nowhere */
	char name[64];			/* "counters-kmd" */
	bool keeps;			/* this process writes them, or follows the one that does */
	int64_t followed;		/* clock_mono() since when it follows; 0: it does not */
	int lock;			/* -1: another process writes */
	uint64_t number;		/* of the newest file */
	int file;			/* 0 or 1: it is NAME.0 or NAME.1 */
	struct stat seen;		/* of another process' files, when they were read last */
	struct journal *journal;	/* NULL: not open */
	int slot;			/* -1: no file is open */
	int64_t next_try;		/* clock_mono() of the next one, after a failure */
	bool has_failed;		/* they could not be kept, as stderr says */
	struct strbuf text;

	struct counted counted;
	const struct tally *shown[DEVICE_MAX];	/* by place in the roster; NULL: no room */
};

/*
 * Prepare for these cards; totals_take() reads what is kept of them, if anything is.  Only a
 * process that samples all cards, at most TALLY_SPARSE apart, may have `keeps`: the others show
 * what it writes.  One without counts from 0, for itself.
 */
void totals_open(struct totals *t, const struct session *s, bool keeps);

/* Take in a tick, after the roster has; t->shown then has the totals to show. */
void totals_take(struct totals *t, const struct fleet *f, const struct roster *r);

/* Waits for the disk. */
void totals_close(struct totals *t);
