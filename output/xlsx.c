/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx.c - reads the CSV files once, row by row, into the sheet and the
 * summary at the same time.
 */
#include "config.h"
#include "output/xlsx.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/csv.h"
#include "output/dump_index.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* CSV bytes beyond which a sheet's XML may pass 4 GiB. */
#define ZIP64_FROM (512ull << 20)

struct maker {
	const struct xlsx_request *q;
	struct xlsx_report *report;
	struct book book;
	struct sheet sheet;
	uint64_t bytes, bytes_done;	/* of the CSV files */
};

static void tell_progress(struct maker *m, uint64_t bytes)
{
	/* The last tenth is for the library, which packs everything at the end. */
	const unsigned percent = m->bytes ? (unsigned)((m->bytes_done + bytes) * 90 / m->bytes) : 0;

	if (m->q->percent)
		atomic_store(m->q->percent, percent < 90 ? percent : 90);
}

static void note_loss(struct xlsx_loss *l, const char *text)
{
	if (l->n++ == 0)
		mem_copy_text(l->first, sizeof(l->first), text);
}

/* The first line has the title of the first column, unless the header was lost. */
static bool is_header(const struct dump_columns *columns, const char *const *cells)
{
	char title[DUMP_COLUMN_TITLE];

	dump_column_title(&columns->c[0], title);
	return *title && strcmp(cells[0], title) == 0;
}

/* Put the rows of an open file after its header. */
static int put_rows(struct maker *m, struct book_card *c, struct csv_reader *r, struct error *e)
{
	const char *const *cells;
	struct error line;
	size_t n;
	int got;

	while ((got = csv_read_row(r, &cells, &n, &line)) != 0) {
		if (got == -EBADMSG) {
			note_loss(&m->report->bad, line.text);
			continue;
		}
		if (got < 0) {
			*e = line;
			return got;
		}
		got = sheet_put_row(&m->sheet, c, cells, e);
		if (got < 0)
			return got;
		m->report->rows++;
		if (c->sum->rows % 1024 == 0) {
			tell_progress(m, csv_read_bytes(r));
			if (ferror(m->sheet.page.ws->optimize_tmpfile))
				return fail(e, -ENOSPC,
					"workbook: cannot write: no space left beside the dump");
		}
	}
	return 0;
}

/* is_newest: a dump that was cut off may have just begun it. */
static int put_file(struct maker *m, struct book_card *c, const char *path, bool is_newest,
	struct error *e)
{
	const struct dump_columns *columns = &c->card->columns;
	const char *const *cells;
	struct csv_reader *r;
	struct error line;
	char name[128];
	size_t n;
	int err = csv_read_open(path, &r, &line);

	if (err < 0) {
		note_loss(&m->report->missing, line.text);
		return 0;
	}
	err = csv_read_row(r, &cells, &n, &line);
	if (err == 1 && n == columns->n) {
		const bool has_header = is_header(columns, cells);

		if (!has_header) {
			fail(&line, -EBADMSG, "%s: its first line is not the header", path);
			note_loss(&m->report->bad, line.text);
		}
		sheet_plan(&m->sheet, columns, has_header ? cells : NULL);
		err = m->sheet.page.ws ? 0 : sheet_begin(&m->sheet, c, e);
		if (err == 0)
			err = put_rows(m, c, r, e);
	} else if (err != 0) {
		if (err == 1)
			fail(&line, -EBADMSG, "%s: has other columns than the index says", path);
		note_loss(&m->report->bad, line.text);
		err = 0;
	} else if (!is_newest || m->report->complete) {
		fail(&line, -EBADMSG, "%s: has no line", path);
		note_loss(&m->report->missing, line.text);
	}
	if (err == 0 && csv_read_torn(r) > 0) {
		snprintf(name, sizeof(name), "%s" DUMP_FILE, c->card->stem);
		note_loss(&m->report->torn, name);
	}
	m->bytes_done += csv_read_bytes(r);
	csv_read_close(r);
	return err;
}

static int put_card(struct maker *m, struct book_card *c, struct error *e)
{
	int err = 0;

	if (!c->card->has_file)
		return 0;
	if (strcmp(c->card->extension, DUMP_FILE) != 0)
		return fail(e, -EBADMSG, "%s: holds %s files; a workbook is made of CSV files",
			m->q->dir, c->card->extension + 1);
	c->sum = summary_new(&c->card->columns, m->book.index->interval);
	snprintf(c->sheet, sizeof(c->sheet), "%d %.24s", c->card->index,
		c->card->board[0] ? c->card->board : "unknown");
	for (char *p = c->sheet; *p; p++)
		if (strchr("[]:*?/\\'", *p))
			*p = '-';
	for (unsigned part = c->card->first; part <= c->card->last && err == 0; part++) {
		char path[4300];

		dump_card_path(c->card, part, m->q->dir, path, sizeof(path));
		err = put_file(m, c, path, part == c->card->last, e);
	}
	summary_end(c->sum);
	sheet_end(&m->sheet, c->sum);
	m->report->sheets += c->sheets;
	return err;
}

static uint64_t csv_bytes(const struct dump_index *x, const char *dir)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct dump_card *c = &x->cards[i];

		for (unsigned part = c->first; c->has_file && part <= c->last; part++) {
			char path[4300];
			struct stat st;

			dump_card_path(c, part, dir, path, sizeof(path));
			if (stat(path, &st) == 0)
				sum += (uint64_t)st.st_size;
		}
	}
	return sum;
}

/*
 * The library does not report a full disk while it packs its scratch files, so
 * check the free space first: for one more copy of the largest sheet, and for
 * the packed file, which was never seen to be above a fifth of all sheets.
 */
