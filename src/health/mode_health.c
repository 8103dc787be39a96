/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_health.c - --health: one sample and the kernel's own files, judged before a deadline that
 * holds whatever the cards do.
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "src/health/print.h"
#include "src/metrics/expected.h"
#include "src/mode.h"
#include "src/named.h"
#include "src/say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static enum exit_code code_of(const struct session *s, const struct options *o,
	const struct health_report *r)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const bool has_none = strcmp(f->source, "kmd") == 0 && (f->n == 0 || !*f->driver);

	if (f->n == 0 || has_none)
		return EXIT_NO_DEVICE;
	if (r->worst == HEALTH_FAIL || (r->worst == HEALTH_WARN && o->strict))
		return EXIT_NEGATIVE;
	/* Nothing that applies here has not been checked, either. */
	if (r->worst == HEALTH_SKIP || r->worst == HEALTH_NONE)
		return r->count[HEALTH_WARN] > 0 && o->strict ? EXIT_NEGATIVE : EXIT_PARTIAL;
	return EXIT_DONE;
}

static size_t count_chips(const struct health_report *r)
{
	size_t n = 0;

	for (size_t k = 0; k < r->n; k++)
		n += r->items[k].index >= 0 &&
			(k == 0 || r->items[k].index != r->items[k - 1].index);
	return n;
}

static enum exit_code print(struct health_print *p, struct session *s, const struct options *o)
{
	struct strbuf text = { 0 };

	p->code = code_of(s, o, p->report);
	p->cards = count_chips(p->report);
	(o->nagios ? health_put_nagios : o->json ? health_put_json : health_put_text)(&text, p);
	if (!o->nagios && !o->json)
		session_complain_none(s);
	return session_put(&text, o->nagios ? (enum exit_code)health_nagios_code(p) : p->code);
}

static enum exit_code judge(struct session *s, const struct options *o, uint32_t checks,
	const struct floors *floors, int64_t began)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct expected *expected = mem_calloc(1, sizeof(*expected));
	struct health_report report;
	enum exit_code code;
	struct health_world w = { .fleet = f, .bus = s->bus,
		.roster = &expected->roster, .floors = floors,
		.is_machine = strcmp(f->source, "kmd") == 0, .external = o->external };
	struct health_print p = { .report = &report, .fleet = f,
		.hostname = o->external ? "" : s->host.hostname };

	if (!expected_open(expected, o, s)) {
		free(expected);
		return EXIT_USAGE;
	}
	/* Looking changes nothing: whoever serves metrics keeps it. */
	*expected->path = '\0';
	/* One that has left since is not here any more, whatever its sample says. */
	if (s->bus)
		bus_rescan(s->bus, NULL);
	w.expected = roster_expected(&expected->roster);
	expected_take(expected, f);
	health_run(&w, checks, &report);
	p.took = clock_steady() - began;
	code = print(&p, s, o);
	health_clear(&report);
	free(expected);
	return code;
}

static enum exit_code print_checks(void)
{
	struct strbuf text = { 0 };

	health_put_checks(&text);
	return session_put(&text, EXIT_DONE);
}

enum exit_code mode_health(const struct options *o)
{
	const int64_t began = clock_steady();
	uint32_t checks = UINT32_MAX;
	struct floors floors;
	struct session s;
	struct error e;
	enum exit_code code;

	if (o->checks && strcmp(o->checks, "help") == 0)
		return print_checks();
	if (o->checks && health_find(o->checks, &checks, &e) < 0) {
		say("--checks: %s: --checks help lists them all", e.text);
		return EXIT_USAGE;
	}
	floors_init(&floors);
	if (o->floors && floors_read(o->floors, &floors, &e) < 0)
		return session_fail_choice(&e);
	code = session_open_until(&s, o, began + (o->run_deadline ? o->run_deadline : DEADLINE));
	if (code != EXIT_DONE)
		return code;
	code = choose_words(&s, o);
	if (code == EXIT_DONE)
		code = judge(&s, o, checks, &floors, began);
	session_close(&s);
	return code;
}
