/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_fault.h - the faults of a channel of a card's memory: wrong words are
 * counted by lane, by bit and by the results of further reads, and each fault is
 * named from these counts alone.
 *
 * A word has 4 lanes of one byte.  Each lane is judged separately, since two lanes
 * may have different faults.  A late lane shows the byte of an earlier chunk of 32
 * bytes, so each wrong byte is compared with the bytes expected in earlier chunks.
 * A fault that the counts do not show clearly is called unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The test data: each word is a function of its address and of the round: no copy is needed.
 * A pattern that repeats after a few words cannot show a late lane, so none of these does.
 */

enum memory_pattern {
	MEMORY_RANDOM,
	MEMORY_ADDRESS,		/* each word has its own address in it */
	MEMORY_BURST,		/* all words of 64 bytes are equal, and differ from other bursts */
	MEMORY_ONES,		/* one bit set */
	MEMORY_ZEROS,		/* one bit clear */
	MEMORY_PATTERNS
};

#define MEMORY_BURST_BYTES 64

struct memory_data {
	enum memory_pattern pattern;
	uint64_t key;		/* differs for each round and channel */
};

struct memory_data memory_data_of(uint64_t seed, uint64_t round, unsigned channel);

/* The data of marks, which no round uses. */
struct memory_data memory_mark_of(uint64_t seed, unsigned channel);

/* The word at addr, a multiple of 4. */
uint32_t memory_word(const struct memory_data *m, uint64_t addr);

void memory_fill(const struct memory_data *m, uint64_t addr, uint32_t *words, uint64_t n);

/* MEMORY_ADDRESS: find the address that has this word; false if none has, or another pattern. */
bool memory_address(const struct memory_data *m, uint32_t word, uint64_t *addr);

/* How many words differ.  All that the host compares with a card's memory goes through here. */
size_t memory_differ(const uint32_t *got, const uint32_t *want, size_t n);

#define MEMORY_CHANNELS 8
#define MEMORY_PORTS	3	/* endpoints of a channel on the network */
#define MEMORY_LANES	4
#define MEMORY_FINDINGS (MEMORY_PORTS * (MEMORY_LANES + 1))	/* of a channel, at most */
#define MEMORY_CHUNK	32
#define MEMORY_SHIFTS	8	/* chunks that a lane may be late */
#define MEMORY_WIDE	1024	/* bytes of the smallest transaction that can show a shift */
#define MEMORY_ALL	(-1)	/* as a channel or endpoint: not one alone */

/* One wrong word, and the results of further accesses to it. */
struct memory_wrong {
	uint64_t addr;
	uint32_t want, got;
	uint32_t again;		/* a second read in the same way */
	uint32_t other;		/* a read through another endpoint */
	uint8_t probed;		/* this word alone was read many times in a row: */
	uint32_t last;		/* the result of the last of these reads, */
	uint32_t rewritten;	/* and of a read after writing the word again */
	uint32_t cut;		/* bytes of a transaction */
};

/* For each lane and parity of the chunk: wrong bytes, and how many of them equal the byte
 * expected that many chunks before. */
struct memory_shifts {
	uint64_t tried[MEMORY_LANES][2], late[MEMORY_LANES][2][MEMORY_SHIFTS + 1];
};

/* Wrong bytes of a lane that were examined closely. */
struct memory_close {
	uint64_t seen, again_right, again_same, other_right, other_same;
	uint64_t probed, probe_right, rewritten_same;
};

/*
 * Counts for one channel, read through one endpoint.  Wrong words that are close together in
 * one transaction are one event.  A lost write of 64 bytes is thus one event, however many
 * words it has and however many endpoints show it.
 */
struct memory_tally {
	uint64_t words, wrong;			/* verified, and wrong when read again, too */
	uint64_t misread;			/* wrong once, but right when read again, twice */
	uint64_t constant;			/* of wrong: equal to the first wrong word, */
	uint64_t constant_is;			/* which was this */
	uint64_t written[MEMORY_PORTS];		/* of words: by the endpoint that wrote */
	uint64_t events[MEMORY_PORTS];		/* by the endpoint that wrote */
	uint64_t fresh[MEMORY_PORTS];		/* of those: not shown by another endpoint before */
	uint64_t lane[MEMORY_LANES];		/* wrong bytes */
	uint64_t lanes[1 << MEMORY_LANES];	/* wrong words, by their set of wrong lanes */
	uint64_t up[32], down[32];		/* by bit: 1 instead of 0, 0 instead of 1 */
	struct memory_close close[MEMORY_LANES];
	struct memory_shifts shifts;
	uint64_t alias_tried, alias_proven;
	uint64_t alias_at, alias_of;		/* addresses of the first proven alias */
};

enum memory_kind {
	MEMORY_FINE,
	MEMORY_STUCK,		/* bits that keep one value */
	MEMORY_SHIFTED,		/* a lane that is late */
	MEMORY_ALIASED,		/* addresses that share a cell */
	MEMORY_TRANSIENT,	/* right when read again: a fault of the read */
	MEMORY_RANDOMLY,	/* wrong again, without a rule */
	MEMORY_UNNAMED,		/* too few wrong bytes seen, or several kinds mixed */
	MEMORY_CONSTANT,	/* every read gives the same word */
	MEMORY_LOST,		/* writes do not arrive */
	MEMORY_SHARED,		/* two channels lead to one memory */
	MEMORY_CROSSED,		/* endpoints of two channels lead to each other's memory */
	MEMORY_ASTRAY,		/* an endpoint leads to other memory than the others */
	MEMORY_DARK		/* not of one channel: all channels read as ones */
};

