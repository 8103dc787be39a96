/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_charts.c - power, temperature and clock over time.
 *
 * A chart over a million rows takes a spreadsheet minutes to open, so the
 * charts are drawn from a sheet of at most SUMMARY_TREND points a card, each
 * the worst of its stretch of time, so that a peak of one sample stays visible.
 * More than GROUP lines in one chart cannot be told apart, so the cards are
 * drawn in groups, all with the same axes.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include "base/mem.h"

#include <stdio.h>

#define TREND_SHEET "Trend"
#define TREND_COLUMNS (1 + TRENDS)	/* a card's: time and values */
#define GROUP         8			/* cards in a chart: as many as there are colours */
#define CHART_ROWS    18			/* of the sheet that a chart takes */
#define CHART_SCALE   62			/* %: three charts and a note fit on a page */

/* The unit of the time axis, by the length of the dump. */
static const struct unit {
	const char *name;
	double seconds, upto;
} units[] = { { "s", 1, 600 }, { "min", 60, 4 * 3600 }, { "h", 3600, 1e300 } };

#define LIMITS 4		/* different limits in a chart */

/* What all charts of a workbook share. */
struct axes {
	const struct unit *unit;
	double end;		/* of the longest card, in that unit */
	double top[TRENDS];
	size_t n_limits[TRENDS];
	double limit[TRENDS][LIMITS];	/* that values come near to */
};

static const struct {
	const char *title, *heading;
	enum field_id field;
} plots[TRENDS] = {
	[TREND_POWER] = { "Core power", "Power (W)", FIELD_POWER },
	[TREND_TEMP] = { "Core temperature", "Temp (°C)", FIELD_ASIC_TEMP },
	[TREND_CLOCK] = { "AI clock", "AICLK (MHz)", FIELD_AICLK },
};

/* A colour for card i's line. */
static lxw_color_t book_colour(size_t i)
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

static bool group_has_trend(const struct book *b, size_t from)
{
	for (size_t i = from; i < b->n && i < from + GROUP; i++)
		if (has_trend(b, i))
			return true;
	return false;
}

/* Put the values of one point, in the units that people read. */
static void put_point(struct page *p, size_t col, const struct summary *s, size_t point,
	const struct unit *unit)
{
	const struct summary_point *at = &s->trend[point];

	page_number(p, col, (double)point * (double)s->width / 1e6 / unit->seconds, 3);
	for (size_t k = 0; k < TRENDS; k++)
		if (at->known[k])
			page_number(p, col + 1 + k, (double)at->value[k] /
				(double)fields[plots[k].field].scale,
				fields[plots[k].field].decimals);
}

/* The column of a limit in the trend's sheet, after the cards; a limit has two points. */
static size_t limit_column(const struct book *b, size_t k, size_t i)
{
	return b->n * TREND_COLUMNS + (k * LIMITS + i) * 2;
}

static void put_limits(struct page *p, const struct axes *a)
{
	for (size_t k = 0; k < TRENDS; k++)
		for (size_t i = 0; i < a->n_limits[k]; i++) {
			const size_t col = limit_column(p->b, k, i);

			page_number(p, col, p->row == 1 ? 0 : a->end, 3);
			page_number(p, col + 1, a->limit[k][i], fields[plots[k].field].decimals);
		}
}

static void put_trend_heads(struct page *p, size_t col, const char *sheet, const struct axes *a)
{
	char text[96];

	snprintf(text, sizeof(text), "%s: time (%s)", sheet, a->unit->name);
	page_text(p, col, text, STYLE_HEADING);
	for (size_t k = 0; k < TRENDS; k++) {
		snprintf(text, sizeof(text), "%s: %s, %s", sheet, plots[k].heading,
			k == TREND_CLOCK ? "lowest" : "highest");
		page_text(p, col + 1 + k, text, STYLE_HEADING);
	}
}

