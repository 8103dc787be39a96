/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx.h - the workbook of a dump, made from its index and its CSV files.
 *
 * A sheet per chip with the CSV's columns in its order (header in row 1, data
 * below, nothing after), before them a summary and charts, after them the
 * points that the charts draw.  Memory stays the same however long the dump.
 */
#pragma once

#include "base/error.h"
#include "telemetry/figure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XLSX_ROWS 1048575	/* data rows of a sheet: what can be opened, less the header */

struct xlsx_request {
	const char *dir;		/* the dump's folder; the workbook goes there too */
	const struct figures *burn;	/* that it ran beside; NULL: none */
	uint32_t max_rows;		/* data rows of a sheet; 0: XLSX_ROWS */
	/* Called now and then with 0 to 100; NULL: no progress is wanted. */
	void (*progress)(void *arg, unsigned percent);
	void *arg;
};

struct xlsx_report {
	char path[4096];	/* of the workbook */
	uint64_t rows, sheets;
	bool complete;		/* the dump had come to its end */
	unsigned torn_files;	/* files whose last line was torn and is dropped */
	char torn[160];		/* the first of them */
	uint64_t bad_lines;	/* lines that are not a dump's and are left out */
	char bad[256];		/* the first of them */
	unsigned missing_files;	/* files of the index that are not there */
	char missing[256];
};

/*
 * Make the workbook as a new file beside the index.  What is wrong with single
 * lines or files is told in *report and left out; -errno when there is no
 * workbook (then nothing is left behind).
 */
int xlsx_make(const struct xlsx_request *q, struct xlsx_report *report, struct error *e);

/* A workbook with the sheet of a burn alone, which takes the place of a file of that name. */
int xlsx_make_burn(const char *path, const struct figures *burn, struct error *e);
