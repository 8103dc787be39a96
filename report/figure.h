/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure.h - the figures that an act reports: one table per group has the key, title and value
 * of each figure, one a line, and JSON and workbook walk it.  Texts are plain code.
 *
 *	#define CORE_FIGURES(F) \
 *		F(INT, x, (), core->x) \
 *		F(RATE, rate, ("Rate (MVMUL/cycle)", .decimals = 3), rate_of(core)) \
 *		F(LIST, wrong, (.group = &wrong_figures), \
 *			for (int i = 0; i < core->n; i++) wrong_add(v, &core->wrong[i]))
 *	FIGURES(core, CORE_FIGURES, const struct card_core *core)
 *
 * defines the group core_figures and the function core_add(to, core), which adds an element to
 * a group's value `to`.  A row has its kind, its key, (other members of struct figure, the title
 * first), and its value: any expression of the parameters that follow the table's name or, for a
 * group, a statement that adds its elements to `v`.  A key that is twice in a group does not
 * compile.
 *
 * The values outlive the act and all its data, and the code that shows them knows no act.
 */
#pragma once

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of a figure's value. */
enum figure_kind {
	FIGURE_INT, FIGURE_BOOL,
	FIGURE_TIME,		/* ns, in seconds */
	FIGURE_RATE,		/* double; not known unless it is above 0 */
	FIGURE_TEXT,		/* const char *; NULL: not known */
	FIGURE_AMOUNT,		/* struct figure_amount */

	/* Groups: an object; figures that join the group above; a list; a list by name. */
	FIGURE_OBJECT, FIGURE_PART, FIGURE_LIST, FIGURE_MAP
};

/* How a figure of several reports is merged into one report. */
enum figure_merge {
	FIGURE_APART,		/* it stays in its own report */
	FIGURE_SUM, FIGURE_LEAST,
	FIGURE_SAME,		/* known if it is the same in all reports */
	FIGURE_EACH		/* shown in each report's line, absent in the total */
};

/* A number with a scale of its own. */
struct figure_amount {
	bool known;
	int64_t n, scale;
};

struct figure_group;

struct figure {
	const char *key;	/* in reports; never renamed.  "": an element's value */
	enum figure_kind kind;
	const char *title;	/* in the workbook, with its unit; NULL: not in the workbook */
	const struct figure_group *group;
	int32_t scale;		/* steps in one unit; 0 means 1, for a double 1000 */
	uint8_t decimals;	/* in the workbook; for a rate 0 means 1 */
	bool hex;
	bool typed;		/* a hex figure that the workbook has in decimal, as typed */
	bool some;		/* 0 or "" means not known */
	bool place;		/* a value below 0 means not known */
	bool later;		/* reports of earlier versions do not have it */
	bool hidden;		/* left out of reports; of a part, all its figures are */
	bool against;		/* a PASS requires 0 or, for a group, no elements */
	enum figure_merge merge;
};

struct figure_group {
	const struct figure *rows;
	size_t n;
};

/* A report leaves out an absent figure and has null for an unknown one. */
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
/* The same, for a group that rows in other files use as well. */
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

/* For an object, instead of adding to it: reports leave it out. */
void figure_leave_out(struct figure_value *v);

/* Add an empty element to a group's value. */
struct figures *figure_add_node(struct figure_value *v, const struct figure_group *group);

/* Take the first element out of a value; the caller clears it. */
struct figures figures_take(struct figure_value *v);
void figures_clear(struct figures *f);

/* The first figure, at any depth, that speaks against a PASS; NULL: none does. */
const struct figure *figures_against(const struct figures *f);

/*
 * Make *g once, for good: the rows of `first`, which may be NULL, followed by the rows of `all`
 * and its parts that are merged.
 */
void figure_group_merge(struct figure_group *g, const struct figure_group *first,
	const struct figure_group *all);

/* Copy the figures of to's group from `from` by key; or merge them in, as the rows say. */
void figures_copy(struct figures *to, const struct figures *from);
void figures_merge(struct figures *to, const struct figures *from, bool is_first);

/* Percent of the peak; 0: not known, for lack of a peak or for a rate above it (impossible). */
double figure_percent(double rate, double peak);

bool figure_is_group(const struct figure *row);

/*
 * A figure by key, also in parts and, as "object.key", in objects; NULL: there is none, its value
 * is not known, or f is NULL; and its text, or "".
 */
const struct figure_value *figures_known(const struct figures *f, const char *key);
const char *figures_text(const struct figures *f, const char *key);
/* Its number in units; 0 if it is not known. */
double figures_number(const struct figures *f, const char *key);
/* Append `before` and its text, if it is known. */
void figures_put(struct strbuf *to, const struct figures *f, const char *key, const char *before);
/* The value of a list or a map; one without nodes if it is not known. */
const struct figure_value *figures_list(const struct figures *f, const char *key);
double figure_number(const struct figure_value *v);
