/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counted.h - resets and burns of each chip, counted in the state directory by whatever does
 * them, so that metrics know of them whether or not they are collected at that time.
 *
 * The file is replaced as a whole, under a lock, at each act: it is small, and acts are rare.
 * Each source of cards has its own (bus_state_name()), so an address is enough to name a chip.
 */
#pragma once

#include "device/bus.h"
#include "telemetry/tally.h"

#include <sys/stat.h>

#define COUNTED_IDS (TALLY_BURNINS_END - TALLY_RESETS + 1)

struct counted_chip {
	char bdf[16];
	uint64_t n[COUNTED_IDS];	/* of TALLY_RESETS and so on */
};

struct counted {
	size_t n;
	struct counted_chip chips[DEVICE_MAX];
	char path[4096];		/* of the file; "": it was not looked for yet */
	struct stat seen;		/* of it, when it was read last */
};

/* What an act did to a chip: one more of this total. */
struct counted_act {
	const char *bdf;
	enum tally_id id;
};

/*
 * Count these, at once: it waits for the disk, so not while anything else waits.  Nothing is
 * counted, and all is well, where these are not the machine's own cards and TT_SMI_STATE_DIR is
 * not set.  -errno: it could not be counted, or (-EBADMSG) it is the first since the file was torn;
 * *e says which.
 */
int counted_add(const struct bus *bus, const struct counted_act *acts, size_t n, struct error *e);

/* Read them, if they changed since the last time; what cannot be read stays as it was. */
int counted_read(struct counted *c, const struct bus *bus, struct error *e);

/* What is counted of a chip goes into its totals. */
void counted_put(const struct counted *c, const char *bdf, struct tally *to);

/* Text of the file; true: it is whole, and *c is what it says. */
void counted_put_text(const struct counted *c, struct strbuf *to);
bool counted_parse(const char *text, struct counted *c);
