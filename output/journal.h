/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - append-only files in one folder that lose no record.
 *
 * Each record is handed to the kernel at once, so a kill loses none.  A thread
 * syncs the records to the disk within a second, so a slow disk never delays a
 * sample.  Files that wait for a slow disk are synced in parallel, so that many
 * take no longer than one.  A record that does not fit is removed again: a full
 * disk leaves only whole records.
 *
 * The folder is held by a descriptor, so the files stay in it even if it is
 * renamed or another one takes its name.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal;

/*
 * Start the thread; close *j with journal_close().  `folder` is a descriptor of dir, which
 * stays the caller's, or -1: then dir is opened by its name.
 */
int journal_open(int folder, const char *dir, struct journal **j, struct error *e);

/* A new file (an existing one is -EEXIST); returns its slot or -errno. */
int journal_add(struct journal *j, const char *name, struct error *e);

/* Continue in another new file; the thread syncs and closes the old one. */
int journal_replace(struct journal *j, int slot, const char *name, struct error *e);

/* Remove a file that is complete. */
int journal_remove(struct journal *j, const char *name, struct error *e);

/*
 * Make the one file that is replaced whole, which must not exist yet.  The kernel has all of it
 * when this returns, and the thread puts it on the disk.  The journal takes the text over and
 * empties *text, unless it fails.
 */
int journal_new_file(struct journal *j, const char *name, struct strbuf *text, struct error *e);

/* Let the thread soon replace that file by text; a text that still waits is dropped. */
void journal_put_file(struct journal *j, struct strbuf *text);

/*
 * Add a record.  Also returns an error that the thread had with an earlier one:
 * a sync that failed, or a file that was removed (-ENOENT).
 */
int journal_append(struct journal *j, int slot, const char *text, size_t len, struct error *e);

/* Bytes in the slot's present file. */
uint64_t journal_size(const struct journal *j, int slot);

/* How long the oldest record has waited for the disk, and the longest that any did; ns. */
int64_t journal_age(struct journal *j, int64_t *most);

/* Where the folder is now, if its name no longer leads to it; false if it does. */
bool journal_is_elsewhere(const struct journal *j, char *path, size_t size);

/*
 * Begin to sync all remaining records, then the file of journal_put_file(); the
 * descriptor is readable when that is over.
 */
void journal_end(struct journal *j);
int journal_end_fd(const struct journal *j);

/* Wait for that and close all; returns the first error.  Frees j (which may be NULL). */
int journal_close(struct journal *j, struct error *e);

/* The same without waiting for the disk: the kernel writes the rest. */
void journal_leave(struct journal *j);

/* Remove every file that was made, and close. */
void journal_discard(struct journal *j);
