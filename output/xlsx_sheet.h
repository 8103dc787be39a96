/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_sheet.h - the sheets of one chip: the CSV's columns, row by row.
 *
 * A column without any value, such as one of a sensor that the board lacks, is hidden.
 * A printed sheet is one page wide and shows the guide's table.
 */
#pragma once

#include "base/error.h"

#include <xlsxwriter.h>

/* The library's functions that we use, by its names. */
struct xlsx_lib {
	__typeof__(workbook_new_opt) *workbook_new_opt;
	__typeof__(workbook_add_worksheet) *workbook_add_worksheet;
	__typeof__(workbook_add_format) *workbook_add_format;
	__typeof__(workbook_add_chart) *workbook_add_chart;
	__typeof__(workbook_set_properties) *workbook_set_properties;
	__typeof__(workbook_close) *workbook_close;
	__typeof__(lxw_workbook_free) *lxw_workbook_free;
	__typeof__(lxw_strerror) *lxw_strerror;
	__typeof__(worksheet_write_number) *worksheet_write_number;
	__typeof__(worksheet_write_string) *worksheet_write_string;
	__typeof__(worksheet_write_url_opt) *worksheet_write_url_opt;
	__typeof__(worksheet_merge_range) *worksheet_merge_range;
	__typeof__(worksheet_set_row) *worksheet_set_row;
	__typeof__(worksheet_set_column) *worksheet_set_column;
	__typeof__(worksheet_set_column_opt) *worksheet_set_column_opt;
	__typeof__(worksheet_freeze_panes) *worksheet_freeze_panes;
	__typeof__(worksheet_autofilter) *worksheet_autofilter;
	__typeof__(worksheet_insert_chart_opt) *worksheet_insert_chart_opt;
	__typeof__(worksheet_conditional_format_range) *worksheet_conditional_format_range;
	__typeof__(worksheet_gridlines) *worksheet_gridlines;
	__typeof__(worksheet_set_landscape) *worksheet_set_landscape;
	__typeof__(worksheet_repeat_rows) *worksheet_repeat_rows;
	__typeof__(worksheet_repeat_columns) *worksheet_repeat_columns;
	__typeof__(worksheet_print_area) *worksheet_print_area;
	__typeof__(worksheet_fit_to_pages) *worksheet_fit_to_pages;
	__typeof__(worksheet_set_h_pagebreaks) *worksheet_set_h_pagebreaks;
	__typeof__(worksheet_set_footer) *worksheet_set_footer;
	__typeof__(worksheet_set_margins) *worksheet_set_margins;
	__typeof__(worksheet_set_print_scale) *worksheet_set_print_scale;
	__typeof__(worksheet_hide) *worksheet_hide;
	__typeof__(worksheet_set_tab_color) *worksheet_set_tab_color;
	__typeof__(format_set_bold) *format_set_bold;
	__typeof__(format_set_font_size) *format_set_font_size;
	__typeof__(format_set_font_color) *format_set_font_color;
	__typeof__(format_set_bg_color) *format_set_bg_color;
	__typeof__(format_set_num_format) *format_set_num_format;
	__typeof__(format_set_align) *format_set_align;
	__typeof__(format_set_text_wrap) *format_set_text_wrap;
	__typeof__(format_set_indent) *format_set_indent;
	__typeof__(format_set_bottom) *format_set_bottom;
	__typeof__(format_set_border_color) *format_set_border_color;
	__typeof__(chart_add_series) *chart_add_series;
	__typeof__(chart_series_set_name) *chart_series_set_name;
	__typeof__(chart_series_set_line) *chart_series_set_line;
	__typeof__(chart_series_set_marker_type) *chart_series_set_marker_type;
	__typeof__(chart_title_set_name) *chart_title_set_name;
	__typeof__(chart_title_set_name_font) *chart_title_set_name_font;
	__typeof__(chart_axis_set_name) *chart_axis_set_name;
	__typeof__(chart_axis_set_name_font) *chart_axis_set_name_font;
	__typeof__(chart_axis_set_num_format) *chart_axis_set_num_format;
	__typeof__(chart_axis_set_min) *chart_axis_set_min;
	__typeof__(chart_axis_set_max) *chart_axis_set_max;
	__typeof__(chart_axis_major_gridlines_set_line) *chart_axis_major_gridlines_set_line;
	__typeof__(chart_legend_set_position) *chart_legend_set_position;
	__typeof__(chart_show_blanks_as) *chart_show_blanks_as;
	__typeof__(chart_show_hidden_data) *chart_show_hidden_data;
};

/* Load it once; *lib stays valid.  Errors are those of dl_load(). */
int xlsx_lib_load(const struct xlsx_lib **lib, struct error *e);
