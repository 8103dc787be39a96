/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_book.h - the workbook of a dump made in a process of its own: a long
 * dump takes minutes to pack, and neither a key nor a signal may wait for it.
 */
#pragma once

#include "output/xlsx.h"

struct dump_book;

/* Begin; *b is the caller's to dump_book_close().  burn: that the dump ran beside; NULL: none. */
int dump_book_start(const char *dir, const struct figures *burn, struct dump_book **b,
	struct error *e);

/* Readable when dump_book_collect() has something to take in. */
int dump_book_fd(const struct dump_book *b);

/* 1: the workbook is made, 0: not yet, -errno: it will not be.  Never blocks. */
int dump_book_collect(struct dump_book *b, struct error *e);

unsigned dump_book_percent(const struct dump_book *b);
const struct xlsx_report *dump_book_report(const struct dump_book *b);

/* Ends what still goes on and leaves no half workbook; frees b (which may be NULL). */
void dump_book_close(struct dump_book *b);
