/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_names.c - the sheet that explains the columns of the others.
 */
#include "config.h"
#include "output/xlsx_book.h"
#include "base/array.h"
#include "base/text.h"

#define HELP_WIDTH 110
#define HELP_SCALE 75		/* % */

static bool has_column(const struct book *b, enum dump_column_kind kind, enum field_id id)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; b->cards[i].sum && k < b->cards[i].sum->columns->n; k++) {
			const struct dump_column *c = &b->cards[i].sum->columns->c[k];

			if (c->kind == kind && (kind != DUMP_COLUMN_FIELD || c->field == id))
				return true;
		}
	return false;
}

static void put_name(struct book *b, lxw_worksheet *ws, lxw_row_t row, const struct dump_column *c)
{
	struct strbuf title = { 0 };

	dump_column_put_title(c, &title);
	b->lib->worksheet_write_string(ws, row, 0, title.text, b->label);
	b->lib->worksheet_write_string(ws, row, 1, dump_column_key(c), b->text);
	b->lib->worksheet_write_string(ws, row, 2, dump_column_help(c), b->wrapped);
	strbuf_clear(&title);
}

int book_put_names(struct book *b, struct error *e)
{
	static const char *const heads[] = { "Column", "Key", "What it is" };
	lxw_worksheet *ws = b->lib->workbook_add_worksheet(b->wb, "Names");
	lxw_row_t row = 0;

	if (!ws)
		return book_fail_sheet("Names", e);
	b->lib->worksheet_gridlines(ws, LXW_HIDE_ALL_GRIDLINES);
	b->lib->worksheet_freeze_panes(ws, 1, 0);
	b->lib->worksheet_set_tab_color(ws, 0x1f3b57);
	book_set_page(b, ws, HELP_SCALE, false);
	b->lib->worksheet_repeat_rows(ws, 0, 0);
	b->lib->worksheet_fit_to_pages(ws, 1, 0);
	b->lib->worksheet_set_column(ws, 0, 0, 34, NULL);
	b->lib->worksheet_set_column(ws, 1, 1, 26, NULL);
	b->lib->worksheet_set_column(ws, 2, 2, HELP_WIDTH, NULL);
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		b->lib->worksheet_write_string(ws, row, (lxw_col_t)i, heads[i], b->heading_left);
	for (unsigned kind = DUMP_COLUMN_TIME; kind <= DUMP_COLUMN_STATE; kind++)
		if (has_column(b, (enum dump_column_kind)kind, FIELD_NONE))
			put_name(b, ws, ++row, &(struct dump_column){
				.kind = (enum dump_column_kind)kind });
	for (int id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (has_column(b, DUMP_COLUMN_FIELD, (enum field_id)id))
			put_name(b, ws, ++row, &(struct dump_column){ DUMP_COLUMN_FIELD,
				(enum field_id)id });
	return 0;
}
