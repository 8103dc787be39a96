/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_round.h - one round of load in the child process of a card's burn.
 */
#pragma once

#include "burnin/cores/card_burn.h"

/* The work of a round. */
struct card_stage {
	enum card_kind kind;
	bool held;
	size_t first, n;		/* cores */
	int64_t ns;			/* of load; with passes, until all cores have done them */
	uint32_t passes;
	uint64_t seed;
	size_t nth, from;		/* the host compares every nth core's last block */
};

/* What the child knows of a core. */
struct card_progress {
	struct kernel_state state;	/* as it was last read */
	/* The totals of earlier rounds. */
	uint64_t blocks[CARD_KINDS], errors, mvmuls, cycles, throttled, vectors;
	uint32_t first;			/* wrong words kept from earlier rounds */
	int64_t moved;			/* clock_steady() when its blocks were last seen to grow */
	unsigned looks;
	bool is_over;			/* nothing more comes from it in this round */
};

struct card_round {
	const struct card_burn_config *c;
	struct card_shared *s;
	struct device *d;
	int fd;
	size_t n;
	struct card_tile tiles[CARD_TILES];
	struct card_progress progress[CARD_TILES];
	bool is_deaf[CARD_TILES];	/* has missed a beat that was sent to all */
	bool has_program[CARD_TILES];	/* loaded and kept, but not after the core stood still */
	struct card_stage stage;
	size_t started;			/* cores of the stage, from its first on, in this round */
	int64_t took;			/* ns to start a column, at most, and to tell all to stop */
	struct card_data data;
	uint32_t loads;			/* made so far; each gives the tiles new names */
	uint32_t beat;
	size_t turn;			/* the core that is looked at next */
	int64_t beaten;			/* clock_steady() of the last beat */
	bool is_alone;			/* the caller has gone */
	bool is_whole;			/* the last round was not cut short */
};

/*
 * Make operands, load, start, watch, stop, compare.  -errno: the card could not be
 * used; -EILSEQ: it does not keep what is written, as the text says.
 */
int card_round_run(struct card_round *w, const struct card_stage *stage, struct error *e);

/* Load w->data onto n cores, with the programs if one of them lacks its own; errors as above. */
int card_round_put(struct card_round *w, size_t first, size_t n, struct error *e);

/* Like card_round_run(), but the caller loads the data before and compares blocks afterwards. */
int card_round_compute(struct card_round *w, const struct card_stage *stage, struct error *e);

/* Wait for `ms`, or until the caller asks for the end, or has gone. */
void card_round_wait(struct card_round *w, int ms);
bool card_round_must_end(const struct card_round *w);
bool card_round_await_watched(struct card_round *w);	/* false: it must end */

/* True after a wrong word, a core that stood still, a channel that did not answer, and the like. */
bool card_round_is_bad(const struct card_round *w);

/* What the cores of a round found in the card's memory. */

/*
 * Call it once the products have ended; it waits for channels that give no answer.  The host
 * reads words that cores found wrong again, while the memory still has them.
 */
int card_gather(struct card_round *w, struct error *e);

/* The one core that reads several channels wrong that others read right: the fault is its own. */
const struct card_core *card_gather_misreader(const struct card_shared *s);

/* Whether a channel's wrong words are its own, not that core's or of a channel that leads here. */
bool card_gather_blames(const struct card_shared *s, unsigned channel);

/* The faults of a channel as the cores saw them; 0: not its own, or no word could be examined. */
size_t card_gather_judge(const struct card_shared *s, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS]);
