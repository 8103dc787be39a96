/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a burn of many targets, as somebody looked at it (UPDATE_GOLDEN=1 rewrites): from
 * facts that are made here.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/burnin/cards.h"
#include "src/options.h"
#include "tests/rig/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CARDS = 128, CORES = 140 };

/* The facts of a burn with so many cards. */
struct scene {
	struct options options;
	struct burnin_facts facts;
	struct burnin_target targets[1 + CARDS];
	struct burnin_card cards[CARDS];
	struct stop_rule rules[2 + 2 * CARDS];
};

__attribute__((format(printf, 4, 5)))
static void add_rule(struct burnin_facts *f, int card, bool applied, const char *fmt, ...)
{
	struct stop_rule *r = &f->rules[f->n_rules++];
	va_list args;

	*r = (struct stop_rule){ .card = card, .applied = applied };
	va_start(args, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, args);
	va_end(args);
}

static void add_rules(struct burnin_facts *f, int n)
{
	add_rule(f, -1, false, "host temperature: there is no sensor");
	for (int i = 0; i < n; i++) {
		add_rule(f, i, true, "card %d 0000:%02x:00.0: ends its burn near its throttle "
			"temperature", i, i + 1);
		add_rule(f, i, false, "card %d 0000:%02x:00.0: its memory's temperature, whose "
			"limit is not published", i, i + 1);
	}
	add_rule(f, 0, false, "card 0 0000:01:00.0: its core temperature, or its limit, is not "
		"known");
}

static struct scene *open_scene(void)
{
	struct scene *s = mem_calloc(1, sizeof(*s));

	s->facts = (struct burnin_facts){ .o = &s->options, .targets = s->targets,
		.rules = s->rules };
	return s;
}

static void add_card(struct scene *s, int i, enum verdict verdict, const char *reason)
{
	struct burnin_target *t = &s->targets[s->facts.n_targets++];
	struct burnin_card *c = &s->cards[i];

	*t = (struct burnin_target){ .index = i, .board = "p150a", .ran = true, .card = c };
	snprintf(t->name, sizeof(t->name), "%d 0000:%02x:00.0 p150a", i, i + 1);
	snprintf(t->bdf, sizeof(t->bdf), "0000:%02x:00.0", (i + 1) & 0xff);
	t->result.verdict = verdict;
	t->result.errors = verdict == VERDICT_FAIL;
	snprintf(t->result.reason, sizeof(t->result.reason), "%s", reason);
	c->result.cores = CORES;
	c->result.rate = verdict == VERDICT_INCOMPLETE ? 0 : 0.9971 + i % 4 * 0.0009;
	range_add(&c->seen[BURNIN_TEMP], 40 * fields[FIELD_ASIC_TEMP].scale);
	range_add(&c->seen[BURNIN_TEMP], (int64_t)((66.1 + i % 9) *
		fields[FIELD_ASIC_TEMP].scale + 0.5));
	range_add(&c->seen[BURNIN_POWER], (147 + i % 3) * (int64_t)fields[FIELD_POWER].scale);
}

/* So many cards, of which 7, 19 and 21, or the first three, do not pass. */
static struct scene *make(int n, int sick)
{
	static const struct {
		enum verdict verdict;
		const char *text;
	} reasons[] = {
		{ VERDICT_FAIL, "1 wrong word on 1 core; the first on core 7-4: conv2d, block "
			"18231, word 1877 is 0x43a40000, not 0x43a00000" },
		{ VERDICT_INCOMPLETE, "card 19 is at 88.0 °C, within 2 °C of its throttle limit "
			"for 5 s" },
		{ VERDICT_INCOMPLETE, "the card could not be watched for 5 s: did not answer "
			"within 1 s" },
	};
	struct scene *s = open_scene();
	int done = 0;

	s->facts.verdict = sick ? VERDICT_FAIL : VERDICT_PASS;
	s->facts.exit = sick ? EXIT_NEGATIVE : EXIT_DONE;
	s->facts.took = 6004 * CLOCK_SECOND / 10;
	add_rules(&s->facts, n);
	s->targets[s->facts.n_targets++] = (struct burnin_target){ .name = "host", .index = -1,
		.ran = true, .result = { .verdict = VERDICT_PASS } };
	for (int i = 0; i < n; i++) {
		const bool is_sick = done < sick && (n < 22 || i == 7 || i == 19 || i == 21);

		add_card(s, i, is_sick ? reasons[done].verdict : VERDICT_PASS,
			is_sick ? reasons[done].text : "");
		done += is_sick;
	}
	return s;
}

static void tables_look_as_they_did(void **state)
{
	static const int cards[] = { 1, 4, 32, 128 };
	static const struct burnin_table looks[] = {
		{ 0, false, false }, { 80, false, false }, { 120, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cards); i++)
		for (int sick = 0; sick <= 3; sick += 3) {
			struct scene *s = make(cards[i], sick < cards[i] ? sick : cards[i]);

			for (size_t k = 0; k < ARRAY_LEN(looks); k++) {
				struct strbuf text = { 0 };
				char name[64];

				burnin_table_put_head(&text, &s->facts, &looks[k]);
				burnin_table_put(&text, &s->facts, &looks[k]);
				snprintf(name, sizeof(name), "burn-end-%d-%d-sick-%zu.txt",
					cards[i], sick, looks[k].columns);
				golden_compare(name, &text);
				strbuf_clear(&text);
			}
			free(s);
		}
}

/* What a terminal has is no wider than it is, and a reason is whole all the same. */
static void no_line_of_a_terminal_is_too_wide(void **state)
{
	const struct burnin_table look = { 80, false, false };
	struct scene *s = make(128, 3);
	struct strbuf text = { 0 };

	(void)state;
	burnin_table_put(&text, &s->facts, &look);
	assert_non_null(strstr(text.text, "1 FAIL, 2 INCOMPLETE, 126 PASS: FAIL\n"));
	assert_non_null(strstr(text.text, "word\n      1877 is 0x43a40000, not 0x43a00000\n"));
	for (char *rest = NULL, *line = strtok_r(text.text, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
	strbuf_clear(&text);
	free(s);
}

/* Many that did not pass for one reason are one line, with the indices of all of them. */
static void cards_with_one_reason_share_a_line(void **state)
{
	const struct burnin_table look = { 0, false, false };
	struct scene *s = open_scene();
	struct strbuf text = { 0 };

	(void)state;
	s->options.no_reset = true;
	s->facts.verdict = VERDICT_INCOMPLETE;
	s->targets[s->facts.n_targets++] = (struct burnin_target){ .name = "9 is no card",
		.index = -1, .result = { .verdict = VERDICT_INCOMPLETE,
		.reason = "there is no such card" } };
	for (int i = 0; i < 9; i++)
		if (i != 4)
			add_card(s, i, VERDICT_INCOMPLETE, "it computes nothing");
	burnin_table_put(&text, &s->facts, &look);
	assert_non_null(strstr(text.text, "\n      cards 0-3, 5-8: it computes nothing\n"));
	assert_non_null(strstr(text.text, "\n9 is no card  "));
	assert_non_null(strstr(text.text, "\nNo chip was reset before and after (--no-reset).\n"));
	assert_non_null(strstr(text.text, "\n9 INCOMPLETE: INCOMPLETE\n"));
	strbuf_clear(&text);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_look_as_they_did),
		cmocka_unit_test(no_line_of_a_terminal_is_too_wide),
		cmocka_unit_test(cards_with_one_reason_share_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
