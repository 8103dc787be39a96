/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - signs of one cell, with the same meaning everywhere: in the tables of
 * chips, beside checks and threads, and in the map of a card's cores.
 */
#pragma once

#include "ui/canvas.h"

enum mark {
	MARK_NONE,		/* nothing to show */
	MARK_WAITS,		/* not known yet */
	MARK_GOOD,		/* a check that passes */
	MARK_BAD,		/* failed, gone, wrong */
	MARK_WARN,		/* to be checked */
	MARK_ALIVE,		/* moves */
	MARK_STILL,		/* stands still and should not */
	MARK_STANDS,		/* a thread that stands still, but may only be waiting */
	MARK_FULL, MARK_SLOW, MARK_IDLE, MARK_OFF,	/* cores; FULL: as fast as they should be */
	MARKS
};

extern const struct mark_look {
	const char *text;
	enum style style;
} marks[MARKS];

void mark_draw(struct canvas *c, int x, int y, enum mark mark);
