/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - what adds up over time, of one chip: energy, throttled time, errors of its memory and
 * of its links, and what was done to it.
 *
 * This is arithmetic on samples and nothing else: no card, clock or file is read here.  Totals
 * never fall: where the chip's own counter does (it was reset, or the counter wrapped), what it
 * says then is added to what it had said before.
 */
#pragma once

#include "base/clock.h"
#include "device/aer.h"
#include "telemetry/snapshot.h"

#define TALLY_GAP	   (10 * CLOCK_SECOND)	/* nothing is known of what was between */
#define TALLY_ENERGY_SCALE 1000000		/* stored steps in one joule */
#define TALLY_TIME_SCALE   CLOCK_SECOND		/* in one second */
#define TALLY_MOST	   999999999999999999	/* a file that has more is not ours */
#define TALLY_LABELS	   64			/* longest text of a total's labels */

/* The results of a reset and of a burn that are counted; as words: tally_put_labels(). */
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
	/* Of each of the two: how often, and how long (ns), no power was known. */
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
	TALLY_BREAKS,		/* times for which nothing was integrated */
	TALLY_BREAK_TIME,
	TALLY_TIME,		/* of a state */
	TALLY_GROWTH,		/* a counter of the chip's */
	TALLY_RISES,		/* of bits, two of each */
	TALLY_LINK_ERRORS,	/* counters of the kernel's */
	TALLY_ACTS		/* counted by what did them */
};

/* All totals of one name. */
struct tally_family {
	const char *name;	/* as metrics have it, ended by "_total"; NULL: as its field's */
	const char *unit;	/* "joules"; "" for a bare count */
	int64_t scale;		/* stored steps in one unit */
	enum tally_kind kind;
	enum tally_id first, last;
	enum field_id field;	/* that it is made from: of TALLY_GROWTH, the first of as many */
	struct tally_label {
		const char *name;
		const char *const *values;	/* ended by NULL */
	} labels[2];		/* the last one changes fastest */
	const char *help;	/* NULL: its field's */
};

extern const struct tally_family tally_families[];
extern const size_t tally_families_len;

const struct tally_family *tally_family_of(enum tally_id id);
const char *tally_name(const struct tally_family *f);
const char *tally_help(const struct tally_family *f);

/* `channel="0",kind="read"`, or nothing. */
const char *tally_labels(enum tally_id id, char buf[static TALLY_LABELS]);

/* What was read last, for the next sample to go on from. */
struct tally_last {
	bool known;
	int64_t value;
	int64_t time;		/* clock_mono() */
};

struct tally_link {
	char bdf[16];		/* "": none */
	uint64_t errors[AER_KINDS];
};

struct tally {
	uint64_t total[TALLY_COUNT];	/* in steps of the family's scale */
	/* Something that this chip has: else its total means nothing and is not shown. */
	bool has[TALLY_COUNT];
	struct tally_last last[TALLY_COUNT];
	struct tally_link links[AER_LINKS];	/* the card first */
};

/* All 0, and what was done to a card can be counted of each. */
void tally_init(struct tally *t);

/*
 * Take in a chip's newest sample.  Readings count that are of it (READING_OK) and later than the
 * last ones: a power by the trapezium between both; a state's time half for the one before and
 * half for the one now.  What is more than TALLY_GAP apart adds nothing but to the gaps.
 */
void tally_take(struct tally *t, const struct snapshot *s);

/* The kernel's counts of link errors, of a card and of n - 1 bridges above it: aer_read_all(). */
void tally_take_links(struct tally *t, const struct aer *links, size_t n);

/* What has been added since `before`, which is an older copy of the same: in place. */
void tally_subtract(struct tally *t, const struct tally *before);
