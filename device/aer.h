/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aer.h - the errors that the kernel counted on PCIe links (Advanced Error Reporting), of a card
 * and of the bridges above it.  They are the kernel's own memory: no card is touched.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AER_LINKS 8	/* a card and the bridges above it, at most */

enum aer_kind { AER_CORRECTABLE, AER_NONFATAL, AER_FATAL, AER_KINDS };

/* Since the kernel found the device: how many, by severity. */
struct aer {
	char bdf[16];
	bool known;		/* the kernel counts them */
	uint64_t errors[AER_KINDS];
};

struct bus;

extern const char *const aer_kinds[];	/* "correctable" ...; ended by NULL */

/* Of one device.  Nothing is known where these are not the machine's own cards or recorded ones. */
void aer_read(const struct bus *bus, const char *bdf, struct aer *out);

/* Of a card and the bridges above it, the nearest first; returns how many. */
size_t aer_read_all(const struct bus *bus, const char *bdf, struct aer out[static AER_LINKS]);

/* The bridge above a device; false: there is none. */
bool aer_find_above(const struct bus *bus, const char *bdf, char *out, size_t size);
