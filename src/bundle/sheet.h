/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.h - files of one card (or of the host), read by a process of its own that a dead card may
 * keep for ever, and handed over in memory as they come.
 *
 * Nothing follows a link: the folders are resolved once, and have to be below the root.
 */
#pragma once

#include "base/child.h"

#include <stdbool.h>
#include <stddef.h>

struct sheet;

/* Begin to read the files of this PCI function, those of the bridges above it, and of its node. */
int sheet_start(struct sheet **s, const char *root, const char *bdf, int node, struct error *e);

/* The same for what belongs to no card; external: without the host's name. */
int sheet_start_host(struct sheet **s, const char *root, bool external, struct error *e);

struct child *sheet_child(struct sheet *s);

enum sheet_kind { SHEET_FILE, SHEET_LINK, SHEET_ERROR };	/* of a link and an error: text */

/*
 * What has come, each once: true and a path below the root with its data, which lie in the sheet;
 * false at the end of it.  Any time; all of it once the process has ended.
 */
bool sheet_next(struct sheet *s, enum sheet_kind *kind, const char **path, const char **data,
	size_t *len);

/* Whether it came to its end; if not, sheet_now() is what kept it. */
bool sheet_is_done(const struct sheet *s);

/* Whether there was more than fits. */
bool sheet_is_cut(const struct sheet *s);

/* The file that is being read, "" before the first and after the last. */
const char *sheet_now(const struct sheet *s);

/* Not before its process has ended, or was given up. */
void sheet_free(struct sheet *s);
