/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_whole.h - the one file of a journal that is replaced whole: the index.
 *
 * Any thread may put a text; of those that wait only the newest is written.  The
 * journal's thread takes it and writes it in a separate thread, so that no row
 * waits for it.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

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

/* Take the text that waits; empty if there is none, or if the last one is still being written. */
struct strbuf whole_take(struct whole *w, bool wait);

/* Put a text back that was taken, unless there is a newer one. */
void whole_give_back(struct whole *w, struct strbuf *text);

/*
 * Write a text that was taken; aside: in a separate thread, which puts it back if there is no free
 * descriptor.
 */
void whole_write(struct whole *w, struct strbuf *text, bool aside);
