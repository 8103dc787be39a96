/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - a table of chips, and below it a block of lines for the selected chip and for as many
 * after it as there is room for.
 */
#pragma once

#include "ui/tab.h"

struct blocks {
	int w;		/* cells of a block, with a blank after it */
	int (*height)(const struct fleet *f, size_t chip);	/* lines */
	void (*draw)(struct canvas *c, struct rect r, const struct fleet *f, size_t chip);
};

/* What is wrong comes first, with its reasons; blocks have what is left. */
void blocks_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	const struct tab_ops *tab, const struct blocks *b, struct foot *foot);
