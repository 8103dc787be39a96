/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a table of chips: headings, one line a chip, remarks beneath,
 * scrolled so that the selected chip is seen.
 */
#pragma once

#include "ui/tab.h"

void table_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	const struct tab_ops *tab, bool limits, struct foot *foot);

/* Lines that a table of this width needs to show every chip and its remarks whole. */
int table_height(const struct model *m, const struct view *v, int w);

/* The least number of lines that still shows everything that is wrong. */
int table_least(const struct model *m, const struct view *v, int w);

/* Which of `lines` lines to show first on a page, so that from..to is in sight. */
int table_scroll(int top, int page, int lines, int from, int to);
