/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/text_table.h"

#include "base/mem.h"

#include <stdlib.h>

#define GAP 2		/* blanks between columns without a box */

struct text_cell {
	char *text;
	const char *sgr;
};

void text_put_styled(struct strbuf *to, const char *sgr, const char *text)
{
	strbuf_printf(to, sgr ? "\033[%sm%s\033[0m" : "%s%s", sgr ? sgr : "", text);
}

void text_table_add(struct text_table *t, const char *text, const char *sgr)
{
	const size_t column = t->n_cells % t->n, cells = text_cells(text);

	if (column == 0)
		t->cells = mem_realloc(t->cells, (t->n_cells + t->n) * sizeof(*t->cells));
	t->cells[t->n_cells++] = (struct text_cell){ mem_dup_text(text), sgr };
	if (cells > t->width[column])
		t->width[column] = cells;
}

/* 0: the column is left out. */
static size_t width_of(const struct text_table *t, size_t column)
{
	const size_t title = text_cells(t->columns[column].title), width = t->width[column];

	return (width > 0 || t->boxed) && width < title ? title : width;
}

size_t text_table_width(const struct text_table *t)
{
	size_t total = t->n * (2 * t->pad + 1) + 1;

	for (size_t c = 0; c < t->n; c++)
		total += width_of(t, c);
	return total;
}

/* Put a line: headings if `cells` is NULL.  Without a box, no blanks stand at its end. */
static void put_line(struct strbuf *to, const struct text_table *t,
	const struct text_cell *cells, const char *sgr, const char *bar)
{
	size_t blanks = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct text_column *c = &t->columns[i];
		const char *text = !cells ? c->title : *cells[i].text || !c->none ? cells[i].text
			: c->none;
		const size_t width = width_of(t, i), fill = width - text_cells(text);

		if (width == 0)
			continue;
		strbuf_put_times(to, " ", blanks);
		strbuf_puts(to, bar);
		strbuf_put_times(to, " ", t->pad + (c->right ? fill : 0));
		text_put_styled(to, cells ? cells[i].sgr : sgr, text);
		blanks = (t->boxed ? t->pad : GAP) + (c->right ? 0 : fill);
	}
	strbuf_put_times(to, " ", t->boxed ? blanks : 0);
	strbuf_printf(to, "%s\n", bar);
}

/* Put a horizontal line of the box: its corners, and what fills it. */
static void put_rule(struct strbuf *to, const struct text_table *t, const char *left,
	const char *middle, const char *right, const char *fill)
{
	for (size_t c = 0; c < t->n; c++) {
		strbuf_puts(to, c > 0 ? middle : left);
		strbuf_put_times(to, fill, width_of(t, c) + 2 * t->pad);
	}
	strbuf_printf(to, "%s\n", right);
}

void text_table_put_boxed(struct strbuf *to, const struct text_table *t, const char *title,
	const char *sgr, const bool *shown)
{
	const size_t width = text_table_width(t), cells = text_cells(title);

	strbuf_put_times(to, " ", width > cells ? (width - cells) / 2 : 0);
	strbuf_printf(to, "%s\n", title);
	put_rule(to, t, "┏", "┳", "┓", "━");
	put_line(to, t, NULL, sgr, "┃");
	put_rule(to, t, "┡", "╇", "┩", "━");
	for (size_t row = 0; row < t->n_cells / t->n; row++)
		if (!shown || shown[row])
			put_line(to, t, &t->cells[row * t->n], NULL, "│");
	put_rule(to, t, "└", "┴", "┘", "─");
}

void text_table_put_head(struct strbuf *to, const struct text_table *t)
{
	put_line(to, t, NULL, NULL, "");
}

void text_table_put_row(struct strbuf *to, const struct text_table *t, size_t row)
{
	put_line(to, t, &t->cells[row * t->n], NULL, "");
}

void text_table_clear(struct text_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i].text);
	free(t->cells);
	*t = (struct text_table){ .n = 0 };
}
