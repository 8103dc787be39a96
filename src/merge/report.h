/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the report of a burn on one host, read back and judged anew.
 */
#pragma once

#include "burnin/host/burn.h"
#include "telemetry/figure.h"

#include <stddef.h>

struct merge_report {
	char *path;			/* NULL: there is none; freed with the figures */
	char host[128];			/* as it says; "": it does not */
	char job[64];			/* of the scheduler; "" */
	enum burn_verdict verdict;	/* never better than its figures allow */
	char reason[400];		/* "" of a PASS */
	size_t cards, simulated;	/* that were burnt, and of these no real ones */
	struct figures figures;		/* NULL values: it could not be read */
};

/* Of a text, or of a file, whose path it takes over. */
void merge_report_judge(struct merge_report *r, const char *text, size_t len);
void merge_report_read(struct merge_report *r, char *path);

/* The verdict becomes this one, for this reason, unless it is as bad already. */
void merge_report_find(struct merge_report *r, enum burn_verdict v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
