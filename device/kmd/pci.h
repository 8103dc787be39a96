/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci.h - the PCI functions of a machine, where sysfs does not list them.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pci_function {
	char bdf[16];			/* "0000:01:00.0", as sysfs writes it */
	uint16_t vendor, device;
};

/*
 * Find this vendor's functions below <root>/proc/bus/pci, without touching any
 * config space.  Returns how many (at most max), 0 if there is no such list, or
 * -errno.
 */
ssize_t pci_list(const char *root, uint16_t vendor, struct pci_function *out, size_t max,
	struct error *e);