static void put_trend(struct book *b, const struct axes *a)
{
	struct page p;
	size_t most = 2;	/* the points of a limit */

	if (page_add(&p, b, TREND_SHEET, NULL) < 0)
		return;
	/* This sheet is only data for the charts: hidden until the user shows it. */
	b->lib->worksheet_hide(p.ws);
	page_height(&p, 48);
	b->lib->worksheet_freeze_panes(p.ws, 1, 0);
	page_width(&p, 0, b->n * TREND_COLUMNS, 14);
	for (size_t i = 0; i < b->n; i++)
		if (has_trend(b, i)) {
			put_trend_heads(&p, i * TREND_COLUMNS, b->cards[i].sheet, a);
			most = b->cards[i].sum->points > most ? b->cards[i].sum->points : most;
		}
	for (size_t point = 0; point < most; point++) {
		p.row++;
		if (point < 2)
			put_limits(&p, a);
		for (size_t i = 0; i < b->n; i++)
			if (has_trend(b, i) && point < b->cards[i].sum->points)
				put_point(&p, i * TREND_COLUMNS, b->cards[i].sum, point, a->unit);
	}
}

/* 'Trend'!$B$2:$B$100 */
static void range_of(size_t col, size_t points, char *out, size_t size)
{
	char letters[4];

	book_column_letters(col, letters);
	snprintf(out, size, "=" TREND_SHEET "!$%s$2:$%s$%zu", letters, letters, points + 1);
}

/* Add a line of so many points, from columns of times and of values. */
static void add_series(struct book *b, lxw_chart *chart, size_t time_at, size_t values_at,
	size_t points, const char *name, lxw_chart_line line)
{
	char time[64], values[64];
	lxw_chart_series *series;

	range_of(time_at, points, time, sizeof(time));
	range_of(values_at, points, values, sizeof(values));
	series = b->lib->chart_add_series(chart, time, values);
	b->lib->chart_series_set_name(series, name);
	b->lib->chart_series_set_line(series, &line);
	b->lib->chart_series_set_marker_type(series, LXW_CHART_MARKER_NONE);
}

static void add_limit(struct book *b, lxw_chart *chart, const struct axes *a, size_t k, size_t i)
{
	const size_t at = limit_column(b, k, i);
	char name[32];

	snprintf(name, sizeof(name), "limit %g", a->limit[k][i]);
	add_series(b, chart, at, at + 1, 2, name, (lxw_chart_line){ .color = 0x9c0006, .width = 1,
		.dash_type = LXW_CHART_LINE_DASH_DASH });
}

static void add_line(struct book *b, lxw_chart *chart, size_t card, size_t k)
{
	const size_t at = card * TREND_COLUMNS;

	add_series(b, chart, at, at + 1 + k, b->cards[card].sum->points, b->cards[card].sheet,
		(lxw_chart_line){ .color = book_colour(card), .width = 1.5f });
}

static void name_axis(struct book *b, lxw_chart_axis *axis, const char *name, double end)
{
	lxw_chart_font small = { .size = 9, .bold = LXW_FALSE, .color = 0x444444 };

	b->lib->chart_axis_set_name(axis, name);
	b->lib->chart_axis_set_name_font(axis, &small);
	b->lib->chart_axis_set_num_format(axis, end < 10 ? "0.0" : "0");
	b->lib->chart_axis_set_min(axis, 0);
	if (end > 0)
		b->lib->chart_axis_set_max(axis, end);
}

/* Put the chart of one metric of the cards from `from` on. */
static void put_chart(struct book *b, size_t k, size_t from, const struct axes *a)
{
	lxw_chart *chart = b->lib->workbook_add_chart(b->wb, LXW_CHART_SCATTER_STRAIGHT);
	lxw_chart_options place = { .x_scale = 2.2, .y_scale = 1.15, .x_offset = 10,
		.y_offset = 10 };
	lxw_chart_line grid = { .color = 0xd9d9d9, .width = 0.5f };
	lxw_chart_font title = { .size = 14, .bold = LXW_TRUE, .color = 0x1f3b57 };
	char text[96];

	for (size_t i = from; i < b->n && i < from + GROUP; i++)
		if (has_trend(b, i) && b->cards[i].sum->trend_at[k] >= 0)
			add_line(b, chart, i, k);
	for (size_t i = 0; i < a->n_limits[k]; i++)
		add_limit(b, chart, a, k, i);
	if (b->n > GROUP)
		snprintf(text, sizeof(text), "%s, cards %d to %d", plots[k].title,
			b->cards[from].card->index,
			b->cards[from + GROUP < b->n ? from + GROUP - 1 : b->n - 1].card->index);
	else
		snprintf(text, sizeof(text), "%s", plots[k].title);
	b->lib->chart_title_set_name(chart, text);
	b->lib->chart_title_set_name_font(chart, &title);
	snprintf(text, sizeof(text), "Time (%s)", a->unit->name);
	name_axis(b, chart->x_axis, text, a->end);
	name_axis(b, chart->y_axis, plots[k].heading, a->top[k]);
	b->lib->chart_axis_major_gridlines_set_line(chart->y_axis, &grid);
	b->lib->chart_legend_set_position(chart, LXW_CHART_LEGEND_RIGHT);
	b->lib->chart_show_blanks_as(chart, LXW_CHART_BLANKS_AS_GAP);
	b->lib->chart_show_hidden_data(chart);
	b->lib->worksheet_insert_chart_opt(b->charts.ws, b->charts.row, 0, chart, &place);
}

