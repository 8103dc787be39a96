/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure_merge.c - merges the figures of several reports, and finds a figure that denies a PASS.
 * Each row says how it is merged and whether it can deny one.
 */
#include "config.h"
#include "telemetry/figure.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_against(const struct figure *row, const struct figure_value *v)
{
	return row->against && v->state == FIGURE_KNOWN &&
		(figure_is_group(row) ? v->n_nodes > 0 : v->n != 0 || v->text);
}

const struct figure *figures_against(const struct figures *f)
{
	const struct figure *found = NULL;

	for (size_t i = 0; i < f->group->n && !found; i++) {
		const struct figure *row = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];

		if (is_against(row, v))
			return row;
		for (size_t k = 0; k < v->n_nodes && !found; k++)
			found = figures_against(&v->nodes[k]);
	}
	return found;
}

/* Write the merged rows to `to`, unless it is NULL; returns how many there are. */
static size_t list_merged(struct figure *to, const struct figure_group *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct figure *row = &all->rows[i];

		if (row->kind == FIGURE_PART)
			n += list_merged(to ? to + n : NULL, row->group);
		else if (row->merge != FIGURE_APART && to)
			to[n++] = *row;
		else
			n += row->merge != FIGURE_APART;
	}
	return n;
}

struct figure_group *figure_group_merged(const struct figure *rows, size_t n,
	const struct figure_group *all)
{
	const size_t more = list_merged(NULL, all);
	struct figure_group *g = mem_calloc(1, sizeof(*g) + (n + more) * sizeof(*rows));
	struct figure *to = (struct figure *)(g + 1);

	for (size_t i = 0; i < n; i++)
		to[i] = rows[i];
	list_merged(to + n, all);
	*g = (struct figure_group){ to, n + more };
	return g;
}

static void copy_value(struct figure_value *to, const struct figure_value *from)
{
	free(to->text);
	*to = (struct figure_value){ .state = from->state, .n = from->n, .scale = from->scale };
	if (from->text)
		to->text = mem_dup_text(from->text);
}

void figures_copy(struct figures *to, const struct figures *from)
{
	for (size_t i = 0; i < to->group->n; i++) {
		const struct figure *row = &to->group->rows[i];
		const struct figure_value *v = figures_known(from, row->key);

		if (row->merge == FIGURE_APART)
			continue;
		if (v)
			copy_value(&to->values[i], v);
		else
			to->values[i].state = FIGURE_UNKNOWN;
	}
}

/* Below 0 if a is less; texts are compared by strcmp(), which puts times in order. */
static int compare_values(const struct figure_value *a, const struct figure_value *b)
{
	if (a->text || b->text)
		return strcmp(a->text ? a->text : "", b->text ? b->text : "");
	return (figure_number(a) > figure_number(b)) - (figure_number(a) < figure_number(b));
}

static void add_value(struct figure_value *to, const struct figure_value *v)
{
	const int64_t scale = to->scale > v->scale ? to->scale : v->scale;
	int64_t a, b;

	if (__builtin_mul_overflow(to->n, scale / to->scale, &a) ||
		__builtin_mul_overflow(v->n, scale / v->scale, &b) ||
		__builtin_add_overflow(a, b, &to->n))
		to->state = FIGURE_UNKNOWN;
	to->scale = scale;
}

/* A figure that one report does not know is not known in the total. */
static void merge_value(struct figure_value *to, const struct figure *row,
	const struct figure_value *v)
{
	if (to->state != FIGURE_KNOWN)
		return;
	if (!v)
		to->state = FIGURE_UNKNOWN;
	else if (row->merge == FIGURE_SUM)
		add_value(to, v);
	else if (row->merge == FIGURE_SAME && compare_values(to, v) != 0)
		to->state = FIGURE_UNKNOWN;
	else if ((row->merge == FIGURE_LEAST && compare_values(v, to) < 0) ||
		(row->merge == FIGURE_MOST && compare_values(v, to) > 0))
		copy_value(to, v);
}

void figures_merge(struct figures *to, const struct figures *from, bool is_first)
{
	if (is_first)
		figures_copy(to, from);
	for (size_t i = 0; i < to->group->n; i++) {
		const struct figure *row = &to->group->rows[i];

		if (row->merge == FIGURE_EACH)
			to->values[i].state = FIGURE_ABSENT;
		else if (row->merge != FIGURE_APART && !is_first)
			merge_value(&to->values[i], row, figures_known(from, row->key));
	}
}
