/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - the first line: our name and version, where the boards come from, how many of
 * them are not well, and the time.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/rows.h"

/* title stands in the middle; is_held: the picture shows an earlier time. */
void header_draw(struct canvas *c, struct rect r, const struct model *m, const char *title,
	bool is_held);

/* A remark that must be shown, and a shorter form of it ("": none). */
struct remark {
	enum style style;
	char text[2][48];
};

/* Fill in "1 FAILED" and "2 to check", the last of them with `where` added; "" for a count of 0. */
void header_count(const struct rows_sum *sum, const char *where, struct remark out[2]);

/* What a screen without a header must show: source, alerts, counts.  Returns how many. */
#define HEADER_REMARKS 4
size_t header_remarks(const struct model *m, struct remark out[HEADER_REMARKS]);
