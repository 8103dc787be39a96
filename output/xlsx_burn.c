/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_burn.c - the sheet of a burn that the dump ran beside, from its report
 * in the folder: what was burnt, how it came out, and what runs it again.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include "base/array.h"
#include "base/file.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_MOST (16u << 20)	/* bytes */
#define PAGE_SCALE  75

struct page {
	struct book *b;
	const struct xlsx_lib *x;
	lxw_worksheet *ws;
	lxw_row_t row;
};

/* A column of a table: the key of its value in each line, or "object.key". */
struct col {
	const char *title, *key;
	int decimals;		/* -1: text */
};

static void put_text(struct page *p, size_t col, const char *text, lxw_format *format)
{
	p->x->worksheet_write_string(p->ws, p->row, (lxw_col_t)col, text, format);
}

static void put_value(struct page *p, size_t col, const struct json *node, int decimals)
{
	const char *text = json_get_text(node);
	double number;
	bool yes;

	if (text)
		put_text(p, col, text, p->b->text);
	else if (json_get_bool(node, &yes))
		put_text(p, col, yes ? "yes" : "no", p->b->text);
	else if (json_get_number(node, &number))
		p->x->worksheet_write_number(p->ws, p->row, (lxw_col_t)col, number,
			p->b->fixed[decimals < 0 ? 0 : decimals]);
	/* What is not known is an empty cell. */
}

static void put_fact(struct page *p, const char *name, const struct json *node, int decimals)
{
	put_text(p, 0, name, p->b->label);
	put_value(p, 1, node, decimals);
	p->row++;
}

static void put_heading(struct page *p, const struct col *cols, size_t n)
{
	p->row++;
	p->x->worksheet_set_row(p->ws, p->row, 32, NULL);
	for (size_t i = 0; i < n; i++)
		put_text(p, i, cols[i].title, cols[i].decimals < 0 ? p->b->heading_left :
			p->b->heading_right);
	p->row++;
}

static const struct json *find(const struct json *line, const char *key)
{
	const char *dot = strchr(key, '.');
	char object[40];

	if (!dot)
		return json_get(line, key);
	snprintf(object, sizeof(object), "%.*s", (int)(dot - key), key);
	return json_get(json_get(line, object), dot + 1);
}

static void put_line(struct page *p, const struct json *line, const struct col *cols, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_value(p, i, find(line, cols[i].key), cols[i].decimals);
	p->row++;
}

static void put_table(struct page *p, const struct json *lines, const struct col *cols, size_t n)
{
	const struct json *line = json_child(lines);

	if (line)
		put_heading(p, cols, n);
	for (; line; line = json_next(line))
		put_line(p, line, cols, n);
}

/* The rates of the whole are the host's: they are no facts of a burn without it. */
static bool has_host(const struct json *r)
{
	for (const struct json *t = json_child(json_get(r, "targets")); t; t = json_next(t))
		if (json_get(t, "work"))
			return true;
	return false;
}

static void put_head(struct page *p, const struct json *r)
{
	static const struct col rates[] = { { "Rate (GFLOP/s)", "gflops", 1 },
		{ "Peak (GFLOP/s)", "peak_gflops", 1 }, { "Of the peak (%)", "peak_percent", 1 },
		{ "Memory (GB/s)", "memory_gb_per_s", 2 }, { "Seed", "settings.seed", -1 } };
	static const struct col facts[] = {
		{ "Wrong words", "errors", 0 }, { "Begun", "begun", -1 },
		{ "Duration (s)", "seconds", 1 }, { "To run it again", "command", -1 },
		{ "Version", "version", -1 }, { "Kernel", "kernel", -1 },
		{ "Processor features", "cpu_features", -1 },
	};

	p->x->worksheet_set_row(p->ws, 0, 28, NULL);
	put_text(p, 0, "Burn-in", p->b->title);
	p->row = 2;
	put_fact(p, "Verdict", json_get(r, "verdict"), -1);
	for (size_t i = 0; has_host(r) && i < ARRAY_LEN(rates); i++)
		put_fact(p, rates[i].title, find(r, rates[i].key), rates[i].decimals);
	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		put_fact(p, facts[i].title, json_get(r, facts[i].key), facts[i].decimals);
}

/* What was asked for, and what was done of it. */
static void put_coverage(struct page *p, const struct json *coverage)
{
	static const struct col cols[] = { { "Coverage", "", -1 }, { "Asked for", "asked", 0 },
		{ "Done", "done", 0 } };

	if (json_child(coverage))
		put_heading(p, cols, ARRAY_LEN(cols));
	for (const struct json *c = json_child(coverage); c; c = json_next(c)) {
		/* Seconds have a part. */
		const int decimals = strcmp(json_key(c), "seconds") == 0 ? 2 : 0;

		put_text(p, 0, json_key(c), p->b->text);
		put_value(p, 1, json_get(c, "asked"), decimals);
		put_value(p, 2, json_get(c, "done"), decimals);
		p->row++;
	}
}

