/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/tally.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "tt-smi counters 1 "
#define LINE_MAX   256

/* Finding. */

struct tally_entry *tally_book_seek(struct tally_book *b, const char *bdf, int chip)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->entries[i].chip == chip && strcmp(b->entries[i].bdf, bdf) == 0)
			return &b->entries[i];
	return NULL;
}

struct tally *tally_book_find(struct tally_book *b, const char *bdf, int chip)
{
	struct tally_entry *e = tally_book_seek(b, bdf, chip);

	if (e)
		return &e->tally;
	if (b->n == TALLY_BOOK_CHIPS)
		return NULL;
	e = &b->entries[b->n++];
	mem_copy_text(e->bdf, sizeof(e->bdf), bdf);
	e->chip = chip;
	tally_init(&e->tally);
	return &e->tally;
}

void tally_book_copy(struct tally_book *to, const struct tally_book *from)
{
	to->n = from->n;
	memcpy(to->entries, from->entries, from->n * sizeof(from->entries[0]));
}

/* Writing. */

/* FNV-1a: it has to detect a torn record, not an attack. */
static uint64_t book_hash(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return hash;
}

/* Records number the totals; the head names the numbers, since they may differ by version. */
void tally_book_put_head(struct strbuf *to, uint64_t number)
{
	char name[TALLY_NAME];

	strbuf_printf(to, FIRST_LINE "%" PRIu64 "\n", number);
	for (enum tally_id id = 0; id < TALLY_COUNT; id++)
		if (tally_family_of(id)->kind != TALLY_ACTS)
			strbuf_printf(to, "name %u %s\n", id, tally_full_name(id, name));
}

/* Whether the time of the last reading matters for these totals. */
static bool is_timed(const struct tally_family *f)
{
	return f->kind == TALLY_ENERGY || f->kind == TALLY_TIME;
}

static bool has_changed(const struct tally *t, const struct tally *before, enum tally_id id,
	bool timed)
{
	const struct tally_last *a = &t->last[id], *b = before ? &before->last[id] : NULL;

	if (!t->has[id])
		return false;
	return !before || !before->has[id] || t->total[id] != before->total[id] ||
		a->known != b->known || a->value != b->value || (timed && a->time != b->time);
}

static void put_total(struct strbuf *to, const struct tally *t, enum tally_id id, bool timed,
	int64_t mono)
{
	const struct tally_last *last = &t->last[id];

	strbuf_put_u64(to, id);
	strbuf_putc(to, ' ');
	strbuf_put_u64(to, t->total[id]);
	if (last->known) {
		strbuf_putc(to, ' ');
		strbuf_put_i64(to, last->value);
	}
	if (last->known && timed) {
		strbuf_putc(to, ' ');
		strbuf_put_i64(to, mono - last->time);
	}
	strbuf_putc(to, '\n');
}

static void put_family(struct strbuf *to, const struct tally_family *f, const struct tally *t,
	const struct tally *before, int64_t mono)
{
	const bool timed = is_timed(f);

	for (enum tally_id id = f->first; f->kind != TALLY_ACTS && id <= f->last; id++)
		if (has_changed(t, before, id, timed))
			put_total(to, t, id, timed, mono);
}

static void put_links(struct strbuf *to, const struct tally *t, const struct tally *before)
{
	for (size_t i = 0; i < AER_LINKS; i++) {
		const struct tally_link *l = &t->links[i];

		if (!*l->bdf || (before && memcmp(l, &before->links[i], sizeof(*l)) == 0))
			continue;
		strbuf_printf(to, "link %zu %s", i, l->bdf);
		for (int k = 0; k < AER_KINDS; k++)
			strbuf_printf(to, " %" PRIu64, l->errors[k]);
		strbuf_putc(to, '\n');
	}
}

