/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preflight.h - reasons not to reset, checked before anything is done, and the port above a card.
 */
#pragma once

#include "base/error.h"
#include "device/aer.h"
#include "reset/plan.h"
#include "telemetry/host/host.h"

/* The PCIe port above a card, and the errors that the kernel counted on it. */
struct pcie_port {
	bool known;		/* a port was found; a virtual machine may not show any */
	char bdf[16];
	char power[16];		/* "D0", as the kernel reports it; "": not known */
	char link[40];		/* "Gen4 x16" */
	struct aer aer;

	/* From its config space, which is read only in D0, since a read wakes a sleeping port. */
	bool has_config;
	bool is_off;		/* its config space reads all ones */
	bool passes_memory;	/* it forwards loads and stores to the card */
	bool passes_dma;	/* it forwards the card's own accesses */
	bool holds_reset;	/* it keeps the card in reset */
};

/* Touches no card.  *out stays zero unless the cards are the machine's own or recorded. */
void port_read(const struct bus *bus, const char *bdf, struct pcie_port *out);

enum preflight_weight {
	PREFLIGHT_NOTE,		/* worth knowing */
	PREFLIGHT_BUSY,		/* the card is in use: waiting helps */
	PREFLIGHT_UNSAFE,	/* only if the caller insists */
	PREFLIGHT_HOPELESS,	/* no known reset brings the card back */
	PREFLIGHT_IMPOSSIBLE
};

struct preflight_note {
	int index;		/* of the card; -1: of the machine */
	enum preflight_weight weight;
	enum code code;		/* CODE_NONE: a note that is no trouble */
	char text[320];
};

struct preflight {
	size_t n;
	struct preflight_note *notes;
	size_t count[PREFLIGHT_IMPOSSIBLE + 1];	/* by weight */
	size_t resets;		/* of the busy ones: another program's reset, which has an end */
};

/*
 * Check the machine, the cards and the processes that hold them.  Touches no
 * card: the facts come from the fleet's last tick and from the kernel.  p is all zero, or has
 * the notes of an earlier check, which are freed.
 */
void preflight_check(struct preflight *p, const struct reset_plan *plan, const struct bus *bus,
	const struct fleet *f, const struct host *host);

/*
 * Whether no known reset brings back this card of a plan, not even --dmc of its board's other half
 * in the plan.
 */
bool preflight_is_hopeless(const struct reset_plan *plan, const struct fleet *f, size_t at);

/* The longest that another program's reset of this card takes, in ns. */
int64_t preflight_reset_limit(const struct snapshot *s);

/* Free its notes. */
void preflight_clear(struct preflight *p);
