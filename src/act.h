/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.h - operations on cards or on the host.  Each act is a row of acts[], or of the display that
 * runs it: data that says how it takes cards, and steps that one runner walks.
 *
 * The runner owns what all acts share: the session, the stop, the cards, which are taken once and
 * given back once, and the message and exit code when another program has a card.  Each act keeps
 * its own data in its own struct, which begins with a struct act.
 */
#pragma once

#include "act/counted.h"
#include "act/hold.h"
#include "base/child.h"
#include "base/file_new.h"
#include "report/advice.h"
#include "reset/preflight.h"
#include "src/session.h"
#include "src/stop.h"

struct act {
	const struct act_ops *ops;
	const struct options *o;
	struct session session;
	struct stop stop;
	struct hold hold;
	struct child guard;		/* says so if we die before the verdict */
	bool wanted[DEVICE_MAX];	/* the cards that it acts on */
	unsigned passes;		/* 1u << PREFLIGHT_...: these do not block it this time */
	int64_t wait_end;		/* end of --wait, clock_mono(); 0: it has not waited yet */
	bool is_far;			/* set by prepare(): touches no card here, has no session */
	bool is_part;			/* of another act, which lends it all this, and reports */
	bool lived[DEVICE_MAX];		/* a card can die in it if it lived in it */
	int64_t sampled;		/* by act_keep_sampling(), clock_mono() */
	bool was_stopped;		/* it ended early, since a person or a program asked */
	struct file_new report;		/* --report, see act_prove_report() */
	bool reports;			/* the report was opened, and is not written yet */
	bool has_no_report;		/* it cannot be opened, which was said */
	enum exit_code code;		/* for end(): of the steps before it */

	/* Shows why the act is refused, for a display that runs it with its own session. */
	void (*refuse)(struct act *a, const char *why);
};

/* How an act takes cards. */
struct act_taking {
	bool is_once;			/* its session takes one sample, not many */
	bool awaits_rest;		/* it waits for boards that may be about to power down */
	unsigned says;			/* 1u << PREFLIGHT_...: printed even if not blocking */
	unsigned blocks;		/* the same: these block it */
	unsigned forced;		/* of these, ignored with --force */
	const char *hints[PREFLIGHT_IMPOSSIBLE + 1];	/* after "nothing was ...", by weight */
};

/*
 * Its steps, in this order.  A NULL step is skipped, and the first that returns anything but
 * EXIT_DONE ends the act; end() always runs.
 */
struct act_steps {
	enum exit_code (*prepare)(struct act *a);	/* from its options alone */
	enum exit_code (*choose)(struct act *a);	/* find the named cards; session is open */
	enum exit_code (*prove)(struct act *a);		/* that its output can be written */
	enum exit_code (*fit)(struct act *a);		/* unmark cards that cannot do it */
	enum exit_code (*take)(struct act *a);		/* NULL: act_take() */
	enum exit_code (*start)(struct act *a);
	enum exit_code (*watch)(struct act *a);		/* until it is over or stopped */
	enum exit_code (*judge)(struct act *a);
	enum exit_code (*report)(struct act *a);	/* print figures; return the verdict */
	void (*leave)(struct act *a);	/* write the report of an act that ends before report() */
	void (*end)(struct act *a);			/* the cards are given back after it */
};

struct act_ops {
	enum act_kind kind;
	uint64_t modes;			/* 1ull << MODE_..., that ask for it */
	unsigned commands;		/* of -b, 1u << COMMAND_...; 0: any */
	bool (*is_meant)(const struct options *o);	/* a further condition; NULL: none */
	size_t size;			/* of its own struct, for mode_act() */
	const struct act_taking *taking;	/* NULL: it takes no card */
	const struct act_steps *steps;
};

extern const struct act_ops act_reset, act_reset_trays, act_burn_host, act_burn_cards,
	act_test_memory, act_check_memory, act_compute, act_diag;

/* The row that these options ask for; NULL: they ask for no act. */
const struct act_ops *act_find(const struct options *o);

/*
 * A new act of the row o->act: zero, except for its row and options.  The caller frees it.
 * size: of its own struct.
 */
struct act *act_new(const struct options *o, size_t size);

/* Walk its steps, then give everything back. */
enum exit_code act_run(struct act *a);

/*
 * For prove(): open the file of --report, to find out before the work, not after it, if that
 * fails.  Whoever finishes it clears a->reports; otherwise the runner has leave() write it, unless
 * it is a usage error, or discards it.
 */
enum exit_code act_prove_report(struct act *a);

/*
 * Run a part of an act: its steps except prove, take and report, with the session, the stop and
 * the cards of the whole.  The whole gets them back afterwards; no card is released in between.
 * The caller reads the result and calls the part's end().
 */
enum exit_code act_run_part(struct act *whole, struct act *part);

/*
 * For a display, whose own loop waits: walk the steps from choose() to start().  The caller has set
 * ops, o, session and refuse of a zeroed act, and always calls act_end().
 */
enum exit_code act_begin(struct act *a);

/* Call end(), then give everything back except the session of a display. */
void act_end(struct act *a);

/* act_new() and act_run(), for an act that needs no preparation. */
enum exit_code mode_act(const struct options *o);

/*
 * Call beat() every `ms` until it returns false; true: a person or a program asked to stop before
 * that.
 */
bool act_turns(struct act *a, bool (*beat)(struct act *a), int ms);

/* Sample again after a wait, since older samples may be out of date. */
void act_sample_anew(struct act *a);

/*
 * Sample once more after a load, before it is judged: a card may have died in its last second.
 * Returns whether there is a new sample.
 */
bool act_sample_last(struct act *a);

/* For beat(): sample again if a second has passed, so that a card that dies is known to be dead. */
void act_keep_sampling(struct act *a);

/* The next step for a card, for what the act found, by its code. */
void act_take_step(const struct act *a, int index, enum code code, struct advice *next);

/* Whether a card on which the act worked has died by the last sample; if so, *why says how. */
bool act_card_died(const struct act *a, int index, struct error *why);

/*
 * Wait until the telemetry of these cards, by index, is not of an older sample: 20 s at most, and
 * never for a card that is dead.
 */
void act_await_fresh(struct act *a, const bool cards[]);

/*
 * Take the cards with take(), which fails as hold_take() does.  An act whose tool was killed, or
 * has just ended, may leave a process that cannot be named: wait for its end, and for that of
 * another program's reset.  With --wait, also wait for any other act that has a card.
 */
int act_await_hold(struct act *a, int (*take)(struct act *a, struct error *e), struct error *e);

/* The text of a refusal, the same everywhere: why, and that nothing was done. */
#define ACT_REFUSAL 400
const char *act_refusal(enum act_kind kind, const char *why, char text[static ACT_REFUSAL]);

/*
 * EXIT_REFUSED, after saying why: the mode does not act on cards from this source.  The runner
 * asks once it knows that there are cards.  A prepare() that asks questions or reaches out calls
 * it first.
 */
enum exit_code act_refuse_source(struct act *a);

/* Print an error of hold_take() or others, with "nothing was ..."; returns the exit code. */
enum exit_code act_refuse(struct act *a, int r, const struct error *e);

/*
 * Check who uses the plan's cards and what else is against the act, and print it, except for notes
 * that are in `before` (or NULL).  With --wait, wait for the processes that hold the cards.  A
 * display gets the first note that blocks the act, at once.
 */
enum exit_code act_judge_use(struct act *a, const struct reset_plan *plan, struct preflight *p,
	const struct preflight *before);
