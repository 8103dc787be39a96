/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_local.h - the state that the caller's side of a journal (journal.c)
 * and its thread (journal_thread.c) share.
 */
#pragma once

#include "output/journal.h"
#include "output/journal_thread.h"

#include <pthread.h>
#include <stdatomic.h>

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
