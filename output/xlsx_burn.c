/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_burn.c - the sheet of a burn that ran during the dump: its figures that have a title.
 *
 * Single figures are lines of a name and a value, lists are tables.  A list whose elements have
 * tables of their own is a table first, then a section for each element.  The longest texts of a
 * table are in its last column, which goes on to the end of the page.
 */
#include "config.h"
#include "output/xlsx.h"

#include "base/mem.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SCALE 75
#define NAME_WIDTH 34		/* characters of the first column, and of the others */
#define WIDTH	   16
#define LAST	   8		/* the last column that a long text takes */
#define LINE	   15		/* points */
#define PRINTED	   4		/* of this many targets at most all sections are printed */

/* Explanations of titles that do not explain themselves. */
static const struct {
	const char *title, *is;
} names[] = {
	{ "Rate (GFLOP/s)", "Multiply-adds that were done, two operations each, in thousand "
		"millions a second of the time that their kind of work ran." },
	{ "Peak (GFLOP/s)", "What the instruction that does this work reaches in registers alone, "
		"sampled on each processor during the burn." },
	{ "Of the peak (%)", "Rate over peak. Empty where that cannot be true: above 100 %, or of "
		"a load that had its processors for less than 90 % of the time." },
	{ "Processor share (%)", "How much of the time the load had its processors; other work, "
		"or a limit of its control group, took the rest." },
	{ "One value (GB/s)", "Memory written and compared at the same few places throughout the "
		"burn: what the memory test is measured against." },
	{ "MVMUL per cycle", "Products of 8 x 16 and 16 x 16 that a core made in a cycle, by its "
		"own counters, on average; one is the most there can be." },
	{ "Documented peak (TFLOP/s)", "One MVMUL a cycle and core at the chip's usual clock." },
	{ "Phases of fidelity", "Passes of the matrix unit over each product; the useful "
		"operations are the rate divided by these." },
	{ "Seed", "What --seed takes to run it with the same operands." },
};

struct burn_sheet {
	struct page page;
	size_t lines;			/* that the longest text of the row takes */
	const struct figure *wide;	/* of the table: the figure in its last column */
	bool has_name[ARRAY_LEN(names)];
};

/* Put a text into the columns from `col` to `last`, in as many lines as it takes. */
static void put_long(struct burn_sheet *p, size_t col, size_t last, const char *text)
{
	const size_t one = col == 0 ? NAME_WIDTH : WIDTH, len = strlen(text);
	const size_t lines = len / (last > col ? (last - col + 1) * WIDTH - 2 : one - 2) + 1;
	const enum style style = strcmp(text, "FAIL") == 0 ? STYLE_OVER :
		strcmp(text, "INCOMPLETE") == 0 ? STYLE_ODD : last > col && p->wide ?
		STYLE_VERDICT + VERDICT_PASS : STYLE_WRAPPED;

	p->lines = lines > p->lines ? lines : p->lines;
	if (len > one - 2 && last > col)
		page_merged(&p->page, col, last, text, style);
	else
		page_text(&p->page, col, text, style);
}

static void end_row(struct burn_sheet *p)
{
	if (p->lines > 1)
		page_height(&p->page, (double)p->lines * LINE);
	p->lines = 0;
	p->page.row++;
}

/* Put a value; an unknown one is an empty cell.  last: the last column that it may take. */
static void put_value(struct burn_sheet *p, size_t col, size_t last, const struct figure *row,
	const struct figure_value *v)
{
	const bool is_rate = row->kind == FIGURE_RATE && row->decimals == 0;
	const bool is_whole = row->kind == FIGURE_AMOUNT && v->scale == 1;
	char text[32];

	if (v->state != FIGURE_KNOWN)
		return;
	snprintf(text, sizeof(text), row->typed ? "%llu" : "0x%llx", (unsigned long long)v->n);
	if (v->text || row->hex)
		put_long(p, col, last, v->text ? v->text : text);
	else if (row->kind == FIGURE_BOOL)
		page_text(&p->page, col, v->n ? "yes" : "no", STYLE_TEXT);
	else
		page_number(&p->page, col, figure_number(v),
			is_whole ? 0 : is_rate ? 1 : row->decimals);
}

static void note_name(struct burn_sheet *p, const char *title)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		p->has_name[i] = p->has_name[i] || strcmp(names[i].title, title) == 0;
}

static bool is_text(const struct figure *row)
{
	return row->hex || row->kind == FIGURE_BOOL || row->kind == FIGURE_TEXT;
}

