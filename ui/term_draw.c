/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one picture to the next in few bytes: cells that stay are passed over
 * by whatever is shorter, moving the cursor or writing them again.
 */
#include "config.h"
#include "ui/term_local.h"

#include <stdio.h>
#include <string.h>

/* Where the cursor stands (x -1: not known), and how it writes. */
struct pen {
	int x, y;
	const struct term_look *look;
};

static const struct term_look *look_of(const struct cell *cell)
{
	return &term.look[cell->lit][cell->style];
}

/* Blanks look alike in all styles that colour nothing but text. */
static bool same(const struct cell *a, const struct cell *b)
{
	const struct term_look *x = look_of(a), *y = look_of(b);

	return a->ch == b->ch && (x == y || (a->ch == ' ' && !x->ground && !y->ground));
}

static void move_to(struct pen *p, int x, int y)
{
	if (p->x == x && p->y == y)
		return;
	if (p->y == y && p->x >= 0 && x > p->x)
		strbuf_printf(&term.bytes, x == p->x + 1 ? "\033[C" : "\033[%dC", x - p->x);
	else
		strbuf_printf(&term.bytes, "\033[%d;%dH", y + 1, x + 1);
	p->x = x;
	p->y = y;
}

static bool fits(const struct pen *p, const struct cell *cell)
{
	const struct term_look *look = look_of(cell);

	return p->look && (p->look == look ||
		(cell->ch == ' ' && !p->look->ground && !look->ground));
}

static void write_cell(struct pen *p, const struct cell *cell)
{
	char text[4];

	if (!fits(p, cell)) {
		p->look = look_of(cell);
		strbuf_puts(&term.bytes, p->look->sgr);
	}
	strbuf_add(&term.bytes, text, (size_t)glyph_encode(cell->ch, text));
	p->x += glyph_width(cell->ch);
}

/* Up to so many cells that stay are written again, where that needs no other colour. */
#define BRIDGE 3

static bool bridge(struct pen *p, const struct cell *row, int x, int y)
{
	if (p->y != y || p->x < 0 || x <= p->x || x - p->x > BRIDGE)
		return false;
	for (int i = p->x; i < x; i++)
		if (row[i].ch >= 0x80 || row[i].ch == 0 || !fits(p, &row[i]))
			return false;
	while (p->x < x)
		write_cell(p, &row[p->x]);
	return true;
}

static size_t draw_row(struct pen *p, const struct canvas *c, int y)
{
	const struct cell *row = &c->cells[(size_t)y * (size_t)c->w];
	struct cell *old = &term.last.cells[(size_t)y * (size_t)c->w];
	/* Writing the last cell of the screen scrolls it, on terminals without a margin. */
	int w = y + 1 < c->h || term.right_margin ? c->w : c->w - 1;
	size_t changed = 0;

	if (memcmp(row, old, (size_t)c->w * sizeof(*row)) == 0)
		return 0;
	for (int x = 0; x < w; x++) {
		/* The halves of a wide character go together. */
		bool wide = x + 1 < c->w && row[x + 1].ch == 0;

		if (row[x].ch == 0 || (same(&row[x], &old[x]) &&
			(!wide || same(&row[x + 1], &old[x + 1]))))
			continue;
		if (!bridge(p, row, x, y))
			move_to(p, x, y);
		write_cell(p, &row[x]);
		if (p->x >= c->w)
			p->x = -1;
		changed += 1 + wide;
	}
	memcpy(old, row, (size_t)c->w * sizeof(*row));
	return changed;
}

static size_t print_plain(const struct canvas *c)
{
	struct strbuf text = { 0 };

	canvas_to_text(c, &text);
	/* Nothing promises that a line feed returns. */
	for (size_t i = 0; i < text.len; i++) {
		if (text.text[i] == '\n')
			strbuf_putc(&term.bytes, '\r');
		strbuf_putc(&term.bytes, text.text[i]);
	}
	strbuf_clear(&text);
	return (size_t)c->w * (size_t)c->h;
}

size_t term_draw(const struct canvas *c)
{
	static struct pen p;
	size_t changed = 0;

	if (!term_flush())
		return 0;
	if (term.plain) {
		changed = print_plain(c);
		term_flush();
		return changed;
	}
	if (term.last.w != c->w || term.last.h != c->h)
		term.forget = true;
	if (term.forget) {
		canvas_resize(&term.last, c->w, c->h, c->charset);
		strbuf_puts(&term.bytes, "\033[0m\033[2J");
		p = (struct pen){ .x = -1 };
		term.forget = false;
	}
	for (int y = 0; y < c->h; y++)
		changed += draw_row(&p, c, y);
	term_flush();
	return changed;
}
