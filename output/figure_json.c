/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/figure_json.h"

#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Checks by the table of figures that a JSON object is a report as we write it.
 *
 * A lenient reader takes "errors": "0" for no errors, and the first of two verdicts, so check a
 * report here before judging by it.
 */

enum { MEMBERS = 64 };		/* of a map; more than any has */

static bool is_hex(const char *text)
{
	char *end;

	if (!text || strncmp(text, "0x", 2) != 0 || !text[2])
		return false;
	errno = 0;
	strtoull(text + 2, &end, 16);
	return !*end && errno == 0 && strspn(text + 2, "0123456789abcdef") == strlen(text + 2);
}

static bool is_number(const struct json *node, bool whole)
{
	double x;

	return json_get_number(node, &x) && isfinite(x) && fabs(x) < 1e18 &&
		(!whole || floor(x) == x);
}

/* Null means not known; a list or a map is never null. */
static bool fits(const struct figure *row, const struct json *node)
{
	bool yes;

	if (row->kind == FIGURE_LIST)
		return json_is_array(node);
	if (row->kind == FIGURE_MAP)
		return json_is_object(node);
	if (json_is_null(node))
		return true;
	if (row->kind == FIGURE_OBJECT)
		return json_is_object(node);
	if (row->kind == FIGURE_BOOL)
		return json_get_bool(node, &yes);
	if (row->kind == FIGURE_TEXT)
		return json_get_text(node) != NULL;
	return row->hex ? is_hex(json_get_text(node)) : is_number(node, row->kind == FIGURE_INT);
}

/* A part is present if its first figure is. */
static bool has_part(const struct figure *row, const struct json *object)
{
	return json_get(object, row->group->rows[0].key) != NULL;
}

static const struct figure *find_row(const struct figure_group *g, const struct json *object,
	const char *key)
{
	const struct figure *found = NULL;

	for (size_t i = 0; i < g->n && !found; i++) {
		const struct figure *row = &g->rows[i];

		if (row->hidden)
			continue;
		if (row->kind == FIGURE_PART)
			found = has_part(row, object) ? find_row(row->group, object, key) : NULL;
		else if (strcmp(row->key, key) == 0)
			found = row;
	}
	return found;
}

/* The first key that is missing; an object may be left out, and a part as a whole. */
static const char *find_missing(const struct figure_group *g, const struct json *object)
{
	const char *missing = NULL;

	for (size_t i = 0; i < g->n && !missing; i++) {
		const struct figure *row = &g->rows[i];

		if (row->hidden || row->later || row->kind == FIGURE_OBJECT)
			continue;
		if (row->kind != FIGURE_PART)
			missing = json_get(object, row->key) ? NULL : row->key;
		else if (has_part(row, object))
			missing = find_missing(row->group, object);
	}
	return missing;
}

static int check_group(const struct figure *row, const struct json *node, struct error *e);

static int check_object(const struct figure_group *g, const struct json *object, struct error *e)
{
	const char *missing;
	int r = 0;

	for (const struct json *x = json_child(object); x && r == 0; x = json_next(x)) {
		const struct figure *row = find_row(g, object, json_key(x));

		if (!row)
			return fail(e, -EBADMSG, "%s: no such figure", json_key(x));
		if (json_get(object, row->key) != x)
			return fail(e, -EBADMSG, "%s: stands there twice", row->key);
		if (!fits(row, x))
			return fail(e, -EBADMSG, "%s: is of another kind", row->key);
		r = figure_is_group(row) ? check_group(row, x, e) : 0;
	}
	missing = r == 0 ? find_missing(g, object) : NULL;
	return missing ? fail(e, -EBADMSG, "%s: is missing", missing) : r;
}

/* Members by name: the value of the second row, or null, or an object of all rows but the first. */
static int check_members(const struct figure *row, const struct json *map, struct error *e)
{
	const struct figure_group *g = row->group;
	const struct figure_group rest = { g->rows + 1, g->n - 1 };
	size_t n = 0;
	int r = 0;

	for (const struct json *x = json_child(map); x && r == 0; x = json_next(x)) {
		if (++n > MEMBERS)
			return fail(e, -EBADMSG, "%s: has too many names", row->key);
		if (json_get(map, json_key(x)) != x)
			return fail(e, -EBADMSG, "%s: has a name twice", row->key);
		if (json_is_null(x))
			continue;
		if (g->n == 2 ? !fits(&g->rows[1], x) : !json_is_object(x))
			return fail(e, -EBADMSG, "%s: is of another kind", row->key);
		r = g->n == 2 ? 0 : check_object(&rest, x, e);
	}
	return r;
}

static int check_group(const struct figure *row, const struct json *node, struct error *e)
{
	const bool is_plain = !*row->group->rows[0].key;
	int r = 0;

	if (row->kind == FIGURE_MAP)
		return check_members(row, node, e);
	if (row->kind == FIGURE_OBJECT)
		return json_is_object(node) ? check_object(row->group, node, e) : 0;
	for (const struct json *x = json_child(node); x && r == 0; x = json_next(x)) {
		if (is_plain ? !fits(row->group->rows, x) : !json_is_object(x))
			return fail(e, -EBADMSG, "%s: has something of another kind", row->key);
		r = is_plain ? 0 : check_object(row->group, x, e);
	}
	return r;
}

int figures_check_json(const struct figure_group *group, const struct json *object,
	struct error *e)
{
	if (!json_is_object(object))
		return fail(e, -EBADMSG, "is not an object");
	return check_object(group, object, e);
}

enum { READ_SCALE = 1000000000 };	/* of a number with decimals */

