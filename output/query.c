/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.c - a row of CSV per card, as scripts for other vendors' tools expect it: a
 * comma and a blank between cells, a header with units, N/A for unknown values.
 */
#include "config.h"
#include "output/text.h"

#include "base/parse.h"
#include "output/csv.h"
#include "report/advice.h"
#include "telemetry/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