static bool is_list(const struct figure *row)
{
	return row->kind == FIGURE_LIST || row->kind == FIGURE_MAP;
}

/* Whether the group, or one below it, has a table. */
static bool has_tables(const struct figure_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct figure *row = &g->rows[i];

		if (!figure_is_group(row))
			continue;
		if (has_tables(row->group))
			return true;
		for (size_t k = 0; is_list(row) && k < row->group->n; k++)
			if (row->group->rows[k].title)
				return true;
	}
	return false;
}

static bool any_known(const struct figures *const *all, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (all[k] && all[k]->values[i].state == FIGURE_KNOWN)
			return true;
	return false;
}

/*
 * Put the figures of element `at` into their columns or, if `at` is n, the headings; returns the
 * next column.  A figure that no element has gets no column.
 */
static size_t put_columns(struct burn_sheet *p, const struct figure_group *g,
	const struct figures *const *all, size_t n, size_t at, size_t col)
{
	const struct figures **below = mem_calloc(n + 1, sizeof(*below));

	for (size_t i = 0; i < g->n; i++) {
		const struct figure *row = &g->rows[i];

		for (size_t k = 0; k < n; k++)
			below[k] = all[k] && all[k]->values[i].n_nodes ?
				all[k]->values[i].nodes : NULL;
		if (row->kind == FIGURE_PART && !has_tables(g))
			col = put_columns(p, row->group, below, n, at, col);
		if (!row->title || row == p->wide || !any_known(all, n, i))
			continue;
		if (at == n) {
			page_text(&p->page, col, row->title, is_text(row) ? STYLE_HEADING_LEFT :
				STYLE_HEADING_RIGHT);
			note_name(p, row->title);
		} else if (all[at]) {
			put_value(p, col, col, row, &all[at]->values[i]);
		}
		col++;
	}
	free(below);
	return col;
}

/* Whether anything is known of an element beside its name. */
static bool says_more(const struct figures *f)
{
	for (size_t i = f->group->rows[0].hidden ? 1 : 0; i < f->group->n; i++)
		if (f->values[i].state == FIGURE_KNOWN)
			return true;
	return false;
}

/* The figure with the longest text of n elements, if that is too long for a column; else g->n. */
static size_t find_wide(const struct figure_group *g, const struct figures *all, size_t n)
{
	size_t most = 2 * WIDTH, wide = g->n;

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < n && g->rows[i].title; k++) {
			const char *text = all[k].values[i].text;

			if (text && strlen(text) > most) {
				most = strlen(text);
				wide = i;
			}
		}
	return wide;
}

/* Put the table's last column, from `col` on; v NULL: its heading. */
static void put_wide(struct burn_sheet *p, size_t col, const struct figure_value *v)
{
	const size_t last = col < LAST ? LAST : col + 1;

	if (!v)
		page_merged(&p->page, col, last, p->wide->title, STYLE_HEADING_LEFT);
	else
		put_value(p, col, last, p->wide, v);
}

static void put_table(struct burn_sheet *p, const struct figure_group *g,
	const struct figure_value *v)
{
	const struct figures **all = mem_calloc(v->n_nodes + 1, sizeof(*all));
	const size_t n = v->n_nodes, wide = find_wide(g, v->nodes, n);
	size_t col;

	for (size_t i = 0; i < n; i++)
		all[i] = &v->nodes[i];
	p->wide = wide < g->n ? &g->rows[wide] : NULL;
	p->page.row++;
	col = n > 0 ? put_columns(p, g, all, n, n, 0) : 0;
	if (p->wide)
		put_wide(p, col, NULL);
	p->page.row -= col == 0;
	if (col > 0) {
		page_height(&p->page, 32);
		p->page.row++;
	}
	for (size_t i = 0; i < n && col > 0; i++) {
		if (!says_more(all[i]))
			continue;
		put_columns(p, g, all, n, i, 0);
		if (p->wide)
			put_wide(p, col, &all[i]->values[wide]);
		end_row(p);
	}
	p->wide = NULL;
	free(all);
}

/* A line for each known figure; for an element of a table only figures that have no column. */
static void put_facts(struct burn_sheet *p, const struct figures *f, bool has_columns)
{
	for (size_t i = 0; i < f->group->n; i++) {
		const struct figure *row = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];

		if (figure_is_group(row) && !is_list(row) && v->n_nodes > 0)
			put_facts(p, v->nodes, false);
		if (has_columns || !row->title || v->state != FIGURE_KNOWN)
			continue;
		page_text(&p->page, 0, row->title, STYLE_LABEL);
		note_name(p, row->title);
		put_value(p, 1, LAST, row, v);
		end_row(p);
	}
}

