/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_consent.c - which keys are an answer: a person's, and never pasted text,
 * however the processor's absences tear it apart.
 */
#include "config.h"
#include "base/mem.h"
#include "base/consent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define KEYS	   8
#define LONG_AFTER 2000		/* ms: nothing comes any more */

/* What a terminal sends, in ms since the program's start, and when nobody looks at it. */
struct scene {
	int shown;		/* the question can be read from here on; -1: there is none */
	size_t n;
	int at[KEYS];		/* when each key comes */
	int away, back;		/* the program has no processor between these */
};

static int64_t ns(int ms)
{
	return (1000 + ms) * CLOCK_MS;
}

/* As the loops do it: keys are read where there are any, else the silence is noted. */
static struct consent play(const struct scene *s)
{
	struct consent c = { 0 };
	size_t next = 0;

	if (s->shown >= 0)
		consent_ask(&c);
	for (int t = 0; t < LONG_AFTER; t++) {
		if (t >= s->away && t < s->back)
			continue;
		if (s->shown >= 0 && t >= s->shown)
			consent_show(&c, ns(t));
		if (next == s->n || s->at[next] > t)
			consent_rest(&c, ns(t));
		for (; next < s->n && s->at[next] <= t; next++)
			consent_hear(&c, ns(t));
	}
	return c;
}

static const struct {
	struct scene scene;
	bool want;
} table[] = {
	/* One key that asks. */
	{ { .shown = -1, .n = 1, .at = { 100 } }, true },
	{ { .shown = -1, .n = 2, .at = { 100, 131 } }, true },
	{ { .shown = -1, .n = 2, .at = { 100, 129 } }, false },
	{ { .shown = -1, .n = 3, .at = { 100, 105, 200 } }, true },
	/* An answer, and its Enter. */
	{ { .shown = 0, .n = 2, .at = { 400, 500 } }, true },
	{ { .shown = 0, .n = 2, .at = { 400, 431 } }, true },
	{ { .shown = 0, .n = 2, .at = { 400, 400 } }, false },
	{ { .shown = 0, .n = 2, .at = { 400, 420 } }, false },
	{ { .shown = 0, .n = 4, .at = { 400, 500, 600, 610 } }, false },
	/* Before the question can be read, or too soon after that. */
	{ { .shown = 500, .n = 2, .at = { 400, 900 } }, false },
	{ { .shown = 0, .n = 1, .at = { 299 } }, false },
	{ { .shown = 0, .n = 1, .at = { 301 } }, true },
	{ { .shown = 0, .n = 2, .at = { 100, 900 } }, false },
	/* A slow paste: it never stands still for as long as it takes to read a question. */
	{ { .shown = 0, .n = 6, .at = { 50, 100, 150, 200, 250, 400 } }, false },
	/* Nobody looked while they came. */
	{ { .shown = 0, .n = 2, .at = { 400, 500 }, .away = 350, .back = 700 }, false },
	{ { .shown = 0, .n = 1, .at = { 10 }, .away = 5, .back = 600 }, false },
	{ { .shown = 0, .n = 2, .at = { 400, 410 }, .away = 401, .back = 700 }, false },
	{ { .shown = 0, .n = 2, .at = { 700, 800 }, .away = 5, .back = 600 }, true },
};

static void keys_that_stand_alone_are_typed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct consent c = play(&table[i].scene);

		if (consent_is_given(&c) != table[i].want)
			print_message("# row %zu\n", i);
		assert_int_equal(consent_is_given(&c), table[i].want);
	}
}

/* What came, not what was seen of it: apart, and after the question could be read. */
static bool may_count(const struct scene *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (i > 0 && s->at[i] - s->at[i - 1] < CONSENT_GAP / CLOCK_MS - 1)
			return false;
		if (s->at[i] - s->shown < CONSENT_READ / CLOCK_MS - 1)
			return false;
	}
	return true;
}

static void no_paste_is_an_answer_whenever_it_is_read(void **state)
{
	size_t given = 0;

	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct scene s = { .shown = rand() % 400, .n = 1 + (size_t)(rand() % KEYS) };
		const int gap = rand() % 2 ? 20 : 200;
		struct consent c;

		s.at[0] = rand() % 900;
		for (size_t i = 1; i < s.n; i++)
			s.at[i] = s.at[i - 1] + rand() % gap;
		s.away = rand() % 900;
		s.back = s.away + rand() % 400;
		c = play(&s);
		given += consent_is_given(&c);
		if (consent_is_given(&c))
			assert_true(may_count(&s));
	}
	/* It is not that nothing ever counts. */
	assert_true(given > 100);
}

static void each_question_wants_an_answer_of_its_own(void **state)
{
	struct consent c = { 0 };

	(void)state;
	consent_rest(&c, ns(0));
	assert_true(consent_hear(&c, ns(1)));
	consent_ask(&c);
	consent_rest(&c, ns(100));
	assert_int_equal(consent_wait_ms(&c, ns(100)), -1);
	assert_false(consent_hear(&c, ns(5000)));	/* it stands nowhere yet */
	consent_ask(&c);
	consent_show(&c, ns(6000));
	consent_rest(&c, ns(6000));
	assert_int_equal(consent_wait_ms(&c, ns(6100)), 200);
	consent_rest(&c, ns(6300));
	assert_true(consent_hear(&c, ns(6400)));
	assert_int_equal(consent_wait_ms(&c, ns(6410)), 20);
	assert_false(consent_is_given(&c));
	consent_rest(&c, ns(6430));
	assert_true(consent_is_given(&c));
	consent_end(&c);
	assert_int_equal(consent_wait_ms(&c, ns(6500)), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_that_stand_alone_are_typed),
		cmocka_unit_test(no_paste_is_an_answer_whenever_it_is_read),
		cmocka_unit_test(each_question_wants_an_answer_of_its_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
