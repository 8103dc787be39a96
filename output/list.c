/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.c - `tt-smi -ls`.  Programs parse this text: they look for the two
 * titles, take the lines that begin with a light bar as chips, and split them
 * at it.  So the box is upstream's (chip-facts 6.2), the heading's bars are
 * heavy, and nothing but a chip's row may begin with a light bar.
 */
#include "config.h"
#include "output/text.h"

#include "base/json.h"
#include "base/mem.h"
#include "telemetry/chip/chip.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum column {
	COLUMN_INDEX, COLUMN_BDF, COLUMN_NODE, COLUMN_CHIP, COLUMN_SERIES, COLUMN_ID, COLUMNS
};

static const char *const headings[COLUMNS] = {
	"Chip ID", "PCI BDF", "PCI Dev ID", "Board Type", "Device Series", "Board Number",
};

#define CELL 40

struct row {
	char cell[COLUMNS][CELL];
};

/* The layout of a table: the cells of each column, and the blanks on both sides of them. */
struct shape {
	size_t width[COLUMNS], columns, pad;
};

/* A horizontal line of the box: its corners and what fills it. */
struct rule {
	const char *left, *middle, *right, *fill;
};

static const struct rule top = { "┏", "┳", "┓", "━" }, under = { "┡", "╇", "┩", "━" },
			 bottom = { "└", "┴", "┘", "─" };

/* Cells that a UTF-8 text takes; names of boards have no wide characters. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static bool is_wanted(size_t at, const struct list_options *o)
{
	return !o->wanted || (at < o->n_wanted && o->wanted[at]);
}

static bool is_shown(const struct snapshot *s, size_t at, const struct list_options *o)
{
	return is_wanted(at, o) && !(o->local && s->local >= 0);
}

bool list_is_resettable(const struct snapshot *s)
{
	const struct board *b = s->upi ? board_find(s->upi) : NULL;

	return s->local < 0 && snapshot_can_be_reset(s) && (!b || b->resettable);
}

/* Both chips of an n300 share the board's number, so a silent second one has it too. */
static const struct reading *board_id(const struct fleet *f, const struct snapshot *s)
{
	if (!reading_has_value(&s->r[FIELD_BOARD_ID]) && s->local >= 0 && (size_t)s->local < f->n)
		return &f->chips[s->local].r[FIELD_BOARD_ID];
	return &s->r[FIELD_BOARD_ID];
}

static void fill_row(struct row *row, const struct fleet *f, const struct snapshot *s, bool close)
{
	const struct reading *id = board_id(f, s);

	snprintf(row->cell[COLUMN_INDEX], CELL, "%d", s->index);
	mem_copy_text(row->cell[COLUMN_BDF], CELL, s->bdf[0] ? s->bdf : "N/A");
	if (s->node >= 0)
		snprintf(row->cell[COLUMN_NODE], CELL, "%s/%d", close ? "tt" : "/dev/tenstorrent",
			s->node);
	else
		mem_copy_text(row->cell[COLUMN_NODE], CELL, "N/A");
	mem_copy_text(row->cell[COLUMN_CHIP], CELL,
		s->chip == DEVICE_UNKNOWN ? "N/A" : device_chip_name(s->chip));
	mem_copy_text(row->cell[COLUMN_SERIES], CELL, s->series[0] ? s->series : "N/A");
	if (reading_has_value(id))
		snprintf(row->cell[COLUMN_ID], CELL, "%016" PRIx64, (uint64_t)id->value);
	else
		mem_copy_text(row->cell[COLUMN_ID], CELL, "N/A");
}

static void put_times(struct strbuf *to, const char *text, size_t n)
{
	for (; n > 0; n--)
		strbuf_puts(to, text);
}

static void put_rule(struct strbuf *to, const struct shape *shape, const struct rule *r)
{
	strbuf_puts(to, r->left);
	for (size_t c = 0; c < shape->columns; c++) {
		if (c > 0)
			strbuf_puts(to, r->middle);
		put_times(to, r->fill, shape->width[c] + 2 * shape->pad);
	}
	strbuf_puts(to, r->right);
	strbuf_putc(to, '\n');
}

