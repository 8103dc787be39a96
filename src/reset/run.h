/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a reset as an act, for each row that resets cards: its steps plan, judge, ask if they
 * have to, fire and verify.
 */
#pragma once

#include "reset/reset.h"
#include "src/act.h"
#include "src/options.h"
#include "src/reset/prompt.h"
#include "src/reset/screen.h"
#include "src/reset/targets.h"
#include "src/say.h"

/*
 * The cards of all tries, each as the last try that did anything to it left it.  Exit code, report
 * and further tries are made of the same.
 */
struct reset_done {
	size_t n;
	struct reset_card *cards;	/* room for all of a machine, from reset_done_init() on */
};

/* Take the room before the first card is touched. */
void reset_done_init(struct reset_done *d);

void reset_done_clear(struct reset_done *d);

/* Remember the cards of a try that is over. */
void reset_done_take(struct reset_done *d, const struct reset_card *cards, size_t n);

/* Whether this card did not recover, and may in another try. */
bool reset_done_has_failed(const struct reset_done *d, int index);

/* "2 of 3 cards recovered, 1 lost", and the exit code. */
enum exit_code reset_done_put(const struct reset_done *d, struct strbuf *to);

struct reset_run {
	struct act act;			/* first: the runner has this one */
	struct options local;		/* see reset_run_take_local() */
	struct reset_order order;
	enum exit_code code;		/* of all tries so far */

	/* Set if something other than the driver resets the cards. */
	const struct outside *outside;
	struct strbuf what;		/* its act in words, for people */
	struct credentials credentials;	/* of the controller that does it */
	struct snapshot *before;	/* of all chips, by index */

	/*
	 * Called right before the first try, after all checks and consent; EXIT_DONE: go on.  It
	 * is the whole reset if the act is far.
	 */
	enum exit_code (*first)(struct reset_run *run);

	/*
	 * Called after each try: may correct the exit code; true: try again, with the cards
	 * that it leaves in act.wanted.  NULL: there is only one try.
	 */
	bool (*again)(struct reset_run *run, enum exit_code *code);
	unsigned tries;
	struct reset_done done;
	struct reset_done left_out;	/* of all cards, those whose reset cannot be begun */
	size_t told;			/* how many of these were printed */

	/* For the report. */
	unsigned trays;			/* of a galaxy, bit k: tray k + 1; 0: another reset */
	char result[240];		/* failure of the act outside of the driver; "": none */

	struct plan_wish wish;
	struct reset_plan plan;
	struct preflight preflight;
	struct reset_setup setup;
	struct reset_screen screen;
};

/* The steps of all rows, after choose(). */
extern const struct act_taking reset_taking;
enum exit_code reset_run_plan(struct act *a);
enum exit_code reset_run_agree(struct act *a);
enum exit_code reset_run_fire(struct act *a);
enum exit_code reset_run_report(struct act *a);
void reset_run_leave(struct act *a);
void reset_run_end(struct act *a);

/* For prepare(): leave out chips that have no PCIe of their own. */
void reset_run_take_local(struct reset_run *run);

/* For choose() of a far act: print what it will do. */
enum exit_code reset_run_show(const struct reset_run *run);

/* prepare() and choose() for the mobos of an order.  prepare() reads the words of -mr. */
enum exit_code mobo_prepare(struct reset_run *run);
enum exit_code mobo_choose(struct reset_run *run);

/* Whether there is a card at all; if not, complain. */
bool reset_run_has_cards(const struct reset_run *run);
