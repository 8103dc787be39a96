/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - writes rows of a dump as RFC 4180 text and reads them: UTF-8, no byte-order mark, CR LF.
 *
 * A row is always one line, because control characters never get in.  So
 * --finish can recognise a torn last row.
 */
#pragma once

#include "base/error.h"
#include "output/dump_column.h"
#include "output/tick.h"

#include <stddef.h>
#include <stdint.h>

#define CSV_LINE_MAX  65536	/* bytes of a line */
#define CSV_CELL_MAX  1024	/* cells of a line */
#define CSV_STATE_MAX 2000	/* bytes of a State */

/* Add one cell of text: defused if it begins with = + - or @, and quoted if it must be. */
void csv_put_text(struct strbuf *to, const char *text);

void csv_put_header(struct strbuf *to, const struct dump_columns *c);
void csv_put_row(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct tick *t);

/*
 * Reads strictly: a line that our writer cannot have written is an error with its number, and the
 * next call goes on after it.  A last line without its end, as a kill leaves, is only counted.
 */
struct csv_reader;

int csv_read_open(const char *path, struct csv_reader **r, struct error *e);

void csv_read_close(struct csv_reader *r);

/*
 * The next line's cells, ended by NUL, valid until the next call.  Returns 1,
 * 0 at the end, -EBADMSG for a malformed line (not as many cells as the first
 * line, quotes, UTF-8), or another -errno if the file cannot be read.
 */
int csv_read_row(struct csv_reader *r, const char *const **cells, size_t *n, struct error *e);

/* Bytes of a torn last line that were dropped; known once csv_read_row() returned 0. */
size_t csv_read_torn(const struct csv_reader *r);

/* Bytes read so far. */
uint64_t csv_read_bytes(const struct csv_reader *r);
