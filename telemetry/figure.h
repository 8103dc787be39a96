/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure.h - what an act reports: one table per group of figures says the key, title and value
 * of each, one a line, and everything that shows a result walks it.
 *
 *	#define CORE_FIGURES(F) \
 *		F(INT, x, (), core->x) \
 *		F(RATE, rate, ("Rate (MVMUL/cycle)", .decimals = 3), rate_of(core)) \
 *		F(LIST, wrong, (.group = &wrong_figures), \
 *			for (int i = 0; i < core->n; i++) wrong_add(v, &core->wrong[i]))
 *	FIGURES(core, CORE_FIGURES, const struct card_core *core)
 *
 * makes the group core_figures and the function core_add(to, core), which adds an element to
 * the value of a group above.  A row says its kind, its key, (what else a struct figure says of
 * it, the title first), and its value: any expression of the parameters that stand after the
 * table's name, or, of a group, a statement that adds its elements to `v`.  A key that a group
 * has twice does not compile.
 *
 * The values need neither the act nor anything of it afterwards, and whoever shows them knows
 * no act.
 */
#pragma once

#include "base/array.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the value is an expression of. */
enum figure_kind {
	FIGURE_INT, FIGURE_BOOL,
	FIGURE_TIME,		/* ns, in seconds */
	FIGURE_RATE,		/* double; not known unless it is above 0 */
	FIGURE_REAL,		/* double, always known */
	FIGURE_TEXT,		/* const char *; NULL: not known */
	FIGURE_AMOUNT,		/* struct figure_amount */

	/* Groups: an object; its figures without an object; a list; a list by name. */
	FIGURE_OBJECT, FIGURE_PART, FIGURE_LIST, FIGURE_MAP
};

/* What becomes of a figure where several reports become one (figure_merge.c). */
enum figure_merge {
	FIGURE_APART,		/* it stays in its own report */
	FIGURE_SUM, FIGURE_LEAST, FIGURE_MOST,
	FIGURE_SAME,		/* known where all say the same */
	FIGURE_EACH		/* it stands in each report's line, and means nothing for all */
};

/* A number with a scale of its own. */
struct figure_amount {
	bool known;
	int64_t n, scale;
};

struct figure_group;

struct figure {
	const char *key;	/* of reports and texts; never renamed.  "": an element's value */
	enum figure_kind kind;
	const char *title;	/* of the workbook, with its unit; NULL: it is not there */
	const struct figure_group *group;
	int32_t scale;		/* steps in one unit; 0: 1, of a double 1000 */
	uint8_t decimals;	/* in the workbook; of a rate 0: 1 */
	bool hex;
	bool typed;		/* of these: in the workbook as a person types it */
	bool some;		/* 0, or "", is not known */
	bool place;		/* below 0 is not known */
	bool hidden;		/* no report has it, or, of a part, what is in it */
	bool against;		/* beside a PASS it has to be 0, of a group: empty */
	enum figure_merge merge;
};

struct figure_group {
	const struct figure *rows;
	size_t n;
};

/* Absent: there is no such group.  One of which nothing is known is null in a report. */
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

#define FIGURES(name, TABLE, ...) FIGURES_OF(static, name, TABLE, __VA_ARGS__)
/* The same, of a group that rows of other files name, too. */
#define FIGURES_SHARED(name, TABLE, ...) FIGURES_OF(, name, TABLE, __VA_ARGS__)

