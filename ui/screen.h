/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - the whole screen: header, sidebar, the tab or a panel, footer.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/tab.h"
#include "ui/view.h"

/*
 * Draw everything onto an erased canvas.  This changes only what view.h says
 * drawing sets in v: scroll positions and page sizes.
 */
void screen_draw(struct canvas *c, const struct model *m, struct view *v);

/*
 * The first line: our name and version, where the boards come from, how many of them are not
 * well, and the time.  title stands in the middle; is_held: the picture shows an earlier time.
 */
void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held);

/*
 * The line of remarks below a tab: in its frame, or the last line of a table without one.
 * headless: the screen has no header, so its remarks are shown here.
 */
void foot_draw(struct canvas *c, struct rect r, const struct model *m, const struct foot *foot,
	bool headless);

/* Draw as many keys as fit in one line, the most important first; each can be clicked. */
void shortcuts_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v);

/* Pages shown in front of a tab: help, messages of libraries, all that is known of one chip. */

/* Draw the panel that v asks for into r and leave page and lines in v. */
void panel_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot);

/* The help: keys with blanks between them, and what they do; keys NULL: a heading. */
struct help_line {
	const char *keys, *what;
};
extern const struct help_line help[];
extern const size_t help_len;
