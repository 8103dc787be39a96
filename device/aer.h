/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aer.h - the PCIe errors (Advanced Error Reporting) that the kernel counted for a card and the
 * bridges above it.  The kernel answers from its own memory: no card is touched.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AER_LINKS 8	/* a card and the bridges above it, at most */

enum aer_kind { AER_CORRECTABLE, AER_NONFATAL, AER_FATAL, AER_KINDS };

/* Errors since the kernel found the device, by severity. */
struct aer {
	char bdf[16];
	bool known;		/* the kernel counts them */
	uint64_t errors[AER_KINDS];
};

struct bus;

extern const char *const aer_kinds[];	/* "correctable" ...; ended by NULL */

/* Read one device's counts.  Only the machine's own cards and recorded trees have known ones. */
void aer_read(const struct bus *bus, const char *bdf, struct aer *out);

/* Read those of a card and then of the bridges above it, nearest first; returns how many. */
size_t aer_read_all(const struct bus *bus, const char *bdf, struct aer out[static AER_LINKS]);

/* Find the bridge above a device; false if there is none. */
bool aer_find_above(const struct bus *bus, const char *bdf, char *out, size_t size);
