/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_judge.h - judge the counters of a card's burn: its verdict, the cores to
 * blame, and its rate.
 */
#pragma once

#include "burnin/cores/card_burn.h"

#define CARD_MVMUL_FLOP 4096	/* 8 by 16 by 16 products, each added */
#define CARD_SLOW 0.95		/* of the median of the card's cores; less: an outlier */
#define CARD_MOST 1.02		/* products a cycle; more cannot be true: not known */
#define CARD_SICK 0.75		/* less, without throttling by the firmware: a failure */

struct card_result {
	enum verdict verdict;
	enum code code;			/* of the first reason of this verdict */
	char reason[VERDICT_REASON];	/* "" if it passed */
	size_t cores, wrong_cores, still_cores, slow_cores, throttled_cores;
	size_t untrue_cores;		/* whose clock and products cannot both be true */
	uint64_t blocks, words, errors;	/* of all cores; words compared by them */
	uint64_t rechecked, refuted, throttled;
	uint64_t mvmuls;	/* of all cores */
	uint64_t memory_words, memory_errors;	/* of the card's memory, read by the cores */
	size_t mute_channels;		/* channels that gave some core no answer */
	uint64_t exchanged;		/* bytes of L1 written by another core, at both levels */
	uint32_t toggled;		/* of a core, at least */
	uint64_t spare_errors;		/* wrong words there, */
	size_t spare_cores, mute_peers;	/* found by so many cores; cores that had no answer */
	size_t walked_cores;		/* that have been through all spare L1 of another core */
	uint64_t memory_wrong;		/* wrong words of it, read by the host */
	uint64_t wrong;			/* all wrong words: by cores, host, in memory */
	uint64_t misread;		/* all words that were right when read again */
	size_t rated_cores;		/* whose rate is known */
	double rate;			/* MVMUL per cycle, the mean of these; 0: not known */
	double median, rate_of[2];	/* of a core: the slowest and the fastest */
	size_t core[2];			/* which those are */
	struct ledger coverage;		/* the request, and the work done */
};

/* The verdict is valid after card_burn_end().  cut: why the burn was ended early, or NULL. */
void card_judge(const struct card_burn *b, const struct error *cut, struct card_result *r);

/* MVMUL per cycle of one core; 0 if it is not known or cannot be true. */
double card_judge_rate(const struct card_core *c);
bool card_judge_is_slow(const struct card_core *c, const struct card_result *r);

/* TFLOP/s of the matrix units of n cores at one MVMUL a cycle and the chip's usual clock. */
double card_judge_peak(enum device_chip chip, size_t n);

/* Record the request, only from the configuration, the kind of chip and its parts that are off. */
void card_ledger_ask(const struct card_burn_config *c, struct ledger *l);
