/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - the first line: who we are, where the boards come from, how many of them
 * are not well, and the time.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/model.h"

/* title: what this is, in the middle; is_held: the picture is of an earlier time. */
void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held);

/* What must be said in w cells where there is no such line: "simulated boards, 1 FAILED", or "". */
void header_brief(const struct model *m, int w, char *buf, size_t size);
