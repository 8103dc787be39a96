/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - which lines a table of chips has, in which order: chips of a board
 * together, filtered, sorted, many of them folded into one, each followed by
 * the lines that belong to it.
 */
#pragma once

#include "ui/view.h"

enum row_kind {
	ROW_CHIP,
	ROW_NOTICE,		/* what is wrong with the chip above */
	ROW_MIN, ROW_AVG, ROW_MAX,
	ROW_FOLD		/* `count` chips in one line, `chip` being the first */
};

struct row {
	uint8_t kind;		/* enum row_kind */
	bool sibling;		/* another chip of the board in the line above */
	int16_t chip;
	int16_t count;
};

struct rows {
	size_t n;
	size_t boards;		/* in the fleet */
	size_t shown, hidden;	/* chips; hidden by the filter */
	int16_t head[DEVICE_MAX];	/* of each chip: the first chip of its board or, folded, its group */
	struct row row[DEVICE_MAX * 6];
};

struct column;

/* sort: the column to sort by, or NULL for the order of boards. */
void rows_build(struct rows *r, const struct model *m, const struct view *v,
	const struct column *sort, bool averages);

/* The line of this chip (or of the fold it is in); -1 when it has none. */
int rows_find(const struct rows *r, int chip);

/* Whether the chip is one of those in a folded line. */
bool rows_in_fold(const struct rows *r, const struct model *m, const struct view *v,
	const struct row *fold, int chip);

/* Text contains word, whatever the case. */
bool rows_match(const char *text, const char *word);
