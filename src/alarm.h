/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alarm.h - alerts in a mode: the rules from the configuration, the messages about them, and
 * --on-alert, the program that is run for each.
 */
#pragma once

#include "base/hook.h"
#include "src/options.h"
#include "src/stop.h"
#include "telemetry/alerts.h"
#include "telemetry/snapshot.h"

struct alarm {
	struct alerts *alerts;		/* the session's; NULL: there are no rules */
	const char *program;		/* of --on-alert; NULL: none */
	struct hook *hook;		/* that runs it */
	uint64_t raised, cleared;
};

/* The rules of the configuration, checked when it was read; NULL if there are none. */
struct alerts *alarm_read_rules(const struct options *o);

/* -EINVAL: the options are wrong, as --on-alert without rules is. */
int alarm_open(struct alarm *m, const struct options *o, struct alerts *alerts, struct error *e);

/* Whether alarm_tick() has something to say. */
bool alarm_has_news(const struct alarm *m);

/* Once a tick's rows are written: say what was raised and cleared, and run the program for it. */
void alarm_tick(struct alarm *m, const struct fleet *f);

/* There are no more ticks; runs of the program that wait still begin. */
void alarm_stop(struct alarm *m);

/* Wait a few seconds at most for the program, and report its runs. */
void alarm_close(struct alarm *m, struct stop *stop);
