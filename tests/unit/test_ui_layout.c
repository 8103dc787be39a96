/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is worked out before anything is drawn: bands of columns, lines of text, edges of a plot. */
#include "config.h"
#include "base/mem.h"
#include "ui/screen.h"
#include "ui/plot.h"
#include "ui/tab.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void check_bands(const struct tab_ops *tab, int w, int bands, bool limits)
{
	struct layout_table t;

	layout_columns(&t, tab->columns, tab->n_columns, w, bands, limits);
	assert_int_equal(t.n + t.n_hidden, tab->n_columns);
	assert_true(t.bands >= 1 && t.bands <= bands);
	assert_int_equal(t.n_hidden == 0, t.hidden[0] == 0);
	for (size_t i = 0; i < t.n; i++) {
		const struct layout_column *c = &t.col[i];

		assert_true(c->x >= 0 && c->x + c->w <= w && c->band < t.bands);
		assert_true(c->limit_w == 0 ||
			(c->limit_x > c->x + c->w && c->limit_x + c->limit_w <= w));
		if (c->col->joined)
			assert_true(i > 0 && c[-1].number + 1 == c->number &&
				c[-1].band == c->band);
		if (c->col->rank == 1 && t.bands > 1)
			assert_int_equal(c->band, 0);
		for (size_t k = 0; k < i; k++) {
			const struct layout_column *o = &t.col[k];
			int end = o->limit_w ? o->limit_x + o->limit_w : o->x + o->w;

			if (o->band == c->band || o->band == LAYOUT_EVERY ||
				c->band == LAYOUT_EVERY)
				assert_true(end < c->x);
		}
	}
}

static void bands_hold_groups_whole_and_the_most_important_first(void **state)
{
	(void)state;
	for (int tab = UI_TAB_DEVICES; tab <= UI_TAB_FIRMWARE; tab++)
		for (int w = 1; w <= 200; w++)
			for (int bands = 1; bands <= 6; bands++)
				check_bands(tabs[tab], w, bands, w % 2);
}

/* The columns of a tab on a wide screen, by their titles. */
static const char *titles(enum ui_tab tab, uint64_t left_out)
{
	static char text[400];
	struct column columns[LAYOUT_COLUMNS];
	struct layout_table t;

	memcpy(columns, tabs[tab]->columns, tabs[tab]->n_columns * sizeof(columns[0]));
	layout_leave_out(columns, tabs[tab]->n_columns, left_out);
	layout_columns(&t, columns, tabs[tab]->n_columns, 1000, 1, false);
	text[0] = 0;
	for (size_t i = 0; i < t.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "|" : "",
			column_title(t.col[i].col));
	/* What nobody wants to see does not lack room. */
	assert_int_equal(t.n_hidden, 0);
	return text;
}

static void what_is_chosen_of_a_tab_is_what_it_shows(void **state)
{
	static const struct {
		enum ui_tab tab;
		const char *list, *titles;
	} cases[] = {
		{ UI_TAB_DEVICES, "power", "#|Board|State|Power" },
		{ UI_TAB_DEVICES, "Tray, bus id,POWER,", "#|Board|State|Tray|Pos|Power|Bus ID" },
		{ UI_TAB_DEVICES, "PCIe now", "#|Board|State|PCIe now|Link" },
		{ UI_TAB_DEVICES, "#", "#|Board|State" },
		{ UI_TAB_DEVICES, "", "#|Board|State" },
		{ UI_TAB_TELEMETRY, "l2cpuclk0, vreg_temp",
			"#|Board|♥|VREG|L2CPU0|L2CPU1|L2CPU2|L2CPU3" },
		{ UI_TAB_PROCESSES, "user, command", "#|PID|User|Command" },
		{ UI_TAB_FIRMWARE, "bundle", "#|Board|♥|Bundle" },
	};
	uint64_t left_out;
	enum ui_tab tab;
	struct error e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(tab_choose(cases[i].tab, cases[i].list, &left_out, &e), 0);
		assert_string_equal(titles(cases[i].tab, left_out), cases[i].titles);
	}
	left_out = 5;
	assert_int_equal(tab_choose(UI_TAB_DEVICES, "power, nope", &left_out, &e), -EINVAL);
	assert_string_equal(e.text, "Devices: no column of the tab is named 'nope'");
	assert_int_equal(left_out, 5);
	assert_int_equal(tab_find("devices", &tab, &e), 0);
	assert_int_equal(tab, UI_TAB_DEVICES);
	assert_int_equal(tab_find("history", &tab, &e), -EINVAL);
	assert_string_equal(e.text, "no tab with columns is named history");
}

static void more_bands_hide_fewer_columns(void **state)
{
	const struct tab_ops *tab = tabs[UI_TAB_TELEMETRY];
	struct layout_table t;
	size_t hidden = tab->n_columns;

	(void)state;
	for (int bands = 1; hidden > 0; bands++) {
		layout_columns(&t, tab->columns, tab->n_columns, 86, bands, true);
		assert_true(t.n_hidden < hidden);
		hidden = t.n_hidden;
	}
	assert_int_equal(t.hidden[0], 0);
}