static void put_entry(struct strbuf *to, const struct tally_entry *e, struct tally_book *others,
	int64_t mono)
{
	const struct tally_entry *old = others ? tally_book_seek(others, e->bdf, e->chip) : NULL;
	const struct tally *before = old ? &old->tally : NULL;
	const size_t begin = to->len;
	size_t body;

	strbuf_printf(to, "chip %s %d\n", e->bdf, e->chip);
	body = to->len;
	for (size_t i = 0; i < tally_families_len; i++)
		put_family(to, &tally_families[i], &e->tally, before, mono);
	put_links(to, &e->tally, before);
	if (before && to->len == body)
		to->len = begin;
}

void tally_book_put(struct strbuf *to, const struct tally_book *b, struct tally_book *before,
	const struct tally_moment *when)
{
	strbuf_printf(to, "at %" PRId64 " %" PRId64 " %s\n", when->mono, when->real,
		*when->boot ? when->boot : "-");
	for (size_t i = 0; i < b->n; i++)
		put_entry(to, &b->entries[i], before, when->mono);
	strbuf_printf(to, "end %016" PRIx64 "\n", book_hash(to->text, to->len));
}

/* Reading. */

struct book_reader {
	struct tally_book *book;
	struct tally_read *read;
	struct tally_moment when;	/* of this record */
	struct tally *tally;		/* of the chip that lines are about; NULL: none yet */
	int ids[TALLY_COUNT * 4];	/* by the file's numbers; -1: the name is not known */
};

static bool take_name(struct book_reader *b, const char *line)
{
	char name[TALLY_NAME];
	unsigned number;
	int id;

	if (sscanf(line, "name %5u %127s", &number, name) != 2 ||
		number >= ARRAY_LEN(b->ids))
		return false;
	/* A later version may have names that we do not know; acts are counted elsewhere. */
	id = tally_find(name);
	b->ids[number] = id < TALLY_RESETS ? id : -1;
	return true;
}

static bool take_moment(struct book_reader *b, const char *line)
{
	struct tally_moment *w = &b->when;

	if (sscanf(line, "at %18" SCNd64 " %19" SCNd64 " %39s", &w->mono, &w->real, w->boot) != 3)
		return false;
	if (strcmp(w->boot, "-") == 0)
		*w->boot = '\0';
	b->tally = NULL;
	return w->mono >= 0 && w->real >= 0 && w->real < INT64_MAX / 2;
}

static bool take_chip(struct book_reader *b, const char *line)
{
	char bdf[16];
	int chip;

	if (sscanf(line, "chip %15[0-9a-f:.] %1d", bdf, &chip) != 2)
		return false;
	b->tally = tally_book_find(b->book, bdf, chip);
	return b->tally;
}

static bool take_link(const struct book_reader *b, const char *line)
{
	struct tally_link l = { 0 };
	unsigned place;

	if (!b->tally || sscanf(line, "link %2u %15[0-9a-f:.] %18" SCNu64 " %18" SCNu64 " %18"
		SCNu64, &place, l.bdf, &l.errors[0], &l.errors[1], &l.errors[2]) != 5 ||
		place >= AER_LINKS)
		return false;
	for (int k = 0; k < AER_KINDS; k++)
		if (l.errors[k] > TALLY_MOST)
			return false;
	b->tally->links[place] = l;
	return true;
}

/* A last value that no sample could have had must not be continued from. */
static bool is_possible(enum tally_id id, int64_t value)
{
	const struct tally_family *f = tally_family_of(id);
	const struct field *of = &fields[f->field + (f->kind == TALLY_GROWTH ? id - f->first : 0)];

	return f->field != FIELD_NONE && value >= of->low && value <= of->high;
}

static bool take_total(const struct book_reader *b, const char *line)
{
	int64_t value, ago = 0;
	uint64_t total;
	unsigned number;
	int n, id;

	if (!b->tally)
		return false;
	n = sscanf(line, "%5u %18" SCNu64 " %18" SCNd64 " %18" SCNd64, &number, &total, &value,
		&ago);
	if (n < 2 || total > TALLY_MOST || number >= ARRAY_LEN(b->ids))
		return false;
	id = b->ids[number];
	if (id < 0)
		return true;
	b->tally->has[id] = true;
	b->tally->total[id] = total;
	b->tally->last[id] = (struct tally_last){ 0 };
	if (n > 2 && is_possible((enum tally_id)id, value))
		b->tally->last[id] = (struct tally_last){ .known = true, .value = value,
			.time = b->when.mono - ago };
	return true;
}

