/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - the totals of one chip over time: energy, throttled time, errors of its memory and
 * links, and the resets and burn-ins done to it.
 *
 * This is arithmetic on samples and nothing else: no card, clock or file is read here.  Totals
 * never fall.  If the chip's own counter falls, the chip was reset or the counter wrapped, and
 * the total grows by what the counter has counted since.
 */
#pragma once

#include "base/clock.h"
#include "base/state.h"
#include "device/aer.h"
#include "telemetry/snapshot.h"

#define TALLY_SPARSE	   (10 * CLOCK_SECOND)	/* the longest interval that can be counted */
#define TALLY_GAP	   (11 * CLOCK_SECOND)	/* longer between two readings is always a gap */
#define TALLY_ENERGY_SCALE 1000000		/* stored steps in one joule */
#define TALLY_TIME_SCALE   CLOCK_SECOND		/* in one second */
#define TALLY_MOST	   999999999999999999	/* a file with a larger total is not ours */
#define TALLY_LABELS	   64			/* longest text of a total's labels */
#define TALLY_NAME	   (64 + TALLY_LABELS)	/* and of its name with them */

/* The results of a reset and of a burn that are counted; as words: tally_labels(). */
enum tally_reset {
	TALLY_RESET_RECOVERED, TALLY_RESET_DEGRADED, TALLY_RESET_LOST, TALLY_RESET_UNKNOWN,
	TALLY_RESET_NOT_DONE, TALLY_RESET_REFUSED, TALLY_RESET_RESULTS
};

enum tally_burnin { TALLY_BURNIN_PASS, TALLY_BURNIN_INCOMPLETE, TALLY_BURNIN_FAIL,
	TALLY_BURNIN_RESULTS };

/* The totals; those of one name stand together, in the order of their labels. */
enum tally_id {
	TALLY_CORE_ENERGY,	/* of FIELD_POWER; in 1/TALLY_ENERGY_SCALE J */
	TALLY_BOARD_ENERGY,	/* of FIELD_BOARD_POWER */
	/* For each of these two: how often, and how long (ns), the power was not known. */
	TALLY_GAPS, TALLY_GAPS_END = TALLY_GAPS + 1,
	TALLY_GAP_TIME, TALLY_GAP_TIME_END = TALLY_GAP_TIME + 1,
	TALLY_THROTTLED,	/* ns, by reason: of THROTTLE_TDP and so on */
	TALLY_THROTTLED_END = TALLY_THROTTLED + THROTTLE_REASONS - 2,
	TALLY_HEARTBEATS, TALLY_THERM_TRIPS, TALLY_NOP_STARTS,
	TALLY_CORRECTED,	/* as the fields from FIELD_GDDR_CORR_ERRS on */
	TALLY_CORRECTED_END = TALLY_CORRECTED + 15,
	TALLY_UNCORRECTED,	/* how often bits of FIELD_GDDR_UNCORR_ERRS were set, by channel */
	TALLY_UNCORRECTED_END = TALLY_UNCORRECTED + 7,
	TALLY_AER,		/* of the card: correctable, nonfatal, fatal; then of the bridges */
	TALLY_AER_END = TALLY_AER + 2 * AER_KINDS - 1,
	TALLY_RESETS, TALLY_RESETS_END = TALLY_RESETS + TALLY_RESET_RESULTS - 1,
	TALLY_BURNINS, TALLY_BURNINS_END = TALLY_BURNINS + TALLY_BURNIN_RESULTS - 1,
	TALLY_COUNT
};

/* How a total grows. */
enum tally_kind {
	TALLY_ENERGY,		/* a power, integrated */
	TALLY_BREAKS,		/* the number of gaps in a TALLY_ENERGY */
	TALLY_BREAK_TIME,
	TALLY_TIME,		/* time spent in a state */
	TALLY_GROWTH,		/* growth of a chip's counter */
	TALLY_RISES,		/* bits that were newly set, two bits for each total */
	TALLY_LINK_ERRORS,	/* growth of the kernel's counters */
	TALLY_ACTS		/* counted by the code that does them */
};

