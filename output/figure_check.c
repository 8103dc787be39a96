/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure_check.c - checks by the table of figures that a JSON object is a report as we write it.
 *
 * A lenient reader takes "errors": "0" for no errors, and the first of two verdicts, so check a
 * report here before judging by it.
 */
#include "config.h"
#include "output/figure_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

		if (row->hidden || row->kind == FIGURE_OBJECT)
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
