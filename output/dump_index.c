/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/dump_index.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "output/csv.h"
#include "telemetry/external.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CARDS_MAX 4096

void dump_card_file(const struct dump_card *c, unsigned part, char *out, size_t size)
{
	if (part == 0)
		snprintf(out, size, "%s%s", c->stem, c->extension);
	else
		snprintf(out, size, "%s.%04u%s", c->stem, part, c->extension);
}

void dump_card_path(const struct dump_card *c, unsigned part, const char *dir, char *out,
	size_t size)
{
	const int n = snprintf(out, size, "%s/", dir);

	if (n >= 0 && (size_t)n < size)
		dump_card_file(c, part, out + n, size - (size_t)n);
}

static bool plain(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

void dump_card_init(struct dump_card *c, const struct snapshot *s, bool external)
{
	struct strbuf text = { 0 };

	*c = (struct dump_card){ .index = s->index, .node = s->node };
	mem_copy_text(c->extension, sizeof(c->extension), DUMP_FILE);
	mem_copy_text(c->board, sizeof(c->board), s->board);
	mem_copy_text(c->series, sizeof(c->series), s->series);
	mem_copy_text(c->chip, sizeof(c->chip), device_chip_name(s->chip));
	mem_copy_text(c->bdf, sizeof(c->bdf), s->bdf);
	mem_copy_text(c->reason, sizeof(c->reason), s->reason);
	snprintf(c->stem, sizeof(c->stem), "%d_%s_%s", s->index,
		strcmp(s->board, "N/A") == 0 || !s->board[0] ? "unknown" : s->board,
		s->bdf[0] ? s->bdf : "remote");
	for (char *p = c->stem; *p; p++)
		if (!plain(*p))
			*p = '-';
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT && c->n_facts < ARRAY_LEN(c->facts); f++) {
		struct dump_text *t = &c->facts[c->n_facts];
		const char *leaves;

		if ((fields[f].group != FIELD_GROUP_IDENTITY &&
			    fields[f].group != FIELD_GROUP_FIRMWARE) ||
			!reading_has_value(&s->r[f]) || (external && fields[f].engineering))
			continue;
		text.len = 0;
		field_put_value((enum field_id)f, s->r[f].value, &text);
		mem_copy_text(t->key, sizeof(t->key), fields[f].key);
		leaves = external_has_field((enum field_id)f) ? text.text :
			external_text(fields[f].key, text.text);
		mem_copy_text(t->text, sizeof(t->text), leaves ? leaves : "");
		c->n_facts++;
	}
	strbuf_clear(&text);
}

