/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a burn in progress: one loop follows the loads of the host and of
 * cards, the machine's sensors, telemetry, the dump and the person at the
 * terminal, and none of them can block it.
 */
#pragma once

#include "base/clock.h"
#include "burnin/cores/card_data.h"
#include "burnin/host/burn.h"
#include "burnin/host/checkpoint.h"
#include "src/act.h"
#include "src/burnin/print.h"
#include "src/loop.h"
#include "src/outlet.h"
#include "src/recording.h"
#include "telemetry/host/sensors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct card_reference;

/* The work that the options request: known before a card is looked at, taken or reset. */
struct burnin_work {
	bool host, cards;		/* are among the targets */
	bool kinds[BURN_OPS * BURN_DTYPES];	/* of the host */
	bool card_kinds[CARD_KINDS];
	bool computes;			/* conv or matmul */
	const struct card_reference *reference;	/* data that a card computes instead; NULL */
	bool memory, vector;
	uint32_t channels;		/* --channels, or all */
	uint64_t size;			/* --size: bytes; */
	int64_t share;			/* or a share of the memory, in 1/1000 percent; 0 */
};

/* False: the options are a mistake, or request more than some target can do; we said why. */
bool burnin_choose_work(const struct options *o, struct burnin_work *w);

/* --impl, for the whole process: anything but EXIT_DONE if it cannot run here; we said so. */
enum exit_code burnin_choose_impl(const struct options *o);

/* --resume FILE: a burn that goes on where an earlier process ended, however it ended. */

struct burnin_resume {
	const char *path;		/* NULL: not asked for */
	int lock;			/* of the file, as long as this burn uses it */
	struct checkpoint before;	/* the state to continue from; runs is 0: none */
	struct checkpoint now;
	int64_t written;		/* clock_steady() */
	uint64_t errors;		/* number of errors in the file */
	bool failing;			/* the last write failed, and we said so */

	/* The file is written in a thread of its own: a disk may take seconds to sync it. */
	pthread_t writer;		/* while it runs, only it uses path and lock */
	bool has_writer;
	atomic_bool is_over;		/* the writer has nothing left to do */
	struct strbuf text;
	int result;
	struct error trouble;
};

/* The file that these options name; NULL: not asked for. */
const char *burnin_resume_path(const struct options *o);

/* Draw the seed that was not given; a burn that is continued takes its file's. */
void burnin_draw_seed(struct options *o);

/* ns of load that earlier processes have done. */
int64_t burnin_resume_elapsed(const struct burnin_resume *r);

/* Write the file from time to time, and at once after an error; elapsed: ns of all processes. */
void burnin_resume_keep(struct burnin_resume *r, const struct burn *b, int64_t elapsed);

struct burnin_screen;

enum burnin_phase { BURNIN_MAKING, BURNIN_LOAD, BURNIN_ENDING, BURNIN_OVER };

struct burnin_run {
	struct act act;			/* first: the runner has this one */
	struct burnin_facts facts;
	struct burnin_work work;
	struct loop loop;
	struct outlet out;
	struct sensor_watch sensors;
	struct stop_rules rules;
	struct recording recording;	/* its dump is NULL without -d */
	uint64_t rows;			/* ticks that the dump has taken */
	struct burnin_screen *screen;	/* NULL: a line a second */

	struct burnin_target *host;	/* NULL: only cards burn */
	struct burnin_resume resume;	/* --resume, of the host's load */
	struct burn burn;		/* the host's load */
	struct burn_meter meter;
	bool burns;			/* the host's load was started */
	bool said_stop;			/* we said that it stands still */
	bool is_host_over;
	const struct error *host_cut;	/* why the host's load alone ended early; NULL */
	bool resets;			/* cards are reset before and after */
	struct snapshot *before;	/* of all chips, by index, before cards were burnt; NULL */
	enum burnin_phase phase;
	int64_t begun, real;		/* burnin_now(), clock_real() when loads were started */
	int64_t from;			/* burnin_now() when all had begun, less earlier load */
	int64_t loaded;			/* the longest burnin_run_time() while the host burnt */
	int64_t paused;			/* ns that cards burnt and nobody watched for too long */
	int64_t woken;			/* burnin_now() at the last turn */
	int64_t ended;			/* burnin_now() when the load was over; 0: it is not */
	int64_t next;			/* when the next line is due: ns of the load */
	int64_t until;			/* burnin_now() when an ending phase is cut off */
	struct error cut;		/* why it was ended early; text "": it was not */
	uint64_t last_tick;		/* the last tick that began before the load was over */
};

