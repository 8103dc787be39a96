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
#include "base/parse.h"
#include "output/csv.h"
#include "output/text_table.h"
#include "report/advice.h"
#include "telemetry/chip/chip.h"
#include "telemetry/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 6 };

static const struct text_column columns[COLUMNS] = {
	{ .title = "Chip ID" }, { .title = "PCI BDF" }, { .title = "PCI Dev ID" },
	{ .title = "Board Type" }, { .title = "Device Series" }, { .title = "Board Number" },
};

static const enum identity_id names[COLUMNS] = {
	IDENTITY_INDEX, IDENTITY_BDF, IDENTITY_NODE, IDENTITY_CHIP, IDENTITY_BOARD, IDENTITY_SERIAL,
};

#define CELL 40

bool list_is_resettable(const struct snapshot *s)
{
	return s->local < 0 && snapshot_can_be_reset(s);
}

static void add_row(struct text_table *t, const struct fleet *f, const struct snapshot *s,
	bool close)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		const enum identity_id id = names[c];
		char cell[CELL];

		identity_text(id, id == IDENTITY_SERIAL ? snapshot_serial_chip(f->chips, f->n, s) :
			s, cell, CELL);
		if (!*cell || (id == IDENTITY_CHIP && s->chip == DEVICE_UNKNOWN))
			mem_copy_text(cell, CELL, "N/A");
		else if (id == IDENTITY_NODE && close)
			snprintf(cell, CELL, "tt/%d", s->node);
		text_table_add(t, cell, NULL);
	}
}

/* close: the table is to take less room. */
static void add_rows(struct text_table *t, const struct fleet *f, const struct list_options *o,
	bool close, bool *resettable)
{
	*t = (struct text_table){ .columns = columns, .n = COLUMNS, .boxed = true,
		.pad = close ? 0 : 1 };
	for (size_t i = 0; i < f->n; i++) {
		if (!fleet_shows(f, i, o->local))
			continue;
		*resettable++ = list_is_resettable(&f->chips[i]);
		add_row(t, f, &f->chips[i], close);
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

		if (!fleet_wants(f, i) || !why[0])
			continue;
		/* A chip left out by --local has a line without the words that callers count. */
		if (!fleet_shows(f, i, o->local)) {
			strbuf_printf(to, "%d, the second chip of %d: %s\n", s->index, s->local,
				why);
			continue;
		}
		if (fleet_put_alike(f, i, why_of, to))
			strbuf_printf(to, ": %s\n", why);
	}
}

void list_put(struct strbuf *to, const struct fleet *f, const struct list_options *o)
{
	const char *style = o->bold ? "1" : NULL;
	bool resettable[DEVICE_MAX];
	struct text_table t;

	add_rows(&t, f, o, false, resettable);
	if (o->columns > 0 && text_table_width(&t) > o->columns) {
		text_table_clear(&t);
		add_rows(&t, f, o, true, resettable);
	}
	/* Both tables have the same widths, so that the eye can go from one to the other. */
	text_table_put_boxed(to, &t, "All available boards on host:", style, NULL);
	text_table_put_boxed(to, &t, "Boards that can be reset:", style, resettable);
	text_table_clear(&t);
	put_reasons(to, f, o);
	if (f->selection && f->selection[0])
		strbuf_printf(to, "%s: the other boards of this machine are not listed\n",
			f->selection);
}

static void put_chip(struct json_out *j, const struct fleet *f, const struct snapshot *s)
{
	const char *why = why_of(s);

	json_begin(j, NULL, '{');
	identity_put_json(j, "index", IDENTITY_INDEX, s);
	identity_put_json(j, "bdf", IDENTITY_BDF, s);
	identity_put_json(j, "node", IDENTITY_NODE, s);
	json_text(j, "chip", s->chip == DEVICE_UNKNOWN ? NULL : device_chip_name(s->chip));
	identity_put_json(j, "series", IDENTITY_BOARD, s);
	identity_put_json(j, "board_id", IDENTITY_SERIAL,
		snapshot_serial_chip(f->chips, f->n, s));
	identity_put_json(j, "local", IDENTITY_LOCAL, s);
	json_bool(j, "resettable", list_is_resettable(s));
	identity_put_json(j, "state", IDENTITY_HEALTH, s);
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
		if (fleet_shows(f, i, o->local))
			put_chip(&j, f, &f->chips[i]);
	json_end(&j, ']');
	json_text(&j, "source", f->origin->name);
	json_text(&j, "selection", f->selection && f->selection[0] ? f->selection : NULL);
	json_end(&j, '}');
}

#define TRAYS 4

static void add_tray(struct text_table *t, int tray, const struct list_place *places, size_t n)
{
	char number[16], bus[16];
	struct strbuf indices = { 0 };

	for (size_t i = 0; i < n; i++)
		if (places[i].tray == tray) {
			snprintf(bus, sizeof(bus), "0x%02x", places[i].bus);
			strbuf_printf(&indices, "%s%d", indices.len ? "," : "", places[i].index);
		}
	if (indices.len) {
		snprintf(number, sizeof(number), "%d", tray);
		text_table_add(t, number, NULL);
		text_table_add(t, bus, NULL);
		text_table_add(t, indices.text, NULL);
	}
	strbuf_clear(&indices);
}

