/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - a whole reset as JSON: --report.
 */
#pragma once

#include "base/json.h"
#include "reset/preflight.h"
#include "reset/reset.h"
#include "telemetry/host/host.h"

/* Facts that are not in the cards. */
struct report_facts {
	const char *command;		/* "-wr", as it was typed */
	const char *act;		/* the command to a controller, or NULL */
	const char *result;		/* how that failed, or "" */
	unsigned tries;			/* how often the cards were reset */
	const struct host *host;
	const struct fleet *fleet;	/* the current one; NULL: no card here was involved */
	const struct preflight *preflight;
	unsigned trays;			/* of a galaxy, bit k: tray k + 1; 0: none were reset */
	const struct bus *bus;		/* of the trays' cards; NULL: of none a state is known */
	int exit;			/* the program's code */
};

/* One object; units are seconds, times since the start of the reset. */
void report_put(struct json_out *j, const struct reset_card *cards, size_t n,
	const struct report_facts *facts);

/* The facts of a link, as in reports and in the log; null if they are not known. */
void report_put_aer(struct json_out *j, const char *key, const struct aer *a);
void report_put_port(struct json_out *j, const char *key, const struct pcie_port *p);
