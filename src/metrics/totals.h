/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * totals.h - the totals of a machine's chips, kept in the state directory, so that counters go on
 * where they were when this program or the host starts again.
 *
 * One process at a time writes them; it has a lock.  Others show what that one writes, and the
 * next one takes over.  What acts count (act/counted.h) is read beside it.
 */
#pragma once

#include "act/counted.h"
#include "output/journal.h"
#include "src/session.h"
#include "telemetry/roster.h"
#include "telemetry/tally_book.h"

struct totals {
	struct bus *bus;
	struct tally_book *own;		/* what this process knows */
	struct tally_book *written;	/* as the file has it, of the one who writes it */
	struct tally_book *theirs;	/* the same, of another one */
	char boot[TALLY_BOOT];
	int64_t next_links;		/* clock_mono() of the next look at link errors */

	/* Where they are kept. */
	char dir[4096];			/* "": nowhere */
	char name[64];			/* "counters-kmd" */
	int lock;			/* -1: another process writes */
	uint64_t number;		/* of the newest file */
	int file;			/* 0 or 1: it is NAME.0 or NAME.1 */
	struct stat seen;		/* what was read last, of another process' file */
	struct journal *journal;	/* NULL: not open */
	int slot;			/* -1: no file is open */
	int64_t next_try;		/* clock_steady() of the next one, after a failure */
	bool has_failed;		/* and stderr says so */
	struct strbuf text;

	struct counted counted;
	const struct tally *shown[DEVICE_MAX];	/* by place in the roster; NULL: no room */
};

/* Take up what is kept of these cards, if anything is. */
void totals_open(struct totals *t, const struct session *s);

/* Take in a tick, which the roster has taken in; t->shown is what there is to show of it. */
void totals_take(struct totals *t, const struct fleet *f, const struct roster *r);

/* Waits for the disk. */
void totals_close(struct totals *t);
