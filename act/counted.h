/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counted.h - resets and burns of each chip, counted in a file of the state directory.  The code
 * that performs an act counts it, so metrics include acts from before they were started.
 *
 * Each act replaces the whole file under a lock: the file is small, and acts are rare.  Each
 * source of cards has its own file (bus_state_name()), so an address is enough to name a chip.
 */
#pragma once

#include "base/record_file.h"
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
	char path[4096];		/* of the file; "" before the first counted_read() */
	struct stat seen;		/* of the file, when it was last read */
	bool is_unknown;		/* the file cannot be read */
};

/* An act on a chip: adds one to this total. */
struct counted_act {
	const char *bdf;
	enum tally_id id;
};

/*
 * Count these acts.  This waits for the disk, so do not call it while anything else waits.  If
 * the cards are not the machine's own and TT_SMI_STATE_DIR is not set, nothing is counted and 0
 * is returned.  -EBADMSG: the file was torn, and these acts are the first in a new one; other
 * -errno: not counted.  *e says why.
 */
int counted_add(const struct bus *bus, const struct counted_act *acts, size_t n, struct error *e);

/*
 * Read the counts if the file changed since the last call; on an error they stay as they were, and
 * are unknown unless the file is only torn.
 */
int counted_read(struct counted *c, const struct bus *bus, struct error *e);

/* Copy a chip's counts into its totals, which lack them while they are unknown. */
void counted_put(const struct counted *c, const char *bdf, struct tally *to);

/* The file that keeps n and chips of a struct counted. */
extern const struct record_file counted_file;
