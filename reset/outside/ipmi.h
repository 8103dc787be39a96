/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipmi.h - resets of a galaxy's trays by its management controller, through
 * ipmitool (chip-facts 5.4).  No shell is involved, and a password is passed
 * in ipmitool's environment, never in its arguments.
 */
#pragma once

#include "base/error.h"
#include "device/bus.h"
#include "reset/outside/outside.h"

#include <stddef.h>

struct ipmi {
	char program[256];	/* path of ipmitool */
	const char *host;	/* over the network (lanplus); NULL: this machine's controller */
	const char *port;		/* of the host, or NULL */
	const char *user, *password;	/* with host */
};

/* Find ipmitool in PATH or in the folders of root's programs; -ENOENT: it is not installed. */
int ipmi_find(struct ipmi *i, struct error *e);

/* The same for the controller of these cards.  Simulated cards never use the machine's own: they
 * have none (program is "") unless TT_SMI_SIM_IPMITOOL names a program, for tests. */
int ipmi_find_of(const struct bus *bus, struct ipmi *i, struct error *e);

/* The command as it would be typed, without the password; trays: bit k is tray k + 1. */
void ipmi_describe(const struct ipmi *i, unsigned trays, char *out, size_t size);

/*
 * Reset these trays, without the retimers of their links if the controller can do that.
 * Blocks until ipmitool is done, so run it through outside.h.
 */
int ipmi_reset(const struct ipmi *i, unsigned trays, struct outside_line *line, struct error *e);

/*
 * Ask this machine's controller something that changes nothing (two words: "fru", "print"), until
 * clock_steady() `until` at the latest.  out has the answer, or what ipmitool printed as it failed.
 */
int ipmi_print(const struct ipmi *i, const char *const words[2], int64_t until, char *out,
	size_t size, struct error *e);
