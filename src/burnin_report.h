/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin_report.h - the end of a burn, in words and as JSON.
 */
#pragma once

#include "base/json.h"
#include "burnin/burn.h"
#include "src/burnin.h"

enum { BURNIN_TARGETS = 64 };

/* What was asked for and what came of it. */
struct burnin_target {
	const char *name;		/* "host", or a card as it was named */
	struct burn_result result;
	bool ran;			/* there are figures */
};

struct burnin_facts {
	const struct burnin_job *job;
	const struct burn *burn;	/* NULL: no load was started */
	int64_t duration;		/* ns asked for; 0: none */
	int64_t begun;			/* clock_real() */
	int64_t took, clock_step;	/* ns; how far the system's clock was moved meanwhile */
	struct burnin_target targets[BURNIN_TARGETS];
	size_t n_targets;
	enum burn_verdict verdict;
	enum exit_code exit;
};

/* The last lines on stdout. */
void burnin_report_print(const struct burnin_facts *f);
void burnin_report_put(struct strbuf *to, const struct burnin_facts *f);
