/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_charts.c - power, temperature and clock over time.
 *
 * A chart over a million rows takes a spreadsheet minutes to open, so the
 * charts are drawn from a sheet of at most SUMMARY_TREND points a card, each
 * the worst of its stretch of time: a peak of one sample is still to be seen.
 */
#include "config.h"
#include "output/xlsx_book.h"
#include "base/array.h"

#include <stdio.h>

#define TREND_SHEET "Trend"
#define TREND_COLUMNS (1 + TRENDS)	/* a card's: time and values */

static const struct {
	const char *title, *axis, *heading;
	enum field_id field;
} plots[TRENDS] = {
	[TREND_POWER] = { "Core power", "W", "Power (W)", FIELD_POWER },
	[TREND_TEMP] = { "Core temperature", "°C", "Temp (°C)", FIELD_ASIC_TEMP },
	[TREND_CLOCK] = { "AI clock", "MHz", "AICLK (MHz)", FIELD_AICLK },
};

lxw_color_t book_colour(size_t i)
{
	/* Okabe and Ito's, which people with any colour vision tell apart. */
	static const lxw_color_t colours[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00,
		0x56b4e9, 0x000000, 0x999933 };

	return colours[i % ARRAY_LEN(colours)];
}

static bool has_trend(const struct book *b, size_t i)
{
	return b->cards[i].sum && b->cards[i].sum->points > 0;
}

/* Values of one point, in the unit people read. */
static void put_point(struct book *b, lxw_worksheet *ws, lxw_row_t row, size_t col,
	const struct summary *s, size_t point)
{
	const struct summary_point *p = &s->trend[point];

	b->lib->worksheet_write_number(ws, row, (lxw_col_t)col,
		(double)point * (double)s->width / 1e6, b->fixed[3]);
	for (size_t k = 0; k < TRENDS; k++)
		if (p->known[k])
			b->lib->worksheet_write_number(ws, row, (lxw_col_t)(col + 1 + k),
				(double)p->value[k] / (double)fields[plots[k].field].scale,
				b->fixed[fields[plots[k].field].decimals]);
}

static void put_trend(struct book *b)
{
	lxw_worksheet *ws = b->lib->workbook_add_worksheet(b->wb, TREND_SHEET);
	size_t most = 0, col = 0;
	char text[96];

	if (!ws)
		return;
	b->lib->worksheet_set_row(ws, 0, 48, NULL);
	b->lib->worksheet_freeze_panes(ws, 1, 0);
	b->lib->worksheet_set_column(ws, 0, (lxw_col_t)(b->n * TREND_COLUMNS), 14, NULL);
	for (size_t i = 0; i < b->n; i++, col += TREND_COLUMNS) {
		if (!has_trend(b, i))
			continue;
		if (b->cards[i].sum->points > most)
			most = b->cards[i].sum->points;
		snprintf(text, sizeof(text), "%s: time (s)", b->cards[i].sheet);
		b->lib->worksheet_write_string(ws, 0, (lxw_col_t)col, text, b->heading);
		for (size_t k = 0; k < TRENDS; k++) {
			snprintf(text, sizeof(text), "%s: %s, %s", b->cards[i].sheet,
				plots[k].heading, k == TREND_CLOCK ? "lowest" : "highest");
			b->lib->worksheet_write_string(ws, 0, (lxw_col_t)(col + 1 + k), text,
				b->heading);
		}
	}
	for (size_t point = 0; point < most; point++) {
		for (size_t i = 0; i < b->n; i++)
			if (has_trend(b, i) && point < b->cards[i].sum->points)
				put_point(b, ws, (lxw_row_t)point + 1, i * TREND_COLUMNS,
					b->cards[i].sum, point);
	}
}

/* 'Trend'!$B$2:$B$100 */
static void range_of(size_t col, size_t points, char *out, size_t size)
{
	char letters[4] = "";
	size_t n = 0;

	for (size_t i = col + 1; i > 0; i = (i - 1) / 26)
		n++;
	for (size_t i = col + 1, at = n; i > 0 && at > 0 && n < sizeof(letters);
		i = (i - 1) / 26)
		letters[--at] = (char)('A' + (i - 1) % 26);
	snprintf(out, size, "=" TREND_SHEET "!$%s$2:$%s$%zu", letters, letters, points + 1);
}

