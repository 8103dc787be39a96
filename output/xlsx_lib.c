/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/xlsx_lib.h"
#include "base/array.h"
#include "base/dl.h"

static struct xlsx_lib lib;

static const struct dl_slot slots[] = {
	{ "workbook_new_opt", &lib.workbook_new_opt },
	{ "workbook_add_worksheet", &lib.workbook_add_worksheet },
	{ "workbook_add_format", &lib.workbook_add_format },
	{ "workbook_add_chart", &lib.workbook_add_chart },
	{ "workbook_set_properties", &lib.workbook_set_properties },
	{ "workbook_close", &lib.workbook_close },
	{ "lxw_workbook_free", &lib.lxw_workbook_free },
	{ "lxw_strerror", &lib.lxw_strerror },
	{ "worksheet_write_number", &lib.worksheet_write_number },
	{ "worksheet_write_string", &lib.worksheet_write_string },
	{ "worksheet_write_url_opt", &lib.worksheet_write_url_opt },
	{ "worksheet_merge_range", &lib.worksheet_merge_range },
	{ "worksheet_set_row", &lib.worksheet_set_row },
	{ "worksheet_set_column", &lib.worksheet_set_column },
	{ "worksheet_set_column_opt", &lib.worksheet_set_column_opt },
	{ "worksheet_freeze_panes", &lib.worksheet_freeze_panes },
	{ "worksheet_autofilter", &lib.worksheet_autofilter },
	{ "worksheet_insert_chart_opt", &lib.worksheet_insert_chart_opt },
	{ "worksheet_conditional_format_range", &lib.worksheet_conditional_format_range },
	{ "worksheet_gridlines", &lib.worksheet_gridlines },
	{ "worksheet_set_landscape", &lib.worksheet_set_landscape },
	{ "worksheet_repeat_rows", &lib.worksheet_repeat_rows },
	{ "worksheet_repeat_columns", &lib.worksheet_repeat_columns },
	{ "worksheet_print_area", &lib.worksheet_print_area },
	{ "worksheet_fit_to_pages", &lib.worksheet_fit_to_pages },
	{ "worksheet_set_h_pagebreaks", &lib.worksheet_set_h_pagebreaks },
	{ "worksheet_set_footer", &lib.worksheet_set_footer },
	{ "worksheet_set_margins", &lib.worksheet_set_margins },
	{ "worksheet_set_print_scale", &lib.worksheet_set_print_scale },
	{ "worksheet_hide", &lib.worksheet_hide },
	{ "worksheet_set_tab_color", &lib.worksheet_set_tab_color },
	{ "format_set_bold", &lib.format_set_bold },
	{ "format_set_font_size", &lib.format_set_font_size },
	{ "format_set_font_color", &lib.format_set_font_color },
	{ "format_set_bg_color", &lib.format_set_bg_color },
	{ "format_set_num_format", &lib.format_set_num_format },
	{ "format_set_align", &lib.format_set_align },
	{ "format_set_text_wrap", &lib.format_set_text_wrap },
	{ "format_set_indent", &lib.format_set_indent },
	{ "format_set_bottom", &lib.format_set_bottom },
	{ "format_set_border_color", &lib.format_set_border_color },
	{ "chart_add_series", &lib.chart_add_series },
	{ "chart_series_set_name", &lib.chart_series_set_name },
	{ "chart_series_set_line", &lib.chart_series_set_line },
	{ "chart_series_set_marker_type", &lib.chart_series_set_marker_type },
	{ "chart_title_set_name", &lib.chart_title_set_name },
	{ "chart_title_set_name_font", &lib.chart_title_set_name_font },
	{ "chart_axis_set_name", &lib.chart_axis_set_name },
	{ "chart_axis_set_name_font", &lib.chart_axis_set_name_font },
	{ "chart_axis_set_num_format", &lib.chart_axis_set_num_format },
	{ "chart_axis_set_min", &lib.chart_axis_set_min },
	{ "chart_axis_set_max", &lib.chart_axis_set_max },
	{ "chart_axis_major_gridlines_set_line", &lib.chart_axis_major_gridlines_set_line },
	{ "chart_legend_set_position", &lib.chart_legend_set_position },
	{ "chart_show_blanks_as", &lib.chart_show_blanks_as },
	{ "chart_show_hidden_data", &lib.chart_show_hidden_data },
};

int xlsx_lib_load(const struct xlsx_lib **out, struct error *e)
{
	*out = &lib;
	return lib.workbook_close ? 0 : dl_load(DL_XLSXWRITER, slots, ARRAY_LEN(slots), e);
}
