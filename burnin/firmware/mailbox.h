/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mailbox.h - the memory of a compute tile during a burn, as host and kernel see
 * it: where each thing is, what the host orders, and what the tile reports.
 *
 * Each line of 16 bytes has one writer.  The bytes 0x10 to 0x1f belong to the
 * chip's firmware, which asks for less power at 0x10; neither side writes them.
 */
#pragma once

#include <stdint.h>

enum kernel_place {
	KERNEL_AT_B = 0,		/* image of RISC-V B, which starts at 0 */
	KERNEL_AT_THROTTLE = 0x10,
	KERNEL_AT_ORDER = 0x5000,
	KERNEL_AT_STATE = 0x5040,
	KERNEL_AT_NAME = 0x51f0,	/* a word that no other tile was given: see b_name */
	KERNEL_AT_PEER = 0x51f4,	/* x | y << 6 of the tile whose memory this one tests */
	KERNEL_AT_PEER_NAME = 0x51f8,	/* and its name */
	KERNEL_AT_LOADS = 0x5200,
	KERNEL_AT_TRAFFIC = 0x5300,
	KERNEL_AT_T0 = 0x6000,
	KERNEL_AT_T1 = 0xa000,
	KERNEL_AT_T2 = 0xe000,
	KERNEL_AT_NC = 0x12000,
	KERNEL_AT_BURSTS = 0x14000,	/* two bursts from the card's memory, in turn */
	KERNEL_AT_SENT = 0x18000,	/* words for the peer's memory, and as they came back */
	KERNEL_AT_BACK = 0x18800,
	KERNEL_AT_END = 0x19000,
	KERNEL_AT_OUT = 0x20000,	/* two blocks of output, in turn */
	KERNEL_AT_GOLDEN = 0x30000,	/* one block for each row */
	KERNEL_AT_WEIGHTS = 0x70000,	/* of even repeats, of odd ones; then a second copy */
	KERNEL_AT_INPUT = 0xc0000,	/* [channels / 16][height][width][16], twice */
	KERNEL_AT_LIMIT = 0x16e000	/* the smaller chip's end of memory */
};

enum {
	KERNEL_PIXELS = 64,		/* of a block; rows of a product */
	KERNEL_CHANNELS = 64,		/* of the output; columns of a product */
	KERNEL_DEPTH = 16,		/* input channels of one step */
	KERNEL_BLOCK_WORDS = KERNEL_PIXELS * KERNEL_CHANNELS,	/* float32 */
	KERNEL_BLOCK_BYTES = 4 * KERNEL_BLOCK_WORDS,
	KERNEL_STEP_BYTES = 2 * KERNEL_PIXELS * KERNEL_DEPTH,	/* bfloat16, either operand */
	KERNEL_STEP_MVMULS = 32,	/* per step and fidelity phase */
	KERNEL_ROWS_MAX = (KERNEL_AT_WEIGHTS - KERNEL_AT_GOLDEN) / KERNEL_BLOCK_BYTES,
	KERNEL_MISMATCHES = 8,
	KERNEL_TRIALS = 2,		/* errors that NC must report: a word, a sum */
	KERNEL_TRIAL_WORDS = 256,	/* of the burst with that word */
	KERNEL_CHANNELS_MAX = 8,	/* of the card's memory */
	KERNEL_PORTS = 3,		/* of each: its endpoints on the network */
	KERNEL_BURST_MAX = 8192,	/* bytes of one request, the smaller chip's most */
	KERNEL_BURST_STEP = 64,		/* bytes; what both ends of a request are aligned to */
	KERNEL_EXCHANGE_BYTES = KERNEL_AT_BACK - KERNEL_AT_SENT,	/* of one write to a peer */
	KERNEL_SPARES = 12,		/* pieces of memory that nothing else uses */
	KERNEL_MAGIC = 0x42555231,
	KERNEL_MAGIC_SUMS = 0x42555353	/* no run: B sums up the data from the host */
};

/*
 * The vector unit's work on each word: x -> factor x + term, this many steps per sweep.  A bit for
 * each step, the first one lowest, selects the second factor and the second term.  Each step
 * changes x, and so do all together (x + 10): if any set of steps is left out, the result differs.
 */
enum kernel_vector {
	KERNEL_VECTOR_STEPS = 6,
	KERNEL_VECTOR_FACTORS = 0x2a,
	KERNEL_VECTOR_TERMS = 0x36,
	KERNEL_FACTOR_0 = 0xc000,	/* -2, in bfloat16 */
	KERNEL_FACTOR_1 = 0xbf00,	/* -1/2 */
	KERNEL_TERM_0 = 0x432a,		/* 170 */
	KERNEL_TERM_1 = 0xc296		/* -75 */
};

