/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bar.h - a percentage as a bar of w cells.
 */
#pragma once

#include "ui/canvas.h"

void bar_draw(struct canvas *c, int x, int y, int w, int percent, enum style style);
