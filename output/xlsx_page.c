/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_page.c - the parts of the tables on the workbook's first sheet.
 */
#include "config.h"
#include "output/xlsx_page.h"
#include "base/array.h"

#define HEAD_HEIGHT 46		/* points */

void page_keep_together(struct page *p, size_t rows)
{
	if (p->row + rows <= p->page_end || p->n_breaks >= ARRAY_LEN(p->breaks) - 1)
		return;
	p->breaks[p->n_breaks++] = p->row;
	p->page_end = p->row + (lxw_row_t)p->page_rows;
}

void page_put_text(struct page *p, size_t col, const char *text, lxw_format *format)
{
	if (text[0])
		p->x->worksheet_write_string(p->ws, p->row, (lxw_col_t)col, text, format);
}

void page_put_number(struct page *p, size_t col, double value, int decimals)
{
	p->x->worksheet_write_number(p->ws, p->row, (lxw_col_t)col, value,
		p->b->fixed[decimals]);
}

void page_put_headings(struct page *p, const char *const *names, size_t n, size_t words)
{
	p->x->worksheet_set_row(p->ws, p->row, HEAD_HEIGHT, NULL);
	for (size_t i = 0; i < n; i++)
		page_put_text(p, i, names[i], i < words ? p->b->heading_left : p->b->heading_right);
	p->row++;
}

void page_mark_positive(struct page *p, lxw_row_t from, lxw_col_t col, lxw_format *format)
{
	lxw_conditional_format rule = {
		.type = LXW_CONDITIONAL_TYPE_CELL,
		.criteria = LXW_CONDITIONAL_CRITERIA_GREATER_THAN,
		.value = 0,
		.format = format,
	};

	if (p->row > from)
		p->x->worksheet_conditional_format_range(p->ws, from, col, p->row - 1, col, &rule);
}
