/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui_fleet.h - hand-made fleets for the tests of the screens: plain data, no
 * device and no clock, the same in every run.
 */
#pragma once

#include "tests/rig/seen.h"
#include "ui/canvas.h"
#include "ui/model.h"
#include "ui/view.h"

struct ui_fleet {
	struct fleet fleet;
	struct host host;
	struct ui_log log;
	struct ui_dump dump;
	struct history *history;
	struct model model;
	struct snapshot *chips;
	struct process processes[3];
};

/*
 * n boards with two minutes of history.  Of two or more the first is an n300
 * with both chips; of three or more one is hot, one failed, one has gone and
 * one has an older firmware.
 */
void ui_fleet_make(struct ui_fleet *f, size_t boards);
/*
 * n boards of one type, each with an own load, of which the last `sick` (up to 3) are: one too
 * hot, one that does not answer, one whose memory is not trained.
 */
void ui_fleet_make_rack(struct ui_fleet *f, size_t boards, size_t sick);
void ui_fleet_free(struct ui_fleet *f);

/* The same at the end of a program, with what it drew. */
void ui_fleet_end(struct ui_fleet *f, struct canvas *c, struct strbuf *text);

/* The whole screen in UTF-8, on which no text is over another or cut; returns text->text. */
const char *ui_fleet_draw(const struct ui_fleet *f, struct view *v, struct canvas *c, int w, int h,
	struct strbuf *text);

/* A picture as one letter a cell, for its style. */
void ui_fleet_put_styles(const struct canvas *c, struct strbuf *to);
