/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h - which chips a person means: an index, a BDF (with or without the
 * domain), /dev/tenstorrent/N, a board serial (which names all its chips), or
 * "all"; lists of them with commas or blanks.
 */
#pragma once

#include "base/error.h"
#include "telemetry/snapshot.h"

/*
 * Mark wanted[index] for every chip that `names` names.  A name that fits no
 * chip is -ENODEV, one that cannot be a name is -EINVAL; both say which.
 */
int select_chips(const char *names, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e);

/*
 * The board indices of TT_VISIBLE_DEVICES ("0,2", "0-3"): unmark the chips of
 * all other boards.  A board is a PCI function with the chips behind it, as
 * upstream's library counts; numbers that are not there do no harm unless all are.
 */
int select_visible(const char *list, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e);
