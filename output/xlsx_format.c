/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_format.c - how cells and printed pages of the workbook look.
 */
#include "config.h"
#include "output/xlsx_book.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static lxw_format *new_format(struct book *b)
{
	lxw_format *f = b->lib->workbook_add_format(b->wb);

	b->lib->format_set_align(f, LXW_ALIGN_VERTICAL_CENTER);
	return f;
}

static lxw_format *new_marked(struct book *b, lxw_color_t text, lxw_color_t behind)
{
	lxw_format *f = new_format(b);

	b->lib->format_set_font_color(f, text);
	b->lib->format_set_bg_color(f, behind);
	return f;
}

static lxw_format *new_heading(struct book *b, uint8_t align)
{
	lxw_format *f = new_format(b);

	b->lib->format_set_bold(f);
	b->lib->format_set_font_color(f, 0xffffff);
	b->lib->format_set_bg_color(f, 0x1f3b57);
	b->lib->format_set_align(f, align);
	b->lib->format_set_text_wrap(f);
	return f;
}

void book_make_formats(struct book *b)
{
	static const char *const patterns[BOOK_DECIMALS] = { "0", "0.0", "0.00", "0.000", "0.0000",
		"0.00000", "0.000000", "0.0000000", "0.00000000", "0.000000000" };
	const struct xlsx_lib *x = b->lib;

	for (size_t i = 0; i < BOOK_DECIMALS; i++) {
		b->fixed[i] = new_format(b);
		x->format_set_num_format(b->fixed[i], patterns[i]);
		x->format_set_align(b->fixed[i], LXW_ALIGN_RIGHT);
	}
	b->title = new_format(b);
	x->format_set_bold(b->title);
	x->format_set_font_size(b->title, 18);
	x->format_set_font_color(b->title, 0x1f3b57);
	b->heading = new_heading(b, LXW_ALIGN_CENTER);
	b->heading_left = new_heading(b, LXW_ALIGN_LEFT);
	b->heading_right = new_heading(b, LXW_ALIGN_RIGHT);
	b->label = new_format(b);
	x->format_set_bold(b->label);
	b->text = new_format(b);
	x->format_set_align(b->text, LXW_ALIGN_LEFT);
	b->wrapped = new_format(b);
	x->format_set_align(b->wrapped, LXW_ALIGN_LEFT);
	x->format_set_text_wrap(b->wrapped);
	b->note_wrapped = new_format(b);
	x->format_set_font_color(b->note_wrapped, 0x666666);
	x->format_set_text_wrap(b->note_wrapped);
	b->word = new_format(b);
	x->format_set_align(b->word, LXW_ALIGN_CENTER);
	b->state = new_format(b);
	x->format_set_align(b->state, LXW_ALIGN_LEFT);
	x->format_set_indent(b->state, 1);
	b->sum = new_format(b);
	x->format_set_bold(b->sum);
	x->format_set_num_format(b->sum, "0.0");
	b->count_sum = new_format(b);
	x->format_set_bold(b->count_sum);
	x->format_set_num_format(b->count_sum, "0");
	b->link = new_format(b);
	x->format_set_font_color(b->link, 0x0b5394);
	b->note = new_format(b);
	x->format_set_font_color(b->note, 0x666666);
	b->over = new_marked(b, 0x9c0006, 0xffc7ce);
	b->odd = new_marked(b, 0x7f6000, 0xffeb9c);
	for (size_t i = 0; i < BOOK_VERDICTS; i++) {
		b->verdict[i] = i == BOOK_LOST ? new_marked(b, 0x9c0006, 0xffc7ce) :
			i == BOOK_DOUBT ? new_marked(b, 0x7f6000, 0xffeb9c) : new_format(b);
		x->format_set_text_wrap(b->verdict[i]);
		x->format_set_indent(b->verdict[i], 1);
	}
	x->format_set_font_color(b->verdict[BOOK_LEFT], 0x666666);
}

const char *book_start_text(const struct book *b, char out[32])
{
	char utc[64];

	/* 2026-11-21T12:42:30.627865Z */
	clock_iso_utc(b->index->start_real, utc, sizeof(utc));
	snprintf(out, 32, "%.10s %.8s UTC", utc, utc[0] ? utc + 11 : "");
	return out;
}

void book_set_page(struct book *b, lxw_worksheet *ws, uint16_t scale, bool is_upright)
{
	const char *name = b->index ? b->index->host.hostname : "";
	char host[64], start[32], footer[240];
	size_t n = 0;

	/* An ampersand begins a command there, unless it is doubled. */
	for (const char *p = name; *p && n < sizeof(host) - 2; p++) {
		host[n++] = *p;
		if (*p == '&')
			host[n++] = '&';
	}
	host[n] = '\0';
	snprintf(footer, sizeof(footer), "&L&A&C%s%s %s&RPage &P of &N",
		b->index ? "tt-smi dump of " : "tt-smi", host,
		b->index ? book_start_text(b, start) : "");
	if (!is_upright)
		b->lib->worksheet_set_landscape(ws);
	b->lib->worksheet_set_margins(ws, 0.4, 0.4, 0.5, 0.6);
	b->lib->worksheet_set_print_scale(ws, scale);
	b->lib->worksheet_set_footer(ws, footer);
}

int book_fail_sheet(const char *name, struct error *e)
{
	return fail(e, -EIO, "workbook: cannot add the sheet \"%s\"", name);
}
