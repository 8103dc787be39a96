/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - a whole reset as JSON: --report.
 */
#pragma once

#include "base/json.h"
#include "reset/preflight.h"
#include "reset/reset.h"
#include "telemetry/host/host.h"

/* What does not stand in the cards. */
struct report_facts {
	const char *command;		/* "-wr", as it was typed */
	const char *act;		/* what a controller is told, or NULL */
	const char *result;		/* what went wrong there, or "" */
	unsigned tries;			/* how often the cards were reset */
	const struct host *host;
	const struct fleet *fleet;	/* of now, or NULL: no card here had to do with it */
	const struct preflight *preflight;
	unsigned trays;			/* of a galaxy, bit k: tray k + 1; 0: none were reset */
	const struct bus *bus;		/* where their cards are; NULL: in another machine */
	int exit;			/* the program's code */
};

/* One object; units are seconds, times since the start of the reset. */
void report_put(struct json_out *j, const struct reset_card *cards, size_t n,
	const struct report_facts *facts);

/* What is known of a link, as reports and the log have it; null where nothing is. */
void report_put_aer(struct json_out *j, const char *key, const struct aer *a);
void report_put_port(struct json_out *j, const char *key, const struct port *p);
