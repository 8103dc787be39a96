/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foot.h - the line of remarks below a tab: in its frame, or the last line of a table without
 * one.
 */
#pragma once

#include "ui/tab.h"

/* headless: the screen has no header, so its remarks are shown here. */
void foot_draw(struct canvas *c, struct rect r, const struct model *m, const struct foot *foot,
	bool headless);
