/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alarm.h - what a mode does about alerts: their rules, from the configuration; what is said of
 * them; and --on-alert, the program that is run for each.
 */
#pragma once

#include "base/hook.h"
#include "src/options.h"
#include "src/stop.h"
#include "telemetry/alerts.h"
#include "telemetry/fleet.h"

struct alarm {
	struct alerts *alerts;		/* the session's; NULL: there are no rules */
	const char *program;		/* of --on-alert; NULL: none */
	struct hook *hook;		/* that runs it */
	uint64_t raised, cleared;
};

/* The rules of the configuration, which were checked when it was read; NULL where there is none. */
struct alerts *alarm_read_rules(const struct options *o);

/* -EINVAL where the options ask for what cannot be. */
int alarm_open(struct alarm *m, const struct options *o, struct alerts *alerts, struct error *e);

/* Whether alarm_tick() has something to say. */
bool alarm_has_news(const struct alarm *m);

/* The rows of a tick are written: say what was raised and cleared, and run the program for it. */
void alarm_tick(struct alarm *m, const struct fleet *f);

/* No tick comes any more: the program is run for what waits. */
void alarm_stop(struct alarm *m);

/* Wait for it, but for a moment, and say what came of it. */
void alarm_close(struct alarm *m, struct stop *stop);
