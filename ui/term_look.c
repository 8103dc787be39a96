/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which colours a terminal gets.  It is asked for its background while the
 * first picture is drawn already; the answer, if it comes, draws it again.
 */
#include "config.h"
#include "ui/term_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_look(const struct look *l, char *text, size_t size)
{
	static const int codes[] = { 1, 2, 4, 7 };	/* in the order of the LOOK_ flags */
	size_t len = (size_t)snprintf(text, size, "\033[0");

	for (int i = 0; i < 4; i++)
		if (l->attr & 1U << i)
			len += (size_t)snprintf(text + len, size - len, ";%d", codes[i]);
	if (l->fg >= 8)
		len += (size_t)snprintf(text + len, size - len, ";38;5;%d", l->fg);
	else if (l->fg >= 0)
		len += (size_t)snprintf(text + len, size - len, ";3%d", l->fg);
	if (l->bg >= 0)
		len += (size_t)snprintf(text + len, size - len, ";48;5;%d", l->bg);
	snprintf(text + len, size - len, "m");
}

void term_look_init(void)
{
	for (int lit = 0; lit < 2; lit++)
		for (int i = 0; i < STYLES; i++) {
			struct look l = palette_look(term.ground, term.colors, (enum style)i, lit);
			struct term_look *t = &term.look[lit][i];

			t->ground = l.bg >= 0 || l.attr & (LOOK_REVERSE | LOOK_UNDERLINE);
			write_look(&l, t->sgr, sizeof(t->sgr));
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
	/* Every terminal answers the second question: then the first one's answer has come. */
	if (term.asked)
		strbuf_puts(&term.bytes, "\033]11;?\033\\\033[c");
}
