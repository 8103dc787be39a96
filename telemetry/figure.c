/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/figure.h"

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
	v->state = row->kind == FIGURE_REAL || x > 0 ? FIGURE_KNOWN : FIGURE_UNKNOWN;
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

const struct figure_value *figures_find(const struct figures *f, const char *key,
	const struct figure **row)
{
	const char *dot = strchr(key, '.');
	const size_t len = dot ? (size_t)(dot - key) : strlen(key);
	const struct figure_value *found = NULL;

	for (size_t i = 0; i < f->group->n && !found; i++) {
		const struct figure *r = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];

		if (r->kind == FIGURE_PART && v->n_nodes > 0)
			found = figures_find(&v->nodes[0], key, row);
		else if (r->kind == FIGURE_PART || strncmp(r->key, key, len) != 0 || r->key[len])
			continue;
		else if (dot)
			return v->n_nodes > 0 ? figures_find(&v->nodes[0], dot + 1, row) : NULL;
		else {
			if (row)
				*row = r;
			return v;
		}
	}
	return found;
}

const struct figure_value *figures_known(const struct figures *f, const char *key)
{
	const struct figure_value *v = f ? figures_find(f, key, NULL) : NULL;

	return v && v->state == FIGURE_KNOWN ? v : NULL;
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
