/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure_text.c - puts figures into sentences.  A line of text is data that names the figures
 * it needs.
 */
#include "config.h"
#include "telemetry/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };

static void put_number(struct strbuf *to, const struct figure_value *v, bool hex,
	const char *format)
{
	const double x = figure_number(v);
	char *rest;
	const int width = (int)strtol(format, &rest, 10);
	const int decimals = *rest == '.' ? (int)strtol(rest + 1, &rest, 10) : 0;

	if (hex)
		strbuf_printf(to, "0x%0*llx", width, (unsigned long long)v->n);
	else if (*rest == 's')
		strbuf_puts(to, v->n == v->scale ? "" : "s");
	else if (*rest == 'M')
		decimals ? strbuf_printf(to, "%*.*f", width, decimals, x / MIB) :
			strbuf_printf(to, "%*lld", width, (long long)(v->n / v->scale / MIB));
	else
		strbuf_printf(to, "%*.*f", width, decimals, x);
}

static bool put_figure(struct strbuf *to, const struct figures *f, const char *word, size_t len)
{
	const char asks = *word == '?' || *word == '!' ? *word++ : 0;
	const struct figure_value *v;
	const struct figure *row;
	char key[80], *format, *otherwise;

	snprintf(key, sizeof(key), "%.*s", (int)(len - (asks != 0)), word);
	format = strchr(key, ':');
	if (format)
		*format++ = '\0';
	v = figures_find(f, key, &row);
	if (asks)
		return (asks == '?') == (v && v->state == FIGURE_KNOWN && (v->text || v->n != 0 ||
			v->n_nodes > 0));
	otherwise = format ? strchr(format, '|') : NULL;
	if (!v || v->state != FIGURE_KNOWN) {
		if (otherwise)
			strbuf_printf(to, "%*s", (int)strtol(format, NULL, 10), otherwise + 1);
		return otherwise;
	}
	if (v->text)
		strbuf_printf(to, "%*s", format ? (int)strtol(format, NULL, 10) : 0, v->text);
	else
		put_number(to, v, row->hex, format ? format : "");
	return true;
}

/* Write up to the end or the closing bracket; take all of it back if a figure is missing. */
static bool put_part(struct strbuf *to, const struct figures *f, const char **at)
{
	const size_t from = to->len;
	bool all = true;

	for (; **at && **at != ']'; (*at)++) {
		const char *word = *at + 1, *end = **at == '{' ? strchr(word, '}') : NULL;

		if (**at == '[') {
			++*at;
			put_part(to, f, at);
		} else if (end) {
			all = put_figure(to, f, word, (size_t)(end - word)) && all;
			*at = end;
		} else {
			*at += **at == '\\';
			strbuf_putc(to, **at);
		}
	}
	if (!all)
		to->len = from;
	return all;
}

bool figures_put_text(struct strbuf *to, const struct figures *f, const char *text)
{
	const bool all = put_part(to, f, &text);

	if (to->text)
		to->text[to->len] = '\0';
	return all;
}

static void put_list(struct strbuf *to, const struct figures *f, const char *line)
{
	const char *text = strchr(line, '}') + 1, *most = memchr(line, ':', (size_t)(text - line));
	const struct figure_value *v;
	size_t written = 0;
	char key[80];

	snprintf(key, sizeof(key), "%.*s", (int)((most ? most : text - 1) - line - 2), line + 2);
	v = figures_find(f, key, NULL);
	for (size_t i = 0; v && i < v->n_nodes; i++) {
		const size_t from = to->len;

		figures_put_text(to, &v->nodes[i], text);
		written += to->len > from;
		if (!most || written <= strtoul(most + 1, NULL, 10))
			continue;
		to->len = from;
		strbuf_puts(to, "  and more\n");
		return;
	}
}

void figures_put_lines(struct strbuf *to, const struct figures *f, const char *const *lines,
	size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(lines[i], "{@", 2) == 0)
			put_list(to, f, lines[i]);
		else
			figures_put_text(to, f, lines[i]);
}
