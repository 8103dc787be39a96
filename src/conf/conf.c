/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/conf/conf.h"

#include "base/file.h"
#include "base/ini_text.h"
#include "base/mem.h"
#include "base/text.h"
#include "src/option_value.h"
#include "src/options.h"
#include "telemetry/alerts.h"
#include "ui/tab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONF_SYSTEM "/etc/tt-smi.conf"
#define CONF_MOST   (64 << 10)	/* bytes of a file */

static int conf_check_alert(const char *name, const char *value, struct error *e)
{
	struct alerts_rule rule;

	return alerts_parse(name, value, &rule, e);
}

static int conf_check_columns(const char *name, const char *value, struct error *e)
{
	uint64_t left_out;
	enum ui_tab tab;

	return tab_find(name, &tab, e) < 0 ? e->code : tab_choose(tab, value, &left_out, e);
}

const struct conf_section conf_sections[] = {
	{ "alerts", conf_check_alert, ALERTS_RULES },
	{ "columns", conf_check_columns, 0 },
	{ NULL, NULL, 0 }
};

/* The file that is being read. */
struct conf_reader {
	struct conf *conf;
	const char *path;
	size_t file;
	char unknown[64];	/* the last section that was reported as unknown */
};

static void conf_say_line(struct conf_reader *r, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void conf_say_line(struct conf_reader *r, size_t line, const char *fmt, ...)
{
	struct conf *c = r->conf;
	struct strbuf text = { 0 };
	char why[400];
	va_list args;

	c->files[r->file].n_troubles++;
	if (c->n_troubles++ >= CONF_TROUBLES)
		return;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	strbuf_printf(&text, "%s:%zu: %s", r->path, line, why);
	c->troubles[c->n_troubles - 1] = text.text;
}

static void conf_take_trouble(void *arg, size_t line, const char *why)
{
	conf_say_line(arg, line, "%s", why);
}

static void conf_add_line(struct conf_reader *r, size_t line, enum option_id id,
	const char *section, const char *name, const char *value)
{
	struct conf *c = r->conf;
	struct strbuf where = { 0 };

	if (c->n == CONF_MOST_LINES) {
		conf_say_line(r, line, "is one too many: %d lines are taken", CONF_MOST_LINES);
		return;
	}
	strbuf_printf(&where, "%s:%zu", r->path, line);
	c->lines = mem_realloc(c->lines, (c->n + 1) * sizeof(*c->lines));
	c->lines[c->n++] = (struct conf_line){ .id = id, .section = mem_dup_text(section),
		.name = mem_dup_text(name), .value = mem_dup_text(value),
		.where = where.text, .file = r->file };
}

/* The first line of this name and section in the files from `first` to before `end`, or NULL. */
static const struct conf_line *conf_find(const struct conf *c, size_t first, size_t end,
	const char *section, const char *name)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct conf_line *line = &c->lines[i];

		if (line->file >= first && line->file < end && strcmp(line->name, name) == 0 &&
			strcmp(line->section, section) == 0)
			return line;
	}
	return NULL;
}

static bool conf_is_full(const struct conf_reader *r, const struct conf_section *section,
	const char *name)
{
	const struct conf_line *line = NULL;
	size_t n = 0;

	while ((line = conf_next(r->conf, section->name, line)))
		n++;
	return section->most && n >= section->most &&
		!conf_find(r->conf, 0, r->file, section->name, name);
}

static void conf_take_section(struct conf_reader *r, size_t line, const char *section,
	const char *name, const char *value)
{
	const struct conf_line *same = conf_find(r->conf, r->file, r->file + 1, section,
		name);
	const struct conf_section *known = conf_sections;
	struct error e = { 0 };

	while (known->name && strcmp(known->name, section) != 0)
		known++;
	if (same) {
		conf_say_line(r, line, "%s: stands in %s already", name, same->where);
	} else if (known->check && known->check(name, value, &e) < 0) {
		conf_say_line(r, line, "%s", e.text);
	} else if (known->name && conf_is_full(r, known, name)) {
		conf_say_line(r, line, "at most %zu %s can be watched", known->most, known->name);
	} else if (known->name) {
		conf_add_line(r, line, OPTIONS, section, name, value);
	} else if (strcmp(r->unknown, section) != 0) {
		mem_copy_text(r->unknown, sizeof(r->unknown), section);
		conf_say_line(r, line, "no section is named [%s]; there are [%s] and [%s]",
			section, conf_sections[0].name, conf_sections[1].name);
	}
}

static enum option_id conf_find_key(const char *name)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_rows[i].key && strcmp(option_rows[i].key, name) == 0)
			return (enum option_id)i;
	return OPTIONS;
}