static void put_card(struct json_out *j, const struct dump_card *c)
{
	char file[128], title[DUMP_COLUMN_TITLE];

	json_begin(j, NULL, '{');
	json_int(j, "index", c->index);
	json_text(j, "board", c->board);
	json_text(j, "series", c->series);
	json_text(j, "chip", c->chip);
	json_text(j, "bdf", c->bdf[0] ? c->bdf : NULL);
	if (c->node >= 0)
		json_int(j, "node", c->node);
	json_begin(j, "facts", '{');
	for (size_t i = 0; i < c->n_facts; i++)
		json_text(j, c->facts[i].key, c->facts[i].text);
	json_end(j, '}');
	if (!c->has_file)
		json_text(j, "not_read", c->reason);
	json_text(j, "stem", c->stem);
	json_begin(j, "files", '[');
	for (unsigned part = c->first; c->has_file && part <= c->last; part++) {
		dump_card_file(c, part, file, sizeof(file));
		json_text(j, NULL, file);
	}
	json_end(j, ']');
	json_int(j, "first_part", c->first);
	json_int(j, "last_part", c->last);
	json_begin(j, "columns", '[');
	for (size_t i = 0; c->has_file && i < c->columns.n; i++) {
		json_begin(j, NULL, '{');
		json_text(j, "key", dump_column_key(&c->columns.c[i]));
		json_text(j, "title", dump_column_title(&c->columns.c[i], title));
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

static void put_index(struct json_out *j, const struct dump_index *x)
{
	const struct dump_counts *c = &x->counts;
	char text[64];

	json_begin(j, NULL, '{');
	json_text(j, "format", "tt-smi dump");
	json_int(j, "version", 1);
	json_text(j, "tool", x->tool);
	json_bool(j, "complete", x->complete);
	json_text(j, "start_utc", clock_iso_utc(x->start_real, text, sizeof(text)));
	json_decimal(j, "start_epoch", x->start_real, CLOCK_SECOND);
	json_decimal(j, "start_monotonic", x->start_mono, CLOCK_SECOND);
	json_decimal(j, "interval", x->interval, CLOCK_SECOND);
	json_text(j, "source", x->source);
	if (x->stand_in[0])
		json_text(j, "boards", x->stand_in);
	if (x->error[0])
		json_text(j, "error", x->error);
	if (x->ended) {
		json_int(j, "ticks", (int64_t)c->ticks);
		json_int(j, "late", (int64_t)c->late);
		json_int(j, "lost", (int64_t)c->lost);
	}
	if (x->ended && c->unsynced_most > DUMP_UNSYNCED)
		json_decimal(j, "unsynced_most", c->unsynced_most / CLOCK_MS * CLOCK_MS,
			CLOCK_SECOND);
	json_begin(j, "host", '{');
	json_text(j, "hostname", x->host.hostname);
	json_text(j, "os", x->host.os);
	json_text(j, "distro", x->host.distro);
	json_text(j, "kernel", x->host.kernel);
	json_text(j, "platform", x->host.platform);
	json_text(j, "driver", x->host.driver);
	json_end(j, '}');
	json_begin(j, "cards", '[');
	for (size_t i = 0; i < x->n; i++)
		put_card(j, &x->cards[i]);
	json_end(j, ']');
	json_end(j, '}');
}

void dump_index_put(const struct dump_index *x, struct strbuf *to)
{
	struct json_out j;

	json_out_init(&j, to, false);
	put_index(&j, x);
	if (to->text[to->len - 1] != '\n')
		strbuf_putc(to, '\n');
}

static void get_text(const struct json *object, const char *key, char *out, size_t size)
{
	const char *text = json_get_text(json_get(object, key));

	text_plain(out, size, text ? text : "");
}

static int64_t get_whole(const struct json *object, const char *key, int64_t low, int64_t high,
	int64_t otherwise)
{
	int64_t v;

	if (!json_get_scaled(json_get(object, key), 1, &v) || v < low || v > high)
		return otherwise;
	return v;
}

static int64_t get_ns(const struct json *object, const char *key)
{
	int64_t v;

	return json_get_scaled(json_get(object, key), CLOCK_SECOND, &v) ? v : 0;
}

/* The index may be hostile: a file's name must stay inside the folder. */
static bool stem_is_safe(const char *stem)
{
	if (!stem[0] || stem[0] == '.')
		return false;
	for (; *stem; stem++)
		if (!plain(*stem))
			return false;
	return true;
}

/* The extension of a card's files: that of the first, or CSV. */
static void get_extension(const struct json *files, struct dump_card *c)
{
	const char *name = json_get_text(json_child(files));
	const char *dot = name ? strrchr(name, '.') : NULL;

	mem_copy_text(c->extension, sizeof(c->extension), dot ? dot : DUMP_FILE);
}

static int get_card(const struct json *from, struct dump_card *c, struct error *e)
{
	const struct json *node;
	unsigned files = 0;

	c->index = (int)get_whole(from, "index", 0, 1000000, 0);
	c->node = (int)get_whole(from, "node", 0, 1000000, -1);
	get_text(from, "board", c->board, sizeof(c->board));
	get_text(from, "series", c->series, sizeof(c->series));
	get_text(from, "chip", c->chip, sizeof(c->chip));
	get_text(from, "bdf", c->bdf, sizeof(c->bdf));
	get_text(from, "stem", c->stem, sizeof(c->stem));
	get_text(from, "not_read", c->reason, sizeof(c->reason));
	c->first = (unsigned)get_whole(from, "first_part", 0, 1000000000, 0);
	c->last = (unsigned)get_whole(from, "last_part", 0, 1000000000, 0);
	for (node = json_child(json_get(from, "files")); node; node = json_next(node))
		files++;
	c->has_file = files > 0;
	get_extension(json_get(from, "files"), c);
	if (!stem_is_safe(c->stem) || !stem_is_safe(c->extension + 1) || c->last < c->first ||
		(c->has_file && c->last - c->first + 1 != files))
		return fail(e, -EBADMSG, DUMP_INDEX ": card %d names no file that could be one",
			c->index);
	node = json_is_object(json_get(from, "facts")) ? json_child(json_get(from, "facts")) : NULL;
	for (; node && c->n_facts < ARRAY_LEN(c->facts); node = json_next(node)) {
		struct dump_text *t = &c->facts[c->n_facts++];

		text_plain(t->key, sizeof(t->key), json_key(node));
		get_text(json_get(from, "facts"), json_key(node), t->text, sizeof(t->text));
	}
	node = json_child(json_get(from, "columns"));
	for (; node; node = json_next(node)) {
		const char *key = json_get_text(json_get(node, "key"));

		if (c->columns.n == DUMP_COLUMN_MAX)
			return fail(e, -EBADMSG, DUMP_INDEX ": card %d has too many columns",
				c->index);
		c->columns.c[c->columns.n++] = dump_column_find(key ? key : "");
	}
	if (c->has_file && (c->columns.n == 0 || c->columns.c[0].kind != DUMP_COLUMN_TIME))
		return fail(e, -EBADMSG, DUMP_INDEX ": card %d has no time stamp", c->index);
	return 0;
}

static int get_index(const struct json *doc, struct dump_index *x, struct error *e)
{
	const char *format = json_get_text(json_get(doc, "format"));
	const struct json *host = json_get(doc, "host"), *node;
	int err = 0;

	if (!format || strcmp(format, "tt-smi dump") != 0)
		return fail(e, -EBADMSG, DUMP_INDEX ": is not the index of a dump");
	if (get_whole(doc, "version", 1, 1, 0) != 1)
		return fail_as(e, CODE_OTHER_VERSION, -EBADMSG, DUMP_INDEX ": is of a newer "
			"tt-smi; use that one");
	get_text(doc, "tool", x->tool, sizeof(x->tool));
	get_text(doc, "source", x->source, sizeof(x->source));
	get_text(doc, "boards", x->stand_in, sizeof(x->stand_in));
	json_get_bool(json_get(doc, "complete"), &x->complete);
	x->ended = json_get(doc, "ticks") != NULL;
	get_text(doc, "error", x->error, sizeof(x->error));
	x->counts.unsynced_most = get_ns(doc, "unsynced_most");
	x->start_real = get_ns(doc, "start_epoch");
	x->start_mono = get_ns(doc, "start_monotonic");
	x->interval = get_ns(doc, "interval");
	x->counts.ticks = (uint64_t)get_whole(doc, "ticks", 0, INT64_MAX, 0);
	x->counts.late = (uint64_t)get_whole(doc, "late", 0, INT64_MAX, 0);
	x->counts.lost = (uint64_t)get_whole(doc, "lost", 0, INT64_MAX, 0);
	get_text(host, "hostname", x->host.hostname, sizeof(x->host.hostname));
	get_text(host, "os", x->host.os, sizeof(x->host.os));
	get_text(host, "distro", x->host.distro, sizeof(x->host.distro));
	get_text(host, "kernel", x->host.kernel, sizeof(x->host.kernel));
	get_text(host, "platform", x->host.platform, sizeof(x->host.platform));
	get_text(host, "driver", x->host.driver, sizeof(x->host.driver));
	for (node = json_child(json_get(doc, "cards")); node && x->n < CARDS_MAX;
		node = json_next(node))
		x->n++;
	x->cards = mem_calloc(x->n + 1, sizeof(*x->cards));
	node = json_child(json_get(doc, "cards"));
	for (size_t i = 0; i < x->n && err == 0; i++, node = json_next(node))
		err = get_card(node, &x->cards[i], e);
	return err;
}

static bool part_is_there(const struct dump_card *c, unsigned part, const char *dir)
{
	char path[4300];
	struct stat st;

	dump_card_path(c, part, dir, path, sizeof(path));
	return lstat(path, &st) == 0;
}

/* If a dump was cut off right after a rotation, its index is older: look for the files. */
static void see_parts(struct dump_index *x, const char *dir)
{
	for (size_t i = 0; i < x->n; i++) {
		struct dump_card *c = &x->cards[i];

		if (!c->has_file || c->last == 0)
			continue;
		while (part_is_there(c, c->last + 1, dir))
			c->last++;
		while (c->first < c->last && !part_is_there(c, c->first, dir))
			c->first++;
	}
}

static int is_csv(const struct dirent *d)
{
	const size_t len = strlen(d->d_name), end = strlen(DUMP_FILE);

	return len > end && strcmp(d->d_name + len - end, DUMP_FILE) == 0;
}

/* The card of a file that dump_card_file() has named; false: it is another file. */
static bool parse_name(const char *name, struct dump_card *c)
{
	size_t len = strlen(name) - strlen(DUMP_FILE), digits = 0;

	*c = (struct dump_card){ .node = -1, .has_file = true, .extension = DUMP_FILE };
	while (digits < len && isdigit((unsigned char)name[len - digits - 1]))
		digits++;
	if (digits >= 4 && digits < 10 && digits < len && name[len - digits - 1] == '.') {
		c->first = c->last = (unsigned)strtoul(name + len - digits, NULL, 10);
		len -= digits + 1;
	}
	if (len >= sizeof(c->stem))
		return false;
	memcpy(c->stem, name, len);
	if (sscanf(c->stem, "%d_%31[^_]_%15s", &c->index, c->board, c->bdf) != 3)
		return false;
	if (strcmp(c->bdf, "remote") == 0)
		c->bdf[0] = '\0';
	for (char *p = c->bdf; (p = strchr(p, '-'));)
		*p = ':';
	return stem_is_safe(c->stem) && c->index >= 0;
}

/* Read the columns from the file's header; false: it is not that of a dump. */
static bool read_columns(const char *dir, struct dump_card *c)
{
	struct csv_reader *r;
	struct error e;
	const char *const *cells;
	char path[4300];
	size_t n = 0;

	dump_card_path(c, c->first, dir, path, sizeof(path));
	if (csv_read_open(path, &r, &e) < 0)
		return false;
	if (csv_read_row(r, &cells, &n, &e) == 1 && n <= DUMP_COLUMN_MAX)
		while (c->columns.n < n) {
			c->columns.c[c->columns.n] = dump_column_find(cells[c->columns.n]);
			c->columns.n++;
		}
	csv_read_close(r);
	return c->columns.n > 0 && c->columns.c[0].kind == DUMP_COLUMN_TIME;
}

/* False: no file of a dump is there. */
static bool rebuild(struct dump_index *x, const char *dir)
{
	struct dirent **names;
	const int n = scandir(dir, &names, is_csv, versionsort);

	*x = (struct dump_index){ .is_rebuilt = true,
		.cards = mem_calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*x->cards)) };
	for (int i = 0; i < n; i++) {
		struct dump_card *last = x->n ? &x->cards[x->n - 1] : NULL, *c = &x->cards[x->n];

		if (parse_name(names[i]->d_name, c)) {
			if (last && strcmp(last->stem, c->stem) == 0)
				last->last = c->last;
			else
				x->n += read_columns(dir, c);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return x->n > 0;
}

int dump_index_read(const char *dir, struct dump_index **out, struct error *e)
{
	struct dump_index *x = mem_calloc(1, sizeof(*x));
	struct json *doc = NULL;
	char path[4096], *text = NULL;
	struct error why;
	size_t len = 0;
	int err;

	snprintf(path, sizeof(path), "%s/" DUMP_INDEX, dir);
	err = file_read_all(path, JSON_MOST, &text, &len, e);
	if (err == 0 && json_parse(text, len, &doc, &why) < 0)
		err = fail_because(e, -EBADMSG, &why, "%s: %s", path, why.text);
	if (err == 0)
		err = get_index(doc, x, e);
	else if ((err == -EBADMSG || err == -ENOENT) && rebuild(x, dir))
		err = 0;
	if (x->is_rebuilt)
		mem_copy_text(x->error, sizeof(x->error), e->text);
	else if (err == 0 && !x->complete)
		see_parts(x, dir);
	json_free(doc);
	free(text);
	if (err < 0) {
		dump_index_free(x);
		return err;
	}
	*out = x;
	return 0;
}

void dump_index_free(struct dump_index *x)
{
	if (!x)
		return;
	free(x->cards);
	free(x);
}
