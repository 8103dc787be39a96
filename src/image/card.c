/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card.c - grids and labels of tenstorrent/tt-buda, and its loader's rules.
 *
 * A Wormhole's telemetry publishes which rows work since firmware bundle 18.7; its board type gives
 * their number.  A Grayskull's firmware reports them only in answer to a message, which is not sent
 * for this.
 */
#include "config.h"
#include "src/image/card.h"

#include "base/error.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/cores/card_burn.h"
#include "device/ident.h"
#include "device/kind.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
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

/* Compute tiles of the whole die. */
static const struct {
	enum device_chip chip;
	const char *arch;
	unsigned rows, columns;
} grids[] = {
	{ DEVICE_GRAYSKULL, "Grayskull", 10, 12 },
	{ DEVICE_WORMHOLE, "Wormhole_B0", 10, 8 },
	{ DEVICE_BLACKHOLE, "Blackhole", 10, 14 },
};

/* The compiler's product labels; rows: only for a product whose firmware is not asked. */
static const struct {
	const char *board, *label;
	unsigned rows;
} labels[] = {
	{ "e150", "gs_e150", 10 }, { "e300", "gs_e300", 8 }, { "n150", "wh_n150", 0 },
	{ "n300", "wh_n300", 0 },
};

static void find_wormhole(const struct snapshot *s, struct image_card *c)
{
	const struct board *board = board_find(s->upi);
	struct card_rows rows = { 0 };
	struct error e;
	uint32_t off;
	bool asks;
	const unsigned all = c->rows;

	c->rows = board && board->rows ? board->rows : 0;
	if (!snapshot_is_live(s) || card_off(s, &off, &asks, &rows, &e) < 0) {
		snprintf(c->why, sizeof(c->why), "it was not read");
		return;
	}
	c->mask_known = (rows.is_published && rows.is_certain) || c->rows == all;
	c->mask = rows.is_published ? rows.off : 0;
	if (rows.is_published && rows.is_certain)
		c->rows = all - (unsigned)__builtin_popcount(c->mask);
	if (!c->mask_known)
		snprintf(c->why, sizeof(c->why), rows.is_certain ?
			"it does not say which rows are harvested" :
			"only firmware since 18.7 reports reliably which rows are harvested");
}

static void find_blackhole(const struct snapshot *s, struct image_card *c)
{
	const struct reading *columns = &s->r[FIELD_TENSIX_COLS];

	/* On this chip columns are harvested, not rows. */
	c->mask_known = true;
	c->columns = snapshot_has(s, FIELD_TENSIX_COLS) ?
		(unsigned)__builtin_popcount((uint32_t)columns->value & 0x3fff) : 0;
	if (!c->columns)
		snprintf(c->why, sizeof(c->why), "it does not say how many columns live");
}

void image_card_of(const struct snapshot *s, struct image_card *c)
{
	const struct board *board = board_find(s->upi);
	unsigned rows = 0;

	*c = (struct image_card){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(grids); i++)
		if (grids[i].chip == s->chip) {
			c->arch = grids[i].arch;
			c->rows = grids[i].rows;
			c->columns = grids[i].columns;
		}
	for (size_t i = 0; board && i < ARRAY_LEN(labels); i++)
		if (strcmp(labels[i].board, board->name) == 0) {
			c->label = labels[i].label;
			rows = labels[i].rows;
		}
	/* A board's type does not say that the chip still runs anything. */
	if (snapshot_is_lost(s)) {
		c->rows = 0;
		snprintf(c->why, sizeof(c->why), "it was not read");
	} else if (s->chip == DEVICE_WORMHOLE) {
		find_wormhole(s, c);
	} else if (s->chip == DEVICE_BLACKHOLE) {
		find_blackhole(s, c);
	} else {
		c->mask_known = rows > 0 && rows == c->rows;
		c->rows = rows;
		snprintf(c->why, sizeof(c->why), "%s", c->mask_known ? "" :
			"its firmware says which rows are harvested in answer to a message alone");
	}
}