/* A line of this file that cannot be used together with that option; NULL: there is none. */
static const struct conf_line *conf_find_conflict(const struct conf_reader *r, enum option_id id)
{
	const struct conf *c = r->conf;

	for (size_t i = 0; i < c->n; i++)
		if (c->lines[i].file == r->file && c->lines[i].id < OPTIONS &&
			option_is_on(&option_rows[c->lines[i].id], c->lines[i].value) &&
			option_excludes(id, c->lines[i].id))
			return &c->lines[i];
	return NULL;
}

static void conf_take_key(struct conf_reader *r, size_t line, const char *name, const char *value)
{
	const enum option_id id = conf_find_key(name);
	const struct option_row *row = &option_rows[id];
	const struct conf_line *other;
	const char *near;
	char trouble[300];

	if (id == OPTIONS) {
		near = option_nearest_key(name);
		conf_say_line(r, line, "no key is named '%.40s'%s%s%s", name,
			near ? "; is " : "", near ? near : "", near ? " meant?" : "");
		return;
	}
	if (row->kind == OPTION_PATH && r->conf->o && !option_fits_mode(r->conf->o, row))
		return;
	other = conf_find(r->conf, r->file, r->file + 1, "", name);
	if (other && row->kind != OPTION_LIST && row->kind != OPTION_SET) {
		conf_say_line(r, line, "%s: stands in %s already", name, other->where);
	} else if (!option_can_stand(row, value, trouble, sizeof(trouble))) {
		conf_say_line(r, line, "%s: %s", name, trouble);
	} else {
		other = option_is_on(row, value) ? conf_find_conflict(r, id) : NULL;
		if (other)
			conf_say_line(r, line, "%s: cannot be used together with %s of %s", name,
				other->name, other->where);
		else
			conf_add_line(r, line, id, "", name, value);
	}
}

static void conf_take(void *arg, size_t line, const char *section, const char *name,
	const char *value)
{
	struct conf_reader *r = arg;

	if (!*name)
		conf_say_line(r, line, "has no name before its =");
	else if (*section)
		conf_take_section(r, line, section, name, value);
	else if (!*value)
		conf_say_line(r, line, "%.40s: has no value", name);
	else
		conf_take_key(r, line, name, value);
}

void conf_add_text(struct conf *c, const char *path, const char *text, size_t len)
{
	static const struct ini_text_ops ops = { conf_take, conf_take_trouble };
	struct conf_reader r = { .conf = c, .path = path, .file = c->n_files };
	struct conf_file *f = &c->files[c->n_files++];

	f->path = mem_dup_text(path);
	ini_text_read(text, len, &ops, &r, &f->error);
}

/* A file that was not named by the user may be missing. */
static void conf_add_file(struct conf *c, const char *path, bool named)
{
	struct error e = { 0 };
	char *text = NULL;
	size_t len;
	int fd = file_open_own(path, &e);

	if (fd >= 0) {
		file_read_open(fd, path, CONF_MOST, &text, &len, &e);
		close(fd);
	}
	if (text) {
		conf_add_text(c, path, text, len);
		free(text);
		return;
	}
	c->files[c->n_files++] = (struct conf_file){ .path = mem_dup_text(path), .error = e };
	if (named || (e.code != -ENOENT && e.code != -ENOTDIR))
		return;
	c->files[c->n_files - 1].missing = true;
	c->files[c->n_files - 1].error.code = 0;
}

/* False: there is no such folder, or its name is too long. */
static bool conf_user_path(char *path, size_t size)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = -1;

	/* A relative XDG_CONFIG_HOME is to be ignored, says its specification. */
	if (xdg && *xdg == '/')
		n = snprintf(path, size, "%s/tt-smi/tt-smi.conf", xdg);
	else if (home && *home == '/')
		n = snprintf(path, size, "%s/.config/tt-smi/tt-smi.conf", home);
	return n > 0 && (size_t)n < size;
}

struct conf *conf_open(const struct options *o)
{
	const char *only = getenv("TT_SMI_CONFIG");
	struct conf *c = mem_calloc(1, sizeof(*c));
	char path[2048];

	c->o = o;
	if (only && *only)
		conf_add_file(c, only, true);
	if (!only && conf_user_path(path, sizeof(path)))
		conf_add_file(c, path, false);
	if (!only)
		conf_add_file(c, CONF_SYSTEM, false);
	return c;
}

struct conf *conf_open_file(const char *path)
{
	struct conf *c = mem_calloc(1, sizeof(*c));

	conf_add_file(c, path, true);
	return c;
}

void conf_free(struct conf *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->lines[i].section);
		free(c->lines[i].name);
		free(c->lines[i].value);
		free(c->lines[i].where);
	}
	free(c->lines);
	for (size_t i = 0; i < c->n_files; i++)
		free(c->files[i].path);
	for (size_t i = 0; i < c->n_troubles && i < CONF_TROUBLES; i++)
		free(c->troubles[i]);
	free(c);
}