#define FIGURES_OF(linkage, name, TABLE, ...) \
	static const struct figure name##_figure_rows[] = { TABLE(FIGURE_ROW) }; \
	linkage const struct figure_group name##_figures = { \
		name##_figure_rows, ARRAY_LEN(name##_figure_rows) }; \
	static void name##_add(struct figure_value *to, __VA_ARGS__) \
	{ \
		enum { TABLE(FIGURE_ONCE) }; \
		const struct figure *row = name##_figure_rows; \
		struct figure_value *v = figure_add_node(to, &name##_figures)->values; \
		TABLE(FIGURE_PUT) \
	}

#define FIGURE_MORE(...) __VA_ARGS__
#define FIGURE_ROW(KIND, KEY, MORE, ...) { .key = #KEY, .kind = FIGURE_##KIND, FIGURE_MORE MORE },
#define FIGURE_ONCE(KIND, KEY, MORE, ...) FIGURE_IS_TWICE_##KEY,
#define FIGURE_PUT(KIND, KEY, MORE, ...) FIGURE_PUT_##KIND(__VA_ARGS__); v++; row++;

#define FIGURE_PUT_INT(...)    figure_put_number(v, row, (int64_t)(__VA_ARGS__))
#define FIGURE_PUT_BOOL(...)   figure_put_number(v, row, (__VA_ARGS__) != 0)
#define FIGURE_PUT_TIME(...)   figure_put_number(v, row, __VA_ARGS__)
#define FIGURE_PUT_RATE(...)   figure_put_real(v, row, __VA_ARGS__)
#define FIGURE_PUT_REAL(...)   figure_put_real(v, row, __VA_ARGS__)
#define FIGURE_PUT_TEXT(...)   figure_put_text(v, row, __VA_ARGS__)
#define FIGURE_PUT_AMOUNT(...) figure_put_amount(v, __VA_ARGS__)
#define FIGURE_PUT_OBJECT(...) v->state = FIGURE_UNKNOWN; __VA_ARGS__; figure_end_group(v, row)
#define FIGURE_PUT_PART(...)   FIGURE_PUT_OBJECT(__VA_ARGS__)
#define FIGURE_PUT_LIST(...)   FIGURE_PUT_OBJECT(__VA_ARGS__)
#define FIGURE_PUT_MAP(...)    FIGURE_PUT_OBJECT(__VA_ARGS__)

void figure_put_number(struct figure_value *v, const struct figure *row, int64_t n);
void figure_put_real(struct figure_value *v, const struct figure *row, double x);
void figure_put_text(struct figure_value *v, const struct figure *row, const char *text);
void figure_put_amount(struct figure_value *v, struct figure_amount a);
void figure_end_group(struct figure_value *v, const struct figure *row);

/* Of an object, in place of adding to it: a report does not name it. */
void figure_leave_out(struct figure_value *v);

/* An empty element more of a group's value. */
struct figures *figure_add_node(struct figure_value *v, const struct figure_group *group);

/* The first element of what was added, for the caller to clear. */
struct figures figures_take(struct figure_value *v);
void figures_clear(struct figures *f);

/* The first figure, at any depth, that speaks against a PASS; NULL: none does. */
const struct figure *figures_against(const struct figures *f);

/*
 * A group of these rows and, after them, those of `all`, and of its parts, that are merged.
 * Both lists' texts stay the caller's; the caller frees the group.
 */
struct figure_group *figure_group_merged(const struct figure *rows, size_t n,
	const struct figure_group *all);

/* Copies by key what the group of `to` has, and `from` knows; adds it up, as the rows say. */
void figures_copy(struct figures *to, const struct figures *from);
void figures_merge(struct figures *to, const struct figures *from, bool is_first);

/* 0, not known: the peak is not known, or was surpassed, which cannot be. */
double figure_percent(double rate, double peak);

bool figure_is_group(const struct figure *row);

/* By key, also in parts, and below objects as "object.key"; NULL: there is none.  row: or NULL. */
const struct figure_value *figures_find(const struct figures *f, const char *key,
	const struct figure **row);

/* The same; NULL where it is not known, or f is NULL.  Its text, or "". */
const struct figure_value *figures_known(const struct figures *f, const char *key);
const char *figures_text(const struct figures *f, const char *key);
/* Of a list or a map: one without nodes where it is not known. */
const struct figure_value *figures_list(const struct figures *f, const char *key);
double figure_number(const struct figure_value *v);

/*
 * A text with figures in it: "{key}", "{key:8.1}" (width and decimals; below 0: to the left),
 * "{key:.1M}" (in MiB), "{key:s}" ("s" unless it is 1), "{key:8|n/a}" ("n/a" where it is not
 * known).  What is in [brackets] is left out where any other figure in it is not known, and all
 * of it, then false, where one outside is not.
 * "{?key}" and "{!key}" write nothing and ask for one that is known and not 0, or is not.
 * A bracket of the text has a backslash before it.
 */
bool figures_put_text(struct strbuf *to, const struct figures *f, const char *text);

/* Such texts; one that begins with "{@list}" or "{@list:10}" for each element, or the first 10. */
void figures_put_lines(struct strbuf *to, const struct figures *f, const char *const *lines,
	size_t n);
