/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_figure.c - figures: a row says all, values outlive what they were taken from, a text
 * says what it needs, and a report that is read back says the same once more.
 */
#include "config.h"
#include "base/array.h"
#include "output/figure_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct engine {
	const char *name;
	double rate;
	uint64_t rounds, address;
	bool is_fine;
	int place;
	const char *const *words;
	struct figure_amount heat;
};

struct word {
	const char *text;
	int length;
};

static enum figure_fill fill_word(const void *above, size_t i, void *view)
{
	const char *text = (*(const char *const *const *)above)[i];

	if (!text)
		return FIGURE_END;
	*(struct word *)view = (struct word){ text, (int)strlen(text) };
	return *text ? FIGURE_TAKE : FIGURE_SKIP;
}

static const struct figure word_rows[] = {
	{ "text", "Word", FIGURE_STRING, .at = offsetof(struct word, text) },
	{ "length", NULL, FIGURE_INT, .at = offsetof(struct word, length) },
	{ .kind = FIGURE_NONE },
};
static const struct figure_group words = { word_rows, .fill = fill_word,
	.size = sizeof(struct word) };
static const struct figure_group names = { .rows = (const struct figure[]){
	{ "text", NULL, FIGURE_STRING, .at = offsetof(struct word, text), .hidden = true },
	{ "length", NULL, FIGURE_INT, .at = offsetof(struct word, length) },
	{ .kind = FIGURE_NONE } }, .fill = fill_word, .size = sizeof(struct word) };
static const struct figure_group plain = { .rows = (const struct figure[]){
	{ .kind = FIGURE_STRING, .at = offsetof(struct word, text) },
	{ .kind = FIGURE_NONE } }, .fill = fill_word, .size = sizeof(struct word) };

static enum figure_fill fill_absent(const void *above, size_t i, void *view)
{
	(void)above;
	(void)i;
	(void)view;
	return FIGURE_END;
}

static enum figure_fill fill_unknown(const void *above, size_t i, void *view)
{
	(void)above;
	(void)i;
	(void)view;
	return FIGURE_SKIP;
}

static const struct figure_group absent = { word_rows, .fill = fill_absent,
	.size = sizeof(struct word) };
static const struct figure_group unknown = { word_rows, .fill = fill_unknown,
	.size = sizeof(struct word) };

static const struct figure_group part = { .rows = (const struct figure[]){
	{ "rounds", NULL, FIGURE_U64, .at = offsetof(struct engine, rounds) },
	{ "address", NULL, FIGURE_U64, .at = offsetof(struct engine, address), .hex = true },
	{ .kind = FIGURE_NONE } } };

static const struct figure_group engine = { .rows = (const struct figure[]){
	{ "name", "Name", FIGURE_STRING, .at = offsetof(struct engine, name) },
	{ "rate", NULL, FIGURE_RATE, .at = offsetof(struct engine, rate), .scale = 100 },
	{ .kind = FIGURE_PART, .group = &part },
	{ .kind = FIGURE_PART, .group = &absent },
	{ "fine", NULL, FIGURE_BOOL, .at = offsetof(struct engine, is_fine) },
	{ "place", NULL, FIGURE_INT, .at = offsetof(struct engine, place), .place = true },
	{ "heat", NULL, FIGURE_AMOUNT, .at = offsetof(struct engine, heat) },
	{ "copy", NULL, FIGURE_OBJECT, .group = &part },
	{ "absent", NULL, FIGURE_OBJECT, .group = &absent },
	{ "unknown", NULL, FIGURE_OBJECT, .group = &unknown },
	{ "words", NULL, FIGURE_LIST, .at = offsetof(struct engine, words), .group = &words },
	{ "names", NULL, FIGURE_MAP, .at = offsetof(struct engine, words), .group = &names },
	{ "plain", NULL, FIGURE_LIST, .at = offsetof(struct engine, words), .group = &plain },
	{ "secret", NULL, FIGURE_U64, .at = offsetof(struct engine, rounds), .hidden = true },
	{ .kind = FIGURE_NONE } } };

static const char *const spoken[] = { "one", "", "three", NULL };
static const struct engine fine = { .name = "first", .rate = 12.344, .rounds = 1,
	.address = 0x1f00, .is_fine = true, .place = 3, .words = spoken,
	.heat = { true, 71500, 1000 } };
