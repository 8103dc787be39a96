/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - rows of a dump as RFC 4180 text: UTF-8, no byte-order mark, CR LF.
 *
 * A row is always one line, because control characters never get in.  So
 * --finish can recognise a torn last row.
 */
#pragma once

#include "output/sink.h"

/* Add one cell of text: defused if it begins with = + - or @, and quoted if it must be. */
void csv_put_text(struct strbuf *to, const char *text);

void csv_put_header(struct strbuf *to, const struct dump_columns *c);
void csv_put_row(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct tick *t);

#define CSV_STATE_MAX 2000	/* bytes of a State */
