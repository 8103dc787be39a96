/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx.c - the CSV files go through once, row by row, into the sheet and the
 * summary at the same time; one pass is one file, hence its length.
 */
#include "config.h"
#include "output/xlsx.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/csv_read.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* CSV bytes beyond which a sheet's XML may pass 4 GiB. */
#define ZIP64_FROM (512ull << 20)

/* One chip's sheet while its rows are written. */
struct sheet {
	lxw_worksheet *ws;
	uint32_t row;		/* data rows so far */
	size_t n;
	double div[COLUMN_MAX];	/* of a number; 0: the column is text */
	lxw_format *format[COLUMN_MAX];
	struct summary_cell cells[COLUMN_MAX];
	char titles[COLUMN_MAX][80];
};

struct maker {
	const struct xlsx_request *q;
	struct xlsx_report *report;
	struct book book;
	struct sheet sheet;
	uint64_t bytes, bytes_done;	/* of the CSV files */
	unsigned percent;
	uint64_t xml, xml_most;		/* bytes of all sheets and of the largest */
};

static void tell_progress(struct maker *m, uint64_t bytes)
{
	/* The last tenth is the library's, which packs everything at the end. */
	unsigned percent = m->bytes ? (unsigned)((m->bytes_done + bytes) * 90 / m->bytes) : 0;

	if (!m->q->progress || percent == m->percent || percent > 90)
		return;
	m->percent = percent;
	m->q->progress(m->q->arg, percent);
}

/* "AB" of column 27. */
static void column_letters(size_t i, char out[4])
{
	char text[4];
	size_t n = 0, k = 0;

	for (i++; i > 0 && n < sizeof(text); i = (i - 1) / 26)
		text[n++] = (char)('A' + (i - 1) % 26);
	while (n > 0 && k < 3)
		out[k++] = text[--n];
	out[k] = '\0';
}

/* Red where a value is above its limit, amber where a State is not ok. */
static void put_rules(struct maker *m, const struct summary *sum)
{
	const struct xlsx_lib *x = m->book.lib;
	struct sheet *s = &m->sheet;
	char rule[96], mine[4], other[4];

	for (size_t i = 0; i < s->n && s->row > 0; i++) {
		lxw_conditional_format f = {
			.type = LXW_CONDITIONAL_TYPE_FORMULA,
			.value_string = rule,
			.format = m->book.over,
		};

		column_letters(i, mine);
		if (sum->limit_at[i] >= 0) {
			column_letters((size_t)sum->limit_at[i], other);
			snprintf(rule, sizeof(rule), "=AND(ISNUMBER($%s2),ISNUMBER($%s2),$%s2>$%s2)",
				mine, other, mine, other);
		} else if ((int)i == sum->state_at) {
			snprintf(rule, sizeof(rule), "=LEFT($%s2,2)<>\"ok\"", mine);
			f.format = m->book.odd;
		} else {
			continue;
		}
		x->worksheet_conditional_format_range(s->ws, 1, (lxw_col_t)i, s->row, (lxw_col_t)i,
			&f);
	}
}

static void end_sheet(struct maker *m, const struct summary *sum)
{
	struct sheet *s = &m->sheet;
	off_t at;

	if (!s->ws)
		return;
	put_rules(m, sum);
	if (s->row > 0)
		m->book.lib->worksheet_autofilter(s->ws, 0, 0, s->row, (lxw_col_t)(s->n - 1));
	fflush(s->ws->optimize_tmpfile);
	at = ftello(s->ws->optimize_tmpfile);
	m->xml += at > 0 ? (uint64_t)at : 0;
	if (at > 0 && (uint64_t)at > m->xml_most)
		m->xml_most = (uint64_t)at;
	s->ws = NULL;
}

static int begin_sheet(struct maker *m, struct book_card *c, struct error *e)
{
	const struct xlsx_lib *x = m->book.lib;
	struct sheet *s = &m->sheet;
	char name[32];

	c->sheets++;
	if (c->sheets == 1)
		snprintf(name, sizeof(name), "%.31s", c->sheet);
	else
		snprintf(name, sizeof(name), "%.20s (%llu)", c->sheet,
			(unsigned long long)c->sheets);
	s->ws = x->workbook_add_worksheet(m->book.wb, name);
	if (!s->ws)
		return fail(e, -EIO, "workbook: cannot add the sheet \"%s\"", name);
	m->report->sheets++;
	s->row = 0;
	x->worksheet_set_row(s->ws, 0, 48, m->book.heading);
	x->worksheet_freeze_panes(s->ws, 1, 1);
	x->worksheet_repeat_rows(s->ws, 0, 0);
	x->worksheet_set_landscape(s->ws);
	x->worksheet_fit_to_pages(s->ws, 1, 0);
	for (size_t i = 0; i < s->n; i++) {
		bool state = (int)i == c->sum->state_at;

		x->worksheet_set_column(s->ws, (lxw_col_t)i, (lxw_col_t)i,
			state ? 60 : i == 0 ? 14 : 11, NULL);
		x->worksheet_write_string(s->ws, 0, (lxw_col_t)i, s->titles[i], m->book.heading);
	}
	return 0;
}

