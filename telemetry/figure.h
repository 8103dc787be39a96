/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure.h - what an act reports: one table per group of figures says the key, title, scale
 * and place of each, and everything that shows a result walks its values.
 *
 * An act fills a plain view of each group; the values are taken from there.  They need neither
 * the act nor the view afterwards, and whoever shows them knows no act.
 */
#pragma once

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands at its place in the view. */
enum figure_kind {
	FIGURE_NONE,		/* the end of the rows */
	FIGURE_INT, FIGURE_U8, FIGURE_U32, FIGURE_U64, FIGURE_I64, FIGURE_SIZE, FIGURE_BOOL,
	FIGURE_TIME,		/* int64_t: ns, in seconds */
	FIGURE_RATE,		/* double; not known unless it is above 0 */
	FIGURE_REAL,		/* double, always known */
	FIGURE_STRING,		/* const char *; NULL: not known */
	FIGURE_CHARS,		/* char[]; "": not known */
	FIGURE_AMOUNT,		/* struct figure_amount */

	/* Groups: an object; its figures without an object; a list; a list by name. */
	FIGURE_OBJECT, FIGURE_PART, FIGURE_LIST, FIGURE_MAP
};

/* A number with a scale of its own. */
struct figure_amount {
	bool known;
	int64_t n, scale;
};

struct figure_group;

struct figure {
	const char *key;	/* of reports and texts; never renamed.  NULL: an element's value */
	const char *title;	/* of the workbook, with its unit; NULL: it is not there */
	uint8_t kind;		/* enum figure_kind */
	size_t at;		/* offsetof() in the view; of a group: what its fill() is given */
	const struct figure_group *group;
	int32_t scale;		/* steps in one unit; 0: 1, of a double 1000 */
	uint8_t decimals;	/* in the workbook; of a rate 0: 1 */
	bool hex;
	bool some;		/* 0 is not known */
	bool place;		/* below 0 is not known */
	bool hidden;		/* no report has it, or, of a part, what is in it */
};

enum figure_fill { FIGURE_END = -1, FIGURE_SKIP, FIGURE_TAKE };

struct figure_group {
	const struct figure *rows;	/* the last one is FIGURE_NONE */
	/*
	 * Fill the view of element i, which is zeroed, from what the group above has at its
	 * place.  Of an object or a part FIGURE_SKIP says that nothing of it is known,
	 * FIGURE_END that there is no such thing.  NULL: what is at that place is its view.
	 */
	enum figure_fill (*fill)(const void *above, size_t i, void *view);
	size_t size;		/* of its view */
	size_t most;		/* elements; 0: any number */
};

enum figure_state { FIGURE_ABSENT, FIGURE_UNKNOWN, FIGURE_KNOWN };

struct figures;

struct figure_value {
	enum figure_state state;
	int64_t n, scale;	/* of a number */
	char *text;
	struct figures *nodes;	/* of a group */
	size_t n_nodes;
};

/* The values of a group: one for each of its rows. */
struct figures {
	const struct figure_group *group;
	struct figure_value *values;
};

/* Take the values of all from the view of the outermost group. */
void figures_take(struct figures *f, const struct figure_group *group, const void *view);
void figures_clear(struct figures *f);

bool figure_is_group(const struct figure *row);
size_t figure_count(const struct figure_group *group);

void figure_set_text(struct figure_value *v, const char *text);	/* NULL: not known */

/* An empty element more of a group's value. */
struct figures *figure_add_node(struct figure_value *v, const struct figure_group *group);

/* By key, also in parts, and below objects as "object.key"; NULL: there is none. */
const struct figure_value *figures_find(const struct figures *f, const char *key,
	const struct figure **row);

/*
 * A text with figures in it: "{key}", "{key:8.1}" (width and decimals; below 0: to the left),
 * "{key:.1M}" (in MiB), "{key:s}" ("s" unless it is 1).  What is in [brackets] is left out
 * where a figure in it is not known, and all of it, then false, where one outside is not.
 * "{?key}" and "{!key}" write nothing and ask for one that is known and not 0, or is not.
 * A bracket of the text has a backslash before it.
 */
bool figures_put_text(struct strbuf *to, const struct figures *f, const char *text);

/* Such texts; one that begins with "{@list}" or "{@list:10}" for each element, or the first 10. */
void figures_put_lines(struct strbuf *to, const struct figures *f, const char *const *lines,
	size_t n);
