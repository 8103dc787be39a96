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

static void print_spellings(const struct option_row *row, char *buf, size_t size)
{
	int n = 0;

	for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
		n += snprintf(buf + n, size - (size_t)n, "%s%s%s", k ? ", " : "", dashes(row, k),
			row->names[k]);
	if (row->arg)
		snprintf(buf + n, size - (size_t)n, row->optional ? " [%s]" : " %s", row->arg);
}

/* Print text at this indent, broken at blanks into lines of this many cells; 0: never broken. */
static void print_wrapped(const char *text, size_t indent, size_t columns)
{
	struct strbuf line = { 0 };

	text_put_wrapped(&line, text, indent, columns);
	fputs(line.text, stdout);
	strbuf_clear(&line);
}

void options_print_row(const char *left, const char *help, size_t columns)
{
	const int indent = columns > 0 && columns < 60 ? 6 : 32;

	if ((int)strlen(left) + 4 > indent) {
		printf("  ");
		print_wrapped(left, 2, columns);
		printf("%*s", indent, "");
	} else {
		printf("  %-*s", indent - 2, left);
	}
	print_wrapped(help, (size_t)indent, columns);
}

void options_print_option(enum option_id id, size_t columns)
{
	char left[128];

	print_spellings(&option_rows[id], left, sizeof(left));
	options_print_row(left, option_rows[id].help, columns);
}

void options_print_help(size_t columns)
{
	printf("usage: tt-smi [options]\n\n");
	print_wrapped("Shows, records, tests and resets Tenstorrent cards. Without an option it is "
		      "the live display, or a plain overview where stdout is not a terminal.", 0,
		      columns);
	for (int g = OPTION_HIDDEN + 1; g < OPTION_REFERENCE; g++) {
		printf("\n%s:\n", group_titles[g]);
		for (size_t i = 0; i < OPTIONS; i++)
			if ((int)option_rows[i].group == g)
				options_print_option((enum option_id)i, columns);
	}
	putchar('\n');
	print_wrapped("Exit codes: 0 done, 1 failed, 2 usage, 3 no driver or device, 4 some "
		      "devices failed, 5 negative verdict, 6 refused. The manual (man tt-smi) "
		      "has the rest.", 0, columns);
	print_wrapped("Report bugs in " PACKAGE_BUGREPORT ".", 0, columns);
}

static void put_choices(const struct option_row *row)
{
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		printf("%s%s", i > 0 ? " " : "", row->choices[i]);
	putchar('\n');
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
