/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - how bad a finding of a sample is (telemetry/judge.c), and what to do about it, for
 * checks and acts alike.
 */
#pragma once

#include "base/error.h"
#include "report/verdict.h"

#include <stddef.h>

/* The next step as a code, for programs; its name never changes.  tt-smi-json(5) lists them. */
enum action {
	ACTION_NONE, ACTION_RESET, ACTION_RESET_BOARD, ACTION_RESCAN, ACTION_POWER_CYCLE,
	ACTION_RESEAT_CABLE, ACTION_UPDATE_FIRMWARE, ACTION_UPDATE_DRIVER, ACTION_CONFIGURE_HOST,
	ACTION_FREE_HOLDER, ACTION_CONTACT_SUPPORT,
	ACTIONS
};

const char *action_name(enum action a);

/* A next step: its code, and its words, where '#' stands for the card's index; NULL: no step. */
struct step {
	enum action action;
	const char *text;
};

/* The reset of a card; advice_take() (report/advice.h) names the whole board if it has to. */
#define STEP_RESET { ACTION_RESET, "tt-smi -wr #" }
#define STEP_POWER { ACTION_POWER_CYCLE, "power the host off and on" }

struct finding_kind {
	const char *id;
	enum verdict result;		/* of a check that reports it */
	enum code code;
	struct step step;
};

/* Of equally bad kinds, the first decides what to do; NULL: there is no row i. */
const struct finding_kind *finding_kind_at(size_t i);
/* NULL: no check knows it. */
const struct finding_kind *finding_kind(const char *id);
