/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_help.c - texts from the table of options: -h, and the names that messages use.
 */
#include "config.h"
#include "src/option_table.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const group_titles[OPTION_REFERENCE] = {
	[OPTION_MODES] = "Modes",
	[OPTION_LIVE] = "Live display",
	[OPTION_ONCE] = "Snapshot and list",
	[OPTION_DUMPS] = "Dump",
	[OPTION_METRICS] = "Metrics",
	[OPTION_RESETS] = "Reset",
	[OPTION_ACTS] = "Burn-in",
	[OPTION_CARDS] = "Which cards, and how they may be read",
	[OPTION_SOURCES] = "Where cards come from",
	[OPTION_ACCEPTED] = "Accepted for today's callers",
};

/* One dash for a short spelling that a longer one follows. */
static const char *dashes(const struct option_row *row, size_t k)
{
	return k > 0 || !row->names[1] || strlen(row->names[k]) > 3 ? "--" : "-";
}

const char *option_spell(enum option_id id, size_t k, char *buf, size_t size)
{
	const struct option_row *row = &option_rows[id];

	snprintf(buf, size, "%s%s", dashes(row, k), row->names[k]);
	return buf;
}

const char *option_spelling(enum option_id id, char *buf, size_t size)
{
	return option_spell(id, 0, buf, size);
}

const char *option_mode_name(enum mode mode, char *buf, size_t size)
{
	snprintf(buf, size, "the live display");
	for (size_t i = 0; i < OPTIONS && mode != MODE_LIVE; i++)
		if (option_rows[i].mode == mode)
			return option_spelling((enum option_id)i, buf, size);
	return buf;
}

static void spell_all(const struct option_row *row, char *buf, size_t size)
{
	int n = 0;

	for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
		n += snprintf(buf + n, size - (size_t)n, "%s%s%s", k ? ", " : "", dashes(row, k),
			row->names[k]);
	if (row->arg)
		snprintf(buf + n, size - (size_t)n, row->optional ? " [%s]" : " %s", row->arg);
}

void options_put_row(struct strbuf *to, const char *left, const char *help, size_t columns)
{
	const size_t indent = columns > 0 && columns < 60 ? 6 : 32;

	strbuf_puts(to, "  ");
	if (strlen(left) + 4 > indent) {
		text_put_wrapped(to, left, 2, columns);
		strbuf_put_times(to, " ", indent);
	} else {
		strbuf_printf(to, "%-*s", (int)indent - 2, left);
	}
	text_put_wrapped(to, help, indent, columns);
}

void options_put_option(struct strbuf *to, enum option_id id, size_t columns)
{
	char left[128];

	spell_all(&option_rows[id], left, sizeof(left));
	options_put_row(to, left, option_rows[id].help, columns);
}

void options_put_help(struct strbuf *to, size_t columns)
{
	strbuf_puts(to, "usage: tt-smi [options]\n\n");
	text_put_wrapped(to, "Shows, records, tests and resets Tenstorrent cards. Without an "
		"option it is the live display, or a plain overview where stdout is not a "
		"terminal.", 0, columns);
	for (int g = OPTION_HIDDEN + 1; g < OPTION_REFERENCE; g++) {
		strbuf_printf(to, "\n%s:\n", group_titles[g]);
		for (size_t i = 0; i < OPTIONS; i++)
			if ((int)option_rows[i].group == g)
				options_put_option(to, (enum option_id)i, columns);
	}
	strbuf_putc(to, '\n');
	text_put_wrapped(to, "Exit codes: 0 done, 1 failed, 2 usage, 3 no driver or device, 4 some "
		      "devices failed, 5 negative verdict, 6 refused. The manual (man tt-smi) "
		      "has the rest.", 0, columns);
	text_put_wrapped(to, "Report bugs in " PACKAGE_BUGREPORT ".", 0, columns);
}

static void put_choices(const struct option_row *row)
{
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		printf("%s%s", i > 0 ? " " : "", row->choices[i]);
	puts(row->writes ? "\twrites" : "");
}

void options_print_table(void)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			if (row->group != OPTION_HIDDEN) {
				printf("%s\t%s\t%s\t", row->names[k], row->arg ? row->arg : "",
					row->help);
				put_choices(row);
			}
	}
}
