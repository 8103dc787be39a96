/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_burn.c - the sheet of a burn that the dump ran beside: its figures that have a title.
 *
 * Single figures are lines of a name and a value, lists are tables.  A list whose elements have
 * tables of their own is a table first, then a section for each element.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <stdio.h>

#define PAGE_SCALE 75

struct page {
	struct book *b;
	const struct xlsx_lib *x;
	lxw_worksheet *ws;
	lxw_row_t row;
};

static void put_text(struct page *p, lxw_col_t col, const char *text, lxw_format *format)
{
	p->x->worksheet_write_string(p->ws, p->row, col, text, format);
}

/* What is not known is an empty cell. */
static void put_value(struct page *p, lxw_col_t col, const struct figure *row,
	const struct figure_value *v)
{
	const bool is_rate = row->kind == FIGURE_RATE && row->decimals == 0;
	const bool is_whole = row->kind == FIGURE_AMOUNT && v->scale == 1;
	char hex[32];

	if (v->state != FIGURE_KNOWN)
		return;
	snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)v->n);
	if (v->text || row->hex)
		put_text(p, col, v->text ? v->text : hex, p->b->text);
	else if (row->kind == FIGURE_BOOL)
		put_text(p, col, v->n ? "yes" : "no", p->b->text);
	else
		p->x->worksheet_write_number(p->ws, p->row, col, figure_number(v),
			p->b->fixed[is_whole ? 0 : is_rate ? 1 : row->decimals]);
}

static bool is_text(const struct figure *row)
{
	return row->hex || row->kind == FIGURE_BOOL || row->kind == FIGURE_TEXT;
}

static bool is_list(const struct figure *row)
{
	return row->kind == FIGURE_LIST || row->kind == FIGURE_MAP;
}

/* A table that the group has itself, or below. */
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

/* An element's figures in their columns, or, where there is none, the headings; the next column. */
static lxw_col_t put_columns(struct page *p, const struct figure_group *g, const struct figures *f,
	bool is_heading, lxw_col_t col)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct figure *row = &g->rows[i];
		const struct figure_value *v = f ? &f->values[i] : NULL;

		if (row->kind == FIGURE_PART && !has_tables(g))
			col = put_columns(p, row->group, v && v->n_nodes ? v->nodes : NULL,
				is_heading, col);
		if (!row->title)
			continue;
		if (is_heading)
			put_text(p, col, row->title, is_text(row) ? p->b->heading_left :
				p->b->heading_right);
		else if (v)
			put_value(p, col, row, v);
		col++;
	}
	return col;
}

static void put_table(struct page *p, const struct figure_group *g, const struct figure_value *v)
{
	if (v->n_nodes == 0 || put_columns(p, g, NULL, false, 0) == 0)
		return;
	p->row++;
	p->x->worksheet_set_row(p->ws, p->row, 32, NULL);
	put_columns(p, g, NULL, true, 0);
	p->row++;
	for (size_t i = 0; i < v->n_nodes; i++, p->row++)
		put_columns(p, g, &v->nodes[i], false, 0);
}

/* A line for each figure that is known; of an element of a table those that have no column. */
static void put_facts(struct page *p, const struct figures *f, bool has_columns)
{
	for (size_t i = 0; i < f->group->n; i++) {
		const struct figure *row = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];

		if (figure_is_group(row) && !is_list(row) && v->n_nodes > 0)
			put_facts(p, v->nodes, false);
		if (has_columns || !row->title || v->state != FIGURE_KNOWN)
			continue;
		put_text(p, 0, row->title, p->b->label);
		put_value(p, 1, row, v);
		p->row++;
	}
}

static void put_sections(struct page *p, const struct figures *f);

/* Lists with a section for each element come first. */
static void put_lists(struct page *p, const struct figures *f)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < f->group->n; i++) {
			const struct figure *row = &f->group->rows[i];
			const struct figure_value *v = &f->values[i];
			const bool is_deep = is_list(row) && has_tables(row->group);

			if (is_list(row) && is_deep == (pass == 0))
				put_table(p, row->group, v);
			for (size_t k = 0; is_deep && pass == 0 && k < v->n_nodes; k++)
				put_sections(p, &v->nodes[k]);
			if (figure_is_group(row) && !is_list(row) && v->n_nodes > 0 && pass == 1)
				put_lists(p, v->nodes);
		}
}

static void put_sections(struct page *p, const struct figures *f)
{
	if (f->group->rows[0].title && f->values[0].text) {
		p->row++;
		put_text(p, 0, f->values[0].text, p->b->label);
		p->row++;
	}
	put_facts(p, f, true);
	put_lists(p, f);
}

int book_put_burn(struct book *b, const struct figures *burn, struct error *e)
{
	struct page p = { .b = b, .x = b->lib };

	if (!burn)
		return 0;
	p.ws = b->lib->workbook_add_worksheet(b->wb, "Burn-in");
	if (!p.ws)
		return fail(e, -EIO, "workbook: cannot add a sheet");
	p.x->worksheet_gridlines(p.ws, LXW_HIDE_ALL_GRIDLINES);
	book_set_page(b, p.ws, PAGE_SCALE);
	p.x->worksheet_set_tab_color(p.ws, 0x7a3b1f);
	p.x->worksheet_set_column(p.ws, 0, 0, 34, NULL);
	p.x->worksheet_set_column(p.ws, 1, 8, 16, NULL);
	p.x->worksheet_set_row(p.ws, 0, 28, NULL);
	put_text(&p, 0, "Burn-in", b->title);
	p.row = 2;
	put_facts(&p, burn, false);
	put_lists(&p, burn);
	return 0;
}
