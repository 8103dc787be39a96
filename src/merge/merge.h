/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h - the reports of a burn on many hosts as one: its verdict, and its figures.
 */
#pragma once

#include "src/merge/report.h"

#define MERGE_CARDS_ANY	  (-1)	/* each host may have burnt as many cards as it did */
#define MERGE_CARDS_ALIKE 0	/* as many as the others */

struct merge {
	struct merge_report *reports;	/* the missing ones of expected hosts, too */
	size_t n, expected;		/* of expected 0: nobody said which there should be */
	int64_t cards;			/* that each host should have burnt, or as above */
	enum burn_verdict verdict;
	char reason[400];
};

/* A file more, or each *.json of a folder. */
void merge_add(struct merge *m, const char *path);

/*
 * After all files: the hosts that there should be (names with commas between; NULL: any), each
 * with one report, of one job and of as many cards as it should be, and the verdict.
 */
void merge_judge(struct merge *m, const char *hosts);
void merge_clear(struct merge *m);

/* The same as figures: all together, the hosts and the targets, the worst first. */
struct merge_figures {
	struct figures figures;
	struct figure rows[10];
	struct figure_group group, *all, *hosts, *targets;
};

void merge_figures_make(struct merge_figures *to, const struct merge *m, int exit_code);
void merge_figures_clear(struct merge_figures *f);

/* For people. */
void merge_put_text(struct strbuf *to, const struct figures *f);
