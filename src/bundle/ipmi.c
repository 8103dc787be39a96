/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/bundle/bundle.h"

#include "base/array.h"
#include "base/mem.h"
#include "device/kind.h"
#include "reset/outside/ipmi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT (256 << 10)

static bool is_galaxy(const struct bus *bus)
{
	for (size_t i = 0; i < bus->n; i++)
		if (bus->dev[i].local < 0 && galaxy_tray(&bus->dev[i], NULL))
			return true;
	return false;
}

/* Whether a line identifies one individual part, not just its kind. */
static bool names_it(const char *line)
{
	static const char *const marks[] = { "Serial", "Asset Tag", "GUID", "UUID" };

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (strstr(line, marks[i]))
			return true;
	return false;
}

static void put_lines(struct bundle *b, const char *path, char *output)
{
	struct strbuf text = { 0 };

	for (char *save, *line = strtok_r(output, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save))
		if (!b->o->external || !names_it(line)) {
			strbuf_puts(&text, line);
			strbuf_putc(&text, '\n');
		}
	bundle_put(b, path, text.text ? text.text : "", text.len);
	strbuf_clear(&text);
}

void bundle_put_ipmi(struct bundle *b, int64_t until)
{
	static const struct {
		const char *words[2], *path;
	} asked[] = {
		{ { "fru", "print" }, "ipmi/fru.txt" },
		{ { "sel", "list" }, "ipmi/sel.txt" },
	};
	const struct bus *bus = b->session->bus;
	/* This machine's controller knows nothing about another machine's tree. */
	const bool is_here = strcmp(bus_source(bus), "kmd") != 0 || strcmp(bus->root, "/") == 0;
	struct ipmi ipmi = { 0 };
	char *output;
	struct error e;

	if (!is_galaxy(bus) || strcmp(bus_source(bus), "replay") == 0 || !is_here)
		return;
	if (ipmi_find_of(bus, &ipmi, &e) < 0) {
		bundle_miss(b, "ipmi", e.word, "%s", e.text);
		return;
	}
	if (!*ipmi.program) {
		bundle_miss(b, "ipmi", CODE_SIMULATED, "these cards are simulated: they have no "
			"controller");
		return;
	}
	output = mem_calloc(1, OUTPUT);
	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		*output = '\0';
		if (ipmi_print(&ipmi, asked[i].words, until, output, OUTPUT, &e) < 0)
			bundle_miss(b, asked[i].path, e.word, "%s", e.text);
		if (*output)
			put_lines(b, asked[i].path, output);
	}
	free(output);
}