/* The next of 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
static double round_up(double v)
{
	static const double steps[] = { 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double ten = 1;

	while (ten * 10 <= v)
		ten *= 10;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (v <= steps[i] * ten)
			return steps[i] * ten;
	return v;
}

/* Give a limit a line in the chart if values pass it or come within a third of it. */
static void find_limit(struct axes *a, const struct summary *s, size_t k)
{
	int at = s->trend_at[k] < 0 ? -1 : s->limit_at[s->trend_at[k]];
	double limit, scale;

	if (at < 0 || s->stats[at].n == 0 || a->n_limits[k] == LIMITS)
		return;
	scale = (double)fields[fields[plots[k].field].limit].scale;
	limit = (double)s->stats[at].max / scale;
	if (limit > a->top[k] * 1.5)
		return;
	for (size_t i = 0; i < a->n_limits[k]; i++)
		if (a->limit[k][i] >= limit && a->limit[k][i] <= limit)
			return;
	a->limit[k][a->n_limits[k]++] = limit;
}

static void find_axes(const struct book *b, struct axes *a)
{
	double seconds = 0;
	size_t u = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct summary *s = b->cards[i].sum;

		if (!has_trend(b, i))
			continue;
		if ((double)s->last / 1e6 > seconds)
			seconds = (double)s->last / 1e6;
		for (size_t k = 0; k < TRENDS; k++) {
			double top = s->trend_at[k] < 0 || s->stats[s->trend_at[k]].n == 0 ? 0 :
				(double)s->stats[s->trend_at[k]].max /
					(double)fields[plots[k].field].scale;

			if (top > a->top[k])
				a->top[k] = top;
		}
	}
	while (seconds > units[u].upto)
		u++;
	a->unit = &units[u];
	a->end = seconds / units[u].seconds;
	for (size_t k = 0; k < TRENDS; k++) {
		for (size_t i = 0; i < b->n; i++)
			if (has_trend(b, i))
				find_limit(a, b->cards[i].sum, k);
		for (size_t i = 0; i < a->n_limits[k]; i++)
			if (a->limit[k][i] > a->top[k])
				a->top[k] = a->limit[k][i];
		a->top[k] = a->top[k] > 0 ? round_up(a->top[k]) : 0;
	}
}

void book_put_charts(struct book *b)
{
	lxw_row_t breaks[DEVICE_MAX / GROUP + 2] = { 0 };
	struct page *p = &b->charts;
	struct axes a = { 0 };
	size_t pages = 0;

	b->lib->worksheet_set_print_scale(p->ws, CHART_SCALE);
	find_axes(b, &a);
	for (size_t from = 0; from < b->n; from += GROUP) {
		if (!group_has_trend(b, from))
			continue;
		if (p->row > 0 && pages < ARRAY_LEN(breaks) - 1)
			breaks[pages++] = p->row;
		for (size_t k = 0; k < TRENDS; k++, p->row += CHART_ROWS)
			put_chart(b, k, from, &a);
	}
	page_text(p, 0, p->row == 0 ? "No samples." :
		"Each point is the highest power or temperature, or the lowest clock, of its "
		"stretch of time; the numbers are in the hidden sheet \"" TREND_SHEET "\".",
		STYLE_NOTE);
	if (pages > 0)
		b->lib->worksheet_set_h_pagebreaks(p->ws, breaks);
	if (p->row > 0)
		put_trend(b, &a);
}
