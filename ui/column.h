/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h - the columns of the tables: the text and the style of their cells.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/model.h"

/* The state of each memory module of a chip. */

#define MEMORY_MODULES 16

enum memory_state { MEMORY_UNKNOWN, MEMORY_UNUSED, MEMORY_PASSED, MEMORY_FAILED };

struct memory_module {
	enum memory_state training, test;	/* test: the built-in one */
	enum field_id bottom, top;		/* its readings; FIELD_NONE: has none */
	enum field_id corrected_read, corrected_write;
	enum memory_state read, write;		/* FAILED: uncorrected errors */
};

/* Fill m for the modules of a chip; returns how many there are, 0 if nothing is known. */
size_t memory_modules(const struct snapshot *s, struct memory_module m[static MEMORY_MODULES]);

extern const char *const memory_state_names[];

/* The columns. */

enum column_kind {
	COLUMN_FIELD, COLUMN_INDEX, COLUMN_BOARD, COLUMN_NODE, COLUMN_DRAM, COLUMN_LINK,
	COLUMN_LINK_MAX, COLUMN_LINK_STATE, COLUMN_STATE,
	COLUMN_TRAINED, COLUMN_TESTED,	/* memory modules: "7 of 8" in use */
	COLUMN_CORRECTED, COLUMN_UNCORRECTED,	/* memory errors, all modules together */
	COLUMN_PORTS,		/* ethernet: a count; "7 of 8" in use are up */
	COLUMN_MARK,		/* state and heartbeat in one cell */
	COLUMN_NAME		/* + enum identity_id */
};

#define COLUMN_NOWHERE UINT8_MAX	/* the rank of a column that is not placed at all */

struct column {
	uint8_t kind;		/* enum column_kind; 0 is COLUMN_FIELD */
	uint8_t state;		/* of the ports that are counted */
	bool left;		/* text at the left; numbers stand at the right */
	bool odd;		/* likewise; values that differ between like boards are marked */
	bool joined;		/* never without the column before it */
	bool like;		/* hidden if all of these equal the column with `together` before */
	bool whole;		/* a number in whole units */
	uint8_t width;		/* cells; 0: the field table's */
	uint8_t rank;		/* 0: names the line, in every band; the highest is dropped first */
	enum field_id field;
	const char *title;	/* NULL: the field's brief name */
	const char *together;	/* the title if the `like` columns after it show the same */
	char limit[16];		/* for the heading, if all rows have the same limit; or "" */
	bool near;		/* a value is near its limit */
	bool unlimited;		/* no row has a limit */
};

const char *column_title(const struct column *col);
const char *column_unit(const struct column *col);	/* "" without */

/* True if both columns show the same text for each chip; b NULL: if a is "-" for all. */
bool column_is_like(const struct column *a, const struct column *b, const struct fleet *f);

/* Fill limit, near and unlimited from n chips of the fleet. */
void column_join_limits(struct column *col, const struct fleet *f, const int16_t *chips, size_t n);

/* The field that holds the column's limit, or FIELD_NONE. */
enum field_id column_limit(const struct column *col);

/* True if both show the same, on whichever tab. */
bool column_is_same(const struct column *a, const struct column *b);

/* Write the cell of one chip; returns its style. */
enum style column_text(const struct column *col, const struct snapshot *s, char *buf, size_t size);

/* The text of a value of this field. */
char *column_value_text(enum field_id id, int64_t value, char *buf, size_t size);

/* The style of a value that is this near to its limit. */
enum style column_level_style(enum field_level level);

/* The style of the limit beside a value of this style: quiet until the value comes near. */
enum style column_limit_style(enum style value);

/* qsort order of two chips by this column; unknown ones come last. */
int column_compare(const struct column *col, const struct snapshot *a, const struct snapshot *b);

/* True when the chip's value differs from what most boards of its type have. */
bool column_is_odd(const struct column *col, const struct model *m, size_t chip);

/* The places of columns. */

#define LAYOUT_COLUMNS 40
#define LAYOUT_EVERY   (-1)	/* for columns that name a line: they stand in every band */

struct layout_column {
	const struct column *col;
	int number;		/* in its table */
	int band;		/* 0 is the uppermost */
	int x, w;		/* relative to the table */
	int limit_x, limit_w;	/* limit_w 0: no limit beside it */
};

struct layout_table {
	size_t n, n_hidden;
	int bands;		/* at least one */
	struct layout_column col[LAYOUT_COLUMNS];	/* in the order of their table */
	char hidden[200];	/* titles of those left out, with commas */
};

/* Columns whose bits are set are not placed. */
void layout_leave_out(struct column *columns, size_t n, uint64_t left_out);

/*
 * Place n columns into at most `bands` bands of `width` cells, one below the
 * other.  Columns are placed by rank, so the most important ones are in the
 * first band.  Columns of rank 0 stand in every band; a joined column stays with
 * the one before it.
 */
void layout_columns(struct layout_table *t, const struct column *columns, size_t n, int width,
	int bands, bool limits);
