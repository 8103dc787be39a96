/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diag.h - --diag: the existing checks and acts, one after another, as one act with one verdict.
 *
 * The cards are taken once.  A stage that is an act of its own borrows them (act_run_part()), so
 * that no other program can take one in between.  A stage that could not run is a SKIP, and the
 * verdict is the worst of all stages: a stage passes only if it was seen to pass.
 *
 * After trouble, one rule holds: a card that failed a stage, or whose load a limit ended, is only
 * looked at from then on.  To stop one stage is to stop them all.
 */
#pragma once

#include "health/health.h"
#include "report/figure.h"
#include "src/act.h"
#include "src/outlet.h"

enum diag_stage_id {
	DIAG_HEALTH, DIAG_CHECK_MEMORY, DIAG_PCIE, DIAG_BURN, DIAG_TEST_MEMORY, DIAG_HEALTH_AFTER,
	DIAG_STAGES
};

struct diag;
struct diag_part;

struct diag_stage {
	const char *id;			/* of reports; never renamed */
	const char *does, *blind;	/* what it covers; which faults it does not see */
	bool is_timed;			/* it lasts for a set time, else until all is done */
	void (*run)(struct diag *d, struct diag_part *p);
};

struct diag_level {
	const char *takes;		/* "about 2 minutes" */
	int64_t times[DIAG_STAGES];	/* ns that each takes, about, or lasts; 0: left out */
	uint64_t reads, tests;		/* bytes of each channel: check-memory, test-memory */
	bool loads;			/* cards compute, and are reset before and after */
};

extern const struct diag_stage diag_stages[DIAG_STAGES];
extern const struct diag_level diag_levels[];	/* in the order of --diag's words */

#define DIAG_TEXT 320

enum { DIAG_HOST = -1, DIAG_ALL = -2 };

struct diag_item {
	int index;			/* of the chip, DIAG_HOST or DIAG_ALL */
	enum verdict result;
	bool has_warned;		/* a WARN is part of it, whatever the result */
	char text[DIAG_TEXT];		/* what was covered, or why it does not pass */
	struct advice next;		/* what to do */
};

/* A stage as it was run. */
struct diag_part {
	const struct diag_stage *stage;
	int64_t time;			/* ns that it takes, about, or lasts if it is timed */
	int64_t took;
	size_t n;
	struct diag_item *items;
	struct figures figures;		/* its own report; without a group: none */
};

struct diag_card {
	int index;			/* of the chip */
	char out[DIAG_TEXT];		/* why nothing is done to it any more; "" */
};

struct diag_pcie;

struct diag {
	struct act act;			/* first: the runner has this one */
	const struct diag_level *level;
	struct floors floors;
	uint64_t checks;		/* of health, as for health_run() */
	struct outlet out;
	int64_t begun, real;		/* clock_mono(), clock_real() */
	size_t n_cards;
	struct diag_card *cards;	/* the chosen ones, by index */
	struct diag_pcie *pcie;		/* while that stage runs */
	struct options request;		/* of diag_request() */
	const char *request_targets[2];
	struct strbuf request_cards;
	size_t n_parts;
	struct diag_part parts[DIAG_STAGES];
	enum verdict worst;
	enum exit_code code;
};

/*
 * Add a result of a stage; a card that failed is left out of later stages.  The item, whose next
 * step is the caller's to set, is valid until the next one.
 */
struct diag_item *diag_add(struct diag *d, struct diag_part *p, int index, enum verdict result,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Do nothing to this card any more; fmt says why. */
void diag_leave_out(struct diag *d, int index, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The worst result of its items; SKIP if it has none. */
enum verdict diag_result(const struct diag_part *p);

/* Sample all cards anew. */
void diag_look(struct diag *d);

/* The stages. */
void diag_run_health(struct diag *d, struct diag_part *p);
void diag_run_check_memory(struct diag *d, struct diag_part *p);
void diag_run_pcie(struct diag *d, struct diag_part *p);
void diag_run_burn(struct diag *d, struct diag_part *p);
void diag_run_test_memory(struct diag *d, struct diag_part *p);

/* In words, to d->out: the plan, the results of a stage, the end.  As JSON: all of it. */
void diag_put_plan(struct diag *d);
void diag_put_part(struct diag *d, const struct diag_part *p);
void diag_put_end(struct diag *d);
int diag_write(struct diag *d, bool is_draft, struct error *e);
