/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume.h - --resume FILE: a burn that goes on where an earlier process
 * ended, however it ended.
 */
#pragma once

#include "burnin/host/checkpoint.h"
#include "src/burnin/burnin.h"

#include <pthread.h>
#include <stdatomic.h>

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

/* Read the file, or create it.  -errno: it cannot be continued; *e says why. */
int burnin_resume_open(struct burnin_resume *r, const struct burnin_job *j,
	const struct burn_config *c, int64_t duration, struct error *e);

/* The state that the load begins with; NULL: none. */
const struct checkpoint *burnin_resume_from(const struct burnin_resume *r);

/* ns of load that earlier processes have done. */
int64_t burnin_resume_elapsed(const struct burnin_resume *r);

/* Write the file from time to time, and at once after an error; elapsed: ns of all processes. */
void burnin_resume_keep(struct burnin_resume *r, const struct burn *b, int64_t elapsed);

/*
 * The load has ended and was judged: a fault of its own in an earlier process fails the burn, too,
 * and that of this one is kept for the next.
 */
void burnin_resume_judge(struct burnin_resume *r, struct burn_result *x);

/* The load has ended: write the file if it was cut short, else remove the file. */
void burnin_resume_close(struct burnin_resume *r, const struct burn *b, int64_t elapsed, bool cut);
