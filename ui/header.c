/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each part has several forms.  On a narrow line parts change to shorter forms in a fixed order
 * until all fit, so that no part is ever cut.  The counts and the source of the boards are
 * always shown.
 */
#include "config.h"
#include "ui/header.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ui/mark.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* From left to right; the title is in the middle and the time at the right end. */
enum { NAME, SOURCE, ALERTS, FAILED, CHECK, OF, TITLE, WHEN, PARTS };

struct part {
	char form[3][48];	/* from long to short; "": not shown */
	int at;
	enum style style;
};

/* The order in which parts change to their next form. */
static const uint8_t gives_way[] = { TITLE, WHEN, WHEN, NAME, ALERTS, OF, SOURCE, NAME, CHECK,
	FAILED };

static const char *text_of(const struct part *p)
{
	return p->form[p->at];
}

void header_count(const struct rows_sum *sum, const char *where, struct remark out[2])
{
	const size_t counts[] = { sum->failed, sum->check };
	static const char *const words[] = { " FAILED", " to check" };
	static const enum mark shapes[] = { MARK_BAD, MARK_WARN };

	for (int i = 0; i < 2; i++) {
		const struct mark_look *look = &marks[shapes[i]];
		const char *place = i == 1 || sum->check == 0 ? where : "";

		out[i] = (struct remark){ .style = look->style };
		if (counts[i] == 0)
			continue;
		snprintf(out[i].text[0], sizeof(out->text[0]), "%zu%s%s", counts[i], words[i],
			place);
		snprintf(out[i].text[1], sizeof(out->text[0]), "%zu%s%s", counts[i], look->text,
			place);
	}
}

size_t header_remarks(const struct model *m, struct remark out[HEADER_REMARKS])
{
	const char *source = model_source(m);
	struct rows_sum sum;

	out[0] = (struct remark){ .style = STYLE_WARN };
	mem_copy_text(out[0].text[0], sizeof(out->text[0]), source);
	snprintf(out[0].text[1], sizeof(out->text[0]), "%.*s", (int)strcspn(source, " "), source);
	out[1] = (struct remark){ .style = STYLE_WARN };
	if (m->alerts[0]) {
		snprintf(out[1].text[0], sizeof(out->text[0]), "alert: %s", m->alerts);
		mem_copy_text(out[1].text[1], sizeof(out->text[0]), "alert");
	}
	rows_sum(m, &sum);
	header_count(&sum, "", out + 2);
	return HEADER_REMARKS;
}

static void fill_sum(struct part p[PARTS], const struct model *m)
{
	struct remark remark[HEADER_REMARKS];
	struct rows_sum sum;

	for (size_t i = 0; i < header_remarks(m, remark); i++) {
		p[SOURCE + i].style = remark[i].style;
		memcpy(p[SOURCE + i].form, remark[i].text, sizeof(remark[i].text));
	}
	rows_sum(m, &sum);
	p[OF].style = STYLE_DIM;
	if (sum.failed + sum.check > 0)
		snprintf(p[OF].form[0], sizeof(p->form[0]), "of %zu", sum.chips);
}

static void fill_parts(struct part p[PARTS], const struct model *m, const char *title, bool is_held)
{
	time_t seconds = (time_t)(m->real / CLOCK_SECOND);
	struct tm tm;

	snprintf(p[NAME].form[0], sizeof(p->form[0]), "tt-smi %s", m->version);
	mem_copy_text(p[NAME].form[1], sizeof(p->form[0]), "tt-smi");
	p[NAME].style = STYLE_TITLE;
	fill_sum(p, m);
	mem_copy_text(p[TITLE].form[0], sizeof(p->form[0]), title);
	p[TITLE].style = STYLE_HEADING;
	localtime_r(&seconds, &tm);
	strftime(p[WHEN].form[0], sizeof(p->form[0]), "%a %Y-%m-%d %H:%M:%S", &tm);
	strftime(p[WHEN].form[1], sizeof(p->form[0]), "%H:%M:%S", &tm);
	p[WHEN].style = is_held ? STYLE_WARN : STYLE_NORMAL;
}

/* The width of all parts with the gaps between them and a blank at both ends. */
static int width_of(const struct part p[PARTS])
{
	int width = 0;

	for (int i = 0; i < PARTS; i++)
		if (text_of(&p[i])[0])
			width += glyph_text_width(text_of(&p[i])) + 2;
	return width;
}

static void fit(struct part p[PARTS], int w)
{
	for (size_t i = 0; i < ARRAY_LEN(gives_way) && width_of(p) > w; i++)
		p[gives_way[i]].at++;
}

void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held)
{
	struct part p[PARTS] = { 0 };
	int x = r.x + 1, right, middle;

	fill_parts(p, m, title, is_held);
	fit(p, r.w);
	for (int i = 0; i < TITLE; i++)
		if (text_of(&p[i])[0])
			x = canvas_text(c, x, r.y, p[i].style, text_of(&p[i])) + 2;
	right = r.x + r.w - 1 - glyph_text_width(text_of(&p[WHEN]));
	canvas_text(c, right, r.y, p[WHEN].style, text_of(&p[WHEN]));
	/* In the middle, or as near to it as the parts on both sides allow. */
	middle = r.x + (r.w - glyph_text_width(text_of(&p[TITLE]))) / 2;
	right -= 2 + glyph_text_width(text_of(&p[TITLE]));
	middle = middle < x ? x : middle > right ? right : middle;
	canvas_text(c, middle, r.y, p[TITLE].style, text_of(&p[TITLE]));
}
