/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/figure.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool figure_is_group(const struct figure *row)
{
	return row->kind >= FIGURE_OBJECT;
}

struct figures *figure_add_node(struct figure_value *v, const struct figure_group *group)
{
	struct figures *to;

	v->nodes = mem_realloc(v->nodes, (v->n_nodes + 1) * sizeof(*v->nodes));
	to = &v->nodes[v->n_nodes++];
	*to = (struct figures){ group, mem_calloc(group->n, sizeof(*to->values)) };
	return to;
}

void figure_put_number(struct figure_value *v, const struct figure *row, int64_t n)
{
	v->n = n;
	v->scale = row->kind == FIGURE_TIME ? CLOCK_SECOND : row->scale ? row->scale : 1;
	v->state = (row->some && n == 0) || (row->place && n < 0) ? FIGURE_UNKNOWN : FIGURE_KNOWN;
}

void figure_put_real(struct figure_value *v, const struct figure *row, double x)
{
	v->scale = row->scale ? row->scale : 1000;
	v->n = (int64_t)(x * (double)v->scale + (x < 0 ? -0.5 : 0.5));
	v->state = x > 0 ? FIGURE_KNOWN : FIGURE_UNKNOWN;
}

void figure_put_text(struct figure_value *v, const struct figure *row, const char *text)
{
	v->state = FIGURE_UNKNOWN;
	v->scale = 1;
	if (!text || (row->some && !*text))
		return;
	v->state = FIGURE_KNOWN;
	v->text = mem_dup_text(text);
}

void figure_put_amount(struct figure_value *v, struct figure_amount a)
{
	v->n = a.n;
	v->scale = a.scale;
	v->state = a.known ? FIGURE_KNOWN : FIGURE_UNKNOWN;
}

void figure_leave_out(struct figure_value *v)
{
	v->state = FIGURE_ABSENT;
}

void figure_end_group(struct figure_value *v, const struct figure *row)
{
	if (v->n_nodes > 0 || row->kind == FIGURE_LIST || row->kind == FIGURE_MAP)
		v->state = FIGURE_KNOWN;
}

double figure_percent(double rate, double peak)
{
	return peak > 0 && rate <= peak ? 100 * rate / peak : 0;
}

struct figures figures_take(struct figure_value *v)
{
	const struct figures first = v->nodes[0];

	free(v->nodes);
	*v = (struct figure_value){ 0 };
	return first;
}

void figures_clear(struct figures *f)
{
	for (size_t i = 0; f->values && i < f->group->n; i++) {
		struct figure_value *v = &f->values[i];

		for (size_t k = 0; k < v->n_nodes; k++)
			figures_clear(&v->nodes[k]);
		free(v->nodes);
		free(v->text);
	}
	free(f->values);
	*f = (struct figures){ 0 };
}

const struct figure_value *figures_known(const struct figures *f, const char *key)
{
	const char *dot = strchr(key, '.');
	const size_t len = dot ? (size_t)(dot - key) : strlen(key);
	const struct figure_value *found = NULL;

	for (size_t i = 0; f && i < f->group->n && !found; i++) {
		const struct figure *row = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];

		if (row->kind == FIGURE_PART && v->n_nodes > 0)
			found = figures_known(&v->nodes[0], key);
		else if (row->kind == FIGURE_PART || strncmp(row->key, key, len) != 0 ||
			row->key[len])
			continue;
		else if (dot)
			return v->n_nodes > 0 ? figures_known(&v->nodes[0], dot + 1) : NULL;
		else
			return v->state == FIGURE_KNOWN ? v : NULL;
	}
	return found;
}

const struct figure_value *figures_list(const struct figures *f, const char *key)
{
	static const struct figure_value none = { .state = FIGURE_ABSENT };
	const struct figure_value *v = figures_known(f, key);

	return v ? v : &none;
}

const char *figures_text(const struct figures *f, const char *key)
{
	const struct figure_value *v = figures_known(f, key);

	return v && v->text ? v->text : "";
}

double figure_number(const struct figure_value *v)
{
	return (double)v->n / (double)v->scale;
}

double figures_number(const struct figures *f, const char *key)
{
	const struct figure_value *v = figures_known(f, key);

	return v ? figure_number(v) : 0;
}

void figures_put(struct strbuf *to, const struct figures *f, const char *key, const char *before)
{
	const struct figure_value *v = figures_known(f, key);

	if (v)
		strbuf_printf(to, "%s%s", before, v->text);
}

/*
 * Figures of several reports, merged, and a figure that denies a PASS.  Each row says how it is
 * merged and whether it can deny one.
 */

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

void figure_group_merge(struct figure_group *g, const struct figure_group *first,
	const struct figure_group *all)
{
	const size_t n = first ? first->n : 0, more = list_merged(NULL, all);
	struct figure *rows;

	if (g->rows)
		return;
	rows = mem_calloc(n + more, sizeof(*rows));
	for (size_t i = 0; i < n; i++)
		rows[i] = first->rows[i];
	list_merged(rows + n, all);
	*g = (struct figure_group){ rows, n + more };
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
	else if (row->merge == FIGURE_LEAST && compare_values(v, to) < 0)
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
