/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/csv.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "telemetry/external.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (4 * CSV_LINE_MAX)

struct csv_reader {
	int fd;
	const char *at;		/* in `buffer`, not yet taken: at[0 .. have-1] */
	size_t have;
	bool ended;		/* no more than `have` will come */
	char name[256];
	uint64_t line, bytes;
	size_t columns;		/* of the first line; 0 before it */
	size_t torn;
	char buffer[CHUNK];
	char text[CSV_LINE_MAX + 1];
	const char *cells[CSV_CELL_MAX];
};

int csv_read_open(const char *path, struct csv_reader **out, struct error *e)
{
	int fd = file_open_read(path, e);
	struct csv_reader *r;

	*out = NULL;
	if (fd < 0)
		return fd;
	r = mem_calloc(1, sizeof(*r));
	r->fd = fd;
	r->at = r->buffer;
	mem_copy_text(r->name, sizeof(r->name), path);
	*out = r;
	return 0;
}

void csv_read_close(struct csv_reader *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r);
}

/* Read more of the file behind the bytes that are not taken yet; 0 or -errno. */
static int refill(struct csv_reader *r, struct error *e)
{
	ssize_t n;

	memmove(r->buffer, r->at, r->have);
	r->at = r->buffer;
	do
		n = read(r->fd, r->buffer + r->have, CHUNK - r->have);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_errno(e, "%s: cannot read", r->name);
	r->ended = n == 0;
	r->have += (size_t)n;
	return 0;
}

/* Take the next line with its newline.  Returns 1; 0: no whole line is left; or -errno. */
static int take_line(struct csv_reader *r, const char **line, size_t *len, struct error *e)
{
	const char *end = r->have ? memchr(r->at, '\n', r->have) : NULL;
	int err;

	while (!end && !r->ended && r->have < CHUNK) {
		err = refill(r, e);
		if (err < 0)
			return err;
		end = r->have ? memchr(r->at, '\n', r->have) : NULL;
	}
	if (!end && r->ended) {
		r->torn = r->have;
		return 0;
	}
	*line = r->at;
	*len = end ? (size_t)(end - r->at) + 1 : r->have;
	r->at += *len;
	r->have -= *len;
	r->bytes += *len;
	r->line++;
	return 1;
}

/* Strict UTF-8 without control characters, up to the end of the line.  The file may be an older
 * one, or begin with the mark of a byte order: other characters that are not seen are taken. */
static bool text_is_clean(const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		const size_t n = utf8_len(text + i);
		const uint32_t c = utf8_code(text + i, n);

		if (n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
			return false;
		i += n;
	}
	return true;
}

/* One cell from p on into `to`; returns the comma or end after it, NULL if malformed. */
static const char *take_cell(const char *p, const char *end, char **to)
{
	char *out = *to;

	if (p == end || *p != '"') {
		for (; p < end && *p != ','; p++) {
			if (*p == '"')
				return NULL;
			*out++ = *p;
		}
	} else {
		for (p++;; p++) {
			if (p == end)
				return NULL;
			if (*p == '"' && (++p == end || *p != '"'))
				break;
			*out++ = *p;
		}
		if (p < end && *p != ',')
			return NULL;
	}
	*out++ = '\0';
	*to = out;
	return p;
}

static const char *split(struct csv_reader *r, const char *line, size_t len, size_t *n)
{
	const char *p = line, *end;
	char *to = r->text;

	*n = 0;
	if (len > CSV_LINE_MAX || len < 2 || line[len - 1] != '\n' || line[len - 2] != '\r')
		return "does not end as a line of a dump does";
	end = line + len - 2;
	if (p == end)
		return "is empty";
	if (!text_is_clean(line, len - 2))
		return "is not clean UTF-8 text";
	for (;; p++) {
		if (*n == CSV_CELL_MAX)
			return "has too many cells";
		r->cells[(*n)++] = to;
		p = take_cell(p, end, &to);
		if (!p)
			return "has quotes that do not match";
		if (p == end)
			break;
	}
	return r->columns && *n != r->columns ? "has not as many cells as the header" : NULL;
}

