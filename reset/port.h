/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port.h - the PCIe port above a card, and the errors that the kernel counted
 * on both ends of the link between them.
 */
#pragma once

#include "device/aer.h"

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

/*
 * Why the port's state speaks against a reset, in words; NULL: it does not.  *unsafe: a
 * reset cannot go well in this state.
 */
const char *port_trouble(const struct pcie_port *p, bool *unsafe);
