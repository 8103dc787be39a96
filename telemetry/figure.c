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

size_t figure_count(const struct figure_group *group)
{
	size_t n = 0;

	while (group->rows[n].kind != FIGURE_NONE)
		n++;
	return n;
}

struct figures *figure_add_node(struct figure_value *v, const struct figure_group *group)
{
	struct figures *to;

	v->nodes = mem_realloc(v->nodes, (v->n_nodes + 1) * sizeof(*v->nodes));
	to = &v->nodes[v->n_nodes++];
	*to = (struct figures){ group, mem_calloc(figure_count(group), sizeof(*to->values)) };
	return to;
}

static void take_nodes(const struct figure *row, const void *at, struct figure_value *v)
{
	const struct figure_group *g = row->group;
	const bool is_one = row->kind == FIGURE_OBJECT || row->kind == FIGURE_PART;
	enum figure_fill got = FIGURE_TAKE;
	void *below;

	v->state = FIGURE_KNOWN;
	if (!g->fill) {
		figures_take(figure_add_node(v, g), g, at);
		return;
	}
	below = mem_calloc(1, g->size);
	for (size_t i = 0; got != FIGURE_END && !(is_one && i > 0); i++) {
		if (g->most && v->n_nodes == g->most)
			break;
		memset(below, 0, g->size);
		got = g->fill(at, i, below);
		if (got == FIGURE_TAKE)
			figures_take(figure_add_node(v, g), g, below);
	}
	if (is_one && got != FIGURE_TAKE)
		v->state = got == FIGURE_END ? FIGURE_ABSENT : FIGURE_UNKNOWN;
	free(below);
}

void figure_set_text(struct figure_value *v, const char *text)
{
	const size_t size = text ? strlen(text) + 1 : 0;

	v->state = text ? FIGURE_KNOWN : FIGURE_UNKNOWN;
	v->text = text ? mem_copy_text(mem_calloc(1, size), size, text) : NULL;
}

static void take_double(const struct figure *row, double x, struct figure_value *v)
{
	v->scale = row->scale ? row->scale : 1000;
	v->n = (int64_t)(x * (double)v->scale + (x < 0 ? -0.5 : 0.5));
	if (row->kind == FIGURE_REAL || x > 0)
		v->state = FIGURE_KNOWN;
}

static void take_value(const struct figure *row, const void *view, struct figure_value *v)
{
	const void *at = (const char *)view + row->at;
	const struct figure_amount *amount = at;

	v->state = FIGURE_UNKNOWN;
	v->scale = row->scale ? row->scale : 1;
	switch ((enum figure_kind)row->kind) {
	case FIGURE_NONE:
		return;
	case FIGURE_INT:
		v->n = *(const int *)at;
		break;
	case FIGURE_U8:
		v->n = *(const uint8_t *)at;
		break;
	case FIGURE_U32:
		v->n = *(const uint32_t *)at;
		break;
	case FIGURE_U64:
	case FIGURE_I64:
		v->n = *(const int64_t *)at;
		break;
	case FIGURE_TIME:
		v->n = *(const int64_t *)at;
		v->scale = CLOCK_SECOND;
		break;
	case FIGURE_SIZE:
		v->n = (int64_t)*(const size_t *)at;
		break;
	case FIGURE_BOOL:
		v->n = *(const bool *)at;
		break;
	case FIGURE_RATE:
	case FIGURE_REAL:
		take_double(row, *(const double *)at, v);
		return;
	case FIGURE_STRING:
		figure_set_text(v, *(const char *const *)at);
		return;
	case FIGURE_CHARS:
		figure_set_text(v, *(const char *)at ? at : NULL);
		return;
	case FIGURE_AMOUNT:
		v->n = amount->n;
		v->scale = amount->scale;
		v->state = amount->known ? FIGURE_KNOWN : FIGURE_UNKNOWN;
		return;
	case FIGURE_OBJECT:
	case FIGURE_PART:
	case FIGURE_LIST:
	case FIGURE_MAP:
		take_nodes(row, at, v);
		return;
	}
	if (!(row->some && v->n == 0) && !(row->place && v->n < 0))
		v->state = FIGURE_KNOWN;
}

void figures_take(struct figures *f, const struct figure_group *group, const void *view)
{
	f->group = group;
	if (!f->values)
		f->values = mem_calloc(figure_count(group), sizeof(*f->values));
	for (size_t i = 0; group->rows[i].kind != FIGURE_NONE; i++)
		take_value(&group->rows[i], view, &f->values[i]);
}

void figures_clear(struct figures *f)
{
	for (size_t i = 0; f->values && f->group->rows[i].kind != FIGURE_NONE; i++) {
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

	for (size_t i = 0; f->group->rows[i].kind != FIGURE_NONE && !found; i++) {
		const struct figure *r = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];
		const char *name = r->key ? r->key : "";

		if (r->kind == FIGURE_PART && v->n_nodes > 0)
			found = figures_find(&v->nodes[0], key, row);
		else if (r->kind == FIGURE_PART || strncmp(name, key, len) != 0 || name[len])
			continue;
		else if (dot)
			return v->n_nodes > 0 ? figures_find(&v->nodes[0], dot + 1, row) : NULL;
		else {
			*row = r;
			return v;
		}
	}
	return found;
}
