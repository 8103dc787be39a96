/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_memory.h - the test of a card's memory from the host: each channel gets
 * marks of its own, then it is written through one endpoint and read back through
 * all of them, in transactions of 4 bytes to 16 KiB, and every word is compared.
 *
 * No core of the card is needed.  The old contents are restored only under the marks in
 * channels that are not tested.
 */
#pragma once

#include "base/error.h"
#include "burnin/memory/memory_fault.h"
#include "device/device.h"
#include "report/ledger.h"
#include "telemetry/snapshot.h"

#include <stdatomic.h>

/*
 * Marks in a card's memory: each channel gets its own, written through each of its endpoints before
 * any mark is read.  An endpoint leads to the memory of the channel whose marks it shows.
 */

#define MEMORY_MARK_WORDS 16

/* What a read showed; a lower number is the channel whose mark it was. */
enum {
	MEMORY_MARK_STALE = MEMORY_CHANNELS,	/* the old contents */
	MEMORY_MARK_OTHER,
	MEMORY_MARK_SHOWS
};

struct memory_marks {
	struct memory_kept kept;	/* endpoints that were left out */
	uint32_t tested;	/* channels; others are marked only to recognise their marks */
	uint32_t places;	/* marks of each channel and endpoint; 0: not marked yet */
	/* Marks, by channel, reading endpoint, writing endpoint, and what was shown. */
	uint32_t shows[MEMORY_CHANNELS][MEMORY_PORTS][MEMORY_PORTS][MEMORY_MARK_SHOWS];
};

/* True if every endpoint of the channel showed only its own marks. */
bool memory_marks_kept(const struct memory_marks *m, unsigned channel);

/* Find the faults of the ways to a channel's memory; returns how many. */
size_t memory_marks_judge(const struct memory_marks *m, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS]);

/* The channels of a chip that may be touched, and the chip's own error counters for each. */

struct memory_channels {
	uint32_t enabled;	/* not switched off, a bit each */
	uint32_t usable;	/* of those, the trained ones */
	uint32_t chosen, left;	/* of the requested ones: usable, and not trained */
	struct memory_kept kept;	/* endpoints that are left alone */
};

/* Errors that the memory controller itself counted. */
struct memory_errors {
	bool known;
	uint32_t corrected[2];		/* read, written; they stop at GDDR_CORR_MOST */
	bool uncorrected[2];
};

/* -errno and the reason if that is not known; then do not touch any channel. */
int memory_channels(const struct snapshot *s, struct memory_channels *c, struct error *e);

/* The channels that are not switched off and have failed, where that is known, else none. */
uint32_t memory_channels_failed(const struct snapshot *s);

/*
 * Choose among these channels.  It is an error if none of the wanted ones can be used, or if one
 * that the user named is switched off or does not exist.
 */
int memory_channels_choose(struct memory_channels *c, uint32_t wanted, bool is_named,
	struct error *e);

/* Parse "0,2" or "4-7" into bits; NULL: all.  0 or -EINVAL. */
int memory_channels_parse(const char *list, uint32_t *channels, struct error *e);

struct memory_errors memory_errors_of(const struct snapshot *s, unsigned channel);

/* The errors of all channels since then. */
struct memory_growth {
	bool known;
	uint32_t corrected;
	uint32_t uncorrected;		/* channels that had none before */
};

struct memory_growth memory_errors_growth(const struct memory_errors before[MEMORY_CHANNELS],
	const struct memory_errors after[MEMORY_CHANNELS]);

/* True if a channel has new uncorrected errors; then *why, which may be NULL, names it. */
bool memory_errors_fail(const struct memory_growth *g, struct error *why);

/*
 * How fast the host reads and writes a card's memory, and whether the data arrives unchanged.  Each
 * piece is read, overwritten, read again and restored; the next one is at another place.  All
 * accesses go through the windows that the driver lends: they are the processor's own loads and
 * stores, not transfers that the card makes by itself.
 */

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
	uint64_t wrong, misread;	/* words; as in struct memory_tally */
	struct card_transfer_wrong first;	/* of them */
};