static int check_room(const struct maker *m, struct error *e)
{
	struct statvfs fs;
	uint64_t need = m->sheet.xml_most + m->sheet.xml / 5 + (256u << 10);

	if (statvfs(m->q->dir, &fs) < 0)
		return 0;
	if ((uint64_t)fs.f_bavail * fs.f_frsize >= need)
		return 0;
	return fail(e, -ENOSPC, "%s: no room for the workbook: it needs %llu MB free "
		"(the CSV files are whole; make room, then tt-smi --finish)", m->q->dir,
		(unsigned long long)(need >> 20) + 1);
}

static int fill_book(struct maker *m, struct error *e)
{
	struct book *b = &m->book;
	int err = 0;

	m->sheet.page.b = b;
	m->sheet.max_rows = m->q->max_rows ? m->q->max_rows : XLSX_ROWS;
	err = book_put_burn(b, m->q->burn, e);
	if (err < 0)
		return err;
	err = page_add_framed(&b->summary, b, "Summary", BOOK_TAB, 100, e);
	if (err == 0)
		err = page_add_framed(&b->charts, b, "Charts", BOOK_TAB, 100, e);
	for (size_t i = 0; i < b->n && err == 0; i++)
		err = put_card(m, &b->cards[i], e);
	if (err < 0)
		return err;
	err = book_put_names(b, e);
	if (err < 0)
		return err;
	book_put_summary(b, m->report->rows);
	book_put_charts(b);
	return check_room(m, e);
}

int xlsx_make(const struct xlsx_request *q, struct xlsx_report *report, struct error *e)
{
	struct maker *m = mem_calloc(1, sizeof(*m));
	struct dump_index *x = NULL;
	struct file_new f = { .fd = -1, .dir = -1, .in_place = -1 };
	char stem[4200], path[4300], hint[4300];
	int err;

	memset(report, 0, sizeof(*report));
	m->q = q;
	m->report = report;
	err = xlsx_lib_load(&m->book.lib, e);
	if (err == 0)
		err = dump_index_read(q->dir, &x, e);
	if (err < 0 || !x)
		goto out;
	report->complete = x->complete;
	if (x->is_rebuilt)
		note_loss(&report->index, x->error);
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
	snprintf(hint, sizeof(hint), ", then `tt-smi --finish %s`", q->dir);
	err = file_new_open(&f, path, false, e);
	if (err == 0)
		err = book_begin(&m->book, &f, q->dir, hint, m->bytes > ZIP64_FROM, e);
	if (err == 0)
		err = book_end(&m->book, q->dir, fill_book(m, e), e);
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

/* What the child leaves, in memory that both share. */
struct book_result {
	atomic_uint percent;
	bool done;
	int result;
	struct error error;
	struct xlsx_report report;
};

struct dump_book {
	struct child child;
	pid_t pid;		/* the child's, to find its temporary file */
	bool over;
	char dir[4096];
	const struct figures *burn;
	struct book_result *made;
};

static int book_serve(void *arg, int fd)
{
	const struct dump_book *b = arg;
	const struct xlsx_request q = { .dir = b->dir, .burn = b->burn,
		.percent = &b->made->percent };

	(void)fd;
	/* Sampling the cards has priority. */
	errno = 0;
	if (nice(5) < 0 && errno != 0)
		errno = 0;
	b->made->result = xlsx_make(&q, &b->made->report, &b->made->error);
	b->made->done = true;
	return 0;
}

static void book_free(struct dump_book *b)
{
	mem_unshare(b->made, sizeof(*b->made));
	free(b);
}

int dump_book_start(const char *dir, const struct figures *burn, struct dump_book **out,
	struct error *e)
{
	struct dump_book *b = mem_calloc(1, sizeof(*b));
	const struct child_config how = { .run = book_serve, .arg = b, .ignores_terminal = true };
	struct error cause;
	int r;

	mem_copy_text(b->dir, sizeof(b->dir), dir);
	b->burn = burn;
	b->made = mem_share(sizeof(*b->made));
	r = child_start(&b->child, &how, &cause);
	if (r < 0) {
		book_free(b);
		return fail_because(e, r, &cause, "workbook: %s", cause.text);
	}
	b->pid = b->child.pid;
	*out = b;
	return 0;
}

int dump_book_fd(const struct dump_book *b)
{
	return b->child.fd;
}

int dump_book_collect(struct dump_book *b, struct error *e)
{
	struct book_result *made = b->made;
	char none;

	/* The child sends nothing: what can be read is its end. */
	if (!b->over && recv(b->child.fd, &none, 1, MSG_DONTWAIT) < 0 &&
		(errno == EAGAIN || errno == EINTR))
		return 0;
	if (!b->over && !made->done)
		made->result = fail_as(&made->error, CODE_LOAD_ENDED, -EPIPE, "%s: the workbook "
			"was not made: its process ended early", b->dir);
	b->over = true;
	if (made->result < 0 && e)
		*e = made->error;
	return made->result < 0 ? made->result : 1;
}

unsigned dump_book_percent(const struct dump_book *b)
{
	return atomic_load(&b->made->percent);
}

const struct xlsx_report *dump_book_report(const struct dump_book *b)
{
	return &b->made->report;
}

/* Remove the temporary file of a child that was ended. */
static void clean_up(const struct dump_book *b)
{
	char stem[4200], path[4300];

	snprintf(stem, sizeof(stem), "%s/" DUMP_WORKBOOK, b->dir);
	if (file_free_name(stem, ".xlsx", path, sizeof(path)) == 0)
		file_new_sweep(path, b->pid);
}

void dump_book_close(struct dump_book *b)
{
	if (!b)
		return;
	child_end(&b->child, b->made->done ? CLOCK_SECOND : 0);
	if (!b->made->done)
		clean_up(b);
	book_free(b);
}
