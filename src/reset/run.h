/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a reset as an act, for each mode that resets cards: act_run() plans, judges, asks if it
 * has to, fires and verifies.
 */
#pragma once

#include "reset/reset.h"
#include "src/act.h"
#include "src/mode.h"
#include "src/reset/done.h"
#include "src/reset/screen.h"

struct reset_run {
	struct act act;			/* first: the runner has this one */
	enum exit_code (*choose)(struct reset_run *run);	/* set act.wanted */
	enum exit_code code;		/* of all tries so far */

	/* Set if something other than the driver resets the cards. */
	const struct outside *outside;
	const char *what;		/* its act in words, for people */
	struct snapshot *before;	/* of all chips, by index; freed by its owner */

	/* Called right before the first try, after all checks and consent; EXIT_DONE: go on. */
	enum exit_code (*first)(struct reset_run *run);

	/*
	 * Called after each try: may correct the exit code; true: try again, with the cards
	 * that it leaves in act.wanted.  NULL: there is only one try.
	 */
	bool (*again)(struct reset_run *run, enum exit_code *code);
	unsigned tries;
	struct reset_done done;

	/* For the report. */
	unsigned trays;			/* of a galaxy, bit k: tray k + 1; 0: another reset */
	char result[240];		/* failure of the act outside of the driver; "": none */
	bool is_reported;		/* the report was written, or cannot be */

	struct plan_wish wish;
	struct reset_plan plan;
	struct preflight preflight;
	struct reset_setup setup;
	struct reset_screen screen;
};

/* Whether there is a card at all; if not, complain. */
bool reset_run_has_cards(const struct reset_run *run);