/*
 * The caller holds the handle for ACCESS_BURN.  go_on() is called before each piece.  0, or
 * -errno with the place in e.
 */
int card_transfer_run(struct device *d, const struct card_transfer_plan *p,
	struct card_transfer *t, bool (*go_on)(void *arg), void *arg, struct error *e);

/* Bytes a second; 0: nothing was measured. */
double card_transfer_rate(const struct card_transfer *t, enum card_transfer_way way);

/*
 * Wait until all that the host has written to a channel has arrived: read the last word through
 * every endpoint that is not kept.  Without this, another endpoint showed the old contents on good
 * cards (upstream facts G; UMD's barrier does the same).
 */
int memory_settle(struct device *d, uint32_t enabled, const struct memory_kept *kept,
	unsigned channel, uint64_t last);

/*
 * Count the words that differ, once as they are and once with one of them made wrong on purpose,
 * which `place` chooses.  -EBADE: that word was not found, so none would be.
 */
int memory_compare(uint32_t *got, const uint32_t *want, size_t n, uint64_t place, size_t *wrong);

/* The text and code of an access to a channel that failed, or of memory_compare(). */
int memory_fail(struct error *e, int code, unsigned channel);

/* The test. */

#define CARD_MEMORY_CUTS  8
#define CARD_MEMORY_LEAST (64 << 10)	/* bytes of a channel */
#define CARD_MEMORY_USUAL (64ULL << 20)
#define CARD_MEMORY_SIM	  (4ULL << 20)	/* default for a simulated card, which is slow */
#define CARD_MEMORY_SHORT (1ULL << 20)	/* in the first iteration */

/* Bytes of a transaction: one call of device_read() or device_write_block(). */
extern const uint32_t card_memory_cuts[CARD_MEMORY_CUTS];

struct card_memory_plan {
	uint32_t enabled;	/* the channels of this chip, a bit each: no other is touched */
	uint32_t channels;	/* those of them that are tested */
	uint32_t live;		/* others that may be touched: marked, then restored */
	struct memory_kept kept;	/* endpoints that are not used */
	uint64_t size;		/* bytes of each to test, spread over it: card_memory_take() */
	uint64_t seed;		/* of places and data */
	uint64_t salt;		/* varies the data, so that no earlier run left the same */
	uint64_t iterations;	/* 0: until go_on says no */
};

/* Progress and results, in shared memory so that another process can follow. */
struct card_memory {
	_Atomic uint64_t moved;		/* bytes to and fro: a sign of life */
	uint64_t rounds;		/* over: each has one pattern and one writing endpoint */
	uint64_t iterations;		/* over: each pattern once; not a short first one */
	uint8_t is_dark;		/* all reads as ones: not a memory fault; ends the test */
	struct memory_marks marks;
	uint64_t bytes[MEMORY_CHANNELS];	/* most verified in one pass, each byte once */
	uint32_t patterns[MEMORY_CHANNELS][MEMORY_PORTS];	/* verified, a bit each */
	uint32_t writers[MEMORY_CHANNELS];	/* endpoints that wrote verified data, a bit each */
	uint64_t wrong, misread;	/* words, of all channels; as in struct memory_tally */
	uint64_t read, written;		/* bytes */
	int64_t reading, writing;	/* ns in these accesses */
	struct memory_tally tally[MEMORY_CHANNELS][MEMORY_PORTS];
};

/*
 * Test until the iterations are over or go_on() is false.  The caller holds the handle
 * for ACCESS_BURN.  0, or -errno of an access with the place in e.  The counts of wrong
 * words are in m, for card_memory_judge().
 */
int card_memory_run(struct device *d, const struct card_memory_plan *p, struct card_memory *m,
	bool (*go_on)(void *), void *arg, struct error *e);

/*
 * Enter the plan's request, including the requested channels that are not available (left);
 * enter the work done.  p->size must be set.  A byte counts once it was read and compared, an
 * endpoint once it has written and read, a pattern once a whole pass was read with it.
 */
