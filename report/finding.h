/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - how bad a finding of a sample is (telemetry/judge.c), for checks and acts alike.
 */
#pragma once

#include "base/error.h"
#include "report/verdict.h"

/* What to do about "power-cable", which no reset helps. */
#define FINDING_CABLE "power the host off, and check the board's 12V-2x6 power cable"

struct finding_kind {
	const char *id;
	enum verdict result;		/* of a check that reports it */
	enum code code;
};

/* NULL: no check knows it. */
const struct finding_kind *finding_kind(const char *id);
