/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.h - files of one card (or of the host), read by a separate process, which a dead card may
 * block for ever.  Each file is handed over in shared memory as soon as it is read.
 *
 * No link is followed to read a file: the folders are resolved once, and must be below the root.
 */
#pragma once

#include "base/child.h"

#include <stdbool.h>
#include <stddef.h>

struct sheet;

/* Begin to read the files of this PCI function, of the bridges above it, and of its node. */
int sheet_start(struct sheet **s, const char *root, const char *bdf, int node, struct error *e);

/* The same for the files that belong to no card; external: without the host's name. */
int sheet_start_host(struct sheet **s, const char *root, bool external, struct error *e);

struct child *sheet_child(struct sheet *s);

enum sheet_kind { SHEET_FILE, SHEET_LINK, SHEET_ERROR };	/* the last two have text as data */

/*
 * Get the next entry, each once: true, with a path below the root and its data, which both lie in
 * the sheet; false if there is none yet.  Can be called at any time, and gives all entries once the
 * process has ended.
 */
bool sheet_next(struct sheet *s, enum sheet_kind *kind, const char **path, const char **data,
	size_t *len);

/* Whether all files were read; if not, sheet_now() is the one that blocked. */
bool sheet_is_done(const struct sheet *s);

/* Whether some entries did not fit. */
bool sheet_is_cut(const struct sheet *s);

/* The file that is being read; "" before the first and after the last. */
const char *sheet_now(const struct sheet *s);

/* To be called only once its process has ended or was given up. */
void sheet_free(struct sheet *s);
