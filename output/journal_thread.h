/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_thread.h - the thread that puts the files of a journal on the disk.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <pthread.h>
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

struct whole {
	int dir;			/* of the journal, as is dir_name */
	const char *dir_name;
	const atomic_bool *hurry;	/* leave the sync to the kernel */
	pthread_mutex_t lock;		/* for waiting; never held during I/O */
	struct strbuf waiting;		/* empty: no text waits */
	char name[256];			/* set once */
	int reserve;			/* a nameless file, whose room a text may take; -1 */
	atomic_int error;		/* -errno of the first text that could not be written */

	/* Used only by the journal's thread and its writer. */
	pthread_t writer;
	bool has_writer, is_last;	/* is_last: nothing is written after this text */
	struct strbuf writing;
	atomic_bool written;		/* the writer is done */
};

void whole_init(struct whole *w, const char *dir_name, const atomic_bool *hurry);

void whole_clear(struct whole *w);

/* Let the file hold this text, which w takes over; *text becomes empty. */
void whole_put(struct whole *w, const char *name, struct strbuf *text);

/* Make the file, which must not exist yet; the kernel has all of it when this returns. */
int whole_make(struct whole *w, const char *name, const struct strbuf *text, struct error *e);

/* Forget a text that waits. */
void whole_drop(struct whole *w);
