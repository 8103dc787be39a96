/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - how bad a finding of a sample is (telemetry/judge.c), for checks and acts alike.
 */
#pragma once

#include "base/error.h"
#include "report/verdict.h"

struct finding_kind {
	const char *id;
	enum verdict result;		/* of a check that reports it */
	enum code code;
};

/* NULL: no check knows it. */
const struct finding_kind *finding_kind(const char *id);
