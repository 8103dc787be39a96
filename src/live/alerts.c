/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alerts.c - alerts that are raised and cleared while the display runs: the log has a line for
 * each, and the footer shows one of each tick.  The header has all that are raised.
 */
#include "config.h"
#include "src/live/live.h"
#include "base/clock.h"
#include "telemetry/alerts.h"
#include "ui/term.h"

#include <stdio.h>
#include <string.h>

/* Log it with the time of day, on a line of its own. */
static void log_event(struct live *l, const char *text)
{
	char when[40], line[ALERTS_TEXT + 48];

	clock_iso_local(live_fleet(l)->real, when, sizeof(when));
	snprintf(line, sizeof(line), "%.8s %s\n", when + strlen("2026-11-21T"), text);
	ui_log_add(&l->log, line, strlen(line));
}

/* Do not replace a question: it has to be read. */
static void show_event(struct live *l, const char *text, size_t n, bool raised)
{
	if (l->view.asking)
		return;
	if (n > 1)
		view_say(&l->view, &l->model, raised, "%s, and %zu more (l)", text, n - 1);
	else
		view_say(&l->view, &l->model, raised, "%s", text);
}

void live_alerts_take(struct live *l)
{
	const struct fleet *f = live_fleet(l);
	char text[ALERTS_TEXT];
	size_t n, shown = 0;
	const struct alerts_event *news = alerts_news(l->session.alerts, &n);

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		log_event(l, alerts_event_text(&news[i], &f->chips[news[i].chip], text));
		/* Show the first that was raised, rather than one that was cleared. */
		if (news[i].raised && !news[shown].raised)
			shown = i;
	}
	alerts_event_text(&news[shown], &f->chips[news[shown].chip], text);
	show_event(l, text, n, news[shown].raised);
	if (news[shown].raised && l->o->bell)
		term_bell();
	alerts_forget_news(l->session.alerts);
	l->dirty = true;
}