static void put_sections(struct burn_sheet *p, const struct figures *f);

/*
 * Of few elements all are printed; of many those without a board, and the first with each verdict
 * and reason unless it passed.
 */
static bool is_printed(const struct figure_value *v, size_t at)
{
	const struct figures *x = &v->nodes[at];

	if (v->n_nodes <= PRINTED || !figures_known(x, "board"))
		return true;
	for (size_t i = 0; i < at; i++)
		if (figures_known(&v->nodes[i], "board") && strcmp(figures_text(&v->nodes[i],
			"reason"), figures_text(x, "reason")) == 0 && strcmp(figures_text(
			&v->nodes[i], "verdict"), figures_text(x, "verdict")) == 0)
			return false;
	return strcmp(figures_text(x, "verdict"), "PASS") != 0;
}

/* Lists with a section for each element come first. */
static void put_lists(struct burn_sheet *p, const struct figures *f)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < f->group->n; i++) {
			const struct figure *row = &f->group->rows[i];
			const struct figure_value *v = &f->values[i];
			const bool is_deep = is_list(row) && has_tables(row->group);

			if (is_list(row) && is_deep == (pass == 0))
				put_table(p, row->group, v);
			for (size_t k = 0; is_deep && pass == 0 && k < v->n_nodes; k++)
				if (is_printed(v, k))
					put_sections(p, &v->nodes[k]);
			if (figure_is_group(row) && !is_list(row) && v->n_nodes > 0 && pass == 1)
				put_lists(p, v->nodes);
		}
}

static void put_sections(struct burn_sheet *p, const struct figures *f)
{
	if (f->group->rows[0].title && f->values[0].text) {
		p->page.row++;
		page_text(&p->page, 0, f->values[0].text, STYLE_LABEL);
		p->page.row++;
	}
	put_facts(p, f, true);
	put_lists(p, f);
}

/* Put the sections of the other targets below the printed part. */
static void put_rest(struct burn_sheet *p, const struct figures *burn)
{
	const struct figure_value *v = figures_list(burn, "targets");
	const lxw_row_t end = p->page.row;
	const size_t right = p->page.right;

	for (size_t k = 0; k < v->n_nodes && has_tables(v->nodes[k].group); k++)
		if (!is_printed(v, k))
			put_sections(p, &v->nodes[k]);
	if (p->page.row > end)
		p->page.b->lib->worksheet_print_area(p->page.ws, 0, 0, end - 1, (lxw_col_t)right);
}

static void put_names(struct burn_sheet *p)
{
	p->page.row++;
	page_text(&p->page, 0, "What the names mean", STYLE_LABEL);
	end_row(p);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!p->has_name[i])
			continue;
		page_text(&p->page, 0, names[i].title, STYLE_TEXT);
		put_long(p, 1, LAST, names[i].is);
		end_row(p);
	}
}

int book_put_burn(struct book *b, const struct figures *burn, struct error *e)
{
	struct burn_sheet p = { .lines = 0 };
	int err;

	if (!burn)
		return 0;
	err = page_add_framed(&p.page, b, "Burn-in", 0x7a3b1f, PAGE_SCALE, e);
	if (err < 0)
		return err;
	b->lib->worksheet_fit_to_pages(p.page.ws, 1, 0);
	page_width(&p.page, 0, 0, NAME_WIDTH);
	page_width(&p.page, 1, 2 * LAST, WIDTH);
	page_height(&p.page, 28);
	page_text(&p.page, 0, "Burn-in", STYLE_TITLE);
	p.page.row = 2;
	put_facts(&p, burn, false);
	put_lists(&p, burn);
	put_names(&p);
	put_rest(&p, burn);
	return 0;
}

int xlsx_make_burn(const char *path, const struct figures *burn, struct error *e)
{
	struct book book = { .n = 0 };
	struct file_new f;
	int err = xlsx_lib_load(&book.lib, e);

	if (err == 0)
		err = file_new_open(&f, path, true, e);
	if (err < 0)
		return err;
	err = f.streams ? fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: a workbook goes to a file",
		path) : book_begin(&book, &f, path, "", false, e);
	if (err == 0)
		err = book_end(&book, path, book_put_burn(&book, burn, e), e);
	if (err == 0)
		err = file_new_keep(&f, e);
	else
		file_new_discard(&f);
	return err;
}
