/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_sync.h - a round of syncs, in parallel if the disk is slow.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sync_job {
	int fd, slot;
	uint64_t size;		/* what was written, at least */
	bool close;		/* the file is complete */
	int error;		/* errno of a sync that failed, or of sync_find_loss() */
};

struct sync_round {
	size_t n, room;
	struct sync_job *jobs;
	atomic_size_t next;	/* the first job that is not taken */
	atomic_bool *hurry;	/* take no further job */
	bool slow;		/* the last round had a sync that took long */
};

/* Why a file no longer has what was written: ENOENT: removed, ENODATA: cut short; 0: it has. */
int sync_find_loss(int fd, uint64_t size);

/* Called by one thread, which may start others and waits for them. */
void sync_round_run(struct sync_round *r);
