/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/health/judge.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/metrics/expected.h"
#include "src/say.h"
#include "src/version.h"

#include <stdlib.h>
#include <string.h>

enum exit_code health_exit(enum health_result worst, bool has_warned, bool strict)
{
	if (worst == HEALTH_FAIL || (has_warned && strict))
		return EXIT_NEGATIVE;
	/* If no check applied, nothing was checked, either. */
	return worst == HEALTH_SKIP || worst == HEALTH_NONE ? EXIT_PARTIAL : EXIT_DONE;
}

static enum exit_code code_of(const struct session *s, const struct options *o,
	const struct health_report *r)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const bool has_none = strcmp(f->source, "kmd") == 0 && (f->n == 0 || !*f->driver);

	if (f->n == 0 || has_none)
		return EXIT_NO_DEVICE;
	return health_exit(r->worst, r->count[HEALTH_WARN] > 0, o->strict);
}

static size_t count_chips(const struct health_report *r)
{
	size_t n = 0;

	for (size_t k = 0; k < r->n; k++)
		n += r->items[k].index >= 0 &&
			(k == 0 || r->items[k].index != r->items[k - 1].index);
	return n;
}

/* Where to look for tools: upstream's installer has its own folder, which need not be in PATH. */
static struct strbuf programs(void)
{
	const char *path = getenv("PATH"), *home = getenv("HOME");
	struct strbuf search = { 0 };

	strbuf_puts(&search, path ? path : "");
	if (home)
		strbuf_printf(&search, ":%s/.tenstorrent-venv/bin", home);
	return search;
}

enum exit_code health_read_floors(const struct options *o, struct floors *floors,
	struct pins *pins)
{
	struct error e;

	floors_init(floors);
	if (o->floors && floors_read(o->floors, floors, &e) < 0)
		return session_fail_choice(&e);
	if (!o->expect)
		return EXIT_DONE;
	if (pins_read(o->expect, pins, &e) < 0)
		return session_fail_choice(&e);
	floors->pins = pins;
	if (*pins->others && !o->json && !o->nagios)
		say_as(CODE_UNKNOWN_FIELD, "%s: not looked at: %s", o->expect, pins->others);
	return EXIT_DONE;
}

bool health_judge(struct session *s, const struct options *o, uint32_t checks,
	const struct floors *floors, int64_t began, struct health_report *report,
	struct health_print *p)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct expected *expected = mem_calloc(1, sizeof(*expected));
	struct strbuf search = programs();
	struct health_world w = { .fleet = f, .bus = s->bus,
		.roster = &expected->roster, .floors = floors,
		.serves = VERSION_SERVES, .search = search.text,
		.is_machine = strcmp(f->source, "kmd") == 0, .external = o->external };
	bool is_given;

	if (!expected_open(expected, o, s)) {
		free(expected);
		strbuf_clear(&search);
		return false;
	}
	/* Do not write the roster here: the server of metrics keeps it. */
	*expected->path = '\0';
	/* A card that has left since the sample does not count as present. */
	if (s->bus)
		bus_rescan(s->bus, NULL);
	is_given = roster_expected(&expected->roster) > 0;
	expected_take(expected, f);
	if (expected->unknown.code && !expected->roster.asked)
		w.expected_unknown = expected->unknown.text;
	w.expected = is_given ? roster_expected(&expected->roster) : 0;
	health_run(&w, checks, report);
	if (s->misses && report->worst < HEALTH_SKIP)
		report->worst = HEALTH_SKIP;
	free(expected);
	strbuf_clear(&search);
	*p = (struct health_print){ .report = report, .fleet = f,
		.hostname = o->external ? "" : s->host.hostname,
		.code = code_of(s, o, report), .took = clock_mono() - began,
		.cards = count_chips(report) };
	return true;
}