/* How each column is written; titles as the CSV's header says them. */
static void plan_sheet(struct maker *m, const struct columns *columns, const char *const *titles)
{
	struct sheet *s = &m->sheet;

	s->n = columns->n;
	for (size_t i = 0; i < s->n; i++) {
		int64_t scale = 0;
		int decimals = 0;
		bool number = column_is_number(&columns->c[i], &scale, &decimals);

		s->div[i] = number ? (double)scale : 0;
		s->format[i] = number && decimals < BOOK_DECIMALS ? m->book.fixed[decimals]
								  : m->book.text;
		mem_copy_text(s->titles[i], sizeof(s->titles[i]), titles[i]);
	}
}

static int put_row(struct maker *m, struct book_card *c, const char *const *cells,
	struct error *e)
{
	uint32_t max = m->q->max_rows ? m->q->max_rows : XLSX_ROWS;
	const struct xlsx_lib *x = m->book.lib;
	struct sheet *s = &m->sheet;
	lxw_error err = LXW_NO_ERROR;
	int r;

	if (s->row == max)
		end_sheet(m, c->sum);
	if (!s->ws) {
		r = begin_sheet(m, c, e);
		if (r < 0)
			return r;
	}
	summary_add(c->sum, cells, s->cells);
	s->row++;
	for (size_t i = 0; i < s->n && err == LXW_NO_ERROR; i++) {
		if (s->cells[i].known)
			err = x->worksheet_write_number(s->ws, s->row, (lxw_col_t)i,
				(double)s->cells[i].value / s->div[i], s->format[i]);
		else if (cells[i][0])
			err = x->worksheet_write_string(s->ws, s->row, (lxw_col_t)i, cells[i],
				NULL);
	}
	if (err != LXW_NO_ERROR)
		return fail(e, -EIO, "workbook: cannot write a row: %s", x->lxw_strerror(err));
	m->report->rows++;
	return 0;
}

static void note_bad(struct maker *m, const struct error *e)
{
	if (m->report->bad_lines++ == 0)
		mem_copy_text(m->report->bad, sizeof(m->report->bad), e->text);
}

/* The rows of an open file behind its header. */
static int put_rows(struct maker *m, struct book_card *c, struct csv_reader *r, struct error *e)
{
	const char *const *cells;
	struct error line;
	size_t n;
	int got;

	while ((got = csv_read_row(r, &cells, &n, &line)) != 0) {
		if (got == -EBADMSG) {
			note_bad(m, &line);
			continue;
		}
		if (got < 0) {
			*e = line;
			return got;
		}
		got = put_row(m, c, cells, e);
		if (got < 0)
			return got;
		if (c->sum->rows % 1024 == 0) {
			tell_progress(m, csv_read_bytes(r));
			if (ferror(m->sheet.ws->optimize_tmpfile))
				return fail(e, -ENOSPC,
					"workbook: cannot write: no space left beside the dump");
		}
	}
	return 0;
}

static int put_file(struct maker *m, struct book_card *c, const char *path, struct error *e)
{
	const char *const *cells;
	struct csv_reader *r;
	struct error line;
	size_t n;
	int err = csv_read_open(path, &r, &line);

	if (err < 0) {
		if (m->report->missing_files++ == 0)
			mem_copy_text(m->report->missing, sizeof(m->report->missing), line.text);
		return 0;
	}
	err = csv_read_row(r, &cells, &n, &line);
	if (err == 1 && n == c->card->columns.n) {
		plan_sheet(m, &c->card->columns, cells);
		err = m->sheet.ws ? 0 : begin_sheet(m, c, e);
		if (err == 0)
			err = put_rows(m, c, r, e);
	} else if (err != 0) {
		if (err == 1)
			fail(&line, -EBADMSG, "%s: has other columns than the index says", path);
		note_bad(m, &line);
		err = 0;
	}
	if (err == 0 && csv_read_torn(r) > 0 && m->report->torn_files++ == 0)
		snprintf(m->report->torn, sizeof(m->report->torn), "%s.csv", c->card->stem);
	m->bytes_done += csv_read_bytes(r);
	csv_read_close(r);
	return err;
}

static int put_card(struct maker *m, struct book_card *c, struct error *e)
{
	int err = 0;

	if (!c->card->has_file)
		return 0;
	c->sum = summary_new(&c->card->columns, m->book.index->interval);
	snprintf(c->sheet, sizeof(c->sheet), "%d %.24s", c->card->index,
		c->card->board[0] ? c->card->board : "unknown");
	for (char *p = c->sheet; *p; p++)
		if (strchr("[]:*?/\\'", *p))
			*p = '-';
	for (unsigned part = c->card->first; part <= c->card->last && err == 0; part++) {
		char name[128], path[4300];

		dump_card_file(c->card, part, name, sizeof(name));
		snprintf(path, sizeof(path), "%s/%s", m->q->dir, name);
		err = put_file(m, c, path, e);
	}
	if (m->sheet.ws)
		end_sheet(m, c->sum);
	return err;
}