static void put_host(struct page *p, const struct json *t)
{
	static const struct col rules[] = { { "Operands", "operands", -1 },
		{ "Sums", "accumulation", -1 } };
	static const struct col memory[] = { { "Memory tested (bytes)", "bytes", 0 },
		{ "Compared (bytes)", "bytes_compared", 0 }, { "Passes", "passes", 0 },
		{ "In order (GB/s)", "in_order_gb_per_s", 2 },
		{ "At random (GB/s)", "random_order_gb_per_s", 2 },
		{ "One value (GB/s)", "ceiling_gb_per_s", 2 },
		{ "Swapped out (bytes)", "bytes_swapped_out", 0 },
		{ "Not locked", "not_locked", -1 } };
	static const struct col work[] = { { "Work", "operation", -1 }, { "Type", "dtype", -1 },
		{ "Implementation", "implementation", -1 }, { "Blocks", "blocks", 0 },
		{ "Rate (GFLOP/s)", "gflops", 1 } };
	static const struct col wrong[] = { { "Wrong word in", "operation", -1 },
		{ "Type", "dtype", -1 }, { "What", "what", -1 }, { "Thread", "thread", 0 },
		{ "CPU", "cpu", 0 }, { "Index", "index", 0 }, { "Got", "got", -1 },
		{ "Want", "want", -1 }, { "After (s)", "seconds", 3 },
		{ "Address", "address", -1 }, { "Physical", "physical", -1 } };

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		put_fact(p, rules[i].title, json_get(t, rules[i].key), -1);
	put_table(p, json_get(t, "work"), work, ARRAY_LEN(work));
	if (json_get(t, "memory")) {
		put_heading(p, memory, ARRAY_LEN(memory));
		put_line(p, json_get(t, "memory"), memory, ARRAY_LEN(memory));
	}
	put_table(p, json_get(t, "mismatches"), wrong, ARRAY_LEN(wrong));
}

static void put_card(struct page *p, const struct json *t)
{
	static const struct col facts[] = { { "Operands", "card_settings.operands", -1 },
		{ "Sums", "card_settings.accumulation", -1 }, { "Type", "card_settings.dtype", -1 },
		{ "Seed", "card_settings.seed", -1 },
		{ "Phases of fidelity", "card_settings.phases", 0 },
		{ "Rate (TFLOP/s)", "tflops", 1 },
		{ "Documented peak (TFLOP/s)", "documented_peak_tflops", 1 },
		{ "MVMUL per cycle", "mvmul_per_cycle", 3 },
		{ "Blocks by the cores", "blocks", 0 },
		{ "Blocks by the host", "blocks_by_host", 0 },
		{ "Load (s)", "run_seconds", 1 }, { "Kernel", "kernel_status", -1 },
		{ "Second chip, not burnt", "second_chip_not_burnt", -1 } };
	static const struct col memory[] = { { "Memory of a channel (bytes)",
		"bytes_of_a_channel", 0 }, { "Iterations", "iterations", 0 },
		{ "Written (bytes)", "bytes_written", 0 }, { "Read (bytes)", "bytes_read", 0 } };

	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		put_fact(p, facts[i].title, find(t, facts[i].key), facts[i].decimals);
	if (json_is_object(json_get(t, "memory"))) {
		put_heading(p, memory, ARRAY_LEN(memory));
		put_line(p, json_get(t, "memory"), memory, ARRAY_LEN(memory));
	}
}

static void put_tables(struct page *p, const struct json *r)
{
	static const struct col targets[] = { { "Target", "target", -1 },
		{ "Verdict", "verdict", -1 }, { "Wrong words", "errors", 0 },
		{ "Words verified", "words_verified", 0 }, { "Reason", "reason", -1 } };
	static const struct col sensors[] = { { "Sensor of the host", "sensor", -1 },
		{ "Unit", "unit", -1 }, { "Lowest", "least", 1 }, { "Highest", "most", 1 },
		{ "Limit", "limit", 1 } };
	static const struct col rules[] = { { "Limit that ends a burn", "rule", -1 },
		{ "Watched", "applied", -1 } };

	put_table(p, json_get(r, "targets"), targets, ARRAY_LEN(targets));
	for (const struct json *t = json_child(json_get(r, "targets")); t; t = json_next(t)) {
		p->row++;
		put_text(p, 0, json_get_text(json_get(t, "target")), p->b->label);
		p->row++;
		if (json_get(t, "work"))
			put_host(p, t);
		else if (json_get(t, "card_settings"))
			put_card(p, t);
		put_coverage(p, json_get(t, "coverage"));
	}
	put_table(p, json_get(r, "host_sensors"), sensors, ARRAY_LEN(sensors));
	put_table(p, json_get(r, "stop_rules"), rules, ARRAY_LEN(rules));
}

int book_put_burn(struct book *b, const char *dir, struct error *e)
{
	struct page p = { .b = b, .x = b->lib };
	struct json *report = NULL;
	char path[4300], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, dir);
	err = file_read_all(path, REPORT_MOST, &text, &len, e);
	/* No burn, or its report has gone: the rest is as good. */
	if (err < 0)
		return 0;
	err = json_parse(text, len, &report, e);
	free(text);
	if (err < 0)
		return 0;
	p.ws = b->lib->workbook_add_worksheet(b->wb, "Burn-in");
	if (!p.ws) {
		json_free(report);
		return fail(e, -EIO, "workbook: cannot add a sheet");
	}
	p.x->worksheet_gridlines(p.ws, LXW_HIDE_ALL_GRIDLINES);
	book_set_page(b, p.ws, PAGE_SCALE);
	p.x->worksheet_set_tab_color(p.ws, 0x7a3b1f);
	p.x->worksheet_set_column(p.ws, 0, 0, 34, NULL);
	p.x->worksheet_set_column(p.ws, 1, 8, 16, NULL);
	put_head(&p, report);
	put_tables(&p, report);
	json_free(report);
	return 0;
}
