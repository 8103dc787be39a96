/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx.h - the workbook of a dump, made from its index and its CSV files.
 *
 * A sheet per chip has the CSV's columns in its order (header in row 1, data
 * below, nothing after).  A summary and charts come before these sheets, the
 * points of the charts after them.  Memory does not grow with the dump.
 */
#pragma once

#include "base/error.h"
#include "report/figure.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XLSX_ROWS 1048575	/* data rows of a sheet: all that can be opened, less the header */

struct xlsx_request {
	const char *dir;		/* the dump's folder; the workbook goes there too */
	const struct figures *burn;	/* that ran during the dump; NULL: none */
	uint32_t max_rows;		/* data rows of a sheet; 0: XLSX_ROWS */
	atomic_uint *percent;		/* how far it is; NULL: that is not wanted */
};

/* What was left out, and the first of it in words. */
struct xlsx_loss {
	uint64_t n;
	char first[256];
};

struct xlsx_report {
	char path[4096];	/* of the workbook */
	uint64_t rows, sheets;
	bool complete;		/* the dump had reached its end */
	struct xlsx_loss torn;		/* files whose last line was torn and is dropped */
	struct xlsx_loss bad;		/* lines that are not a dump's */
	struct xlsx_loss missing;	/* files of the index that are missing */
	struct xlsx_loss index;		/* it was torn, and the files took its place */
};

/*
 * Make the workbook as a new file beside the index.  Bad lines and files are
 * left out and counted in *report; -errno if there is no workbook (then nothing
 * is left behind).
 */
int xlsx_make(const struct xlsx_request *q, struct xlsx_report *report, struct error *e);

/* Make a workbook with only the sheet of a burn; it replaces a file of that name. */
int xlsx_make_burn(const char *path, const struct figures *burn, struct error *e);

/* Made in a child process: a long dump takes minutes to pack, and no key or signal may wait. */
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
