/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/verdict.h"

static const char *const words[VERDICTS] = {
	[VERDICT_NONE] = "N/A", [VERDICT_PASS] = "PASS", [VERDICT_WARN] = "WARN",
	[VERDICT_INCOMPLETE] = "INCOMPLETE", [VERDICT_FAIL] = "FAIL"
};

const char *verdict_word(enum verdict v)
{
	return words[v];
}

const char *verdict_of_check(enum verdict v)
{
	return v == VERDICT_INCOMPLETE ? "SKIP" : words[v];
}