static void put_cells(struct strbuf *to, const struct shape *shape, const char *const *cells,
	const char *bar, bool bold)
{
	for (size_t c = 0; c < shape->columns; c++) {
		strbuf_puts(to, bar);
		put_times(to, " ", shape->pad);
		strbuf_printf(to, bold ? "\033[1m%s\033[0m" : "%s", cells[c]);
		put_times(to, " ", shape->width[c] - width_of(cells[c]) + shape->pad);
	}
	strbuf_puts(to, bar);
	strbuf_putc(to, '\n');
}

static size_t total_width(const struct shape *shape)
{
	size_t total = shape->columns * (2 * shape->pad + 1) + 1;

	for (size_t c = 0; c < shape->columns; c++)
		total += shape->width[c];
	return total;
}

/* Put the title, centred, and the heading. */
static void put_head(struct strbuf *to, const char *title, const struct shape *shape,
	const char *const *names, bool bold)
{
	size_t total = total_width(shape);

	put_times(to, " ", total > width_of(title) ? (total - width_of(title)) / 2 : 0);
	strbuf_puts(to, title);
	strbuf_putc(to, '\n');
	put_rule(to, shape, &top);
	put_cells(to, shape, names, "┃", bold);
	put_rule(to, shape, &under);
}

static void put_table(struct strbuf *to, const char *title, const struct fleet *f,
	const struct list_options *o, bool only_resettable, const struct shape *shape)
{
	struct row row;

	put_head(to, title, shape, headings, o->bold);
	for (size_t i = 0; i < f->n; i++) {
		const char *cells[COLUMNS];

		if (!is_shown(&f->chips[i], i, o) ||
		    (only_resettable && !list_is_resettable(&f->chips[i])))
			continue;
		fill_row(&row, f, &f->chips[i], shape->pad == 0);
		for (size_t c = 0; c < COLUMNS; c++)
			cells[c] = row.cell[c];
		put_cells(to, shape, cells, "│", false);
	}
	put_rule(to, shape, &bottom);
}

/* Both tables have the same widths, so that the eye can go from one to the other. */
static void measure(const struct fleet *f, const struct list_options *o, struct shape *shape,
	size_t pad)
{
	struct row row;

	*shape = (struct shape){ .columns = COLUMNS, .pad = pad };
	for (size_t c = 0; c < COLUMNS; c++)
		shape->width[c] = width_of(headings[c]);
	for (size_t i = 0; i < f->n; i++) {
		if (!is_shown(&f->chips[i], i, o))
			continue;
		fill_row(&row, f, &f->chips[i], pad == 0);
		for (size_t c = 0; c < COLUMNS; c++)
			if (width_of(row.cell[c]) > shape->width[c])
				shape->width[c] = width_of(row.cell[c]);
	}
}

static const char *why_of(const struct snapshot *s)
{
	const char *trouble = snapshot_trouble(s);

	return trouble ? trouble : s->reason[0] ? s->reason : s->note;
}

static void put_reasons(struct strbuf *to, const struct fleet *f, const struct list_options *o)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];
		const char *why = why_of(s);

		if (!is_wanted(i, o) || !why[0])
			continue;
		/* A chip left out by --local has a line without the words that callers count. */
		if (!is_shown(s, i, o)) {
			strbuf_printf(to, "%d, the second chip of %d: %s\n", s->index, s->local,
				why);
			continue;
		}
		strbuf_printf(to, "%d %s: %s\n", s->index, s->bdf[0] ? s->bdf : s->series, why);
	}
}

void list_put(struct strbuf *to, const struct fleet *f, const struct list_options *o)
{
	struct shape shape;

	measure(f, o, &shape, 1);
	if (o->columns > 0 && total_width(&shape) > o->columns)
		measure(f, o, &shape, 0);
	put_table(to, "All available boards on host:", f, o, false, &shape);
	put_table(to, "Boards that can be reset:", f, o, true, &shape);
	put_reasons(to, f, o);
	if (f->selection && f->selection[0])
		strbuf_printf(to, "%s: the other boards of this machine are not listed\n",
			f->selection);
}

