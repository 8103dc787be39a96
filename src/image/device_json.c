/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/image/device_json.h"

#include "base/json.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_SIDE  64		/* tiles of a grid */
#define MOST_MASK  0xffff
#define MOST_BATCH 1e9

static void take_text(const struct json *from, const char *key, char *to, size_t size)
{
	const char *text = json_get_text(json_get(from, key));

	text_plain(to, size, text ? text : "");
}

/* A whole number from 0 to most; -1: it is not one. */
static int64_t whole(const struct json *node, double most)
{
	double v;

	if (!json_get_number(node, &v) || !(v >= 0 && v <= most) || v != (double)(int64_t)v)
		return -1;
	return (int64_t)v;
}

static int take_grid(const struct json *grid, struct image *i, struct error *e)
{
	const struct json *first = json_is_array(grid) ? json_child(grid) : NULL;
	const struct json *second = json_next(first);
	const int64_t rows = whole(first, MOST_SIDE), columns = whole(second, MOST_SIDE);

	if (rows < 1 || columns < 1 || json_next(second))
		return fail(e, -EINVAL, "grid_size is not rows and columns of 1 to %d", MOST_SIDE);
	i->rows = (unsigned)rows;
	i->columns = (unsigned)columns;
	return 0;
}

/* A list of numbers, or a single one; null or no value is an empty list. */
static int take_numbers(const struct json *from, const char *key, double most,
	uint16_t to[static DEVICE_MAX], size_t *n, struct error *e)
{
	const struct json *list = json_get(from, key);
	const struct json *at = json_is_array(list) ? json_child(list) : list;

	*n = 0;
	if (!at || json_is_null(at))
		return 0;
	for (; at; at = json_is_array(list) ? json_next(at) : NULL) {
		const int64_t v = whole(at, most);

		if (v < 0 || *n == DEVICE_MAX)
			return fail(e, -EINVAL, "%s: not up to %d numbers from 0 to %.0f", key,
				DEVICE_MAX, most);
		to[(*n)++] = (uint16_t)v;
	}
	return 0;
}

/* "[1, 128], [1]": as many as fit. */
static void take_shapes(const struct json *list, char *to, size_t size)
{
	size_t at = 0;

	for (const struct json *s = json_is_array(list) ? json_child(list) : NULL; s && at < size;
		s = json_next(s)) {
		const char *between = "[";

		at += (size_t)snprintf(to + at, size - at, "%s", at ? ", " : "");
		for (const struct json *d = json_is_array(s) ? json_child(s) : NULL;
			d && at < size; d = json_next(d)) {
			at += (size_t)snprintf(to + at, size - at, "%s%lld", between,
				(long long)whole(d, MOST_BATCH));
			between = ", ";
		}
		if (at < size)
			at += (size_t)snprintf(to + at, size - at, "%s]", *between == '[' ?
				between : "");
	}
}

static int device_json_take(const struct json *from, struct image *i, struct error *e)
{
	const struct json *graph = json_get(from, "compiled_graph_state");
	int r;

	if (!json_is_object(from))
		return fail(e, -EINVAL, "is not a JSON object");
	take_text(from, "version", i->version, sizeof(i->version));
	take_text(from, "device_image_name", i->name, sizeof(i->name));
	take_text(from, "arch", i->arch, sizeof(i->arch));
	take_text(from, "devtype", i->devtype, sizeof(i->devtype));
	take_text(from, "pybuda_pip_version_id", i->pip, sizeof(i->pip));
	take_text(from, "pybuda_commit_hash", i->commit, sizeof(i->commit));
	take_text(from, "budabackend_commit_hash", i->backend_commit, sizeof(i->backend_commit));
	take_text(graph, "graph_name", i->graph, sizeof(i->graph));
	take_shapes(json_get(graph, "ordered_input_shapes"), i->inputs, sizeof(i->inputs));
	json_get_bool(json_get(from, "training"), &i->training);
	i->microbatch = whole(json_get(from, "microbatch_size"), MOST_BATCH);
	if (!*i->version || !*i->arch)
		return fail(e, -EINVAL, "has no version and no arch");
	r = take_grid(json_get(from, "grid_size"), i, e);
	if (r == 0)
		r = take_numbers(from, "chip_ids", DEVICE_MAX - 1, i->chips, &i->n_chips, e);
	if (r == 0)
		r = take_numbers(from, "harvested_rows", MOST_MASK, i->masks, &i->n_masks, e);
	if (r == 0 && i->n_chips == 0)
		r = fail(e, -EINVAL, "has no chip_ids");
	if (r == 0 && i->n_masks > i->n_chips)
		r = fail(e, -EINVAL, "has %zu masks of harvested rows for %zu chips", i->n_masks,
			i->n_chips);
	return r;
}

int image_parse(const char *text, size_t len, struct image *out, struct error *e)
{
	struct image i = { .microbatch = -1 };
	struct json *doc;
	int r = json_parse(text, len, &doc, e);

	if (r < 0)
		return -EINVAL;
	r = device_json_take(doc, &i, e);
	json_free(doc);
	if (r == 0)
		*out = i;
	return r;
}
