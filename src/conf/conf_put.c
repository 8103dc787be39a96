/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/conf/conf_put.h"

#include "base/ini_text.h"
#include "base/text.h"
#include "src/conf/conf.h"

#include <stdio.h>
#include <string.h>

#define VALUE_CELLS 36
#define LIST_PART   120		/* bytes of a list in a line */

static void put_plain(struct strbuf *to, const char *text)
{
	const size_t size = 4 * strlen(text) + 5;	/* a byte may become "\x1b" */

	strbuf_took(to, strchr(text_plain(strbuf_room(to, size), size, text), '\0'));
}

/* "name = value" and where that is from: after it, or on a line above if there is no room. */
static void put_line(struct strbuf *to, const char *lead, const char *name, const char *value,
	const char *from)
{
	struct strbuf line = { 0 }, source = { 0 };

	put_plain(&source, from);
	strbuf_puts(&line, lead);
	put_plain(&line, name);
	strbuf_puts(&line, " = ");
	put_plain(&line, value);
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
		put_plain(to, f->path);
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
		put_plain(to, c->troubles[i]);
		strbuf_putc(to, '\n');
	}
	if (c->n_troubles > CONF_TROUBLES)
		strbuf_printf(to, "and %zu more\n", c->n_troubles - CONF_TROUBLES);
	put_files(to, "", c);
}
