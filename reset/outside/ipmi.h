/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipmi.h - resets of a galaxy's trays by its management controller, through
 * ipmitool (chip-facts 5.4).  No shell is involved, and a password is handed
 * over in ipmitool's environment, never in its arguments.
 */
#pragma once

#include "base/error.h"
#include "device/bus.h"
#include "reset/outside/outside.h"

#include <stddef.h>

struct ipmi {
	char program[256];	/* path of ipmitool */
	const char *host;	/* over the network (lanplus); NULL: this machine's controller */
	const char *port;		/* of it, or NULL */
	const char *user, *password;	/* with host */
};

/* Find ipmitool where PATH and the folders of root's programs say; -ENOENT: it is not here. */
int ipmi_find(struct ipmi *i, struct error *e);

/* The same for the controller of these cards: that of simulated ones is never the machine's own,
 * and there is none (program stays "") but where TT_SMI_SIM_IPMITOOL names one, for tests. */
int ipmi_find_of(const struct bus *bus, struct ipmi *i, struct error *e);

/* The command as it would be typed, without the password; trays: bit k is tray k + 1. */
void ipmi_describe(const struct ipmi *i, unsigned trays, char *out, size_t size);

/*
 * Reset these trays, without the retimers of their links where the controller can;
 * blocks until ipmitool is done, so run it by outside.h.
 */
int ipmi_reset(const struct ipmi *i, unsigned trays, struct outside_line *line, struct error *e);

/*
 * What this machine's controller answers to a question that changes nothing (two words: "fru",
 * "print"), by clock_steady() `until` at the latest; out has what was printed after an error, too.
 */
int ipmi_print(const struct ipmi *i, const char *const words[2], int64_t until, char *out,
	size_t size, struct error *e);
