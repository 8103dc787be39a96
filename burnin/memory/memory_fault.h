/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_fault.h - what is wrong with a channel of a card's memory: wrong words
 * are counted by lane, bit and by what further reads gave, and from the counts
 * alone a fault gets its name.
 *
 * A word is 4 lanes of a byte, and each lane is judged for itself, since two of
 * them may have different faults.  A lane that is late shows the byte of an
 * earlier chunk of 32 bytes, so what was wanted there is looked for in what was
 * got here.  What the counts do not show clearly is called unknown.
 */
#pragma once

#include "burnin/memory/memory_pattern.h"

#include <stddef.h>

#define MEMORY_CHANNELS 8
#define MEMORY_PORTS	3	/* endpoints of a channel on the network */
#define MEMORY_LANES	4
#define MEMORY_FINDINGS (MEMORY_PORTS * (MEMORY_LANES + 1))	/* of a channel, at most */
#define MEMORY_CHUNK	32
#define MEMORY_SHIFTS	8	/* chunks that a lane may be late */
#define MEMORY_WIDE	1024	/* bytes of a transaction in which a shift can be seen */
#define MEMORY_ALL	(-1)	/* of channels and endpoints: not one alone */

/* One wrong word and what was tried at its place. */
struct memory_wrong {
	uint64_t addr;
	uint32_t want, got;
	uint32_t again;		/* read in the same way once more */
	uint32_t other;		/* through another endpoint */
	uint8_t probed;		/* this word alone was read many times in a row: */
	uint32_t last;		/* what the last of these reads gave, */
	uint32_t rewritten;	/* and one after it was written once more */
	unsigned writer;	/* the endpoint through which it was written */
	uint32_t cut;		/* bytes of a transaction */
};

/* Of each lane: wrong bytes, and which are those of so many chunks before; by parity of their
 * chunk. */
struct memory_shifts {
	uint64_t tried[MEMORY_LANES][2], late[MEMORY_LANES][2][MEMORY_SHIFTS + 1];
};

/* Wrong bytes of a lane that were looked at closely. */
struct memory_close {
	uint64_t seen, again_right, again_same, other_right, other_same;
	uint64_t probed, probe_right, rewritten_same;
};

/*
 * Of one channel, read through one endpoint.  Wrong words that are close together in one
 * transaction are one event: a write of 64 bytes that is lost is one, however many words
 * it has and however many endpoints show it.
 */
struct memory_tally {
	uint64_t words, wrong;			/* verified, and different from what was written */
	uint64_t constant;			/* of wrong: the same word as the first, */
	uint64_t constant_is;			/* which was this */
	uint64_t written[MEMORY_PORTS];		/* of words: through which endpoint */
	uint64_t events[MEMORY_PORTS];		/* by the endpoint that wrote */
	uint64_t fresh[MEMORY_PORTS];		/* of those: no other endpoint showed them before */
	uint64_t lane[MEMORY_LANES];		/* wrong bytes */
	uint64_t lanes[1 << MEMORY_LANES];	/* wrong words, by the lanes that were wrong */
	uint64_t up[32], down[32];		/* 1 for 0, 0 for 1 */
	struct memory_close close[MEMORY_LANES];
	struct memory_shifts shifts;
	uint64_t alias_tried, alias_proven;
	uint64_t alias_at, alias_of;		/* the first one's addresses */
};

enum memory_kind {
	MEMORY_FINE,
	MEMORY_STUCK,		/* bits that keep one value */
	MEMORY_SHIFTED,		/* a lane that is late */
	MEMORY_ALIASED,		/* addresses that share a cell */
	MEMORY_TRANSIENT,	/* right when read again */
	MEMORY_RANDOMLY,	/* wrong again, without a rule */
	MEMORY_UNNAMED,		/* too little was seen, or it is several of these */
	MEMORY_CONSTANT,	/* whatever is read, it is the same word */
	MEMORY_LOST,		/* what is written does not arrive */
	MEMORY_SHARED,		/* two channels lead to one memory */
	MEMORY_ASTRAY,		/* an endpoint leads to other memory than the others */
	MEMORY_DARK		/* of no channel: all of them read as ones */
};

enum memory_path { MEMORY_UNKNOWN, MEMORY_READ, MEMORY_WRITE, MEMORY_BOTH };

struct memory_finding {
	unsigned channel;
	int endpoint;			/* the only one that is wrong, or MEMORY_ALL */
	int other;			/* SHARED, ASTRAY: the channel it leads to; -1: not known */
	enum memory_kind kind;
	enum memory_path path;		/* on which way it goes wrong */
	uint64_t words, wrong;
	uint64_t events;		/* 0: not known of this finding alone */
	uint32_t constant;		/* MEMORY_CONSTANT: the word */
	uint64_t lane[MEMORY_LANES];	/* wrong bytes */
	uint32_t bits;			/* that were wrong at least once */
	unsigned late[2];		/* MEMORY_SHIFTED: bytes, for even and for odd chunks */
	uint64_t alias_at, alias_of;
};

/* A byte of a word. */
static inline unsigned memory_lane(uint32_t word, unsigned lane)
{
	return word >> 8 * lane & 0xff;
}

/* Words that were verified; memory_tally_wrong() is given the wrong ones of them. */
void memory_tally_words(struct memory_tally *t, uint64_t words, unsigned writer);
void memory_tally_event(struct memory_tally *t, unsigned writer, bool fresh);

/* The word that belongs at an address. */
typedef uint32_t memory_word_at(const void *arg, uint64_t addr);

/*
 * Lanes and bits of a wrong word; and closely, with what was tried.  word_at: what
 * the memory holds, NULL where too many of its bytes are the same to find a shift.
 */
void memory_tally_wrong(struct memory_tally *t, uint32_t want, uint32_t got);
void memory_tally_closely(struct memory_tally *t, const struct memory_wrong *w,
	memory_word_at *word_at, const void *arg);

/* The wrong bytes of a word. */
void memory_shifts_add(struct memory_shifts *v, uint64_t addr, uint32_t got, uint32_t want,
	memory_word_at *word_at, const void *arg);

/*
 * Whether a lane's wrong bytes follow from its being late, by so many bytes in even
 * and in odd chunks: SHIFTED; RANDOMLY: they do not; UNNAMED: some of them do.
 */
enum memory_kind memory_shift(const struct memory_shifts *v, unsigned lane, unsigned late[2]);

/*
 * The faults of a channel from its endpoints' counts; how many, 0 where all is right.
 * kept: endpoints that were left out, a bit each.
 */
size_t memory_judge(unsigned channel, unsigned kept, const struct memory_tally t[MEMORY_PORTS],
	struct memory_finding found[MEMORY_FINDINGS]);

const char *memory_kind_name(enum memory_kind k);	/* "stuck", "shifted" ... */
const char *memory_path_name(enum memory_path p);	/* "read", "write", "both", NULL */

/* "channel 3: byte lane 2 is late by 64 and 128 bytes in alternating chunks ..." */
char *memory_finding_text(const struct memory_finding *f, char *text, size_t size);
