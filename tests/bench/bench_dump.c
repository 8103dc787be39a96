/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_dump.c - what bench_dump.sh cannot measure from outside.
 *
 *   rows DIR N          N rows by the engine, and the same cells by fprintf()
 *   book DIR            the workbook of DIR, and the same cells by the library alone
 *   timer HZ SECONDS    lateness of clock_nanosleep() alone, and the ticks it lost
 *   late CSV HZ         the same of the rows of a dump
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "output/csv.h"
#include "output/dump.h"
#include "output/xlsx.h"
#include "output/xlsx_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static int die(const struct error *e)
{
	fprintf(stderr, "bench_dump: %s\n", e->text);
	return 1;
}

static struct snapshot *new_card(void)
{
	struct snapshot *s = mem_calloc(1, sizeof(*s));

	s->health = SNAPSHOT_OK;
	mem_copy_text(s->board, sizeof(s->board), "p150a");
	mem_copy_text(s->bdf, sizeof(s->bdf), "0000:01:00.0");
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
		if (field_is_number((enum field_id)f))
			s->r[f] = (struct reading){ .value = 12345 + f, .state = READING_OK };
	return s;
}

static double engine_rows(const char *dir, long n)
{
	struct snapshot *card = new_card();
	struct fleet f = { .n = 1, .chips = card, .origin = &origin_machine, .driver = "" };
	struct dump_config c = { .dir = dir, .interval = CLOCK_MS, .start = 1 };
	struct error e = { 0 };
	struct dump *d;
	int64_t start = clock_mono();

	if (dump_open(&c, &f, &d, &e) < 0)
		exit(die(&e));
	for (long i = 0; i < n; i++) {
		struct dump_tick t = { 0 };

		f.time = 1 + i * CLOCK_MS;
		card->r[FIELD_POWER].value = 40000 + i % 5000;
		if (dump_row(d, &f, &t, &e) < 0)
			exit(die(&e));
	}
	if (dump_close(d, &e) < 0)
		exit(die(&e));
	free(card);
	return (double)n / ((double)(clock_mono() - start) / 1e9);
}

/* As many numbers and the same State in each row, as a program writes them; each row flushed. */
static double plain_rows(const char *dir, long n)
{
	struct snapshot *card = new_card();
	struct dump_columns c;
	char path[4096];
	int64_t start;
	FILE *out;

	dump_columns_build(&c, NULL, card, false);
	snprintf(path, sizeof(path), "%s/plain", dir);
	out = fopen(path, "w");
	if (!out)
		exit(1);
	start = clock_mono();
	for (long i = 0; i < n; i++) {
		fprintf(out, "%.6f", (double)i / 1e3);
		for (size_t k = 1; k < c.n - 1; k++)
			fprintf(out, ",%.*f", c.c[k].kind == DUMP_COLUMN_FIELD ? 3 : 1,
				(double)(12345 + k) / 1000);
		fprintf(out, ",%s\r\n", "ok; absent: throttle_reason");
		fflush(out);
	}
	fclose(out);
	remove(path);
	free(card);
	return (double)n / ((double)(clock_mono() - start) / 1e9);
}

static int rows(const char *dir, long n)
{
	double ours = engine_rows(dir, n), plain = plain_rows(dir, n);

	printf("%-44s %12.0f rows/s\n", "CSV, fprintf and fflush a row", plain);
	printf("%-44s %12.0f rows/s  (%.2f of it)\n", "CSV, the dump engine", ours, ours / plain);
	return 0;
}

#define BOOK_ROWS 20000		/* of the dump, in memory: what is read and parsed is not timed */

struct cells {
	size_t rows, columns;
	double *value;
	char **state;
};

static void load_cells(const char *csv, struct cells *c)
{
	const char *const *cells;
	struct csv_reader *r;
	struct error e;
	size_t n;

	if (csv_read_open(csv, &r, &e) < 0 || csv_read_row(r, &cells, &n, &e) != 1)
		exit(die(&e));
	c->columns = n;
	c->value = mem_calloc(BOOK_ROWS * n, sizeof(*c->value));
	c->state = mem_calloc(BOOK_ROWS, sizeof(*c->state));
	while (c->rows < BOOK_ROWS && csv_read_row(r, &cells, &n, &e) == 1) {
		for (size_t i = 0; i + 1 < n; i++)
			c->value[c->rows * n + i] = cells[i][0] ? strtod(cells[i], NULL) : -1;
		c->state[c->rows++] = strdup(cells[n - 1]);
	}
	csv_read_close(r);
}

