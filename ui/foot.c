/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remarks are shown whole or not at all.  Those at the right are a list: trouble with boards
 * comes first, in its colour, and takes a shorter form before it is dropped.
 */
#include "config.h"
#include "ui/foot.h"

#include "base/mem.h"
#include "ui/header.h"

#include <stdio.h>
#include <string.h>

enum { REMARKS = 12 };

struct remarks {
	struct remark at[REMARKS];
	size_t n, loud;		/* loud: how many, from the first on, report trouble */
	int form[REMARKS];
};

static void add_remarks(struct remarks *r, const struct remark *from, size_t n)
{
	for (size_t i = 0; i < n && r->n < REMARKS; i++)
		if (from[i].text[0][0])
			r->at[r->n++] = from[i];
}

static void add_counts(struct remarks *r, const struct rows_sum *sum, const char *where)
{
	struct remark counts[2];

	header_count(sum, where, counts);
	add_remarks(r, counts, 2);
}

/* Add each part between commas as a remark, so that each can be dropped alone. */
static void add_quiet(struct remarks *r, const char *text)
{
	while (*text && r->n < REMARKS) {
		struct remark *to = &r->at[r->n++];
		const char *comma = strstr(text, ", ");
		int len = comma ? (int)(comma - text) : (int)strlen(text);

		to->style = STYLE_DIM;
		snprintf(to->text[0], sizeof(to->text[0]), "%.*s", len, text);
		text += len + (comma ? 2 : 0);
	}
}

static const char *text_of(const struct remarks *r, size_t i)
{
	const struct remark *remark = &r->at[i];

	return remark->text[1][0] && r->form[i] ? remark->text[1] : remark->text[0];
}

static int width_of(const struct remarks *r, size_t n)
{
	int width = n > 0 ? 2 * ((int)n - 1) : 0;

	for (size_t i = 0; i < n; i++)
		width += glyph_text_width(text_of(r, i));
	return width;
}

/*
 * Shorten the loud remarks until they fit into w, then drop quiet ones from the end to leave
 * `least` cells to the left.  The first remark of all is dropped only if w is too narrow for it.
 */
static void fit(struct remarks *r, int w, int least)
{
	for (size_t i = r->loud; i-- > 0 && width_of(r, r->loud) > w;)
		r->form[i] = 1;
	while (r->n > 1 && r->n > r->loud && width_of(r, r->n) > w - least)
		r->n--;
	while (r->n > 0 && width_of(r, r->n) > w)
		r->n--;
}

/*
 * Cut whole remarks from the end until the rest fits or one is left.  A remark keeps its
 * "(Enter)".
 */
static void shorten(char *text, int room)
{
	while (glyph_text_width(text) > room) {
		char *cut = NULL;

		for (char *at = text + 1; text[0] && *at; at++)
			if (strncmp(at, ", ", 2) == 0 || (strncmp(at, " (", 2) == 0 &&
				strncmp(at, " (Enter", 7) != 0))
				cut = at;
		if (!cut)
			return;
		*cut = 0;
	}
}

static void draw_left(struct canvas *c, struct rect r, const struct foot *foot)
{
	const bool is_brief = foot->brief[0] && glyph_text_width(foot->left) > r.w - 3;
	char text[sizeof(foot->left)];
	int end;

	mem_copy_text(text, sizeof(text), is_brief ? foot->brief : foot->left);
	shorten(text, r.w - 3);
	/* Only a filter, which a person has typed, may be cut. */
	if (!text[0] || r.w < 12 ||
		(glyph_text_width(text) > r.w - 3 && strncmp(text, "filter", 6) != 0))
		return;
	canvas_text(c, r.x, r.y, STYLE_DIM, " ");
	end = canvas_words(c, r.x + 1, r.y, r.w - 3, STYLE_DIM, text);
	canvas_text(c, end, r.y, STYLE_DIM, " ");
}

/* Returns the cells used. */
static int draw_right(struct canvas *c, struct rect r, const struct remarks *remarks)
{
	const int width = remarks->n > 0 ? width_of(remarks, remarks->n) + 2 : 0;
	int x = r.x + r.w - width;

	if (width == 0 || width > r.w)
		return 0;
	x = canvas_text(c, x, r.y, STYLE_DIM, " ");
	for (size_t i = 0; i < remarks->n; i++) {
		if (i > 0)
			x = canvas_text(c, x, r.y, STYLE_DIM, ", ");
		x = canvas_text(c, x, r.y, remarks->at[i].style, text_of(remarks, i));
	}
	canvas_text(c, x, r.y, STYLE_DIM, " ");
	return width;
}

#define LEFT_LEAST 26	/* cells of " 11 more columns (Enter) " */

/* The left gets what its brief form needs, up to half of the line or enough to name a key. */
static int least_left(const struct rect *r, const struct foot *foot)
{
	int half = r->w / 2, least = glyph_text_width(foot->brief[0] ? foot->brief : foot->left);

	if (half < LEFT_LEAST && r->w > LEFT_LEAST)
		half = LEFT_LEAST;
	return least == 0 ? 0 : least + 3 < half ? least + 3 : half;
}

void foot_draw(struct canvas *c, struct rect r, const struct model *m, const struct foot *foot,
	bool headless)
{
	struct remark head[HEADER_REMARKS];
	struct remarks right = { .n = 0 };

	if (headless) {
		add_remarks(&right, head, header_remarks(m, head));
		right.loud = right.n;
	}
	add_counts(&right, &foot->above, " above");
	add_counts(&right, &foot->below, " below");
	/* The header's remarks include the sum, so the counts above and below may be dropped. */
	right.loud = headless ? right.loud : right.n;
	add_quiet(&right, foot->right);
	fit(&right, r.w - 2, least_left(&r, foot));
	r.w -= draw_right(c, r, &right);
	draw_left(c, r, foot);
}
