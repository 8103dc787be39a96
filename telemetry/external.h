/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * external.h - the list of all that may leave the machine with --external.
 */
#pragma once

#include "telemetry/snapshot.h"

/* Whether JSON that is written from now on has only listed texts, and external_text() limits. */
void external_set(bool is_on);

/* Of a fleet that was sampled: number its boards, and note the words that no list has. */
void external_take(const struct fleet *f);

/*
 * The text of a JSON key, or of a field, if it is listed, else "N/A" or NULL.  A serial number
 * comes back as a number of this run.  Valid until the next call; text itself without --external.
 */
const char *external_text(const char *key, const char *text);

/* Whether the value of this field may leave as it is. */
bool external_has_field(enum field_id id);

/*
 * A file, or the target of a link, by its path in the bundle: append the lines that are listed,
 * and count the others.  False: no list names the file, and nothing was appended.
 */
bool external_put(struct strbuf *to, const char *path, const void *data, size_t len,
	size_t *left_out);