/* The same cells by the library and nothing else: what it can do at most. */
static double library_book(const struct xlsx_lib *x, const char *dir, const char *csv)
{
	lxw_workbook_options o = { .constant_memory = LXW_TRUE };
	struct cells c = { 0 };
	char path[4096], tmp[4096];
	lxw_worksheet *ws;
	lxw_workbook *wb;
	int64_t start, took;

	load_cells(csv, &c);
	snprintf(path, sizeof(path), "%s/library.xlsx", dir);
	o.tmpdir = mem_copy_text(tmp, sizeof(tmp), dir);
	start = clock_mono();
	wb = x->workbook_new_opt(path, &o);
	ws = x->workbook_add_worksheet(wb, NULL);
	for (size_t row = 0; row < c.rows; row++) {
		for (size_t i = 0; i + 1 < c.columns; i++)
			if (c.value[row * c.columns + i] >= 0)
				x->worksheet_write_number(ws, (lxw_row_t)row + 1, (lxw_col_t)i,
					c.value[row * c.columns + i], NULL);
		x->worksheet_write_string(ws, (lxw_row_t)row + 1, (lxw_col_t)(c.columns - 1),
			c.state[row], NULL);
	}
	if (x->workbook_close(wb) != LXW_NO_ERROR)
		exit(1);
	took = clock_mono() - start;
	for (size_t row = 0; row < c.rows; row++)
		free(c.state[row]);
	free(c.state);
	free(c.value);
	remove(path);
	return (double)c.rows / ((double)took / 1e9);
}

static int book(const char *dir)
{
	struct xlsx_request q = { .dir = dir };
	static struct xlsx_report report;
	const struct xlsx_lib *x;
	struct error e = { 0 };
	double ours, theirs;
	char csv[4096];
	int64_t start;

	if (xlsx_lib_load(&x, &e) < 0)
		return die(&e);
	snprintf(csv, sizeof(csv), "%s/0_p150a_0000-01-00.0.csv", dir);
	theirs = library_book(x, dir, csv);
	start = clock_mono();
	if (xlsx_make(&q, &report, &e) < 0)
		return die(&e);
	ours = (double)report.rows / ((double)(clock_mono() - start) / 1e9);
	remove(report.path);
	printf("%-44s %12.0f rows/s\n", "XLSX, libxlsxwriter alone", theirs);
	printf("%-44s %12.0f rows/s  (%.2f of it)\n", "XLSX, CSV to workbook with statistics", ours,
		ours / theirs);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* p50, p99 and the largest of n microseconds, and how many of them came after the next tick. */
static int print_late(double *us, size_t n, size_t lost)
{
	if (n == 0)
		return 1;
	qsort(us, n, sizeof(*us), by_value);
	printf("%10.1f %10.1f %10.1f %6zu\n", us[n / 2], us[(n - 1) * 99 / 100], us[n - 1], lost);
	return 0;
}

static int timer(long hz, long seconds)
{
	size_t n = (size_t)(hz * seconds);
	double *us = mem_calloc(n + 1, sizeof(*us));
	int64_t start = clock_mono() + 10 * CLOCK_MS;
	size_t lost = 0;
	int r;

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	for (size_t i = 0; i < n; i++) {
		int64_t deadline = start + (int64_t)i * (CLOCK_SECOND / hz);

		clock_sleep_until(deadline);
		us[i] = (double)(clock_mono() - deadline) / 1e3;
		lost += us[i] * (double)hz >= 1e6;
	}
	r = print_late(us, n, lost);
	free(us);
	return r;
}

static int late(const char *csv, long hz)
{
	const char *const *cells;
	struct csv_reader *r;
	size_t n, have = 0, size = 1 << 20;
	double *us = mem_calloc(size, sizeof(*us));
	uint64_t k = 0, all_lost = 0;
	struct error e;
	int got;

	if (csv_read_open(csv, &r, &e) < 0)
		return die(&e);
	got = csv_read_row(r, &cells, &n, &e);
	/*
	 * Which deadline a row met: the one behind the last row's, and behind
	 * those that its State says are lost.  These were met by this row, too,
	 * only so much later: left out, they would make us look good.
	 */
	while (got != 0 && have < size && (got = csv_read_row(r, &cells, &n, &e)) != 0) {
		const char *text;
		uint64_t lost;

		if (got != 1)
			continue;
		text = strstr(cells[n - 1], "; lost: ");
		lost = text ? strtoull(text + 8, NULL, 10) : 0;
		all_lost += lost;
		for (uint64_t i = 0; i <= lost && have < size; i++, k++)
			us[have++] = (strtod(cells[0], NULL) - (double)k / (double)hz) * 1e6;
	}
	csv_read_close(r);
	got = print_late(us, have, (size_t)all_lost);
	free(us);
	return got;
}

static long number(const char *text)
{
	int64_t v = 0;

	if (!parse_i64(text, &v) || v <= 0)
		exit(2);
	return (long)v;
}

int main(int argc, char **argv)
{
	clock_init();
	if (argc == 4 && strcmp(argv[1], "rows") == 0)
		return rows(argv[2], number(argv[3]));
	if (argc == 3 && strcmp(argv[1], "book") == 0)
		return book(argv[2]);
	if (argc == 4 && strcmp(argv[1], "timer") == 0)
		return timer(number(argv[2]), number(argv[3]));
	if (argc == 4 && strcmp(argv[1], "late") == 0)
		return late(argv[2], number(argv[3]));
	fprintf(stderr,
		"usage: bench_dump rows DIR N | book DIR | timer HZ SECONDS | late CSV HZ\n");
	return 2;
}
