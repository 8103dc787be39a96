/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally_book.h - the totals of all chips, and the text of a file that keeps them.
 *
 * The file only grows: a head, then a record for each moment, with the changes since the record
 * before.  Each record ends with a hash of itself.  So a last record that a kill, a full disk or a
 * power cut has torn is detected, and everything before it counts.
 */
#pragma once

#include "telemetry/tally.h"

#define TALLY_BOOK_CHIPS DEVICE_MAX
#define TALLY_BOOT	 40		/* room for the kernel's boot_id */

/* When a record was written; its clock_mono() means nothing after another boot. */
struct tally_moment {
	char boot[TALLY_BOOT];		/* "": unknown, and equal to no other */
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

/* The totals of this chip, added as 0 if the chip is new; NULL: there is no room. */
struct tally *tally_book_find(struct tally_book *b, const char *bdf, int chip);

/* The same, but NULL if the chip is not in the book. */
const struct tally *tally_book_get(const struct tally_book *b, const char *bdf, int chip);

void tally_book_copy(struct tally_book *to, const struct tally_book *from);

/* A file's head; of two files the one with the higher number is the newer one. */
void tally_book_put_head(struct strbuf *to, uint64_t number);

/*
 * Write a record: the differences from `before`, or all totals (NULL, after a head).  Acts are
 * left out: they are counted elsewhere.  The hash covers the text from offset `from` on; the first
 * one in a file must cover the head as well, so write both into one text.
 */
void tally_book_put(struct strbuf *to, size_t from, const struct tally_book *b,
	const struct tally_book *before, const struct tally_moment *when);

/* What was read from a file besides the totals. */
struct tally_read {
	uint64_t number;
	struct tally_moment when;	/* of its last whole record */
	size_t whole;			/* bytes to its end; less than the file: the rest is torn */
};

/* Read all whole records; false: there is none, and *b is empty. */
bool tally_book_parse(const char *text, size_t len, struct tally_book *b, struct tally_read *r);

/*
 * Convert the times of the last readings to this boot's clock_mono().  After another boot the wall
 * clock says how long no sample was taken; if it went back meanwhile, the gap's length is unknown.
 */
void tally_book_resume(struct tally_book *b, const struct tally_moment *then,
	const struct tally_moment *now);