static void add_line(struct book *b, lxw_chart *chart, size_t card, size_t k)
{
	lxw_chart_line line = { .color = book_colour(card), .width = 1.5f };
	const struct summary *s = b->cards[card].sum;
	char time[64], values[64];
	lxw_chart_series *series;

	range_of(card * TREND_COLUMNS, s->points, time, sizeof(time));
	range_of(card * TREND_COLUMNS + 1 + k, s->points, values, sizeof(values));
	series = b->lib->chart_add_series(chart, time, values);
	b->lib->chart_series_set_name(series, b->cards[card].sheet);
	b->lib->chart_series_set_line(series, &line);
	b->lib->chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
}

static void put_chart(struct book *b, size_t k, double seconds)
{
	lxw_chart *chart = b->lib->workbook_add_chart(b->wb, LXW_CHART_SCATTER_STRAIGHT);
	lxw_chart_options place = { .x_scale = 2.2, .y_scale = 1.15, .x_offset = 10, .y_offset = 10 };
	lxw_chart_line grid = { .color = 0xd9d9d9, .width = 0.5f };
	lxw_chart_font title = { .size = 14, .bold = LXW_TRUE, .color = 0x1f3b57 };
	lxw_chart_font small = { .size = 9, .bold = LXW_FALSE, .color = 0x444444 };
	char name[64];

	for (size_t i = 0; i < b->n; i++)
		if (has_trend(b, i) && b->cards[i].sum->trend_at[k] >= 0)
			add_line(b, chart, i, k);
	snprintf(name, sizeof(name), "%s (%s)", plots[k].title, plots[k].axis);
	b->lib->chart_title_set_name(chart, name);
	b->lib->chart_title_set_name_font(chart, &title);
	b->lib->chart_axis_set_name(chart->x_axis, "Time (s)");
	b->lib->chart_axis_set_name_font(chart->x_axis, &small);
	b->lib->chart_axis_set_num_format(chart->x_axis, seconds < 10 ? "0.0" : "0");
	b->lib->chart_axis_set_min(chart->x_axis, 0);
	if (seconds > 0)
		b->lib->chart_axis_set_max(chart->x_axis, seconds);
	b->lib->chart_axis_set_name(chart->y_axis, plots[k].axis);
	b->lib->chart_axis_set_name_font(chart->y_axis, &small);
	b->lib->chart_axis_set_num_format(chart->y_axis, "0");
	b->lib->chart_axis_major_gridlines_set_line(chart->y_axis, &grid);
	b->lib->chart_legend_set_position(chart, LXW_CHART_LEGEND_RIGHT);
	b->lib->chart_show_blanks_as(chart, LXW_CHART_BLANKS_AS_GAP);
	b->lib->worksheet_insert_chart_opt(b->charts, (lxw_row_t)(k * 18), 0, chart, &place);
}

void book_put_charts(struct book *b)
{
	double seconds = 0;
	bool any = false;

	for (size_t i = 0; i < b->n; i++) {
		if (!has_trend(b, i))
			continue;
		any = true;
		if ((double)b->cards[i].sum->last / 1e6 > seconds)
			seconds = (double)b->cards[i].sum->last / 1e6;
	}
	b->lib->worksheet_gridlines(b->charts, LXW_HIDE_ALL_GRIDLINES);
	b->lib->worksheet_set_landscape(b->charts);
	b->lib->worksheet_fit_to_pages(b->charts, 1, 1);
	b->lib->worksheet_set_tab_color(b->charts, 0x1f3b57);
	if (any) {
		for (size_t k = 0; k < TRENDS; k++)
			put_chart(b, k, seconds);
		put_trend(b);
	} else {
		b->lib->worksheet_write_string(b->charts, 0, 0, "No samples.", b->note);
	}
}