static void put_chip(struct json_out *j, const struct fleet *f, const struct snapshot *s)
{
	const char *why = why_of(s);
	struct row row;

	fill_row(&row, f, s, false);
	json_begin(j, NULL, '{');
	json_int(j, "index", s->index);
	json_text(j, "bdf", s->bdf[0] ? s->bdf : NULL);
	json_text(j, "node", s->node >= 0 ? row.cell[COLUMN_NODE] : NULL);
	json_text(j, "chip", s->chip == DEVICE_UNKNOWN ? NULL : row.cell[COLUMN_CHIP]);
	json_text(j, "series", s->series[0] ? s->series : NULL);
	json_text(j, "board_id",
		reading_has_value(board_id(f, s)) ? row.cell[COLUMN_ID] : NULL);
	if (s->local >= 0)
		json_int(j, "local", s->local);
	else
		json_null(j, "local");
	json_bool(j, "resettable", list_is_resettable(s));
	json_text(j, "state", snapshot_health_name(s->health));
	json_text(j, "reason", *why ? why : NULL);
	json_code(j, snapshot_code(s));
	json_end(j, '}');
}

void list_json_put(struct strbuf *to, const struct fleet *f, const struct list_options *o)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_begin(&j, "boards", '[');
	for (size_t i = 0; i < f->n; i++)
		if (is_shown(&f->chips[i], i, o))
			put_chip(&j, f, &f->chips[i]);
	json_end(&j, ']');
	json_text(&j, "source", f->origin->name);
	json_text(&j, "selection", f->selection && f->selection[0] ? f->selection : NULL);
	json_end(&j, '}');
}

enum { TRAY_NUMBER, TRAY_BUS, TRAY_INDICES, TRAY_COLUMNS };

#define TRAYS 4

struct tray_row {
	char number[8], bus[8];
	struct strbuf indices;
};

static void fill_trays(struct tray_row rows[static TRAYS], const struct list_place *places,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tray_row *row = &rows[places[i].tray - 1];

		snprintf(row->number, sizeof(row->number), "%d", places[i].tray);
		snprintf(row->bus, sizeof(row->bus), "0x%02x", places[i].bus);
		strbuf_printf(&row->indices, "%s%d", row->indices.len ? "," : "",
			places[i].index);
	}
}

/* Programs take the lines that begin with a bar, and the numbers in the third column. */
static void put_trays(struct strbuf *to, const struct tray_row rows[static TRAYS])
{
	static const char *const names[TRAY_COLUMNS] = { "Tray Number", "Tray Bus ID", "Index" };
	struct shape shape = { .columns = TRAY_COLUMNS, .pad = 1 };

	for (size_t c = 0; c < TRAY_COLUMNS; c++)
		shape.width[c] = strlen(names[c]);
	for (size_t t = 0; t < TRAYS; t++)
		if (rows[t].indices.len > shape.width[TRAY_INDICES])
			shape.width[TRAY_INDICES] = rows[t].indices.len;
	put_head(to, "Mapping of trays to devices on the galaxy:", &shape, names, false);
	for (size_t t = 0; t < TRAYS; t++) {
		const char *const cells[TRAY_COLUMNS] = { rows[t].number, rows[t].bus,
			rows[t].indices.text };

		if (rows[t].indices.len)
			put_cells(to, &shape, cells, "│", false);
	}
	put_rule(to, &shape, &bottom);
}

void list_trays_put(struct strbuf *to, const struct list_place *places, size_t n)
{
	struct tray_row rows[TRAYS] = { { .number = "" } };

	fill_trays(rows, places, n);
	put_trays(to, rows);
	for (size_t t = 0; t < TRAYS; t++)
		strbuf_clear(&rows[t].indices);
	/* Use no bars: those programs would take these lines for trays. */
	strbuf_puts(to, "Index  Node                 PCI BDF       Position\n");
	for (size_t i = 0; i < n; i++) {
		const struct list_place *p = &places[i];
		char node[CELL] = "N/A";

		if (p->node >= 0)
			snprintf(node, sizeof(node), "/dev/tenstorrent/%d", p->node);
		strbuf_printf(to, "%-5d  %-19s  %s  UBB%d U%d\n", p->index, node, p->bdf,
			p->tray, p->place);
	}
}
