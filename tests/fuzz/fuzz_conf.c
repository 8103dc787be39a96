/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_conf.c - the configuration, as --config-check and --config-print have it: each trouble names
 * a line that there is, nothing that is printed can command a terminal, and what was taken is the
 * same when it is printed and read again.
 */
#include "config.h"
#include "base/mem.h"
#include "src/conf/conf.h"
#include "src/mode.h"
#include "src/options.h"
#include "src/option_value.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void read_settings(struct options *o, const char *text, size_t len)
{
	size_t troubles;

	*o = (struct options){ .mode = MODE_CONFIG_PRINT, .modes = modes,
		.does = &modes[MODE_CONFIG_PRINT], .conf = mem_calloc(1, sizeof(*o->conf)) };
	options_set_usual(o);
	conf_add_text(o->conf, "f", text, len);
	must(o->conf->files[0].error.code == 0);
	troubles = o->conf->n_troubles;
	/* They would be said on stderr. */
	o->conf->n_troubles = 0;
	options_take_standing(o);
	o->conf->n_troubles = troubles;
}

static void check_plain(const struct strbuf *text)
{
	for (size_t i = 0; i < text->len; i++)
		must((unsigned char)text->text[i] >= ' ' || text->text[i] == '\n');
}

static void check_lines(const struct conf *c, const uint8_t *data, size_t size)
{
	size_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	must(c->n_troubles <= lines && c->n <= lines);
	for (size_t i = 0; i < c->n_troubles && i < CONF_TROUBLES; i++) {
		const unsigned long line = strtoul(c->troubles[i] + 2, NULL, 10);

		must(strncmp(c->troubles[i], "f:", 2) == 0 && line >= 1 && line <= lines);
	}
}

/* A long list is printed in parts, without the blanks between them. */
static bool is_same(const char *a, const char *b)
{
	do {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b)
			return false;
		b++;
	} while (*a++);
	return true;
}

static void check_again(const struct options *o, const struct strbuf *settings)
{
	struct options again;

	read_settings(&again, settings->text, settings->len);
	for (size_t i = 0; i < OPTIONS; i++) {
		must(!o->typed[i] == !again.typed[i] && !o->stands[i] == !again.stands[i]);
		must(!o->given[i] == !again.given[i]);
		must(!o->given[i] || is_same(o->given[i], again.given[i]));
	}
	options_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf settings = { 0 }, troubles = { 0 };
	struct options o;

	read_settings(&o, (const char *)data, size);
	check_lines(o.conf, data, size);
	conf_put_settings(&settings, &o);
	conf_put_troubles(&troubles, o.conf);
	check_plain(&settings);
	check_plain(&troubles);
	check_again(&o, &settings);
	strbuf_clear(&settings);
	strbuf_clear(&troubles);
	options_clear(&o);
	return 0;
}
