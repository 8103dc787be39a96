/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notice.h - what is wrong with a chip, since when and what to do.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/model.h"

/*
 * Fill buf with the sentence for the lines below a chip, what matters most
 * first; `whole`: with all findings, else the first and how many there are.
 * Returns false when there is nothing to say; else *style says how urgent it is.
 */
#define NOTICE_SIZE 2048
bool notice_text(const struct model *m, const struct snapshot *s, bool whole,
	char buf[NOTICE_SIZE], enum style *style);

/* Draw it in one line of w cells; if it is cut, the line ends in the key that shows all. */
void notice_draw_line(struct canvas *c, int x, int y, int w, enum style style, const char *text);

/* A span of time in at most 7 cells: "0.5 s", "41 s", "12 min", "3 h", "9 d". */
char *notice_age(int64_t ns, char *buf, size_t size);