const struct conf_line *conf_next(const struct conf *c, const char *section,
	const struct conf_line *after)
{
	const struct conf_line *line = after ? after + 1 : c ? c->lines : NULL;

	for (; line && line < c->lines + c->n; line++)
		if (strcmp(line->section, section) == 0 &&
			!conf_find(c, 0, line->file, section, line->name))
			return line;
	return NULL;
}

#define VALUE_CELLS 36
#define LIST_PART   120		/* bytes of a list in a line */

/* "name = value" and where that is from: after it, or on a line above if there is no room. */
static void put_line(struct strbuf *to, const char *lead, const char *name, const char *value,
	const char *from)
{
	struct strbuf line = { 0 }, source = { 0 };

	text_put_plain(&source, from);
	strbuf_puts(&line, lead);
	text_put_plain(&line, name);
	strbuf_puts(&line, " = ");
	text_put_plain(&line, value);
	if (line.len + source.len + 3 > INI_TEXT_MOST && line.len + 3 > VALUE_CELLS)
		strbuf_printf(to, "# %s\n%s\n", source.text, line.text);
	else
		strbuf_printf(to, "%-*s ; %s\n", VALUE_CELLS, line.text, source.text);
	strbuf_clear(&source);
	strbuf_clear(&line);
}

/* Split a list that is longer than a line. */
static void put_setting(struct strbuf *to, const char *lead, const char *name, const char *value,
	const char *from)
{
	char part[LIST_PART + 1];

	while (strlen(value) > LIST_PART) {
		size_t len = LIST_PART;

		while (len > 0 && value[len] != ',')
			len--;
		if (len == 0)
			break;
		snprintf(part, sizeof(part), "%.*s", (int)len, value);
		put_line(to, lead, name, part, from);
		value += len + 1;
	}
	put_line(to, lead, name, value, from);
}

/* The default.  It is commented out, so it may be words instead of a value. */
static void put_default(struct strbuf *to, const struct option_row *row)
{
	const char *value = row->unset ? row->unset : row->kind == OPTION_FLAG ? "no" :
		row->choices[0];

	put_setting(to, ";", row->key, value, "default");
}

static void put_key(struct strbuf *to, const struct options *o, const struct option_row *row)
{
	const size_t i = (size_t)(row - option_rows);
	struct strbuf from = { 0 };

	if (o->stands[i])
		strbuf_puts(&from, o->stands[i]);
	else if (o->typed[i])
		strbuf_add(&from, o->typed[i], strcspn(o->typed[i], "="));
	if (from.len == 0)
		put_default(to, row);
	else if (row->kind == OPTION_FLAG)
		put_setting(to, "", row->key, o->typed[i] ? "yes" : "no", from.text);
	else
		put_setting(to, "", row->key, o->given[i], from.text);
	strbuf_clear(&from);
}

static void put_section(struct strbuf *to, const struct conf *c, const char *section)
{
	const struct conf_line *line = conf_next(c, section, NULL);

	if (line)
		strbuf_printf(to, "\n[%s]\n", section);
	for (; line; line = conf_next(c, section, line))
		put_setting(to, "", line->name, line->value, line->where);
}

/* Each file that was read, or is not there. */
static void put_files(struct strbuf *to, const char *lead, const struct conf *c)
{
	for (size_t i = 0; i < c->n_files; i++) {
		const struct conf_file *f = &c->files[i];

		if (f->error.code < 0)
			continue;
		strbuf_puts(to, lead);
		text_put_plain(to, f->path);
		if (f->missing)
			strbuf_puts(to, ": is not there\n");
		else if (f->n_troubles == 0)
			strbuf_puts(to, ": nothing is wrong\n");
		else
			strbuf_printf(to, ": %zu line%s wrong\n", f->n_troubles,
				f->n_troubles == 1 ? " is" : "s are");
	}
	if (c->n_files == 0)
		strbuf_printf(to, "%sno file: TT_SMI_CONFIG is empty\n", lead);
}

void conf_put_settings(struct strbuf *to, const struct options *o)
{
	put_files(to, "# ", o->conf);
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_rows[i].key)
			put_key(to, o, &option_rows[i]);
	for (size_t i = 0; conf_sections[i].name; i++)
		put_section(to, o->conf, conf_sections[i].name);
}

void conf_put_troubles(struct strbuf *to, const struct conf *c)
{
	for (size_t i = 0; i < c->n_troubles && i < CONF_TROUBLES; i++) {
		text_put_plain(to, c->troubles[i]);
		strbuf_putc(to, '\n');
	}
	if (c->n_troubles > CONF_TROUBLES)
		strbuf_printf(to, "and %zu more\n", c->n_troubles - CONF_TROUBLES);
	put_files(to, "", c);
}
