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

/* A notice may have several lines. */
#define ROWS_NOTICE 6

struct row {
	uint8_t kind;		/* enum row_kind */
	bool more;		/* of a notice: a further line follows */
	int16_t chip;
	int16_t count;		/* of a notice: which of its lines */
};

struct rows {
	size_t n;
	size_t notices;		/* lines of them among n */
	size_t boards;		/* in the fleet */
	size_t shown, hidden;	/* chips; hidden by the filter */
	int16_t head[DEVICE_MAX];	/* of each chip: the first of its board or, folded, group */
	struct row row[DEVICE_MAX * (4 + ROWS_NOTICE)];
};

struct column;

/*
 * sort: the column to sort by, or NULL for the order of boards.  wrap: cells
 * of a line of a notice; 0: each has one line.
 */
void rows_build(struct rows *r, const struct model *m, const struct view *v,
	const struct column *sort, bool averages, int wrap);

/* The line of this chip (or of the fold it is in); -1 when it has none. */
int rows_find(const struct rows *r, int chip);

/* Whether something is wrong with a chip: it has failed, is gone, or has findings. */
bool rows_has_trouble(const struct snapshot *s);

/* The chips that are wanted, whatever the filter hides. */
struct rows_sum {
	size_t failed, check;	/* lost; and those with findings */
	size_t chips;
};
void rows_sum(const struct fleet *f, struct rows_sum *sum);

/* Whether the chip is one of those in a folded line. */
bool rows_in_fold(const struct rows *r, const struct model *m, const struct view *v,
	const struct row *fold, int chip);

/* Text contains word, whatever the case. */
bool rows_match(const char *text, const char *word);
