/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a reset as an act, for each mode that does one: act_run() plans, judges, asks where that
 * is due, fires and verifies.
 */
#pragma once

#include "reset/reset.h"
#include "src/act.h"
#include "src/mode.h"
#include "src/reset/screen.h"

struct reset_run {
	struct act act;			/* first: the runner has this one */
	enum exit_code (*choose)(struct reset_run *run);	/* the cards, of those there are */
	enum exit_code code;		/* what came of the last try */

	/* Set where something other than the driver resets the cards. */
	const struct outside *outside;
	const char *what;		/* it does, for people */
	struct snapshot *before;	/* of all chips, by index; freed by its owner */

	/* Right before the first try, when all is judged and agreed to; EXIT_DONE: go on. */
	enum exit_code (*first)(struct reset_run *run);

	/*
	 * After each try: may correct the exit code, and says whether to try again, with
	 * what it makes of wanted.  NULL: there is one try.
	 */
	bool (*again)(struct reset_run *run, enum exit_code *code);
	bool failed[DEVICE_MAX];	/* did not recover in the last try */
	unsigned tries;

	/* For the report: each card as its last try left it, and what else there is to report. */
	size_t n_done;
	struct reset_card *done;
	unsigned trays;			/* of a galaxy, bit k: tray k + 1; 0: another reset */
	char result[240];		/* of what is not the driver's to do, "" when all is well */

	struct plan_wish wish;
	struct plan plan;
	struct preflight preflight;
	struct reset_setup setup;
	struct reset_screen screen;
};

/* Whether there is a card at all; else it is said. */
bool reset_run_has_cards(const struct reset_run *run);
