/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_fields.c - --fields help and --query help: every field there is, by group; --metrics help:
 * every metric.
 */
#include "config.h"
#include "output/metrics.h"
#include "output/query.h"
#include "src/mode.h"
#include "telemetry/field.h"

#include <stdio.h>

/* The unit column is padded by characters: a degree sign has two bytes. */
static void print_field(const struct field *f)
{
	int cells = 6;

	for (const char *p = f->unit; *p; p++)
		cells -= ((unsigned char)*p & 0xc0) != 0x80;
	printf("  %-22s %s%*s %s\n", f->key, f->unit, cells > 0 ? cells : 0, "", f->help);
}

static void print_head(const struct options *o)
{
	struct strbuf text = { 0 };

	if (o->query) {
		query_put_names(&text);
		printf("Fields for --query: keys, with commas between them.\n\n"
		       "Card\n%s", text.text);
		strbuf_clear(&text);
		return;
	}
	puts("Fields for --fields: keys, group names or \"all\", with commas between them.\n"
	     "A dump always has the twelve columns that the manual lists, and the limits of\n"
	     "the fields it has.");
}

static void print_metrics(void)
{
	struct strbuf text = { 0 };

	metrics_put_names(&text);
	fputs(text.text, stdout);
	strbuf_clear(&text);
}

enum exit_code mode_fields(const struct options *o)
{
	if (o->typed[OPT_METRICS]) {
		print_metrics();
		return EXIT_DONE;
	}
	print_head(o);
	for (int g = 0; g < FIELD_GROUPS; g++) {
		printf("\n%s\n", field_group_title((enum field_group)g));
		for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
			if (fields[f].group == g)
				print_field(&fields[f]);
	}
	return EXIT_DONE;
}
