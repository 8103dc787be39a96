/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/xlsx_lib.h"
#include "base/array.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The soname that belongs to the header we were compiled with. */
#define SONAME "libxlsxwriter.so." LXW_SOVERSION

static const struct {
	const char *name;
	size_t where;
} functions[] = {
	{ "workbook_new_opt", offsetof(struct xlsx_lib, workbook_new_opt) },
	{ "workbook_add_worksheet", offsetof(struct xlsx_lib, workbook_add_worksheet) },
	{ "workbook_add_format", offsetof(struct xlsx_lib, workbook_add_format) },
	{ "workbook_add_chart", offsetof(struct xlsx_lib, workbook_add_chart) },
	{ "workbook_set_properties", offsetof(struct xlsx_lib, workbook_set_properties) },
	{ "workbook_close", offsetof(struct xlsx_lib, workbook_close) },
	{ "lxw_workbook_free", offsetof(struct xlsx_lib, lxw_workbook_free) },
	{ "lxw_strerror", offsetof(struct xlsx_lib, lxw_strerror) },
	{ "worksheet_write_number", offsetof(struct xlsx_lib, worksheet_write_number) },
	{ "worksheet_write_string", offsetof(struct xlsx_lib, worksheet_write_string) },
	{ "worksheet_write_url_opt", offsetof(struct xlsx_lib, worksheet_write_url_opt) },
	{ "worksheet_set_row", offsetof(struct xlsx_lib, worksheet_set_row) },
	{ "worksheet_set_column", offsetof(struct xlsx_lib, worksheet_set_column) },
	{ "worksheet_freeze_panes", offsetof(struct xlsx_lib, worksheet_freeze_panes) },
	{ "worksheet_autofilter", offsetof(struct xlsx_lib, worksheet_autofilter) },
	{ "worksheet_insert_chart_opt", offsetof(struct xlsx_lib, worksheet_insert_chart_opt) },
	{ "worksheet_conditional_format_range",
		offsetof(struct xlsx_lib, worksheet_conditional_format_range) },
	{ "worksheet_gridlines", offsetof(struct xlsx_lib, worksheet_gridlines) },
	{ "worksheet_set_landscape", offsetof(struct xlsx_lib, worksheet_set_landscape) },
	{ "worksheet_repeat_rows", offsetof(struct xlsx_lib, worksheet_repeat_rows) },
	{ "worksheet_repeat_columns", offsetof(struct xlsx_lib, worksheet_repeat_columns) },
	{ "worksheet_set_v_pagebreaks", offsetof(struct xlsx_lib, worksheet_set_v_pagebreaks) },
	{ "worksheet_set_h_pagebreaks", offsetof(struct xlsx_lib, worksheet_set_h_pagebreaks) },
	{ "worksheet_set_footer", offsetof(struct xlsx_lib, worksheet_set_footer) },
	{ "worksheet_set_margins", offsetof(struct xlsx_lib, worksheet_set_margins) },
	{ "worksheet_set_print_scale", offsetof(struct xlsx_lib, worksheet_set_print_scale) },
	{ "worksheet_hide", offsetof(struct xlsx_lib, worksheet_hide) },
	{ "worksheet_set_tab_color", offsetof(struct xlsx_lib, worksheet_set_tab_color) },
	{ "format_set_bold", offsetof(struct xlsx_lib, format_set_bold) },
	{ "format_set_font_size", offsetof(struct xlsx_lib, format_set_font_size) },
	{ "format_set_font_color", offsetof(struct xlsx_lib, format_set_font_color) },
	{ "format_set_bg_color", offsetof(struct xlsx_lib, format_set_bg_color) },
	{ "format_set_num_format", offsetof(struct xlsx_lib, format_set_num_format) },
	{ "format_set_align", offsetof(struct xlsx_lib, format_set_align) },
	{ "format_set_text_wrap", offsetof(struct xlsx_lib, format_set_text_wrap) },
	{ "format_set_indent", offsetof(struct xlsx_lib, format_set_indent) },
	{ "format_set_bottom", offsetof(struct xlsx_lib, format_set_bottom) },
	{ "format_set_border_color", offsetof(struct xlsx_lib, format_set_border_color) },
	{ "chart_add_series", offsetof(struct xlsx_lib, chart_add_series) },
	{ "chart_series_set_name", offsetof(struct xlsx_lib, chart_series_set_name) },
	{ "chart_series_set_line", offsetof(struct xlsx_lib, chart_series_set_line) },
	{ "chart_series_set_marker_type",
		offsetof(struct xlsx_lib, chart_series_set_marker_type) },
	{ "chart_title_set_name", offsetof(struct xlsx_lib, chart_title_set_name) },
	{ "chart_title_set_name_font", offsetof(struct xlsx_lib, chart_title_set_name_font) },
	{ "chart_axis_set_name", offsetof(struct xlsx_lib, chart_axis_set_name) },
	{ "chart_axis_set_name_font", offsetof(struct xlsx_lib, chart_axis_set_name_font) },
	{ "chart_axis_set_num_format", offsetof(struct xlsx_lib, chart_axis_set_num_format) },
	{ "chart_axis_set_min", offsetof(struct xlsx_lib, chart_axis_set_min) },
	{ "chart_axis_set_max", offsetof(struct xlsx_lib, chart_axis_set_max) },
	{ "chart_axis_major_gridlines_set_line",
		offsetof(struct xlsx_lib, chart_axis_major_gridlines_set_line) },
	{ "chart_legend_set_position", offsetof(struct xlsx_lib, chart_legend_set_position) },
	{ "chart_show_blanks_as", offsetof(struct xlsx_lib, chart_show_blanks_as) },
	{ "chart_show_hidden_data", offsetof(struct xlsx_lib, chart_show_hidden_data) },
};

int xlsx_lib_load(const struct xlsx_lib **out, struct error *e)
{
	static struct xlsx_lib lib;
	static bool loaded;
	void *handle;

	*out = &lib;
	if (loaded)
		return 0;
	handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return fail(e, -ENOENT,
			"workbook: cannot load %s: install libxlsxwriter (the CSV files are whole)",
			SONAME);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		void *f = dlsym(handle, functions[i].name);

		if (!f) {
			dlclose(handle);
			return fail(e, -ENOENT, "workbook: %s has no %s: it is not the version "
				"this program was built for", SONAME, functions[i].name);
		}
		memcpy((char *)&lib + functions[i].where, &f, sizeof(f));
	}
	loaded = true;
	return 0;
}
