/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the report of a burn on one host, read back and judged again.
 */
#pragma once

#include "burnin/host/burn.h"
#include "telemetry/figure.h"

#include <stddef.h>

struct merge_report {
	char *path;			/* NULL: there is no report; freed with the figures */
	char host[128];			/* from the report; "": it has none */
	char job[64];			/* of the scheduler; "": none */
	enum burn_verdict verdict;	/* never better than its figures allow */
	enum code code;			/* of the reason */
	char reason[400];		/* "" for a PASS */
	char unlike[400];		/* its settings and others'; "": they are alike */
	size_t cards, simulated;	/* burnt, and how many of them were simulated */
	int64_t load;			/* ns, of the target with the least; -1: not known */
	struct figures figures;		/* NULL values: it could not be read */
};

/* Judge a report's text, or read and judge a file; *r takes over its path. */
void merge_report_judge(struct merge_report *r, const char *text, size_t len);
void merge_report_read(struct merge_report *r, char *path);

/* Set this verdict, code and reason, unless the verdict is as bad already. */
void merge_report_find(struct merge_report *r, enum burn_verdict v, enum code code,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