void card_memory_ask(const struct card_memory_plan *p, uint32_t left, struct ledger *l);
void card_memory_count(const struct card_memory_plan *p, const struct card_memory *m,
	struct ledger *l);

/* Totals of a channel over all endpoints. */
struct card_memory_sum {
	uint64_t words, wrong, misread, events, lane[MEMORY_LANES];	/* lane: wrong bytes */
};

struct card_memory_sum card_memory_sum(const struct card_memory *m, unsigned channel);

/* Find the faults of all channels; returns how many. */
size_t card_memory_judge(const struct card_memory *m,
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS]);

/* Bytes of a channel; 0 if it is not known how to reach them. */
uint64_t card_memory_size(enum device_chip chip);

/* Bytes of each channel to test if `wish` bytes are requested; 0: all. */
uint64_t card_memory_take(enum device_chip chip, uint64_t wish);

/* A word of a channel's memory, read and written by itself. */
struct memory_cell {
	struct device *d;
	struct reg_addr read, write;	/* its address, through one endpoint and another */
	int reads;			/* in a row: in the end even a late lane shows this word */
};

/* Read a wrong word often, rewrite it; then put it back if it was wrong in every read. */
int memory_cell_probe(const struct memory_cell *c, struct memory_wrong *w);

/*
 * Find whether a wrong word's cell is that of another address, `of`, which should hold `word`: a
 * mark that is written there and read here proves it.
 */
int memory_cell_try_alias(const struct memory_cell *c, const struct memory_wrong *w, uint64_t of,
	uint32_t word, uint32_t mark, struct memory_tally *t);

/* Shared by the parts of the test: an area is written or verified, and its wrong words examined. */

#define MEMORY_BLOCK  (16u << 10)
#define MEMORY_PIECES 512	/* transactions of an area */
#define MEMORY_SEEN   4096	/* events of a channel that are remembered */

struct memory_area {
	uint64_t addr;
	uint32_t bytes;
	unsigned cut;		/* index into card_memory_cuts[] */
};

struct memory_test {
	struct device *d;
	const struct device_kind *kind;
	const struct card_memory_plan *plan;
	struct card_memory *m;
	bool (*go_on)(void *arg);
	void *arg;
	uint32_t channels;	/* the plan's, except those without a memory of their own */
	uint64_t seed;		/* of the data */
	uint64_t size;		/* of this iteration */
	uint64_t round;
	unsigned channel, writer;
	struct memory_data data;
	uint32_t want[MEMORY_BLOCK / 4], got[MEMORY_BLOCK / 4], again[MEMORY_BLOCK / 4];
	uint32_t other[MEMORY_BLOCK / 4];
	struct device_piece pieces[MEMORY_PIECES];
	uint64_t seen[MEMORY_CHANNELS][MEMORY_SEEN];
};

/* The i-th of n in this round: rounds go up and down in turn. */
static inline uint64_t memory_test_turn(const struct memory_test *t, uint64_t i, uint64_t n)
{
	return t->round & 1 ? n - 1 - i : i;
}

/* An address in the current channel, t->channel. */
struct reg_addr memory_test_at(const struct memory_test *t, unsigned port, uint64_t addr);

/* Write an area through t->writer; verify it through port.  0 or -errno. */
int memory_test_write(struct memory_test *t, const struct memory_area *a);
int memory_test_verify(struct memory_test *t, unsigned port, const struct memory_area *a);

/*
 * Count the words of t->got[] that differ from t->want[], and their events.  t->again[] and
 * t->other[] are two more reads.
 */
void memory_test_count(struct memory_test *t, unsigned port, const struct memory_area *a);

/* Mark all channels, and see which marks each endpoint shows.  0 or -errno. */
int memory_test_marks(struct memory_test *t, struct error *e);

/* Number of address lines that a channel has from 1 << first on. */
unsigned memory_test_lines(const struct device_kind *k, unsigned first);
