/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what a burn was asked for and what came of it, and the end of it in words.
 */
#pragma once

#include "base/file_new.h"
#include "burnin/host/burn.h"
#include "burnin/host/stop_rules.h"
#include "src/burnin/burnin.h"

struct burnin_card;

/* What was asked for and what came of it. */
struct burnin_target {
	char name[80];			/* "host", or "0 0000:01:00.0 p150a" */
	int index;			/* of the chip; -1: none */
	char second[80];		/* the board's second chip, which was passed over; "" */
	struct burn_result result;
	bool ran;			/* it was judged: there are figures */
	struct burnin_card *card;	/* that burns; NULL: the host, or nothing */
};

struct burnin_facts {
	const struct burnin_job *job;
	const struct burn *burn;	/* NULL: no load was started */
	int64_t duration;		/* ns asked for; 0: none */
	bool computes;			/* conv or matmul */
	int64_t begun;			/* clock_real() */
	int64_t took, clock_step;	/* ns; how far the system's clock was moved meanwhile */
	int64_t before;			/* ns of load, and runs, that --resume goes on after */
	uint64_t runs_before;
	int64_t paused;			/* ns that the load rested because nobody watched it */
	bool continued;			/* the program, after somebody had stopped it */
	int64_t stopped;		/* ns that the load itself was stopped from outside */
	const struct sensors *sensors;	/* of the host, at the end; NULL: no load was started */
	size_t n_rules;
	struct stop_rule *rules;
	const char *dump;		/* the folder of the dump; NULL: none */
	size_t n_targets;
	struct burnin_target *targets;
	enum burn_verdict verdict;
	enum exit_code exit;
};

/* The report to a file that was opened for it, which is closed. */
int burnin_report_write(struct file_new *file, const struct burnin_facts *f, struct error *e);

/* The same in the dump's folder, from which the workbook has its sheet. */
void burnin_report_write_beside_dump(const struct burnin_facts *f);

/* The last lines for stdout, and below the verdict of several targets what came before them. */
void burnin_report_print(struct strbuf *to, const struct burnin_facts *f, const char *earlier);
