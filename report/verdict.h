/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - one scale for everything that is judged: a burn, a check, a stage, a report.
 */
#pragma once

/* From harmless to bad: of several the worst counts. */
enum verdict {
	VERDICT_NONE,		/* nothing was judged; a check: it does not apply here */
	VERDICT_PASS,
	VERDICT_WARN,		/* it works, but somebody should know */
	VERDICT_INCOMPLETE,	/* asked for, and not seen */
	VERDICT_FAIL,
	VERDICTS
};

#define VERDICT_REASON 1024	/* bytes of the reasons for a verdict, in words; one error's text */

const char *verdict_word(enum verdict v);	/* "N/A", "PASS", "WARN", "INCOMPLETE", "FAIL" */
const char *verdict_of_check(enum verdict v);	/* the same, but "SKIP" */