/* Programs take the lines that begin with a bar, and the numbers in the third column. */
void list_trays_put(struct strbuf *to, const struct list_place *places, size_t n)
{
	static const struct text_column tray_columns[] = { { .title = "Tray Number" },
		{ .title = "Tray Bus ID" }, { .title = "Index" } };
	struct text_table t = { .columns = tray_columns, .n = ARRAY_LEN(tray_columns),
		.boxed = true, .pad = 1 };

	for (int tray = 1; tray <= TRAYS; tray++)
		add_tray(&t, tray, places, n);
	text_table_put_boxed(to, &t, "Mapping of trays to devices on the galaxy:", NULL, NULL);
	text_table_clear(&t);
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

/*
 * --query: a row of CSV per card, as scripts for other vendors' tools expect it: a comma and a
 * blank between cells, a header with units, N/A for unknown values.
 */

#define WORD 64

/* What stands between words of a list. */
static const char apart[] = ", \t";

/* The column of this name, -1 - enum identity_id of an identity; FIELD_NONE: there is none. */
static int find_column(const char *word)
{
	for (int i = 0; i < IDENTITIES; i++)
		if (strcmp(identities[i].key, word) == 0)
			return -1 - i;
	return (int)field_find(word);
}

int query_choose(struct query *q, const char *list, struct error *e)
{
	char word[WORD];

	q->n = 0;
	while (parse_word(&list, apart, word, sizeof(word))) {
		const int column = find_column(word);

		if (column == FIELD_NONE)
			return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "--query: no field is named "
				"%s; see tt-smi --query help", word);
		if (q->n == QUERY_COLUMNS)
			return fail_as(e, CODE_BAD_VALUE, -EINVAL, "--query: more than %d fields",
				QUERY_COLUMNS);
		q->columns[q->n++] = column;
	}
	return q->n > 0 ? 0 : fail_as(e, CODE_MISSING_VALUE, -EINVAL, "--query: no field given; "
		"see tt-smi --query help");
}

const char *const query_formats[] = { "csv", "noheader", "nounits", NULL };

int query_format(struct query *q, const char *list, struct error *e)
{
	char word[WORD];
	bool csv = false;

	while (parse_word(&list, apart, word, sizeof(word))) {
		if (strcmp(word, "csv") == 0)
			csv = true;
		else if (strcmp(word, "noheader") == 0)
			q->no_header = true;
		else if (strcmp(word, "nounits") == 0)
			q->no_units = true;
		else
			return fail_as(e, CODE_BAD_VALUE, -EINVAL, "--format: '%s' is not csv, "
				"noheader or nounits", word);
	}
	return csv ? 0 : fail_as(e, CODE_BAD_VALUE, -EINVAL, "--format: csv is the one there is, "
		"and has to be named");
}

static void put_identity(struct strbuf *to, const struct fleet *f, const struct snapshot *s,
	enum identity_id id)
{
	char text[IDENTITY_TEXT];
	struct advice advice;

	if (id == IDENTITY_ACTION) {
		advice_take_chip(&advice, f, s);
		csv_put_text(to, action_name(advice.action));
		return;
	}
	identity_text(id, id == IDENTITY_SERIAL ? snapshot_serial_chip(f->chips, f->n, s) : s, text,
		sizeof(text));
	csv_put_text(to, *text ? text : "N/A");
}

/* Put only a present value: an old one would look the same here. */
static void put_field(struct strbuf *to, const struct snapshot *s, enum field_id id, bool unit)
{
	char text[64];

	if (!snapshot_has(s, id)) {
		strbuf_puts(to, "N/A");
		return;
	}
	field_text(id, &s->r[id], text, sizeof(text));
	/* A number is not a formula, even if it begins with a minus. */
	if (field_is_number(id))
		strbuf_puts(to, text);
	else
		csv_put_text(to, text);
	if (unit && *fields[id].unit)
		strbuf_printf(to, " %s", fields[id].unit);
}

static void put_header(struct strbuf *to, const struct query *q)
{
	for (size_t i = 0; i < q->n; i++) {
		const int column = q->columns[i];

		strbuf_printf(to, "%s%s", i ? ", " : "", column < 0 ? identities[-1 - column].key :
			fields[column].key);
		if (column > 0 && *fields[column].unit)
			strbuf_printf(to, " [%s]", fields[column].unit);
	}
	strbuf_putc(to, '\n');
}

void query_put(struct strbuf *to, const struct fleet *f, const struct query *q)
{
	if (!q->no_header)
		put_header(to, q);
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (!fleet_shows(f, i, q->local))
			continue;
		for (size_t k = 0; k < q->n; k++) {
			const int column = q->columns[k];

			if (k > 0)
				strbuf_puts(to, ", ");
			if (column < 0)
				put_identity(to, f, s, (enum identity_id)(-1 - column));
			else
				put_field(to, s, (enum field_id)column, !q->no_units);
		}
		strbuf_putc(to, '\n');
	}
}
