/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - the results of --health as text, as JSON and as a monitoring plug-in's line.
 */
#pragma once

#include "health/health.h"
#include "src/exit.h"

struct health_print {
	const struct health_report *report;
	const struct fleet *fleet;
	const char *hostname;		/* "" to leave it out */
	enum exit_code code;
	int64_t took;			/* ns of the whole run */
	size_t cards;			/* chips that were checked */
};

/* The verdict, then all results that are worse than PASS, the worst first, each with its advice. */
void health_put_text(struct strbuf *to, const struct health_print *p);
void health_put_json(struct strbuf *to, const struct health_print *p);

/*
 * One line only: "TT-SMI CRITICAL: ..." with performance data behind a bar.  Its exit code, 0 to 3,
 * is health_nagios_code().
 */
void health_put_nagios(struct strbuf *to, const struct health_print *p);
int health_nagios_code(const struct health_print *p);

/* The line if nothing could be checked; returns 3, since 1 and 2 mean WARNING and CRITICAL. */
enum exit_code health_put_unknown(struct strbuf *to);

/* Every check with its description, for --checks help. */
void health_put_checks(struct strbuf *to);
