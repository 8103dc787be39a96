/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_health.c - --health: one sample and the kernel's own files, judged before a deadline that
 * holds whatever the cards do.
 */
#include "config.h"
#include "base/clock.h"
#include "src/health/judge.h"
#include "src/mode.h"
#include "src/named.h"
#include "src/say.h"

#include <string.h>

#define DEADLINE (5 * CLOCK_SECOND)

/* The words after --health limit what --device and TT_VISIBLE_DEVICES have left. */
static enum exit_code choose_words(struct session *s, const struct options *o)
{
	struct strbuf words = { 0 };
	struct named named;
	struct error e;
	int r;

	if (o->n_targets == 0)
		return EXIT_DONE;
	named_join(o, &words);
	r = named_find(s, words.text, &named, &e);
	strbuf_clear(&words);
	if (r < 0)
		return session_fail_choice(&e);
	for (size_t k = 0; k < DEVICE_MAX; k++)
		s->wanted[k] = s->wanted[k] && (named.chip[k] == NAMED_CARD ||
			named.chip[k] == NAMED_SECOND || named.chip[k] == NAMED_GONE);
	sampler_select(s->sampler, s->wanted, DEVICE_MAX, s->selection);
	return EXIT_DONE;
}

static enum exit_code print(const struct health_print *p, struct session *s,
	const struct options *o)
{
	struct strbuf text = { 0 };

	(o->nagios ? health_put_nagios : o->json ? health_put_json : health_put_text)(&text, p);
	if (!o->nagios && !o->json)
		session_complain_none(s);
	return session_put(&text, o->nagios ? (enum exit_code)health_nagios_code(p) : p->code);
}

static enum exit_code judge(struct session *s, const struct options *o, uint32_t checks,
	const struct floors *floors, int64_t began, bool *is_said)
{
	struct health_report report;
	struct health_print p;
	enum exit_code code;

	if (!health_judge(s, o, checks, floors, began, &report, &p))
		return EXIT_USAGE;
	*is_said = true;
	code = print(&p, s, o);
	health_clear(&report);
	return code;
}

static enum exit_code print_checks(void)
{
	struct strbuf text = { 0 };

	health_put_checks(&text);
	return session_put(&text, EXIT_DONE);
}

/* *is_said: there was something to judge, and stdout has the verdict. */
static enum exit_code run_checks(const struct options *o, bool *is_said)
{
	const int64_t began = clock_steady();
	uint32_t checks = UINT32_MAX;
	struct floors floors;
	struct pins pins;
	struct session s;
	struct error e;
	enum exit_code code;

	if (o->checks && health_find(o->checks, &checks, &e) < 0) {
		say("--checks: %s: --checks help lists them all", e.text);
		return EXIT_USAGE;
	}
	floors_init(&floors);
	if (o->floors && floors_read(o->floors, &floors, &e) < 0)
		return session_fail_choice(&e);
	if (o->expect && pins_read(o->expect, &pins, &e) < 0)
		return session_fail_choice(&e);
	floors.pins = o->expect ? &pins : NULL;
	if (floors.pins && *pins.others && !o->json && !o->nagios)
		say("%s: not looked at: %s", o->expect, pins.others);
	code = session_open_until(&s, o, began + (o->run_deadline ? o->run_deadline : DEADLINE));
	if (code != EXIT_DONE)
		return code;
	code = choose_words(&s, o);
	if (code == EXIT_DONE)
		code = judge(&s, o, checks, &floors, began, is_said);
	session_close(&s);
	return code;
}

enum exit_code mode_health(const struct options *o)
{
	struct strbuf text = { 0 };
	bool is_said = false;
	enum exit_code code;

	if (o->checks && strcmp(o->checks, "help") == 0)
		return print_checks();
	code = run_checks(o, &is_said);
	if (!o->nagios || is_said)
		return code;
	code = health_put_unknown(&text);
	return session_put(&text, code);
}
