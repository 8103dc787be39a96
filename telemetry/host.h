/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the machine around the cards: read below a root, kept as plain data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One requirement: what was found, whether it will do, and what to do if not. */
struct host_check {
	const char *name;	/* "OS", "Distro", "Memory", "Driver", "Reset" */
	bool pass;
	char text[96];		/* found, or advice when it will not do */
};
#define HOST_CHECKS 8

struct host {
	char os[32];		/* "Linux" */
	char distro[64];	/* "Ubuntu 22.04.5 LTS" */
	char kernel[64];
	char hostname[65];
	char platform[32];	/* "x86_64" */
	char memory[24];	/* "125.49 GB": total, 1024-based, as upstream prints it */
	char driver[80];	/* "TT-KMD 2.10.0", or "No driver" */
	uint64_t memory_bytes;
	bool container, virtual_machine;
	size_t n_checks;
	struct host_check checks[HOST_CHECKS];
};

/* Fill *h from <root>/proc and <root>/etc; driver is the driver's version or "". */
void host_read(const char *root, const char *driver, struct host *h);