/* In each channel of the card's memory: the words read back all the time, and the operands. */
enum kernel_dram {
	KERNEL_DRAM_AT = 0x1000000,
	KERNEL_DRAM_SIZE = 0x40000,	/* bytes; as many again KERNEL_DRAM_HALF further */
	KERNEL_DRAM_OPERANDS = 0x1100000,
	KERNEL_DRAM_HALF = 0x40000000	/* Wormhole: the second of a tile's two chips */
};

/* Written by the host before B is released; stop and beat at any time. */
struct kernel_order {
	uint32_t magic;
	uint32_t depth;		/* input channels / 16 */
	uint32_t rows;		/* output rows, a block each; a pass is all of them */
	uint32_t width, height;	/* of the input, borders included; up to 255 */
	uint32_t taps;		/* 3: convolution 3 by 3; 1: product of matrices */
	uint32_t repeats;	/* of the sum in a block: odd; their weights alternate */
	uint32_t passes;	/* 0: until told to stop */
	uint32_t phases;	/* of fidelity: 1, 2 or 4 */
	uint32_t mop_steps;	/* steps of one MOP; divides the steps of a block */
	uint32_t held;		/* one pair of operands per block stays in the source registers */
	uint32_t pulse;		/* when a pass begins: enum kernel_pulse; 0: at once */
	uint32_t deadman;	/* units of 256 cycles that beat may stand still; 0: for ever */
	uint32_t clean;		/* clear the backend's configuration first; 0 on a simulator */
	uint32_t stop;		/* 1: end with this pass */
	uint32_t beat;		/* the host keeps changing it while it lives */
};

/*
 * The order's pulse: passes begin when 2^window divides the clock.  With a ramp of this many
 * windows they may begin during a part of each window, which grows from none to all of it.
 */
enum kernel_pulse {
	KERNEL_PULSE_WINDOW = 0xff,	/* at least 8 if there is a ramp */
	KERNEL_RAMP_AT = 8,
	KERNEL_RAMP_MAX = 0xffffff
};

enum kernel_phase { KERNEL_IDLE, KERNEL_BEGUN, KERNEL_RUNS, KERNEL_DONE };
enum kernel_end { KERNEL_NOT_ENDED, KERNEL_PASSED, KERNEL_STOPPED, KERNEL_HOST_GONE };

struct kernel_mismatch {
	uint32_t block, word;	/* which block of this run, which word in it */
	uint32_t got, want;
};

struct kernel_state {
	uint32_t b_phase, b_checked, b_errors, b_heart;	/* errors: words, at most UINT32_MAX */
	uint32_t t0_phase, t0_steps, t0_passes, t0_end;
	/* The clock when t1_blocks were computed, or some time after the last of them. */
	uint32_t t1_phase, t1_blocks, t1_clock, t1_clock_high;
	uint32_t t1_first, t1_first_high, t1_throttled, t1_unused;
	uint32_t t2_phase, t2_packed, t2_vector, t2_unused;	/* vector: sweeps over blocks */
	struct kernel_mismatch mismatch[1 + KERNEL_MISMATCHES];	/* the trial's, the first ones */
	uint32_t b_sums[2];	/* of weights, input and golden blocks */
	uint32_t b_name;	/* the word at KERNEL_AT_NAME, at this start */
	uint32_t b_place;	/* x | y << 6, as the tile itself knows it */
};

/* Further loads beside the products; written by the host before B is released. */
struct kernel_loads {
	uint32_t bursts;	/* 1: NC reads the card's memory all the time, and compares */
	uint32_t reload;	/* passes until NC reloads the operands; 0: they stay */
	uint32_t vector;	/* sweeps of the vector unit over each block */
	uint32_t seed;		/* of kernel_dram_word() */
	uint32_t channels;	/* live ones, in `channel` */
	uint32_t weights, input;	/* bytes of the operands, as they follow each other */
	uint32_t sums[2];	/* kernel_sum() of all of them */
	uint32_t all_sums[2];	/* and of the golden blocks after them */
	uint32_t spares;	/* pieces in `spare`; 0: NC writes to no memory of a tile */
	/* x | y << 6 of its ports; its number.  The last one is only that of NC's trials. */
	uint16_t channel[KERNEL_CHANNELS_MAX + 1][4];
	struct {
		uint32_t at, bytes;	/* multiples of KERNEL_BURST_STEP */
	} spare[KERNEL_SPARES];
};

struct kernel_channel {
	uint32_t bursts, words;		/* reads that were compared */
	uint32_t errors, bits;		/* words that differed; all bits that did */
	struct {
		uint32_t words, errors;
	} port[KERNEL_PORTS];
	uint32_t unused[2];
};

struct kernel_wrong {
	uint32_t where;			/* channel << 8 | port; in an exchange: enum kernel_level */
	uint32_t at, got, want;		/* address in the channel's or the peer's memory */
};

/*
 * Each spare piece is written twice: its words, then their complement.  A level goes out through
 * one of the tile's interfaces, and comes back through the other one.
 */