int csv_read_row(struct csv_reader *r, const char *const **cells, size_t *n, struct error *e)
{
	const char *line, *wrong;
	size_t len;
	int got = take_line(r, &line, &len, e);

	if (got <= 0)
		return got;
	wrong = split(r, line, len, n);
	if (wrong)
		return fail(e, -EBADMSG, "%s: line %llu %s", r->name,
			(unsigned long long)r->line, wrong);
	if (!r->columns)
		r->columns = *n;
	*cells = r->cells;
	return 1;
}

size_t csv_read_torn(const struct csv_reader *r)
{
	return r->torn;
}

uint64_t csv_read_bytes(const struct csv_reader *r)
{
	return r->bytes;
}

/* Quote the text from `at` on if it needs quotes; in place, from its end. */
static void quote(struct strbuf *to, size_t at)
{
	size_t quotes = 0, n = to->len - at;

	if (n == 0 || (!memchr(to->text + at, ',', n) && !memchr(to->text + at, '"', n) &&
			      to->text[at] != ' ' && to->text[to->len - 1] != ' '))
		return;
	for (size_t i = at; i < to->len; i++)
		quotes += to->text[i] == '"';
	for (size_t i = 0; i < quotes + 2; i++)
		strbuf_putc(to, '"');
	for (size_t from = at + n, into = to->len - 1; from-- > at;) {
		to->text[--into] = to->text[from];
		if (to->text[from] == '"')
			to->text[--into] = '"';
	}
	to->text[at] = '"';
}

void csv_put_text(struct strbuf *to, const char *text)
{
	size_t at = to->len;

	if (text[0] && strchr("=+-@\t\r", text[0]))
		strbuf_putc(to, '\'');
	text_put_plain(to, text);
	quote(to, at);
}

void csv_put_header(struct strbuf *to, const struct dump_columns *c)
{
	char title[DUMP_COLUMN_TITLE];

	for (size_t i = 0; i < c->n; i++) {
		if (i)
			strbuf_putc(to, ',');
		csv_put_text(to, dump_column_title(&c->c[i], title));
	}
	strbuf_puts(to, "\r\n");
}

/* "; failed: power vreg_temp" for the columns whose reading is in this state. */
static void put_named(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	enum reading_state state)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct reading *r = &s->r[c->c[i].field];

		if (c->c[i].kind != DUMP_COLUMN_FIELD || r->state != state)
			continue;
		if (!any)
			strbuf_printf(to, "; %s:", reading_state_name(state));
		any = true;
		strbuf_putc(to, ' ');
		strbuf_puts(to, dump_column_key(&c->c[i]));
		if (state == READING_IMPLAUSIBLE && r->has_raw)
			strbuf_printf(to, "=0x%x", (unsigned)r->raw);
	}
}

/* A text from the card must not contain the character that separates our parts. */
static void put_reason(struct strbuf *to, const char *before, const char *text)
{
	size_t at = to->len;

	if (!text || !*text)
		return;
	text_put_plain_in(to, before, text, "");
	at += strlen(before);
	for (; at < to->len; at++)
		if (to->text[at] == ';')
			to->text[at] = ',';
}

/* Seconds, with only as many digits as are meaningful here. */
static void put_seconds(struct strbuf *to, int64_t ns)
{
	strbuf_put_fixed(to, ns, CLOCK_SECOND, 3);
	strbuf_puts(to, " s");
}

/* "; alert raised: hot", for each that was raised or cleared in the tick. */
static void put_alerts(struct strbuf *to, const struct snapshot *s, const struct tick *t)
{
	size_t n;
	const struct alerts_event *news = alerts_news(t->alerts, &n);

	for (size_t i = 0; i < n; i++)
		if (news[i].chip == s->index)
			strbuf_printf(to, "; alert %s: %s", news[i].raised ? "raised" : "cleared",
				news[i].rule->name);
}

