/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/alarm.h"

#include "base/clock.h"
#include "base/text.h"
#include "src/conf/conf.h"
#include "src/loop.h"
#include "src/say.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define RUN_LIMIT     (30 * CLOCK_SECOND)	/* of one run of the program */
#define PATIENCE      (5 * CLOCK_SECOND)	/* at the end, for all runs that wait */
#define TERM_PATIENCE (CLOCK_SECOND * 8 / 10)	/* after SIGTERM */
#define TURN_MS	      50
#define PREFIX	      "TT_SMI_ALERT_"

struct alerts *alarm_read_rules(const struct options *o)
{
	struct alerts_rule rules[ALERTS_RULES];
	const struct conf_line *line = NULL;
	struct error e = { 0 };
	size_t n = 0;

	while (n < ALERTS_RULES && (line = conf_next(o->conf, "alerts", line)))
		if (alerts_parse(line->name, line->value, &rules[n], &e) == 0)
			n++;
	return n > 0 ? alerts_new(rules, n) : NULL;
}

int alarm_open(struct alarm *m, const struct options *o, struct alerts *alerts, struct error *e)
{
	const struct hook_config c = { .path = o->on_alert, .prefix = PREFIX, .limit = RUN_LIMIT };
	int r;

	*m = (struct alarm){ .alerts = alerts, .program = o->on_alert };
	if (!m->program)
		return 0;
	if (!alerts)
		return fail_as(e, CODE_NEEDS_OPTION, -EINVAL, "%s does nothing without alerts: the "
			"section [alerts] of tt-smi.conf has none", o->typed[OPT_ON_ALERT]);
	r = hook_open(&c, &m->hook, e);
	if (r < 0) {
		struct error inner = *e;

		fail_because(e, r, &inner, "%s: %s", o->typed[OPT_ON_ALERT], inner.text);
	}
	return r;
}

/* Append NAME=VALUE and a NUL. */
static void __attribute__((format(printf, 3, 4))) put_fact(struct strbuf *to, const char *name,
	const char *fmt, ...)
{
	char value[ALERTS_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	strbuf_printf(to, PREFIX "%s=%s", name, value);
	strbuf_putc(to, '\0');
}

static void ask_program(struct hook *h, const struct alerts_event *event, const struct snapshot *s,
	const struct fleet *f, const char *text)
{
	const struct alerts_rule *rule = event->rule;
	struct strbuf facts = { 0 }, value = { 0 };
	char time[40];

	if (rule->kind != ALERTS_LOST)
		strbuf_put_decimal(&value, event->value, fields[rule->field].scale);
	put_fact(&facts, "NAME", "%s", rule->name);
	put_fact(&facts, "STATE", "%s", event->raised ? "raised" : "cleared");
	put_fact(&facts, "TEXT", "%s", text);
	put_fact(&facts, "TIME", "%s", clock_iso_utc(f->real, time, sizeof(time)));
	put_fact(&facts, "CHIP", "%d", s->index);
	put_fact(&facts, "BOARD", "%s", s->series[0] ? s->series : s->board);
	put_fact(&facts, "BDF", "%s", s->bdf);
	put_fact(&facts, "FIELD", "%s", fields[rule->field].key);
	put_fact(&facts, "VALUE", "%s", value.len ? value.text : "");
	put_fact(&facts, "UNIT", "%s", fields[rule->field].unit);
	put_fact(&facts, "THRESHOLD", "%s", event->raised ? rule->raise_text : rule->clear_text);
	hook_ask(h, facts.text, facts.len);
	strbuf_clear(&value);
	strbuf_clear(&facts);
}

bool alarm_has_news(const struct alarm *m)
{
	size_t n;

	alerts_news(m->alerts, &n);
	return n > 0;
}

void alarm_tick(struct alarm *m, const struct fleet *f)
{
	char text[ALERTS_TEXT];
	size_t n;
	const struct alerts_event *news = alerts_news(m->alerts, &n);

	for (size_t i = 0; i < n; i++) {
		const struct snapshot *s = &f->chips[news[i].chip];

		m->raised += news[i].raised;
		m->cleared += !news[i].raised;
		say("%s", alerts_event_text(&news[i], s, text));
		if (m->hook)
			ask_program(m->hook, &news[i], s, f, text);
	}
	alerts_forget_news(m->alerts);
}

void alarm_stop(struct alarm *m)
{
	if (m->hook)
		hook_end(m->hook);
}

/* Wait until all runs are over, a further stop is requested, or the time is up. */
static void wait_for_program(struct alarm *m, struct stop *stop)
{
	const int64_t began = clock_steady();

	stop->asked = false;
	while (clock_steady() - began < (stop->terminated ? TERM_PATIENCE : PATIENCE)) {
		struct pollfd fds[1 + TURN_FDS] = {
			{ .fd = hook_end_fd(m->hook), .events = POLLIN } };
		const bool stops = turn_wait_steady(stop, NULL, fds, 1, TURN_MS);

		if (fds[0].revents || (stops && !stop->terminated))
			return;
	}
}

static void say_program(const struct alarm *m, const struct hook_counts *c)
{
	char failed[160] = "", dropped[80] = "";

	if (c->failed)
		snprintf(failed, sizeof(failed), "; %" PRIu64 " failed, the last: %s", c->failed,
			c->trouble);
	if (c->asked > c->ran)
		snprintf(dropped, sizeof(dropped), "; for %" PRIu64 " there was no time",
			c->asked - c->ran);
	say("--on-alert: %s ran %" PRIu64 " time%s%s%s", m->program, c->ran, c->ran == 1 ? "" : "s",
		failed, dropped);
}

void alarm_close(struct alarm *m, struct stop *stop)
{
	struct hook_counts counts;

	if (m->raised + m->cleared > 0)
		say("alerts: %" PRIu64 " raised, %" PRIu64 " cleared", m->raised, m->cleared);
	if (!m->hook)
		return;
	hook_end(m->hook);
	wait_for_program(m, stop);
	hook_close(m->hook, &counts);
	m->hook = NULL;
	if (counts.asked > 0)
		say_program(m, &counts);
}
