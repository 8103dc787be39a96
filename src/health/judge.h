/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - the verdict on a session's cards and their host, for every mode that gives one, as text
 * and as JSON.
 */
#pragma once

#include "health/health.h"
#include "report/figure.h"
#include "src/options.h"
#include "src/say.h"
#include "src/session.h"

struct health_print {
	const struct health_report *report;
	const struct fleet *fleet;
	const char *hostname;		/* "" to leave it out */
	enum exit_code code;
	int64_t took;			/* ns of the whole run */
	size_t cards;			/* chips that were checked */
	size_t unread;			/* second chips that were left alone, so not checked */
};

/* Read the files of --floors and --expect, or take what is built in; else stderr says why not. */
enum exit_code health_read_floors(const struct options *o, struct floors *floors,
	struct pins *pins);

/*
 * Do these checks; *report is the caller's to health_clear(), and *p, which refers to it, can be
 * printed.  began: clock_mono() of the start of the run.  False: --expected is wrong, and stderr
 * says so.
 */
bool health_judge(struct session *s, const struct options *o, uint64_t checks,
	const struct floors *floors, int64_t began, struct health_report *report,
	struct health_print *p);

/* The verdict, then all results that are worse than PASS, the worst first, each with its advice. */
void health_put_text(struct strbuf *to, const struct health_print *p);

/* All of it as figures, for the report of another mode, and as JSON. */
void health_take(struct figures *to, const struct health_print *p);
void health_put_json(struct strbuf *to, const struct health_print *p);