/*
 * The State of a row: the state of the card ("ok", "failed: reason"), then what
 * is wrong with single cells and with the tick, separated by "; ".
 */
static void put_state(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct tick *t)
{
	static const enum reading_state odd[] = { READING_FAILED, READING_IMPLAUSIBLE,
		READING_STALE, READING_UNJUDGED, READING_ABSENT };
	size_t at = to->len;

	strbuf_puts(to, snapshot_health_name(s->health));
	if (s->health == SNAPSHOT_WARN)
		for (size_t i = 0; i < s->n_findings; i++)
			put_reason(to, i ? " " : ": ", external_text("id", s->findings[i].id));
	if (!snapshot_is_live(s))
		put_reason(to, ": ", external_text("reason", s->reason));
	if (s->age) {
		strbuf_puts(to, "; old: ");
		put_seconds(to, s->age);
	}
	if (s->raw.repeated)
		strbuf_puts(to, "; repeated");
	/* That tables were not read on request is no news. */
	if (s->raw.table_error.code != -ECANCELED)
		put_reason(to, "; note: ", external_text("note", s->note));
	put_alerts(to, s, t);
	if (t->lost)
		strbuf_printf(to, "; lost: %llu before", (unsigned long long)t->lost);
	if (t->is_late) {
		strbuf_puts(to, "; late: ");
		put_seconds(to, t->late);
	}
	if (t->stepped) {
		strbuf_puts(to, "; wall clock stepped: ");
		put_seconds(to, t->stepped);
	}
	if (t->stand_in)
		strbuf_printf(to, "; %s", t->stand_in);
	for (size_t i = 0; i < ARRAY_LEN(odd) && snapshot_is_live(s); i++)
		if (odd[i] != READING_STALE || !s->age)
			put_named(to, c, s, odd[i]);
	if (to->len - at > CSV_STATE_MAX) {
		to->len = at + CSV_STATE_MAX - 3;
		while ((to->text[to->len] & 0xc0) == 0x80)
			to->len--;
		strbuf_puts(to, "...");
	}
	quote(to, at);
}

/* Words of the field table: they need neither quotes nor defusing. */
static void put_field(struct strbuf *to, enum field_id id, int64_t value)
{
	if (field_is_number(id)) {
		strbuf_put_decimal(to, value, fields[id].scale);
		return;
	}
	/* An id may consist of digits only, and begin with zeros that a number would lose. */
	if (fields[id].kind == FIELD_HEX64)
		strbuf_puts(to, "0x");
	field_put_value(id, value, to);
}

void csv_put_row(struct strbuf *to, const struct dump_columns *c, const struct snapshot *s,
	const struct tick *t)
{
	char utc[40];

	for (size_t i = 0; i < c->n; i++) {
		const struct dump_column *col = &c->c[i];

		if (i)
			strbuf_putc(to, ',');
		switch (col->kind) {
		case DUMP_COLUMN_TIME:
			strbuf_put_fixed(to, t->at / 1000, 1000000, 6);
			break;
		case DUMP_COLUMN_UTC:
			strbuf_puts(to, clock_iso_utc(t->real, utc, sizeof(utc)));
			break;
		case DUMP_COLUMN_SKEW:
			if (snapshot_is_live(s) && !s->age)
				strbuf_put_fixed(to, s->skew / 1000, 1000, 3);
			break;
		case DUMP_COLUMN_STATE:
			put_state(to, c, s, t);
			break;
		case DUMP_COLUMN_FIELD:
			if (snapshot_has(s, col->field))
				put_field(to, col->field, s->r[col->field].value);
			break;
		case DUMP_COLUMN_OTHER:
			break;
		}
	}
	strbuf_puts(to, "\r\n");
}
