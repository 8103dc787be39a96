/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tab 6: the memory.  A line for each chip, and below them the modules of the
 * selected chip and of as many after it as fit: one line for each module if more
 * is known of them than their training, else one line for all.
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
