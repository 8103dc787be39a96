/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - a table of chips, and below it a block of lines for the selected chip and for as many
 * chips after it as fit.
 */
#pragma once

#include "ui/tab.h"

struct blocks {
	int w;		/* cells of a block and the blank after it */
	int (*height)(const struct fleet *f, size_t chip);	/* lines */
	void (*draw)(struct canvas *c, struct rect r, const struct fleet *f, size_t chip);
};

/* The table first gets the lines to show all trouble and its reasons; blocks take the rest. */
void blocks_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	const struct tab_ops *tab, const struct blocks *b, struct foot *foot);
