/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mobo.h - a management host of carrier boards, which resets its modules on a
 * request over HTTP (chip-facts 5.5).
 */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "reset/outside/outside.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOBO_PORTS 64
#define MOBO_CARDS 32

struct mobo {
	char host[128];			/* name, or name:port */
	size_t n_ports, n_disabled, n_cards;
	char ports[MOBO_PORTS][8];	/* "6:0": group and channel of an ethernet port to boot */
	char disabled[MOBO_PORTS][8];
	int cards[MOBO_CARDS];		/* nodes of this machine's cards connected to it */
	const char *user, *password;
};

bool mobo_is_host(const char *name);
bool mobo_is_port(const char *text);	/* "6:0" */

/* One entry of wh_mobo_reset; 1: a template that was never filled in; -EINVAL. */
int mobo_parse(const struct json *entry, struct mobo *m, struct error *e);

/* The progress that a boot reports. */
struct mobo_progress {
	double percent;
	char step[64];
};
int mobo_parse_progress(const char *text, size_t len, struct mobo_progress *p, struct error *e);

/* Steps 1 to 3 and 4: everything before the cards here are reset. */
int mobo_boot(const struct mobo *m, struct outside_line *line, struct error *e);
int mobo_shut_modules(const struct mobo *m, struct outside_line *line, struct error *e);
/* Step 6: start its modules again. */
int mobo_start_modules(const struct mobo *m, struct outside_line *line, struct error *e);

int64_t mobo_limit(void);	/* for any of these, in ns */
