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
#include "src/option_fit.h"
#include "src/say.h"

#include <string.h>

#define DEADLINE (5 * CLOCK_SECOND)

/* Of a plug-in without its line only CRITICAL is known: 1 would be WARNING. */
static enum exit_code print_nagios(const struct health_print *p)
{
	const int code = health_nagios_code(p);
	struct strbuf text = { 0 };

	health_put_nagios(&text, p);
	if (session_put(&text, EXIT_DONE) != EXIT_DONE && code != 2)
		return (enum exit_code)3;
	return (enum exit_code)code;
}

static enum exit_code print_health(const struct health_print *p, struct session *s,
	const struct options *o)
{
	struct strbuf text = { 0 };

	if (o->nagios)
		return print_nagios(p);
	(o->json ? health_put_json : health_put_text)(&text, p);
	if (!o->json)
		session_complain_none(s);
	return session_put(&text, p->code);
}

static enum exit_code judge_machine(struct session *s, const struct options *o, uint32_t checks,
	const struct floors *floors, int64_t began, bool *is_said)
{
	struct health_report report;
	struct health_print p;
	enum exit_code code;

	if (!health_judge(s, o, checks, floors, began, &report, &p))
		return EXIT_USAGE;
	*is_said = true;
	code = print_health(&p, s, o);
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
	const int64_t began = clock_mono();
	uint32_t checks = UINT32_MAX;
	struct floors floors;
	struct pins pins;
	struct session s;
	struct error e;
	enum exit_code code;

	if (o->checks && health_find(o->checks, &checks, &e) < 0) {
		say_as(e.word, "--checks: %s: --checks help lists them all", e.text);
		return EXIT_USAGE;
	}
	code = health_read_floors(o, &floors, &pins);
	if (code == EXIT_DONE)
		code = session_open_until(&s, o,
			began + (o->run_deadline ? o->run_deadline : DEADLINE));
	if (code != EXIT_DONE)
		return code;
	code = named_limit(&s, o);
	if (code == EXIT_DONE)
		code = judge_machine(&s, o, checks, &floors, began, is_said);
	session_close(&s);
	return code;
}

static enum exit_code print_unknown(void)
{
	struct strbuf text = { 0 };
	const enum exit_code code = health_put_unknown(&text);

	return session_put(&text, code);
}

enum exit_code mode_refused(char **argv)
{
	for (; *argv && strcmp(*argv, "--") != 0; argv++)
		if (option_find(*argv) == OPT_NAGIOS)
			return print_unknown();
	return EXIT_USAGE;
}

enum exit_code mode_health(const struct options *o)
{
	bool is_said = false;
	enum exit_code code;

	if (o->checks && strcmp(o->checks, "help") == 0)
		return print_checks();
	code = run_checks(o, &is_said);
	return o->nagios && !is_said ? print_unknown() : code;
}
