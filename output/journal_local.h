/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_local.h - the state that the caller's side of a journal (journal.c)
 * and its thread (journal_thread.c) share.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "output/journal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A round of syncs, in parallel if the disk is slow. */

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

/*
 * The one file that is replaced whole: the index.  Any thread may put a text; of those that wait
 * only the newest is written, in a thread of its own, so that no row waits for it.
 */
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

#define JOURNAL_SLOTS 512

struct slot {
	int fd;
	uint64_t size;
	int64_t since;		/* ns, of the oldest record without a sync; 0: none */
	char name[256];
};

/* A file that is complete, to be synced and closed. */
struct retired {
	int fd, slot;
	int64_t since;
};

struct journal {
	pthread_t thread;
	int dir;
	char dir_name[4096];	/* as it was named */
	pthread_mutex_t lock;	/* for what both threads change; never held during I/O */
	size_t n_retired, room;
	struct retired *retired;
	struct sync_round round;	/* the thread's */
	int64_t round_since;	/* of the oldest record in the round; 0: there is none */
	int64_t most;		/* ns that the longest wait for the disk took */
	int wake, over;		/* eventfds: there is work, or the end; the thread has ended */
	atomic_bool ending, hurry;
	struct whole index;
	atomic_int trouble;	/* -errno of the first sync that failed */
	atomic_int trouble_slot;
	atomic_bool told;	/* the caller has received it, or another error */
	size_t n;
	struct slot *slots[JOURNAL_SLOTS];
};

/* Instead of a slot, for trouble with the index. */
#define JOURNAL_INDEX (-1)

void journal_note_trouble(struct journal *j, int slot, int err);

/* -errno of the first trouble, and the slot of its file; 0: there is none. */
int journal_find_trouble(struct journal *j, int *slot);

/* The older of two times; 0 means none. */
int64_t journal_older(int64_t a, int64_t b);

/* The thread: syncs until the journal's end. */
void *journal_run(void *journal);