static void texts_break_at_blanks_and_lose_nothing(void **state)
{
	static const struct {
		const char *text;
		int w, lines;
		const char *want;
	} cases[] = {
		{ "one two three", 20, 1, "one two three\n" },
		{ "one two three", 13, 1, "one two three\n" },
		{ "one two three", 12, 2, "one two\nthree\n" },
		{ "one two three", 5, 3, "one\ntwo\nthree\n" },
		{ "abcdefghij kl", 4, 4, "abcd\nefgh\nij\nkl\n" },
		{ "äöü äöü", 3, 2, "äöü\näöü\n" },
		{ "a", 1, 1, "a\n" },
		{ "", 5, 0, "" },
	};
	struct canvas c = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf text = { 0 };

		canvas_resize(&c, cases[i].w, cases[i].lines ? cases[i].lines : 1, CHARSET_UTF8);
		assert_int_equal(canvas_wrap(&c, 0, 0, cases[i].w, c.h, STYLE_NORMAL,
			cases[i].text), cases[i].lines);
		canvas_to_text(&c, &text);
		if (cases[i].lines > 0)
			assert_string_equal(text.text, cases[i].want);
		strbuf_clear(&text);
	}
	canvas_clear(&c);
}

static void a_path_is_cut_at_its_left(void **state)
{
	struct canvas c = { 0 };
	struct strbuf text = { 0 };

	(void)state;
	canvas_resize(&c, 8, 1, CHARSET_UTF8);
	assert_int_equal(canvas_tail(&c, 0, 0, 8, STYLE_NORMAL, "logs/dump_2026"), 8);
	canvas_to_text(&c, &text);
	assert_string_equal(text.text, "…mp_2026\n");
	strbuf_clear(&text);
	canvas_clear(&c);
}

static int64_t mantissa(int64_t step)
{
	while (step % 10 == 0)
		step /= 10;
	return step;
}

/* The first row of cells that has dots of an area that ends at this value. */
static int drawn_row(struct canvas *c, const struct plot *scale, int64_t value, int h)
{
	struct history_bin bins[4];
	struct plot p = *scale;
	int row = -1;

	for (size_t i = 0; i < ARRAY_LEN(bins); i++)
		bins[i] = (struct history_bin){ value, value, value, 1 };
	p.bins = bins;
	p.n = ARRAY_LEN(bins);
	p.has_limit = false;
	p.cursor = -1;
	canvas_erase(c);
	plot_draw(c, (struct rect){ 0, 0, 2, h }, &p);
	for (int y = h - 1; y >= 0; y--)
		if (canvas_at(c, 0, y)->ch != ' ') {
			assert_true(row < 0 || row == y + 1);
			row = y;
		}
	return row;
}

static void marks_are_round_and_stand_where_the_plot_draws_them(void **state)
{
	static const int64_t cases[][4] = {	/* lowest, highest, limit (0: none), least span */
		{ 1000, 1000, 1000, 100 }, { 42300, 48100, 75000, 10000 },
		{ 56000, 58000, 85000, 10000 }, { 905, 921, 1000, 100 }, { 0, 0, 0, 10000 },
		{ -12345, 67890, 0, 1 }, { 0, 140000000000, 0, 10000000 }, { 7, 8, 0, 1 },
	};
	struct canvas c = { 0 };

	(void)state;
	canvas_resize(&c, 2, 60, CHARSET_UTF8);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int h = 1; h <= 60; h++) {
			struct history_bin bins[] = {
				{ cases[i][0], cases[i][0], cases[i][0], 1 },
				{ cases[i][1], cases[i][1], cases[i][1], 1 },
			};
			struct plot p = { .bins = bins, .n = 2, .has_limit = cases[i][2] != 0,
				.limit = cases[i][2] };
			int64_t step = plot_range(&p, cases[i][3], h), m = mantissa(step);

			assert_true(m == 1 || m == 2 || m == 5);
			assert_true(p.low % step == 0 && p.high % step == 0);
			assert_true(p.low <= cases[i][0] && p.high >= cases[i][1]);
			assert_true(p.low < p.high);
			assert_true(p.rows <= h);
			for (int64_t v = p.low; v <= p.high; v += step) {
				int row = plot_row(&p, v, h);

				assert_int_equal(row, drawn_row(&c, &p, v, h));
				if (h < 4 || v == p.low)
					continue;
				/* Equally far from each other, and not too near. */
				assert_int_equal(plot_row(&p, v - step, h) - row,
					(p.rows - 1) * step / (p.high - p.low));
				assert_true(plot_row(&p, v - step, h) - row >= (h < 8 ? 1 : 2));
			}
		}
	canvas_clear(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_chosen_of_a_tab_is_what_it_shows),
		cmocka_unit_test(bands_hold_groups_whole_and_the_most_important_first),
		cmocka_unit_test(more_bands_hide_fewer_columns),
		cmocka_unit_test(texts_break_at_blanks_and_lose_nothing),
		cmocka_unit_test(a_path_is_cut_at_its_left),
		cmocka_unit_test(marks_are_round_and_stand_where_the_plot_draws_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