/* All totals of one name. */
struct tally_family {
	const char *name;	/* of the metric, ended by "_total"; NULL: that of its field */
	const char *unit;	/* "joules"; "" for a bare count */
	int64_t scale;		/* stored steps in one unit */
	enum tally_kind kind;
	enum tally_id first, last;
	enum field_id field;	/* the source; for TALLY_GROWTH, the first of as many */
	struct tally_label {
		const char *name;
		const char *const *values;	/* ended by NULL */
	} labels[2];		/* the last one changes fastest */
	const char *help;	/* NULL: that of its field */
};

extern const struct tally_family tally_families[];
extern const size_t tally_families_len;

const struct tally_family *tally_family_of(enum tally_id id);
const char *tally_name(const struct tally_family *f);
const char *tally_help(const struct tally_family *f);

/* `channel="0",kind="read"`, or nothing. */
const char *tally_labels(enum tally_id id, char buf[static TALLY_LABELS]);

/* The name with its labels, as files have it, and the total of such a name; -1: it is not known. */
const char *tally_full_name(enum tally_id id, char name[static TALLY_NAME]);
int tally_find(const char *full_name);

/* The last reading, from which the next sample goes on. */
struct tally_last {
	bool known;
	bool is_broken;		/* what came after it was not seen, up to the next reading */
	int64_t value;
	int64_t time;		/* clock_mono() */
};

struct tally_link {
	char bdf[16];		/* "": none */
	uint64_t errors[AER_KINDS];
};

struct tally {
	uint64_t total[TALLY_COUNT];	/* in steps of the family's scale */
	/* The chip has a source for this total; otherwise it means nothing and is not shown. */
	bool has[TALLY_COUNT];
	struct tally_last last[TALLY_COUNT];
	struct tally_link links[AER_LINKS];	/* the card first */
};

/* All totals become 0, and only TALLY_ACTS ones are marked as present: any card can be reset. */
void tally_init(struct tally *t);

/*
 * Take in a chip's newest sample; `interval` is the time (ns) from one to the next, 0 if it is not
 * known.  Only readings (READING_OK) of a sample that snapshot_is_current() count, if they are
 * newer than the last ones.  A power is integrated as a trapezium between both readings; the time
 * between two states counts half for each.
 *
 * What was not seen is a gap, for which no energy and no time is made up: between two readings if
 * the chip was in trouble or had no reading in between, or if they are farther apart than two
 * intervals and half of snapshot_silence(), or than TALLY_GAP.
 */
void tally_take(struct tally *t, const struct snapshot *s, int64_t interval);

/* The chip was not sampled: up to its next reading there is a gap. */
void tally_break(struct tally *t);

/* Take in aer_read_all(): the kernel's link error counts of a card and n - 1 bridges above it. */
void tally_take_links(struct tally *t, const struct aer *links, size_t n);

/* Subtract `before`, an older copy of *t: the totals become those added since. */
void tally_subtract(struct tally *t, const struct tally *before);

/*
 * The totals of all chips, and the text of a file that keeps them.
 *
 * The file only grows: a head, then a record for each moment, with the changes since the record
 * before.  Each record ends with a hash of itself.  So a last record that a kill, a full disk or a
 * power cut has torn is detected, and everything before it counts.
 */

#define TALLY_BOOK_CHIPS DEVICE_MAX

/* When a record was written; its clock_mono() means nothing after another boot. */
struct tally_moment {
	char boot[STATE_BOOT];		/* "": unknown, and equal to no other */
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

/* What the book has of this chip; NULL: nothing. */
struct tally_entry *tally_book_seek(struct tally_book *b, const char *bdf, int chip);

/* The totals of this chip, added as 0 if the chip is new; NULL: there is no room. */
struct tally *tally_book_find(struct tally_book *b, const char *bdf, int chip);

void tally_book_copy(struct tally_book *to, const struct tally_book *from);

/* A file's head; of two files the one with the higher number is the newer one. */
void tally_book_put_head(struct strbuf *to, uint64_t number);

/*
 * Write a record: the differences from `before`, or all totals (NULL, after a head).  Acts are
 * left out: they are counted elsewhere.  The hash covers the whole text: the first record of a file
 * must cover the head as well, so write both into one text.
 */
void tally_book_put(struct strbuf *to, const struct tally_book *b, struct tally_book *before,
	const struct tally_moment *when);

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
 * No program sampled while the host booted, and the kernel's counts of link errors began anew.
 */
void tally_book_resume(struct tally_book *b, const struct tally_moment *then,
	const struct tally_moment *now);
