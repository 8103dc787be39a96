/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a reset from preflight to verdict, for each mode that does one.
 */
#pragma once

#include "act/hold.h"
#include "reset/reset.h"
#include "src/mode.h"
#include "src/reset/screen.h"
#include "src/reset/setup.h"

struct reset_run {
	const struct options *o;
	struct session session;
	bool wanted[DEVICE_MAX];
	struct stop *stop;		/* while it acts; NULL: its own */

	/* Set where something other than the driver resets the cards. */
	const struct outside *outside;
	const char *act;		/* what it does, for people */
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

	/* For the report: each card as its last try left it, and what else there is to tell. */
	size_t n_done;
	struct reset_card *done;
	unsigned trays;			/* of a galaxy, bit k: tray k + 1; 0: another reset */
	char result[240];		/* of what is not the driver's to do, "" when all is well */

	struct hold hold;		/* taken once for all tries */
	struct plan plan;
	struct preflight preflight;
	struct reset_setup setup;
	struct reset *reset;
	struct reset_screen screen;
};

/* Plan, judge, ask where that is due, fire, verify; wanted is chosen and the session open. */
enum exit_code reset_run_act(struct reset_run *run);
