/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - the lines of a table of chips and their order: chips of a board
 * together, filtered, sorted, many of them folded into one line, each followed
 * by the lines that belong to it.  Also the words for what is wrong with a chip.
 */
#pragma once

#include "ui/view.h"

enum row_kind {
	ROW_CHIP,
	ROW_NOTICE,		/* what is wrong with the chip above */
	ROW_MIN, ROW_AVG, ROW_MAX,
	ROW_RULE,		/* between chips with trouble and `count` others */
	ROW_FOLD,		/* `count` chips in one line, from `chip` on: the least values */
	ROW_MOST		/* and the most, where they differ */
};

/* A notice may have several lines. */
#define ROWS_NOTICE 6

struct row {
	uint8_t kind;		/* enum row_kind */
	int16_t chip;
	int16_t count;		/* of a notice: which of its lines */
	int16_t at;		/* of a rule or fold: its `count` chips begin here in `chips` */
};

struct rows {
	size_t n;
	size_t once;		/* notices and rules among n, which only the first band has */
	size_t boards;		/* in the fleet */
	size_t shown, hidden;	/* chips; hidden by the filter */
	size_t unread;		/* second chips that are not to be read: they have no line */
	int16_t chips[DEVICE_MAX];	/* those shown, in their order */
	int16_t head[DEVICE_MAX];	/* of each chip: the first of its board or, folded, group */
	struct row row[DEVICE_MAX * (4 + ROWS_NOTICE)];
};

/*
 * Fill r in the order that the view asks for.  wrap: cells of a notice's line; 0: one line each.
 */
void rows_build(struct rows *r, const struct model *m, const struct view *v, int wrap);

/* The line of this chip (or of the fold or the board it is in); -1 when it has none. */
int rows_find(const struct rows *r, int chip);

/* Whether something is wrong with a chip: it has failed, is gone, or has findings. */
bool rows_has_trouble(const struct snapshot *s);

/* Whether it has trouble, its firmware stands still, or it is being reset. */
bool rows_is_sick(const struct model *m, int chip);

/* The chip with the worst trouble, the first of several; -1: none has any. */
int rows_worst(const struct model *m);

/* Counts of the wanted chips, including those that the filter hides. */
struct rows_sum {
	size_t failed, check;	/* lost; and those with findings, or being reset */
	size_t chips, unread;
};
struct rows_sum rows_sum(const struct model *m);

/* Count a chip in sum if it has trouble. */
void rows_count_sick(const struct model *m, int chip, struct rows_sum *sum);

/* Whether any two chips share a line in this grouping. */
bool rows_can_share(const struct model *m, enum ui_group group);

/* What is wrong with a chip, since when and what to do. */

/*
 * Fill buf with the sentence for the lines below a chip, what matters most
 * first; `whole`: with all findings, else the first and how many there are.
 * Returns false when there is nothing to say; else *style says how urgent it is.
 */
#define NOTICE_SIZE 2048
bool notice_text(const struct model *m, const struct snapshot *s, bool whole,
	char buf[NOTICE_SIZE], enum style *style);

/* Draw it in one line of w cells; if it is cut, the line ends in the key that shows all. */
void notice_draw_line(struct canvas *c, int x, int y, int w, enum style style, const char *text);

/* A span of time in at most 7 cells: "0.5 s", "41 s", "12 min", "3 h", "9 d". */
char *notice_age(int64_t ns, char *buf, size_t size);