/* "[1-1, 2-1]": the working tiles of the rectangle, or the harvested ones. */
static void put_workers(struct strbuf *to, const struct device_kind *k, uint32_t mask, bool live)
{
	const char *between = "";

	strbuf_puts(to, "\n  [");
	for (unsigned y = k->tensix.y0; y <= k->tensix.y1; y++) {
		if (k->other_rows >> y & 1 || (mask >> y & 1) == live)
			continue;
		for (unsigned x = k->tensix.x0; x <= k->tensix.x1; x++)
			if (!(k->other_columns >> x & 1)) {
				strbuf_printf(to, "%s%u-%u", between, x, y);
				between = ", ";
			}
	}
	strbuf_puts(to, "]\n\n");
}

static void put_memory(struct strbuf *to, const struct device_kind *k)
{
	strbuf_puts(to, "dram:\n  [");
	for (size_t i = 0; i < k->n_dram; i++)
		for (unsigned p = 0; p < KIND_PORTS; p++)
			strbuf_printf(to, "%s%u-%u%s", p ? ", " : i ? ", [" : "[",
				k->dram_xy[i][p][0], k->dram_xy[i][p][1],
				p + 1 == KIND_PORTS ? "]" : "");
	strbuf_puts(to, "]\n\neth:\n  [");
	for (size_t i = 0; i < k->n_eth; i++)
		strbuf_printf(to, "%s%u-%u", i ? ", " : "", k->eth_xy[i][0], k->eth_xy[i][1]);
	strbuf_puts(to, "]\n\n");
}

/* Only for a Wormhole: a Blackhole's coordinates depend on its firmware's translation. */
bool image_card_put_descriptor(struct strbuf *to, const struct snapshot *s,
	const struct image_card *c)
{
	const struct device_kind *k = kind_of(s->chip);

	if (s->chip != DEVICE_WORMHOLE || !c->mask_known)
		return false;
	strbuf_puts(to, "grid:\n  x_size: 10\n  y_size: 12\n\n");
	strbuf_printf(to, "arc:\n  [%u-%u]\n\npcie:\n  [0-3]\n\n", k->arc_x, k->arc_y);
	put_memory(to, k);
	strbuf_puts(to, "functional_workers:");
	put_workers(to, k, c->mask, true);
	strbuf_puts(to, "harvested_workers:");
	put_workers(to, k, c->mask, false);
	strbuf_puts(to, "router_only:\n  [0-2, 0-4, 0-8, 0-9]\n\n");
	strbuf_printf(to, "worker_l1_size: 1499136\ndram_bank_size: %llu\neth_l1_size: 262144\n"
		"arch_name: WORMHOLE_B0\n", (unsigned long long)k->dram_size);
	strbuf_puts(to, "features:\n  noc:\n    translation_id_enabled: True\n"
		"  unpacker:\n    version: 2\n"
		"    inline_srca_trans_without_srca_trans_instr: True\n"
		"  math:\n    dst_size_alignment: 32768\n  packer:\n    version: 2\n"
		"  overlay:\n    version: 2\n");
	return true;
}

static bool grid_fits(const struct image *i, const struct image_card *c)
{
	const bool more = strcmp(c->arch, "Wormhole_B0") == 0;

	return i->columns == c->columns && (more ? c->rows >= i->rows : c->rows == i->rows);
}

enum verdict image_fits(const struct image *i, const struct image_card *c, int chip, char *why,
	size_t size)
{
	const uint16_t mask = chip >= 0 && (size_t)chip < i->n_masks ? i->masks[chip] : 0;

	*why = '\0';
	if (*i->devtype && strcmp(i->devtype, "Silicon") != 0) {
		snprintf(why, size, "it was made for %s, not for silicon", i->devtype);
	} else if (!c->arch || strcmp(c->arch, i->arch) != 0) {
		snprintf(why, size, "it is for %s", i->arch);
	} else if (c->rows == 0 || c->columns == 0) {
		snprintf(why, size, "%s", *c->why ? c->why : "its grid is not known");
		return VERDICT_INCOMPLETE;
	} else if (!grid_fits(i, c)) {
		snprintf(why, size, "it is for %u x %u tiles, this card has %u x %u", i->rows,
			i->columns, c->rows, c->columns);
	} else {
		if (c->rows > i->rows)
			snprintf(why, size, "more rows than it was made for: overlays are "
				"compiled again when it is loaded");
		else if (mask && c->mask_known && mask != c->mask)
			snprintf(why, size, "rows that were harvested by hand would have to be the "
				"same: %u in the image, %u here", mask, c->mask);
		return VERDICT_PASS;
	}
	return VERDICT_FAIL;
}