#define BURNIN_UNWATCHED (5 * CLOCK_SECOND / 2)	/* unwatched for longer, the load rests, in 3 s */

/* For prepare(): note what was asked for, and when. */
void burnin_begin(struct burnin_run *r);

/*
 * The steps of a burn, in their order.  A card that cannot do the requested work is removed from
 * its target, which keeps the reason: the card is neither taken nor reset.
 */
enum exit_code burnin_choose_targets(struct act *a);
enum exit_code burnin_fit(struct act *a);
enum exit_code burnin_start(struct act *a);
enum exit_code burnin_watch(struct act *a);
enum exit_code burnin_judge(struct act *a);
void burnin_end(struct act *a);

extern const struct act_taking burnin_taking;	/* of cards that compute */

/* Set the verdict and reason of a target that is not burnt, or whose verdict changes later. */
void burnin_leave_out(struct burnin_target *t, enum verdict verdict, enum code code,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The host's load, if the host is a target; watch: true while it goes on. */
void burnin_host_start(struct burnin_run *r);
bool burnin_host_watch(struct burnin_run *r, bool *running);
void burnin_host_stop(struct burnin_run *r);
void burnin_host_judge(struct burnin_run *r);

/* How to burn without resets; said behind "nothing was burnt". */
#define BURNIN_NO_RESET " (--no-reset burns without a reset before and after)"

/* Decide whether to reset cards: if they compute and --no-reset does not forbid it. */
void burnin_choose_resets(struct burnin_run *r);

/*
 * Reset all cards that are to burn, or have burnt.  A card that is not well afterwards does not
 * burn, or its verdict changes.  False: none was reset, and we said why.
 */
bool burnin_reset_before(struct burnin_run *r);
void burnin_reset_after(struct burnin_run *r);

/* The clock of a burn: that of simulated cards, unless the host computes beside them. */
static inline int64_t burnin_now(const struct burnin_run *r)
{
	return r->burns ? clock_steady() : clock_mono();
}

/*
 * ns of load, also of earlier processes, without the time in which it stood still.  Valid until
 * the load is asked to end: its last check is no load, and neither is what follows.
 */
static inline int64_t burnin_run_time(const struct burnin_run *r)
{
	return r->phase == BURNIN_MAKING ? 0 : r->woken - r->from - r->paused
		- burn_lost(&r->burn);
}

/*
 * Thousandths of the full load that are due now; below 0: the load does not change.  Of a burn
 * that was continued, each process begins its pattern anew.
 */
static inline int burnin_run_due(const struct burnin_run *r)
{
	const enum load_pattern p = r->burn.config.pattern;

	return r->burns && r->phase == BURNIN_LOAD && load_patterns[p].period > 0 ?
		load_pattern_share(p, r->woken - r->from - burnin_resume_elapsed(&r->resume)) : -1;
}

/* Progress in lines, without a screen; never waits for a reader.  c: the host's; NULL: none. */
void burnin_lines_begin(struct burnin_run *r, const struct burn_config *c);
void burnin_lines_progress(struct burnin_run *r, int64_t since);
void burnin_lines_stop(struct burnin_run *r);	/* the load stands still, or goes on */

/* The screen.  NULL: there is no terminal that can show one. */
struct burnin_screen *burnin_screen_open(struct burnin_run *r);
void burnin_screen_close(struct burnin_screen *s);	/* gives the terminal back */
void burnin_screen_tick(struct burnin_screen *s);	/* the fleet has changed */
size_t burnin_screen_poll(struct burnin_screen *s, struct pollfd fds[3]);
/* Handle keys, and draw a picture if it is time for one; true: q was pressed. */
bool burnin_screen_step(struct burnin_screen *s);
