/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - what --health found, as text, as JSON and as a monitoring plug-in's line.
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

/* The worst first, each with what to do, then what passed in one line, and the verdict. */
void health_put_text(struct strbuf *to, const struct health_print *p);
void health_put_json(struct strbuf *to, const struct health_print *p);

/*
 * One line and no more: "TT-SMI CRITICAL: ..." with performance data behind a bar; the exit code
 * that goes with it, 0 to 3, is health_nagios_code().
 */
void health_put_nagios(struct strbuf *to, const struct health_print *p);
int health_nagios_code(const struct health_print *p);

/* The same where there is nothing to judge; a code of 1 or 2 would be a WARNING or CRITICAL. */
enum exit_code health_put_unknown(struct strbuf *to);

/* Every check with what it means, for --checks help. */
void health_put_checks(struct strbuf *to);