static void put_value(struct json_out *j, const char *key, const struct figure *row,
	const struct figure_value *v)
{
	if (v->state == FIGURE_UNKNOWN)
		json_null(j, key);
	else if (v->text)
		json_text(j, key, v->text);
	else if (row->kind == FIGURE_BOOL)
		json_bool(j, key, v->n != 0);
	else if (row->hex)
		json_hex(j, key, (uint64_t)v->n);
	else
		json_decimal(j, key, v->n, v->scale);
}

/*
 * Put an element of a map under its name: null if none of its figures is known, the bare value if
 * it has a single figure, else an object.
 */
static void put_member(struct json_out *j, const struct figures *f)
{
	const char *key = f->values[0].text;
	bool any = false;

	if (f->group->n == 2) {
		put_value(j, key, &f->group->rows[1], &f->values[1]);
		return;
	}
	for (size_t i = 1; i < f->group->n; i++)
		any = any || f->values[i].state == FIGURE_KNOWN;
	if (!any) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	figures_put_json(j, f);
	json_end(j, '}');
}

static void put_list(struct json_out *j, const char *key, const struct figure_value *v)
{
	json_begin(j, key, '[');
	for (size_t i = 0; i < v->n_nodes; i++) {
		const struct figures *f = &v->nodes[i];

		if (!*f->group->rows[0].key) {
			put_value(j, NULL, &f->group->rows[0], &f->values[0]);
			continue;
		}
		json_begin(j, NULL, '{');
		figures_put_json(j, f);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_group(struct json_out *j, const struct figure *row, const struct figure_value *v)
{
	if (row->kind == FIGURE_LIST) {
		put_list(j, row->key, v);
	} else if (row->kind == FIGURE_PART) {
		if (v->n_nodes > 0)
			figures_put_json(j, &v->nodes[0]);
	} else if (v->state == FIGURE_UNKNOWN) {
		json_null(j, row->key);
	} else {
		json_begin(j, row->key, '{');
		for (size_t i = 0; i < v->n_nodes; i++)
			if (row->kind == FIGURE_MAP)
				put_member(j, &v->nodes[i]);
			else
				figures_put_json(j, &v->nodes[i]);
		json_end(j, '}');
	}
}

void figures_put_json(struct json_out *j, const struct figures *f)
{
	for (size_t i = 0; i < f->group->n; i++) {
		const struct figure *row = &f->group->rows[i];
		const struct figure_value *v = &f->values[i];

		if (row->hidden || v->state == FIGURE_ABSENT)
			continue;
		if (figure_is_group(row))
			put_group(j, row, v);
		else
			put_value(j, row->key, row, v);
	}
}

void figures_print_json(struct strbuf *to, const struct figures *f)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	figures_put_json(&j, f);
	json_end(&j, '}');
}

int figures_write_json(struct file_new *file, struct figures *f, bool is_draft, struct error *e)
{
	struct strbuf text = { 0 };
	int r;

	figures_print_json(&text, f);
	figures_clear(f);
	r = (is_draft ? file_new_draft : file_new_finish)(file, text.text, text.len, e);
	strbuf_clear(&text);
	return r;
}

static void read_value(struct figure_value *v, const struct figure *row, const struct json *node)
{
	const char *text = json_get_text(node);
	double number;
	bool yes;

	v->state = FIGURE_KNOWN;
	v->scale = 1;
	if (text && row->hex) {
		v->n = (int64_t)strtoull(text, NULL, 0);
	} else if (json_get_bool(node, &yes)) {
		v->n = yes;
	} else if (json_get_number(node, &number)) {
		/* Any scale that keeps the number will do; it need not be the row's. */
		v->scale = json_get_scaled(node, 1, &v->n) && (double)v->n == number ? 1 :
			READ_SCALE;
		if (!json_get_scaled(node, v->scale, &v->n))
			v->state = FIGURE_UNKNOWN;
	} else {
		figure_put_text(v, row, text);
	}
}

static void read_member(struct figures *f, const struct json *member)
{
	if (f->group->n == 2)
		read_value(&f->values[1], &f->group->rows[1], member);
	else
		figures_read_json(f, f->group, member);
	figure_put_text(&f->values[0], f->group->rows, json_key(member));
}

static void read_group(struct figure_value *v, const struct figure *row, const struct json *above)
{
	const struct json *node = json_get(above, row->kind == FIGURE_PART ?
		row->group->rows[0].key : row->key);

	/* A part is present if its first figure is. */
	node = row->kind == FIGURE_PART && node ? above : node;
	v->state = !node ? FIGURE_ABSENT : json_is_null(node) ? FIGURE_UNKNOWN : FIGURE_KNOWN;
	if ((row->kind == FIGURE_PART || row->kind == FIGURE_OBJECT) && json_is_object(node))
		figures_read_json(figure_add_node(v, row->group), row->group, node);
	if (row->kind != FIGURE_LIST && row->kind != FIGURE_MAP)
		return;
	for (const struct json *x = json_child(node); x; x = json_next(x)) {
		struct figures *f = figure_add_node(v, row->group);

		if (row->kind == FIGURE_MAP)
			read_member(f, x);
		else if (*row->group->rows[0].key)
			figures_read_json(f, row->group, x);
		else
			read_value(&f->values[0], &row->group->rows[0], x);
	}
}

void figures_read_json(struct figures *f, const struct figure_group *group,
	const struct json *object)
{
	f->group = group;
	if (!f->values)
		f->values = mem_calloc(group->n, sizeof(*f->values));
	for (size_t i = 0; i < group->n; i++) {
		const struct figure *row = &group->rows[i];

		if (figure_is_group(row))
			read_group(&f->values[i], row, object);
		else
			read_value(&f->values[i], row, json_get(object, row->key));
	}
}
