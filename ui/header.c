/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each part has forms, and a narrow line takes shorter ones in a fixed order until all of it
 * has room, so that no part is ever cut.  The sum and the source of the boards never go away.
 */
#include "config.h"
#include "ui/header.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ui/rows.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* From the left, but for the title in the middle and the time at the right. */
enum { NAME, SOURCE, FAILED, CHECK, OF, TITLE, WHEN, PARTS };

struct part {
	char form[3][48];	/* ever shorter; "": it is not there */
	int at;
	enum style style;
};

/* Which part takes its next form, one after the other. */
static const uint8_t gives_way[] = { TITLE, WHEN, WHEN, NAME, OF, SOURCE, NAME, CHECK, FAILED };

static const char *text_of(const struct part *p)
{
	return p->form[p->at];
}

static void fill_sum(struct part p[PARTS], const struct model *m)
{
	struct rows_sum sum;

	rows_sum(m, &sum);
	p[FAILED].style = STYLE_BAD;
	p[CHECK].style = STYLE_WARN;
	p[OF].style = STYLE_DIM;
	if (sum.failed > 0) {
		snprintf(p[FAILED].form[0], sizeof(p->form[0]), "%zu FAILED", sum.failed);
		snprintf(p[FAILED].form[1], sizeof(p->form[0]), "%zu✗", sum.failed);
	}
	if (sum.check > 0) {
		snprintf(p[CHECK].form[0], sizeof(p->form[0]), "%zu to check", sum.check);
		snprintf(p[CHECK].form[1], sizeof(p->form[0]), "%zu!", sum.check);
	}
	if (sum.failed + sum.check > 0)
		snprintf(p[OF].form[0], sizeof(p->form[0]), "of %zu", sum.chips);
}

static void fill_source(struct part p[PARTS], const struct model *m)
{
	const char *source = model_source(m);

	mem_copy_text(p[SOURCE].form[0], sizeof(p->form[0]), source);
	snprintf(p[SOURCE].form[1], sizeof(p->form[0]), "%.*s", (int)strcspn(source, " "), source);
	p[SOURCE].style = STYLE_WARN;
}

static void fill(struct part p[PARTS], const struct model *m, const char *title, bool is_held)
{
	time_t seconds = (time_t)(m->real / CLOCK_SECOND);
	struct tm tm;

	snprintf(p[NAME].form[0], sizeof(p->form[0]), "tt-smi %s", m->version);
	mem_copy_text(p[NAME].form[1], sizeof(p->form[0]), "tt-smi");
	p[NAME].style = STYLE_TITLE;
	fill_source(p, m);
	fill_sum(p, m);
	mem_copy_text(p[TITLE].form[0], sizeof(p->form[0]), title);
	p[TITLE].style = STYLE_HEADING;
	localtime_r(&seconds, &tm);
	strftime(p[WHEN].form[0], sizeof(p->form[0]), "%a %Y-%m-%d %H:%M:%S", &tm);
	strftime(p[WHEN].form[1], sizeof(p->form[0]), "%H:%M:%S", &tm);
	p[WHEN].style = is_held ? STYLE_WARN : STYLE_NORMAL;
}

/* Of all parts with what is between them, and a blank at both ends. */
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

	fill(p, m, title, is_held);
	fit(p, r.w);
	for (int i = 0; i < TITLE; i++)
		if (text_of(&p[i])[0])
			x = canvas_text(c, x, r.y, p[i].style, text_of(&p[i])) + 2;
	right = r.x + r.w - 1 - glyph_text_width(text_of(&p[WHEN]));
	canvas_text(c, right, r.y, p[WHEN].style, text_of(&p[WHEN]));
	/* In the middle, or as near to it as what stands left and right of it allows. */
	middle = r.x + (r.w - glyph_text_width(text_of(&p[TITLE]))) / 2;
	right -= 2 + glyph_text_width(text_of(&p[TITLE]));
	middle = middle < x ? x : middle > right ? right : middle;
	canvas_text(c, middle, r.y, p[TITLE].style, text_of(&p[TITLE]));
}

void header_brief(const struct model *m, int w, char *buf, size_t size)
{
	struct part p[PARTS] = { 0 };
	size_t len = 0;

	fill_source(p, m);
	fill_sum(p, m);
	p[OF].at++;
	fit(p, w);
	buf[0] = 0;
	for (int i = SOURCE; i < OF && len < size; i++)
		if (text_of(&p[i])[0])
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
				text_of(&p[i]));
}
