/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_book.h - makes the workbook of a dump in a child process: a long dump
 * takes minutes to pack, and neither a key nor a signal may wait for that.
 */
#pragma once

#include "output/xlsx.h"

struct dump_book;

/* Begin; free *b with dump_book_close().  burn: the one that ran during the dump; NULL: none. */
int dump_book_start(const char *dir, const struct figures *burn, struct dump_book **b,
	struct error *e);

/* This descriptor is readable when dump_book_collect() has something to read. */
int dump_book_fd(const struct dump_book *b);

/* 1: the workbook is made, 0: not yet, -errno: it will not be.  Never blocks. */
int dump_book_collect(struct dump_book *b, struct error *e);

unsigned dump_book_percent(const struct dump_book *b);
const struct xlsx_report *dump_book_report(const struct dump_book *b);

/* End the child if it still runs, leave no half workbook, and free b (which may be NULL). */
void dump_book_close(struct dump_book *b);
