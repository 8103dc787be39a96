/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The colours for a terminal.  It is asked for its background, but the first
 * picture does not wait for the answer; if one comes, the picture is redrawn.
 */
#include "config.h"
#include "ui/term_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write parameters for what `to` has beyond `from`, each after a semicolon. */
static size_t put_parameters(char *text, const struct look *from, const struct look *to)
{
	static const int codes[] = { 1, 2, 4, 7 };	/* in the order of the LOOK_ flags */
	unsigned attr = to->attr & ~from->attr;
	size_t len = 0, size = TERM_SGR;

	for (int i = 0; i < 4; i++)
		if (attr & 1U << i)
			len += (size_t)snprintf(text + len, size - len, ";%d", codes[i]);
	if (to->fg != from->fg)
		len += (size_t)snprintf(text + len, size - len, to->fg >= 8 ? ";38;5;%d" : ";3%d",
			to->fg);
	if (to->bg != from->bg)
		len += (size_t)snprintf(text + len, size - len, ";48;5;%d", to->bg);
	return len;
}

size_t term_look_change(const struct term_look *from, const struct term_look *to,
	char text[static TERM_SGR])
{
	static const struct look none = { .fg = -1, .bg = -1 };
	const struct look *old = from ? &from->look : NULL, *new = &to->look;
	char parameters[TERM_SGR] = "";
	/* To drop an attribute or go back to the terminal's own colour, reset everything first. */
	bool ends = !old || (old->attr & ~new->attr) || (new->fg < 0 && old->fg >= 0) ||
		(new->bg < 0 && old->bg >= 0);
	size_t len = put_parameters(parameters, ends ? &none : old, new);

	if (len == 0 && !ends)
		return 0;
	/* An empty parameter means 0: the leading semicolon resets. */
	return (size_t)snprintf(text, TERM_SGR, "\033[%sm", parameters + (!ends && len > 0));
}

static const struct term_look *first_like(const struct look *l)
{
	for (int i = 0; i < 2 * STYLES; i++) {
		const struct term_look *t = &term.look[i / STYLES][i % STYLES];

		if (t->look.fg == l->fg && t->look.bg == l->bg && t->look.attr == l->attr)
			return t;
	}
	return NULL;
}

void term_look_init(void)
{
	for (int i = 0; i < 2 * STYLES; i++) {
		struct term_look *t = &term.look[i / STYLES][i % STYLES];
		struct look l = palette_look(term.ground, term.colors, (enum style)(i % STYLES),
			i >= STYLES);

		t->ground = l.bg >= 0 || l.attr & (LOOK_REVERSE | LOOK_UNDERLINE);
		t->look = l;
		t->as = first_like(&l);
	}
}

/* COLORFGBG is "FG;BG" or "FG;MORE;BG" in numbers of the 16 colours. */
enum palette_ground term_look_guess(void)
{
	const char *text = getenv("COLORFGBG"), *last = text ? strrchr(text, ';') : NULL;
	char *end;
	long color;

	if (!last)
		return PALETTE_DARK;
	color = strtol(last + 1, &end, 10);
	if (end == last + 1 || *end)
		return PALETTE_DARK;
	return color == 7 || (color >= 9 && color <= 15) ? PALETTE_LIGHT : PALETTE_DARK;
}

void term_look_ask(const char *name)
{
	/* Old terminals and consoles would print the question. */
	if (term.plain || term.colors == 0 || !term.asked ||
		(term.colors < 256 && strncmp(name, "xterm", 5) != 0))
		term.asked = false;
	/* Every terminal answers the second query; by then the answer to the first has come. */
	if (term.asked)
		strbuf_puts(&term.bytes, "\033]11;?\033\\\033[c");
}
