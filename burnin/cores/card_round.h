/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_round.h - one round of load in the child process of a card's burn.
 */
#pragma once

#include "burnin/cores/card_burn.h"

/* What a round burns. */
struct card_stage {
	enum card_kind kind;
	bool held;
	size_t first, n;		/* cores */
	int64_t ns;			/* so long; or, with passes, until all have done them */
	uint32_t passes;
	uint64_t seed;
	size_t nth, from;		/* the host compares every nth core's last block */
};

/* What the child knows of a core. */
struct card_progress {
	struct kernel_state state;	/* as it was seen last */
	/* Of earlier rounds. */
	uint64_t blocks[CARD_KINDS], errors, mvmuls, cycles, throttled, vectors;
	uint32_t first;			/* wrong words kept of earlier rounds */
	int64_t moved;			/* clock_steady() when it was seen to have one block more */
	unsigned looks;
	bool was_started;		/* in this round */
	bool is_over;			/* in this round nothing more comes of it */
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
	bool has_program[CARD_TILES];	/* which stays, unless a core stood still with it */
	struct card_stage stage;
	struct card_data data;
	uint32_t loads;			/* so far: each gives the tiles new names */
	uint32_t beat;
	size_t turn;			/* the core that is looked at next */
	int64_t beaten;			/* clock_steady() of the last beat */
	bool is_alone;			/* the caller has gone */
	bool is_whole;			/* the last round was not cut short */
};

struct card_round *card_round_new(const struct card_burn_config *c, struct card_shared *s, int fd);
void card_round_free(struct card_round *w);

/*
 * Operands, load, start, watch, stop, comparison.  -errno: the card could not be
 * used; -EILSEQ: it does not keep what is written, as the text says.
 */
int card_round_run(struct card_round *w, const struct card_stage *stage, struct error *e);

/* w->data onto n cores, and the programs with it where they lack them; errors as above. */
int card_round_put(struct card_round *w, size_t first, size_t n, struct error *e);

/* The same with what the caller has loaded; he looks at its blocks once the cores are held. */
int card_round_compute(struct card_round *w, const struct card_stage *stage, struct error *e);

/* Wait so long, or until the caller wants the end, or has gone. */
void card_round_wait(struct card_round *w, int ms);
bool card_round_must_end(const struct card_round *w);
bool card_round_await_watched(struct card_round *w);	/* false: it must end */

/* A wrong word, a core that stands still, a channel that does not answer, so far. */
bool card_round_is_bad(const struct card_round *w);
