/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume.h - --resume FILE: a burn that goes on where the process before
 * it ended, however that ended.
 */
#pragma once

#include "burnin/host/checkpoint.h"
#include "src/burnin/burnin.h"

#include <pthread.h>
#include <stdatomic.h>

struct burnin_resume {
	const char *path;		/* NULL: not asked for */
	int lock;			/* of the file, for as long as this burn goes on with it */
	struct checkpoint before;	/* what is continued; runs 0: nothing */
	struct checkpoint now;
	int64_t written;		/* clock_steady() */
	uint64_t errors;		/* that stand in the file */
	bool failing;			/* to write; that has been said */

	/* The file is written in a thread of its own: a disk may take seconds to sync it. */
	pthread_t writer;		/* it alone has path and lock while there is one */
	bool has_writer;
	atomic_bool is_over;		/* the writer has nothing left to do */
	struct strbuf text;
	int result;
	struct error trouble;
};

/* Read the file, if it is there.  The reason why it cannot be continued goes to e. */
int burnin_resume_open(struct burnin_resume *r, const struct burnin_job *j,
	const struct burn_config *c, int64_t duration, struct error *e);

/* What the load begins with; NULL: nothing. */
const struct checkpoint *burnin_resume_from(const struct burnin_resume *r);

/* ns of load that processes before this one have done. */
int64_t burnin_resume_elapsed(const struct burnin_resume *r);

/* Now and then, and at once when something is wrong: elapsed is that of all processes. */
void burnin_resume_keep(struct burnin_resume *r, const struct burn *b, int64_t elapsed);

/* The load has ended.  The file goes if nothing is left to do. */
void burnin_resume_close(struct burnin_resume *r, const struct burn *b, int64_t elapsed, bool cut);
