/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - rows of a dump as RFC 4180 text: UTF-8, no byte-order mark, CR LF.
 *
 * A row is always one line: control characters never get in.  That is what
 * lets --finish tell a torn last row from a whole one.
 */
#pragma once

#include "output/sink.h"

/* One cell of text: defused (= + - @ first), quoted where it must be. */
void csv_put_text(struct strbuf *to, const char *text);

void csv_put_header(struct strbuf *to, const struct dump_columns *c);
void csv_put_row(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct tick *t);

#define CSV_STATE_MAX 2000	/* bytes of a State */
