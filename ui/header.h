/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - the first line: our name and version, where the boards come from, how many of
 * them are not well, and the time.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/rows.h"
#include "ui/tab.h"
#include "ui/view.h"

/* title stands in the middle; is_held: the picture shows an earlier time. */
void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held);

/* A remark that must be shown, and a shorter form of it ("": none). */
struct remark {
	enum style style;
	char text[2][48];
};

/* What a screen without a header must show: source, alerts, counts.  Returns how many. */
#define HEADER_REMARKS 4

/* headless: the screen has no header, so its remarks are shown here. */
void foot_draw(struct canvas *c, struct rect r, const struct model *m, const struct foot *foot,
	bool headless);

/* Draw as many as fit in one line; each can be clicked. */
void shortcuts_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v);