static bool take_line(struct book_reader *b, const char *line)
{
	switch (*line) {
	case 't':
		return sscanf(line, FIRST_LINE "%18" SCNu64, &b->read->number) == 1;
	case 'n':
		return take_name(b, line);
	case 'a':
		return take_moment(b, line);
	case 'c':
		return take_chip(b, line);
	case 'l':
		return take_link(b, line);
	default:
		return take_total(b, line);
	}
}

/* Copy a line without its newline; returns its length with it, 0: no whole line is left. */
static size_t next_line(const char *text, size_t len, char line[static LINE_MAX])
{
	const char *end = memchr(text, '\n', len);
	const size_t n = end ? (size_t)(end - text) : LINE_MAX;

	if (n >= LINE_MAX)
		return 0;
	memcpy(line, text, n);
	line[n] = '\0';
	return n + 1;
}

/* The length of the record that begins here; 0: it is not whole, or its hash is wrong. */
static size_t find_end(const char *text, size_t len)
{
	char line[LINE_MAX];
	uint64_t hash;

	for (size_t at = 0, n; (n = next_line(text + at, len - at, line)); at += n)
		if (strncmp(line, "end ", 4) == 0)
			return sscanf(line, "end %16" SCNx64, &hash) == 1 &&
				hash == book_hash(text, at) ? at + n : 0;
	return 0;
}

static bool take_record(struct book_reader *b, const char *text, size_t len)
{
	char line[LINE_MAX];

	for (size_t at = 0, n; (n = next_line(text + at, len - at, line)); at += n)
		if (strncmp(line, "end ", 4) != 0 && !take_line(b, line))
			return false;
	return true;
}

bool tally_book_parse(const char *text, size_t len, struct tally_book *book, struct tally_read *r)
{
	struct book_reader *b = mem_calloc(1, sizeof(*b));
	size_t n;

	*r = (struct tally_read){ 0 };
	book->n = 0;
	b->book = book;
	b->read = r;
	for (size_t i = 0; i < ARRAY_LEN(b->ids); i++)
		b->ids[i] = -1;
	if (len > strlen(FIRST_LINE) && memcmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0)
		while ((n = find_end(text + r->whole, len - r->whole)) &&
			take_record(b, text + r->whole, n)) {
			r->whole += n;
			r->when = b->when;
		}
	free(b);
	if (r->whole == 0)
		book->n = 0;
	return r->whole > 0;
}

static void shift(struct tally *t, int64_t by)
{
	for (enum tally_id id = 0; id < TALLY_COUNT; id++)
		t->last[id].time += by;
}

/* The gap's length is not known: count a gap for each power, and forget the last readings. */
static void forget_times(struct tally *t)
{
	for (enum tally_id id = 0; id < TALLY_COUNT; id++) {
		if (!is_timed(tally_family_of(id)) || !t->last[id].known)
			continue;
		t->last[id].known = false;
		if (id <= TALLY_BOARD_ENERGY)
			t->total[TALLY_GAPS + id - TALLY_CORE_ENERGY]++;
	}
}

void tally_book_resume(struct tally_book *b, const struct tally_moment *then,
	const struct tally_moment *now)
{
	const bool same = *then->boot && strcmp(then->boot, now->boot) == 0 &&
		now->mono >= then->mono;
	const bool is_reboot = *then->boot && *now->boot && strcmp(then->boot, now->boot) != 0;
	const int64_t away = now->real - then->real;

	for (size_t i = 0; i < b->n && !same; i++) {
		struct tally *t = &b->entries[i].tally;

		if (is_reboot) {
			tally_break(t);
			memset(t->links, 0, sizeof(t->links));
		}
		if (away > 0)
			shift(t, now->mono - away - then->mono);
		else
			forget_times(t);
	}
}