enum memory_path { MEMORY_UNKNOWN, MEMORY_READ, MEMORY_WRITE, MEMORY_BOTH };

struct memory_finding {
	unsigned channel;
	int endpoint;			/* the only one that is wrong, or MEMORY_ALL */
	int other;			/* SHARED, CROSSED, ASTRAY: where it leads; -1: not known */
	enum memory_kind kind;
	enum memory_path path;		/* whether reads or writes go wrong */
	uint64_t words, wrong;
	uint64_t events;		/* 0: not known for this finding alone */
	uint32_t constant;		/* MEMORY_CONSTANT: the word */
	uint64_t lane[MEMORY_LANES];	/* wrong bytes */
	uint32_t bits;			/* that were wrong at least once */
	unsigned late[2];		/* MEMORY_SHIFTED: bytes, for even and for odd chunks */
	uint64_t alias_at, alias_of;
};

/* The byte of a word in one lane. */
static inline unsigned memory_lane(uint32_t word, unsigned lane)
{
	return word >> 8 * lane & 0xff;
}

static inline bool memory_is_misread(const struct memory_wrong *w)
{
	return w->again == w->want && w->other == w->want;
}

/* Count verified words, and events; pass each wrong word to memory_tally_wrong() as well. */
void memory_tally_words(struct memory_tally *t, uint64_t words, unsigned writer);
void memory_tally_event(struct memory_tally *t, unsigned writer, bool fresh);

/* The word that belongs at an address. */
typedef uint32_t memory_word_at(const void *arg, uint64_t addr);

/*
 * Count the lanes and bits of a wrong word; count the results of further accesses to it.
 * A word is wrong in memory only if one of two more reads, the same one and one through another
 * endpoint, is not right: on good cards another endpoint showed old contents (upstream facts G).
 * word_at: what the memory should hold; NULL if too many of its bytes are equal to find
 * a shift.
 */
void memory_tally_wrong(struct memory_tally *t, const struct memory_wrong *w);
void memory_tally_closely(struct memory_tally *t, const struct memory_wrong *w,
	memory_word_at *word_at, const void *arg);

/* Count the wrong bytes of a word, and those found in earlier chunks. */
void memory_shifts_add(struct memory_shifts *v, uint64_t addr, uint32_t got, uint32_t want,
	memory_word_at *word_at, const void *arg);

/*
 * SHIFTED if the lane is late, by late[0] bytes in even and late[1] in odd chunks.
 * RANDOMLY if that does not explain its wrong bytes; UNNAMED if it explains only some.
 */
enum memory_kind memory_shift(const struct memory_shifts *v, unsigned lane, unsigned late[2]);

/*
 * Find the faults of a channel from its endpoints' counts; returns how many, 0 if all is
 * right.  kept: endpoints that were left out, a bit each.
 */
size_t memory_judge(unsigned channel, unsigned kept, const struct memory_tally t[MEMORY_PORTS],
	struct memory_finding found[MEMORY_FINDINGS]);

const char *memory_kind_name(enum memory_kind k);	/* "stuck", "shifted" ... */
extern const char *const memory_path_names[];		/* "read", "write", "both", NULL */

/* The numbers of the bits that are set: "1, 17". */
#define MEMORY_LIST 128
char *memory_list_text(uint32_t bits, char text[static MEMORY_LIST]);

/* "channel 3: byte lane 2 is late by 64 and 128 bytes in alternating chunks ..." */
char *memory_finding_text(const struct memory_finding *f, char *text, size_t size);

/*
 * Endpoints that no test uses: a memory controller's own firmware uses one endpoint of its channel,
 * and newer firmware reports which.
 */

struct memory_kept {
	uint8_t ports[MEMORY_CHANNELS];	/* endpoints of each channel, a bit each */
};

static inline bool memory_kept_has(const struct memory_kept *k, unsigned channel, unsigned port)
{
	return k->ports[channel] >> port & 1;
}

/* The endpoint, or the next one that is not kept. */
static inline unsigned memory_kept_near(const struct memory_kept *k, unsigned channel,
	unsigned port)
{
	for (unsigned i = 0; i < MEMORY_PORTS; i++)
		if (!memory_kept_has(k, channel, (port + i) % MEMORY_PORTS))
			return (port + i) % MEMORY_PORTS;
	return port % MEMORY_PORTS;
}

/* Number of endpoints of these channels that are tested. */
static inline unsigned memory_kept_rest(const struct memory_kept *k, uint32_t channels)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_PORTS; i++)
		n += (channels >> i / MEMORY_PORTS & 1) &&
			!memory_kept_has(k, i / MEMORY_PORTS, i % MEMORY_PORTS);
	return n;
}

/* "endpoint 0 of channels 1, 2; endpoint 2 of channel 0"; NULL if none is kept. */
char *memory_kept_text(const struct memory_kept *k, uint32_t channels, char *text, size_t size);
