/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_figure.c - figures: a row says all, values outlive what they were taken from, and a report
 * that is read back says the same once more.
 */
#include "config.h"
#include "base/mem.h"
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

#define WORD_FIGURES(F) \
	F(TEXT, text, ("Word"), text) \
	F(INT, length, (), strlen(text))
FIGURES(word, WORD_FIGURES, const char *text)

static void add_words(struct figure_value *to, const char *const *words)
{
	for (; *words; words++)
		if (**words)
			word_add(to, *words);
}

#define NAME_FIGURES(F) \
	F(TEXT, text, (.hidden = true), text) \
	F(INT, length, (), strlen(text))
FIGURES(name, NAME_FIGURES, const char *text)

static void add_names(struct figure_value *to, const char *const *words)
{
	for (; *words; words++)
		if (**words)
			name_add(to, *words);
}

#define PLAIN_FIGURES(F) F(TEXT, , (), text)
FIGURES(plain, PLAIN_FIGURES, const char *text)

static void add_plain(struct figure_value *to, const char *const *words)
{
	for (; *words; words++)
		if (**words)
			plain_add(to, *words);
}

#define COUNT_FIGURES(F) \
	F(INT, rounds, (), e->rounds) \
	F(INT, address, (.hex = true), e->address)
FIGURES(count, COUNT_FIGURES, const struct engine *e)

#define ENGINE_FIGURES(F) \
	F(TEXT, name, ("Name"), e->name) \
	F(RATE, rate, (.scale = 100), e->rate) \
	F(PART, counts, (.group = &count_figures), count_add(v, e)) \
	F(PART, nobody, (.group = &word_figures), (void)0) \
	F(BOOL, fine, (), e->is_fine) \
	F(INT, place, (.place = true), e->place) \
	F(AMOUNT, heat, (), e->heat) \
	F(OBJECT, copy, (.group = &count_figures), count_add(v, e)) \
	F(OBJECT, absent, (.group = &word_figures), figure_leave_out(v)) \
	F(OBJECT, unknown, (.group = &word_figures), (void)0) \
	F(LIST, words, (.group = &word_figures), add_words(v, e->words)) \
	F(MAP, names, (.group = &name_figures), add_names(v, e->words)) \
	F(LIST, plain, (.group = &plain_figures), add_plain(v, e->words)) \
	F(INT, secret, (.hidden = true), e->rounds) \
	F(TEXT, mute, (.hidden = true, .some = true), "")
FIGURES(engine, ENGINE_FIGURES, const struct engine *e)

static const char *const spoken[] = { "one", "", "three", NULL };
static const struct engine fine = { .name = "first", .rate = 12.344, .rounds = 1,
	.address = 0x1f00, .is_fine = true, .place = 3, .words = spoken,
	.heat = { true, 71500, 1000 } };
static const char report[] = "{\"name\": \"first\", \"rate\": 12.34, \"rounds\": 1, "
	"\"address\": \"0x1f00\", \"fine\": true, \"place\": 3, \"heat\": 71.5, "
	"\"copy\": {\"rounds\": 1, \"address\": \"0x1f00\"}, \"unknown\": null, "
	"\"words\": [{\"text\": \"one\", \"length\": 3}, {\"text\": \"three\", \"length\": 5}], "
	"\"names\": {\"one\": 3, \"three\": 5}, \"plain\": [\"one\", \"three\"]}";

static struct figures take(const struct engine *e)
{
	struct figure_value all = { .nodes = NULL };

	engine_add(&all, e);
	return figures_take(&all);
}

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
	struct engine gone = fine;
	struct figures f = take(&gone);

	(void)state;
	memset(&gone, 0xee, sizeof(gone));
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
	figures_read_json(&f, &engine_figures, doc);
	json_free(doc);
	expect_json(&f, report);
	figures_clear(&f);
	assert_int_equal(json_parse(odd, strlen(odd), &doc, &e), 0);
	figures_read_json(&f, &engine_figures, doc);
	figures_clear(&f);
	json_free(doc);
}

static void what_is_not_known_is_null(void **state)
{
	static const char *const none[] = { NULL };
	const struct engine nothing = { .place = -1, .words = none };
	struct figures f = take(&nothing);

	(void)state;
	expect_json(&f, "{\"name\": null, \"rate\": null, \"rounds\": 0, \"address\": \"0x0\", "
		"\"fine\": false, \"place\": null, \"heat\": null, \"copy\": {\"rounds\": 0, "
		"\"address\": \"0x0\"}, \"unknown\": null, \"words\": [], \"names\": {}, "
		"\"plain\": []}");
	figures_clear(&f);
}

static void a_figure_has_a_key(void **state)
{
	struct figures f = take(&fine);
	struct strbuf out = { 0 };

	(void)state;
	assert_string_equal(figures_text(&f, "name"), "first");
	assert_string_equal(figures_text(&f, "rounds"), "");
	assert_string_equal(figures_text(&f, "nothing"), "");
	assert_true(figure_number(figures_known(&f, "rate")) == 12.34);
	assert_true(figure_number(figures_known(&f, "copy.rounds")) == 1);
	assert_null(figures_known(&f, "unknown"));
	assert_null(figures_known(&f, "mute"));
	assert_null(figures_known(NULL, "rounds"));
	assert_true(figures_number(&f, "heat") == 71.5 && figures_number(&f, "copy.rounds") == 1);
	assert_true(figures_number(&f, "unknown.length") == 0 && figures_number(NULL, "heat") == 0);
	figures_put(&out, &f, "name", "the ");
	figures_put(&out, &f, "mute", ", never");
	figures_put(&out, &f, "nothing", ", never");
	assert_string_equal(out.text, "the first");
	strbuf_clear(&out);
	assert_true(figure_percent(3, 4) == 75);
	assert_true(figure_percent(4, 3) == 0 && figure_percent(4, 0) == 0);
	figures_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_become_a_report),
		cmocka_unit_test(a_report_becomes_the_same_values),
		cmocka_unit_test(what_is_not_known_is_null),
		cmocka_unit_test(a_figure_has_a_key),
	};

	return cmocka_run_group_tests_name("figure", tests, NULL, NULL);
}
