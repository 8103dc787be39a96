/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - merges the reports of a burn on many hosts: one verdict, and the figures.
 */
#pragma once

#include "burnin/host/burn.h"
#include "report/figure.h"

#include <stddef.h>

struct merge_report {
	char *path;			/* NULL: there is no report; freed with the figures */
	char host[128];			/* from the report; "": it has none */
	char job[64];			/* of the scheduler; "": none */
	enum verdict verdict;	/* never better than its figures allow */
	enum code code;			/* of the reason */
	char reason[VERDICT_REASON];	/* "" for a PASS */
	char unlike[400];		/* its settings and others'; "": they are alike */
	bool is_own;			/* the host itself burnt, too */
	int64_t begun;			/* ns since 1970; 0: not known */
	size_t cards, simulated;	/* burnt, and how many of them were simulated */
	int64_t load;			/* ns, of the target with the least; -1: not known */
	struct figures figures;		/* NULL values: it could not be read */
};

#define MERGE_CARDS_ANY	  (-1)	/* each host may have burnt any number of cards */
#define MERGE_CARDS_ALIKE 0	/* each host has to have burnt as many as the others */

struct merge {
	struct merge_report *reports;	/* with an entry for each missing report */
	size_t n, expected;		/* reports, and expected hosts; 0: these were not given */
	int64_t cards;			/* that each host should have burnt, or as above */
	int64_t within;			/* ns that a report may be older than the newest */
	enum verdict verdict;
	char reason[VERDICT_REASON];
	int64_t passed, simulated, unlike;	/* reports, cards, reports with other settings */
	int64_t load;			/* ns, the least of all; -1: not known */
};

/* Add a file, or each *.json of a folder; an entry at least, which says why there is no report. */
void merge_add(struct merge *m, const char *path);

/*
 * To be called after all files are added, one at least.  Each of the hosts (names with commas
 * between; NULL: any) has to have one report, all of the same job and time, with the right number
 * of cards, and its own burn if others have one.
 * Sets the verdict.
 */
void merge_judge(struct merge *m, const char *hosts);
void merge_clear(struct merge *m);

/* Take all figures: of all together, then of the hosts and the targets, the worst first. */
void merge_take(struct figures *to, const struct merge *m, int exit_code);

/* For people. */
void merge_put_text(struct strbuf *to, const struct figures *f);

/* Judge a report's text, or read and judge a file; *r takes over its path. */
void merge_report_judge(struct merge_report *r, const char *text, size_t len);