static uint64_t csv_bytes(const struct dump_index *x, const char *dir)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct dump_card *c = &x->cards[i];

		for (unsigned part = c->first; c->has_file && part <= c->last; part++) {
			char name[128], path[4300];
			struct stat st;

			dump_card_file(c, part, name, sizeof(name));
			snprintf(path, sizeof(path), "%s/%s", dir, name);
			if (stat(path, &st) == 0)
				sum += (uint64_t)st.st_size;
		}
	}
	return sum;
}

/*
 * The library does not tell when its scratch files hit a full disk while it
 * packs them, so the room is looked for before: one more copy of the largest
 * sheet, and the packed file, which has never been seen above a fifth.
 */
static int check_room(const struct maker *m, struct error *e)
{
	struct statvfs fs;
	uint64_t need = m->xml_most + m->xml / 5 + (256u << 10);

	if (statvfs(m->q->dir, &fs) < 0)
		return 0;
	if ((uint64_t)fs.f_bavail * fs.f_frsize >= need)
		return 0;
	return fail(e, -ENOSPC, "%s: no room for the workbook: it needs %llu MB free "
		"(the CSV files are whole; make room, then tt-smi --finish)", m->q->dir,
		(unsigned long long)(need >> 20) + 1);
}

static int fill(struct maker *m, struct error *e)
{
	struct book *b = &m->book;
	int err = 0;

	book_make_formats(b);
	b->summary = b->lib->workbook_add_worksheet(b->wb, "Summary");
	b->charts = b->lib->workbook_add_worksheet(b->wb, "Charts");
	if (!b->summary || !b->charts)
		return fail(e, -EIO, "workbook: cannot add a sheet");
	for (size_t i = 0; i < b->n && err == 0; i++)
		err = put_card(m, &b->cards[i], e);
	if (err < 0)
		return err;
	book_put_summary(b, m->report->rows);
	book_put_charts(b);
	return check_room(m, e);
}

/* The workbook under its temporary name. */
static int make(struct maker *m, const char *temp, struct error *e)
{
	lxw_workbook_options options = {
		.constant_memory = LXW_TRUE,
		.use_zip64 = m->bytes > ZIP64_FROM,
	};
	struct book *b = &m->book;
	char dir[4096];
	lxw_error bad;
	int err;

	/* Scratch files go beside the dump: /tmp may be memory. */
	options.tmpdir = mem_copy_text(dir, sizeof(dir), m->q->dir);
	b->wb = b->lib->workbook_new_opt(temp, &options);
	if (!b->wb)
		return fail(e, -EIO, "workbook: cannot begin one in %s", m->q->dir);
	err = fill(m, e);
	if (err < 0) {
		b->lib->lxw_workbook_free(b->wb);
		return err;
	}
	bad = b->lib->workbook_close(b->wb);
	if (bad != LXW_NO_ERROR)
		return fail(e, -EIO, "%s: cannot write the workbook: %s", m->q->dir,
			b->lib->lxw_strerror(bad));
	return 0;
}

int xlsx_make(const struct xlsx_request *q, struct xlsx_report *report, struct error *e)
{
	struct maker *m = mem_calloc(1, sizeof(*m));
	struct dump_index *x = NULL;
	struct file_new f = { .fd = -1 };
	char stem[4200], path[4300];
	int err;

	memset(report, 0, sizeof(*report));
	m->q = q;
	m->report = report;
	err = xlsx_lib_load(&m->book.lib, e);
	if (err == 0)
		err = dump_index_read(q->dir, &x, e);
	if (err < 0)
		goto out;
	report->complete = x->complete;
	m->book.index = x;
	m->book.n = x->n;
	m->book.cards = mem_calloc(x->n + 1, sizeof(*m->book.cards));
	for (size_t i = 0; i < x->n; i++)
		m->book.cards[i].card = &x->cards[i];
	m->bytes = csv_bytes(x, q->dir);
	snprintf(stem, sizeof(stem), "%s/" DUMP_WORKBOOK, q->dir);
	err = file_free_name(stem, ".xlsx", path, sizeof(path));
	if (err < 0) {
		fail(e, err, "%s: cannot create the workbook: %s", q->dir, strerror(-err));
		goto out;
	}
	err = file_new_open(&f, path, false, e);
	if (err == 0)
		err = make(m, f.temp, e);
	if (err == 0) {
		err = file_new_keep(&f, e);
		mem_copy_text(report->path, sizeof(report->path), path);
	}
out:
	file_new_discard(&f);
	for (size_t i = 0; i < m->book.n; i++)
		summary_free(m->book.cards[i].sum);
	free(m->book.cards);
	dump_index_free(x);
	free(m);
	return err;
}
