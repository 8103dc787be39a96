/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - signs of one cell, the same wherever something is so: in the tables of
 * chips, beside checks and threads, and in the map of a card's cores.
 */
#pragma once

#include "ui/canvas.h"

enum mark {
	MARK_NONE,		/* there is none */
	MARK_WAITS,		/* not known yet */
	MARK_GOOD,		/* a check that passes */
	MARK_BAD,		/* failed, gone, wrong */
	MARK_WARN,		/* to be checked */
	MARK_ALIVE,		/* moves */
	MARK_STILL,		/* stands still and should not */
	MARK_STANDS,		/* the same, of a thread that may only be waiting */
	MARK_FULL, MARK_SLOW, MARK_IDLE, MARK_OFF,	/* cores: as fast as they should be; ... */
	MARKS
};

extern const struct mark_look {
	const char *text;
	enum style style;
} marks[MARKS];

void mark_draw(struct canvas *c, int x, int y, enum mark mark);
