/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - files that only grow, one record at a time, and lose nothing.
 *
 * Each record is handed to the kernel at once, so a kill loses none; a thread
 * of its own sees to it that the disk has them within a second, so that a slow
 * disk never delays a sample.  A record that does not fit is taken back: a
 * full disk leaves whole records only.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

struct journal;

/* Starts the thread; *j is the caller's to journal_close(). */
int journal_open(struct journal **j, struct error *e);

/* A new file (an existing one is -EEXIST); returns its slot or -errno. */
int journal_add(struct journal *j, const char *path, struct error *e);

/* Go on in another new file; the thread syncs and closes the old one. */
int journal_replace(struct journal *j, int slot, const char *path, struct error *e);

/*
 * Replace the file at path (the same each time) by text, soon and by the
 * thread; a text still waiting is dropped for this one.  text becomes the journal's, *text empty.
 */
void journal_put_file(struct journal *j, const char *path, struct strbuf *text);

/*
 * The first of them, which must not be there yet: the kernel has it when this
 * returns, and the thread puts it on the disk as above.
 */
int journal_new_file(struct journal *j, const char *path, struct strbuf *text, struct error *e);

/* Add a record; also tells trouble the thread had with an earlier one. */
int journal_append(struct journal *j, int slot, const char *text, size_t len, struct error *e);

/* Bytes in the slot's present file. */
uint64_t journal_size(const struct journal *j, int slot);

/* Sync and close all; the first trouble is returned.  Frees j (which may be NULL). */
int journal_close(struct journal *j, struct error *e);
