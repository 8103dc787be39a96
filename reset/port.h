/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port.h - the PCIe port above a card, and the errors that the kernel counted
 * on both ends of the link between them.
 */
#pragma once

#include "device/aer.h"

struct port {
	bool known;		/* there is one: not so where a virtual machine shows none */
	char bdf[16];
	char power[16];		/* "D0", as the kernel says it; "" where it does not */
	char link[40];		/* "Gen4 x16" */
	struct aer aer;

	/* From its config space, which is read only in D0: reading it wakes a port that sleeps. */
	bool has_config;
	bool is_off;		/* it reads all ones */
	bool passes_memory;	/* it forwards loads and stores to the card */
	bool passes_dma;	/* and the card's own */
	bool holds_reset;	/* it keeps the card in reset */
};

/* Touches no card, and nothing at all where these are not the machine's own or recorded. */
void port_read(const struct bus *bus, const char *bdf, struct port *out);

/*
 * What speaks against a reset, in words; NULL where nothing does.  *unsafe: the
 * reset cannot go well as it is.
 */
const char *port_trouble(const struct port *p, bool *unsafe);
