/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally_book.h - the totals of all chips, and the text of a file that keeps them.
 *
 * The file only grows: a head, then a record for each moment, with what has changed since the
 * record before.  Each ends with a hash of itself, so that what a kill, a full disk or a power cut
 * left of the last one is seen to be torn, and everything before it counts.
 */
#pragma once

#include "telemetry/tally.h"

#define TALLY_BOOK_CHIPS DEVICE_MAX
#define TALLY_BOOT	 40		/* room for the kernel's name of this boot */

/* When a record was written: clock_mono() means nothing after another boot. */
struct tally_moment {
	char boot[TALLY_BOOT];		/* "": unknown, and like no other one */
	int64_t mono, real;		/* clock_mono(), clock_real() */
};

struct tally_entry {
	char bdf[16];
	int chip;			/* as in struct roster_chip */
	struct tally tally;
};

struct tally_book {
	size_t n;
	struct tally_entry entries[TALLY_BOOK_CHIPS];
};

/* The totals of this chip, which begin at 0 where it is new; NULL: there is no room. */
struct tally *tally_book_find(struct tally_book *b, const char *bdf, int chip);

/* The same, of one that is there; else NULL. */
const struct tally *tally_book_get(const struct tally_book *b, const char *bdf, int chip);

void tally_book_copy(struct tally_book *to, const struct tally_book *from);

/* A file's head; of two files the one with the higher number is the newer one. */
void tally_book_put_head(struct strbuf *to, uint64_t number);

/*
 * A record: what differs from `before`, or all (NULL, behind a head).  Acts are not among it: they
 * are counted elsewhere.  From its first byte on the text is under its hash: begin a file with
 * head and record in one text.
 */
void tally_book_put(struct strbuf *to, size_t from, const struct tally_book *b,
	const struct tally_book *before, const struct tally_moment *when);

/* What a file said. */
struct tally_read {
	uint64_t number;
	struct tally_moment when;	/* of its last whole record */
	size_t whole;			/* bytes to its end; less than the file: the rest is torn */
};

/* Read all whole records; false: there is none, and *b is empty. */
bool tally_book_parse(const char *text, size_t len, struct tally_book *b, struct tally_read *r);

/*
 * Readings of that moment in the clock of now: after another boot by the wall clock, which says
 * how long nobody sampled.  Where it went back meanwhile, that is a gap of unknown length.
 */
void tally_book_resume(struct tally_book *b, const struct tally_moment *then,
	const struct tally_moment *now);
