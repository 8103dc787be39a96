/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shortcuts.h - the keys that work in this picture, most important first.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/view.h"

/* Draw as many as fit in one line; each can be clicked. */
void shortcuts_draw(struct canvas *c, struct rect r, const struct model *m, const struct view *v);
