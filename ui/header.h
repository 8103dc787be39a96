/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - the first line: who we are, where the boards come from, how many of them
 * are not well, and the time.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/rows.h"

/* title: what this is, in the middle; is_held: the picture is of an earlier time. */
void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held);

/* Something that must be said, and the same in fewer cells ("": there is nothing shorter). */
struct remark {
	enum style style;
	char text[2][48];
};

/* "1 FAILED" and "2 to check", the last of them with where that is; "" for what is none. */
void header_count(const struct rows_sum *sum, const char *where, struct remark out[2]);

/* What must be said where there is no such line: source, alerts, the sum; returns how many. */
#define HEADER_REMARKS 4
size_t header_remarks(const struct model *m, struct remark out[HEADER_REMARKS]);
