/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h - chips by name: an index, a BDF (with or without the domain),
 * /dev/tenstorrent/N, a board serial (which names all chips of the board), or
 * "all" or "cards"; in lists, separated by commas or blanks.
 */
#pragma once

#include "base/error.h"
#include "telemetry/snapshot.h"

/*
 * Set wanted[index] for every chip that `names` names.  -ENODEV: a name matches
 * no chip; -EINVAL: a name is malformed; the error says which.
 */
int select_chips(const char *names, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e);

/* Whether it is a PCI address: "41:00.0" or "0000:41:00.0", in either case. */
bool select_is_bdf(const char *text);

/* Whether the name means all chips. */
bool select_is_all(const char *name);

/* Whether a name in the list means all chips. */
bool select_has_all(const char *names);

/* Set named[index] for every chip that `names` names by its index. */
void select_indices(const char *names, size_t n, bool *named);

/*
 * The boards of TT_VISIBLE_DEVICES, as upstream's library reads it: indices ("0,2", "0-3") and PCI
 * addresses or parts of them ("0000:c"), mixed.  Clear the chips of all other boards.  A board is a
 * PCI function with the chips reached through it.  Words that match nothing are ignored unless
 * none matches.
 */
int select_visible(const char *list, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e);
