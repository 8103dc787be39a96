/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the machine around the cards: read below a root, kept as plain data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the machine meets one requirement. */
enum host_verdict {
	HOST_PASS,
	HOST_NOTE,	/* works, but there is something to know */
	HOST_FAIL	/* does not work as it is: the text says what to do */
};

struct host_check {
	const char *name;	/* "OS", "Distro", "Memory", "Driver", "Reset" */
	enum host_verdict verdict;
	char text[96];		/* what was found, what to know, or what to do */
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
	bool xen;		/* a virtual machine whose host takes requests for resets (HVM) */
	size_t n_checks;
	struct host_check checks[HOST_CHECKS];
};

const char *host_verdict_name(enum host_verdict v);	/* "pass", "note", "fail" */

/* Fill *h from <root>/proc and <root>/etc; driver is the driver's version or "". */
void host_read(const char *root, const char *driver, struct host *h);
