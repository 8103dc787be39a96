/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - files of one folder that only grow, one record at a time, and
 * lose nothing.
 *
 * Each record is handed to the kernel at once, so a kill loses none; a thread
 * of its own sees to it that the disk has them within a second, so that a slow
 * disk never delays a sample.  Files that wait for a slow disk are synced side
 * by side, so that many take no longer than one.  A record that does not fit is
 * taken back: a full disk leaves whole records only.
 *
 * The folder is held by a descriptor: renamed or replaced by another one, it
 * is still the one that is written to.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal;

/* Starts the thread; *j is the caller's to journal_close(). */
int journal_open(const char *dir, struct journal **j, struct error *e);

/* A new file (an existing one is -EEXIST); returns its slot or -errno. */
int journal_add(struct journal *j, const char *name, struct error *e);

/* Go on in another new file; the thread syncs and closes the old one. */
int journal_replace(struct journal *j, int slot, const char *name, struct error *e);

/* Remove a file that is complete. */
int journal_remove(struct journal *j, const char *name, struct error *e);

/*
 * Replace the file of this name (the same each time) by text, soon and by the
 * thread; a text still waiting is dropped for this one.  text becomes the journal's, *text empty.
 */
void journal_put_file(struct journal *j, const char *name, struct strbuf *text);

/*
 * The first of them, which must not be there yet: the kernel has it, whole,
 * when this returns, and the thread puts it on the disk as above.
 */
int journal_new_file(struct journal *j, const char *name, struct strbuf *text, struct error *e);

/*
 * Add a record; also tells trouble the thread had with an earlier one: a sync
 * that failed, or a file that was removed (-ENOENT).
 */
int journal_append(struct journal *j, int slot, const char *text, size_t len, struct error *e);

/* Bytes in the slot's present file. */
uint64_t journal_size(const struct journal *j, int slot);

/* How long the oldest record has waited for the disk, and the longest that any did; ns. */
int64_t journal_age(struct journal *j, int64_t *most);

/* Where the folder is now, if its name no longer leads to it; false when it does. */
bool journal_is_elsewhere(const struct journal *j, char *path, size_t size);

/*
 * Begin to sync all that is left, and the file that is replaced last; the
 * descriptor is readable when that is over.
 */
void journal_end(struct journal *j);
int journal_end_fd(const struct journal *j);

/* Wait for that and close all; the first trouble is returned.  Frees j (which may be NULL). */
int journal_close(struct journal *j, struct error *e);

/* The same without waiting for the disk: what it has not yet is left to the kernel. */
void journal_leave(struct journal *j);

/* Remove every file that was made, and close. */
void journal_discard(struct journal *j);