enum kernel_level {
	KERNEL_LEVEL_WORDS,		/* out through network 1, back through network 0 */
	KERNEL_LEVEL_COMPLEMENT,	/* the other way */
	KERNEL_LEVEL_KEPT,		/* the complement, as the walk before has left it */
	KERNEL_LEVEL_NAME		/* none: where the peer's name should be is another word */
};

/* What NC reports about its peer's memory. */
struct kernel_exchange {
	uint32_t walks;			/* through all spare pieces, at both levels */
	uint32_t bytes;			/* of the walk under way */
	uint32_t errors, unused;
	struct kernel_wrong wrong[2];	/* the first ones */
};

/* As nc_waits names it where the peer does not answer; the network is its last bit. */
enum { KERNEL_WAITS_PEER = KERNEL_CHANNELS_MAX << 8 };

/* What NC reports about the card's memory, and T0 about its operands. */
struct kernel_traffic {
	uint32_t nc_phase, nc_heart, nc_waits, nc_loads;	/* waits: 1 + where; loads: good */
	uint32_t nc_tries, nc_errors, nc_unused[2];	/* reloads begun; words and reloads wrong */
	uint32_t t0_loads, t0_since, t0_unused[2];	/* in use; from which pass on */
	struct kernel_channel channel[KERNEL_CHANNELS_MAX + 1];	/* by their numbers */
	/* The trials', the first ones, then some. */
	struct kernel_wrong wrong[KERNEL_TRIALS + KERNEL_MISMATCHES];
	struct kernel_exchange exchange;
};

/*
 * The slot where the n-th wrong word is kept, -1: it is not kept.  Neighbours have the same
 * fault, so after the first few only one in 13 is kept.
 */
static inline int32_t kernel_wrong_slot(uint32_t n)
{
	if (n < KERNEL_TRIALS + 2)
		return (int32_t)n;
	return n % 13 ? -1 : (int32_t)(KERNEL_TRIALS + 2 + n / 13 % (KERNEL_MISMATCHES - 2));
}

/* The word at an address of a channel; no other word of the channel is the same. */
static inline uint32_t kernel_dram_word(uint32_t seed, uint32_t channel, uint32_t at)
{
	return (seed ^ (channel + 1) * 0x85ebca6b) + at / 4 * 0x9e3779b1;
}

/* The word that the tile with this name writes to its peer in a walk; then its complement. */
static inline uint32_t kernel_spare_word(uint32_t seed, uint32_t name, uint32_t walk, uint32_t at)
{
	return kernel_dram_word(seed + walk * 0xc2b2ae35, name, at);
}

/*
 * The word that B makes wrong on purpose, by these bits, in the first block that it compares: a
 * copy of the golden one.  It must report this word first, or it does not compare.  NC does the
 * same to a burst that it makes by itself, which has fewer words, and to a sum of operands.  The
 * tile's name decides.
 */
struct kernel_trial {
	uint32_t word, bits;
};

static inline struct kernel_trial kernel_trial_of(uint32_t name)
{
	const uint32_t mixed = name * 0x9e3779b1;

	return (struct kernel_trial){ mixed >> 20, 1u << (mixed >> 15 & 31) };
}

/*
 * B changes every fourth word of a block by this, once it has compared it: so only this tile, at
 * this start, can have the block that the host reads, and what stays as it was is no next block.
 * Every word would cost B so many cycles that one phase of fidelity would wait for it.
 */
enum { KERNEL_STAMP_STEP = 4 };

static inline uint32_t kernel_stamp(uint32_t name, uint32_t block)
{
	return (name ^ block * 0x85ebca6b) * 0x9e3779b1 | 1;
}

/*
 * Add a word.  One wrong word, two that are exchanged and any two wrong bits change the sums: the
 * first is one to one in each word, and what it was at any time stays in the second.
 */
static inline void kernel_sum(uint32_t sums[2], uint32_t word)
{
	sums[0] = ((sums[0] << 5 | sums[0] >> 27) ^ word) * 0x9e3779b1;
	sums[1] = (sums[1] << 11 | sums[1] >> 21) + sums[0];
}

_Static_assert(KERNEL_BLOCK_WORDS == 1 << (32 - 20), "words of a trial");
_Static_assert(sizeof(struct kernel_order) == KERNEL_AT_STATE - KERNEL_AT_ORDER, "order");
_Static_assert(KERNEL_AT_STATE + sizeof(struct kernel_state) <= KERNEL_AT_NAME, "state");
_Static_assert(KERNEL_AT_LOADS + sizeof(struct kernel_loads) <= KERNEL_AT_TRAFFIC, "loads");
_Static_assert(KERNEL_AT_TRAFFIC + sizeof(struct kernel_traffic) <= KERNEL_AT_T0, "traffic");