static const char report[] = "{\"name\": \"first\", \"rate\": 12.34, \"rounds\": 1, "
	"\"address\": \"0x1f00\", \"fine\": true, \"place\": 3, \"heat\": 71.5, "
	"\"copy\": {\"rounds\": 1, \"address\": \"0x1f00\"}, \"unknown\": null, "
	"\"words\": [{\"text\": \"one\", \"length\": 3}, {\"text\": \"three\", \"length\": 5}], "
	"\"names\": {\"one\": 3, \"three\": 5}, \"plain\": [\"one\", \"three\"]}";

static void expect_json(const struct figures *f, const char *want)
{
	struct strbuf out = { 0 };
	struct json_out j;

	json_out_init(&j, &out, true);
	json_begin(&j, NULL, '{');
	figures_put_json(&j, f);
	json_end(&j, '}');
	assert_int_equal(strncmp(out.text, want, strlen(want)), 0);
	assert_string_equal(out.text + strlen(want), "\n");
	strbuf_clear(&out);
}

static void values_become_a_report(void **state)
{
	struct engine view = fine;
	struct figures f = { 0 };

	(void)state;
	figures_take(&f, &engine, &view);
	memset(&view, 0xee, sizeof(view));
	expect_json(&f, report);
	figures_clear(&f);
}

static void a_report_becomes_the_same_values(void **state)
{
	static const char odd[] = "{\"name\": 1, \"words\": {}, \"names\": [], \"copy\": \"\"}";
	struct figures f = { 0 };
	struct json *doc;
	struct error e;

	(void)state;
	assert_int_equal(json_parse(report, strlen(report), &doc, &e), 0);
	figures_read_json(&f, &engine, doc);
	json_free(doc);
	expect_json(&f, report);
	figures_clear(&f);
	assert_int_equal(json_parse(odd, strlen(odd), &doc, &e), 0);
	figures_read_json(&f, &engine, doc);
	figures_clear(&f);
	json_free(doc);
}

static void what_is_not_known_is_null(void **state)
{
	static const char *const none[] = { NULL };
	const struct engine view = { .place = -1, .words = none };
	struct figures f = { 0 };

	(void)state;
	figures_take(&f, &engine, &view);
	expect_json(&f, "{\"name\": null, \"rate\": null, \"rounds\": 0, \"address\": \"0x0\", "
		"\"fine\": false, \"place\": null, \"heat\": null, \"copy\": {\"rounds\": 0, "
		"\"address\": \"0x0\"}, \"unknown\": null, \"words\": [], \"names\": {}, "
		"\"plain\": []}");
	figures_clear(&f);
}

static void a_text_says_what_it_needs(void **state)
{
	static const struct {
		const char *line, *want;
	} table[] = {
		{ "{name}: {rounds} round{rounds:s}", "first: 1 round" },
		{ "{rate}, {rate:8.1}, {heat:.1}", "12,     12.3, 71.5" },
		{ "{name:-7}|{name:7}|", "first  |  first|" },
		{ "{address} {address:8} {copy.address:.1M}", "0x1f00 0x00001f00 0x1f00" },
		{ "{rounds:.2M} {rounds:M}", "0.00 0" },
		{ "a[ {rate}][ {unknown.text}][, {nothing}]", "a 12" },
		{ "a[ {name}[ {nothing}]]", "a first" },
		{ "{unknown.text} of it", "" },
		{ "{absent.text} of it", "" },
		{ "{?fine}good{!nothing}", "good" },
		{ "{?unknown}good", "" },
		{ "{!fine}bad", "" },
		{ "\\[{place}\\]", "[3]" },
		{ "{@words}{text} ", "one three " },
		{ "{@words:1}{text}\n", "one\n  and more\n" },
		{ "{@plain}<{}>", "<one><three>" },
		{ "{@nothing}{text}", "" },
	};
	struct figures f = { 0 };

	(void)state;
	figures_take(&f, &engine, &fine);
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct strbuf out = { 0 };

		figures_put_lines(&out, &f, &table[i].line, 1);
		if (strcmp(out.len ? out.text : "", table[i].want) != 0)
			fail_msg("%s: '%s', not '%s'", table[i].line, out.text, table[i].want);
		strbuf_clear(&out);
	}
	figures_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_become_a_report),
		cmocka_unit_test(a_report_becomes_the_same_values),
		cmocka_unit_test(what_is_not_known_is_null),
		cmocka_unit_test(a_text_says_what_it_needs),
	};

	return cmocka_run_group_tests_name("figure", tests, NULL, NULL);
}
