/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - the whole screen: header, sidebar, the tab or a panel, footer.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/view.h"

/*
 * Draw everything onto an erased canvas.  This changes only what view.h says
 * drawing sets in v: scroll positions and page sizes.
 */
void screen_draw(struct canvas *c, const struct model *m, struct view *v);
