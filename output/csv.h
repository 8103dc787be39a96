/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - rows of a dump as RFC 4180 text: UTF-8, no byte-order mark, CR LF.
 *
 * A row is always one line: control characters never get in.  That is what
 * lets --finish tell a torn last row from a whole one.
 */
#pragma once

#include "output/dump_column.h"

/* What is to be said of the tick itself. */
struct csv_tick {
	int64_t at;		/* ns since the start of the dump */
	int64_t late;		/* ns after its deadline; told when `is_late` */
	bool is_late;
	uint64_t lost;		/* ticks that did not take place just before this one */
	int64_t stepped;	/* ns the wall clock was stepped by since the last one; 0: not */
};

/* One cell of text: defused (= + - @ first), quoted where it must be. */
void csv_put_text(struct strbuf *to, const char *text);

void csv_put_header(struct strbuf *to, const struct dump_columns *c);
void csv_put_row(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct csv_tick *t);

/*
 * The State of a row: how the card does ("ok", "failed: reason"), then what
 * is wrong with single cells and with the tick, parted by "; ".
 */
void csv_put_state(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct csv_tick *t);

#define CSV_STATE_MAX 2000	/* bytes of a State */
