/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_local.h - the parts of the burn's screen; each draws into a rectangle
 * of its own.
 */
#pragma once

#include "ui/burn.h"

int burn_head_height(const struct ui_burn *b, int room);
void burn_draw_head(struct canvas *c, struct rect r, const struct ui_burn *b);
void burn_draw_plot(struct canvas *c, struct rect r, const struct ui_burn *b);
void burn_draw_work(struct canvas *c, struct rect r, const struct ui_burn *b);

/* A line of the list of cards: a chip of the machine and its burn; either may be NULL. */
struct burn_card {
	const struct snapshot *s;
	const struct ui_burn_chip *chip;
};

/* One cell of a map. */
void burn_put_core(struct canvas *c, int x, int y, enum ui_core core);

void burn_draw_page(struct canvas *c, struct rect r, const struct model *m,
	const struct burn_card *card, const struct ui_burn *b, struct ui_burn_view *v);
int burn_host_height(const struct ui_burn *b, int w);
void burn_draw_host(struct canvas *c, struct rect r, const struct ui_burn *b);
int burn_threads_height(const struct ui_burn *b, int w);
void burn_draw_threads(struct canvas *c, struct rect r, const struct ui_burn *b);
