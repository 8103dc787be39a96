/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/metrics.h"

#include "base/text.h"

/* The length of the printable ASCII that needs no escape; nearly all values are made of it. */
static size_t plain_len(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f && text[n] != '\\' && text[n] != '"')
		n++;
	return n;
}

void series_put_escaped(struct strbuf *to, const char *text)
{
	while (*text) {
		const size_t plain = plain_len(text), n = plain ? plain : utf8_len_printed(text);

		if (*text == '\\' || *text == '"')
			strbuf_putc(to, '\\');
		strbuf_add(to, n ? text : "?", n ? n : 1);
		text += n ? n : 1;
	}
}

void series_put_label(struct strbuf *to, const char *name, const char *value)
{
	if (!*value)
		return;
	strbuf_putc(to, ',');
	strbuf_puts(to, name);
	strbuf_puts(to, "=\"");
	series_put_escaped(to, value);
	strbuf_putc(to, '"');
}

void series_begin(struct strbuf *to, const char *name, const struct metrics_chip *c)
{
	strbuf_puts(to, METRICS_PREFIX);
	strbuf_puts(to, name);
	strbuf_puts(to, c->labels);
}

void series_end(struct strbuf *to, int64_t value, int64_t scale)
{
	strbuf_puts(to, "} ");
	strbuf_put_decimal(to, value, scale);
	strbuf_putc(to, '\n');
}

size_t series_begin_metric(struct strbuf *to, const char *name, const char *type, const char *help,
	size_t *at)
{
	*at = to->len;
	strbuf_puts(to, "# HELP " METRICS_PREFIX);
	strbuf_puts(to, name);
	strbuf_putc(to, ' ');
	strbuf_puts(to, help);
	strbuf_puts(to, "\n# TYPE " METRICS_PREFIX);
	strbuf_puts(to, name);
	strbuf_putc(to, ' ');
	strbuf_puts(to, type);
	strbuf_putc(to, '\n');
	return to->len;
}

void series_put_name(struct strbuf *to, const char *name, const char *unit, const char *type,
	const char *help)
{
	strbuf_printf(to, METRICS_PREFIX "%-36s %-21s %-8s %s\n", name, *unit ? unit : "-", type,
		help);
}
