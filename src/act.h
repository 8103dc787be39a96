/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.h - whatever is done to cards or to the host.  Each act is a row of acts[]: how it takes
 * cards, as data, and its steps, which one runner walks.
 *
 * The runner has what all acts share: the session, the stop, the cards that are taken once and
 * given back once, what is said and the exit code where another program has one.  What an act
 * alone needs is in its own struct, which begins with a struct act.
 */
#pragma once

#include "act/act_kind.h"
#include "act/hold.h"
#include "reset/preflight.h"
#include "src/session.h"
#include "src/stop.h"

struct act {
	const struct act_ops *ops;
	const struct options *o;
	struct session session;
	struct stop stop;
	struct hold hold;
	bool wanted[DEVICE_MAX];	/* the cards that it is about */
	unsigned passes;		/* 1u << PREFLIGHT_...: no reason against it this time */
	int64_t wait_end;		/* of --wait, clock_mono(); 0: it has not waited yet */
	bool is_part;			/* of another act, which lends it all of this and reports */
	bool was_stopped;		/* a person or a program asked, and it ended early */
};

/* How an act takes cards. */
struct act_taking {
	bool is_once;			/* its session is for one sample, not for many */
	bool awaits_rest;		/* of boards that may be about to power down */
	unsigned says;			/* 1u << PREFLIGHT_...: said even where it is passed over */
	unsigned blocks;		/* the same: a reason against it */
	unsigned forced;		/* of these, passed over with --force */
	const char *hints[PREFLIGHT_IMPOSSIBLE + 1];	/* behind "nothing was ...", by the worst */
};

/*
 * Its steps, in this order.  One that is NULL is left out, and the first that returns anything
 * but EXIT_DONE ends the act; only end() always comes.
 */
struct act_steps {
	enum exit_code (*prepare)(struct act *a);	/* from its options alone */
	enum exit_code (*choose)(struct act *a);	/* words to cards; the session is open */
	enum exit_code (*prove)(struct act *a);		/* what its end needs is there: files */
	enum exit_code (*fit)(struct act *a);		/* what cannot do it leaves wanted */
	enum exit_code (*take)(struct act *a);		/* NULL: act_take() */
	enum exit_code (*start)(struct act *a);
	enum exit_code (*watch)(struct act *a);		/* until it is over or stopped */
	enum exit_code (*judge)(struct act *a);
	enum exit_code (*report)(struct act *a);	/* its figures; the verdict as exit code */
	void (*end)(struct act *a);			/* the cards are given back after it */
};

struct act_ops {
	enum act_kind kind;
	uint64_t modes;			/* 1ull << MODE_... */
	unsigned commands;		/* and of -b 1u << COMMAND_..., that ask for it, */
	bool (*is_meant)(const struct options *o);	/* where this holds; NULL: always */
	size_t size;			/* of its own struct, where mode_act() makes it */
	const struct act_taking *taking;	/* NULL: it takes no card */
	const struct act_steps *steps;
};

extern const struct act_ops act_reset, act_burn_host, act_burn_cards, act_test_memory,
	act_check_memory, act_compute, act_diag;

/* The row that these options ask for; NULL: they ask for no act. */
const struct act_ops *act_find(const struct options *o);

/*
 * The act of the row that was found for these options, all zero but for that; the caller's to
 * free.  size: of its own struct.
 */
struct act *act_new(const struct options *o, size_t size);

/* Walk its steps, and give all back. */
enum exit_code act_run(struct act *a);

/*
 * Let a part of an act do its work: its steps without those that take cards and report, with
 * session, stop and cards of the whole, which has them back afterwards and has not let go of a
 * card in between.  The caller reads what came of it, and calls its end().
 */
enum exit_code act_run_part(struct act *whole, struct act *part);

/* The first reason against an act of this row, for one that a display runs; NULL: there is none. */
const char *act_objection(const struct act_ops *ops, const struct preflight *p);

/* Both, for an act that needs nothing before. */
enum exit_code mode_act(const struct options *o);

/*
 * Wait until beat() says that it is over, looking each `ms`; true: a person or a program asked to
 * stop before.
 */
bool act_turns(struct act *a, bool (*beat)(struct act *a), int ms);

/* Taking (act_take.c): the wanted cards, held and free of others, or the reason is said. */
enum exit_code act_take(struct act *a);

/* What was sampled before a wait may hold no longer. */
void act_sample_anew(struct act *a);

/* What telemetry says of these cards, by index, is of now, and no older sample's; 20 s at most. */
void act_await_fresh(struct act *a, const bool cards[]);

/*
 * Take the cards with take(), which fails as hold_take() does.  What is left of an act whose tool
 * was killed, or has just ended, has no process that can be named: it is waited for, and with
 * --wait any other act that has a card.
 */
int act_await_hold(struct act *a, int (*take)(struct act *a, struct error *e), struct error *e);

/* A refusal in words, the same wherever it is shown: why, and that nothing was done. */
#define ACT_REFUSAL 400
const char *act_refusal(enum act_kind kind, const char *why, char text[static ACT_REFUSAL]);

/* What hold_take() and others said of -errno, with "nothing was ..."; the exit code. */
enum exit_code act_refuse(const struct act *a, int r, const struct error *e);

/*
 * Who has the plan's cards, and what else is a reason against it: said, but for what was said
 * before (NULL: nothing).  With --wait it is waited for those that have them.
 */
enum exit_code act_judge_use(struct act *a, const struct plan *plan, struct preflight *p,
	const struct preflight *before);
