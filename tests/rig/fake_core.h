/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_core.h - what a tile of the fake simulator does once the burn's kernel is on it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Memory of a tile, to the end of a page of 4 KiB. */
uint8_t *fake_memory(unsigned x, unsigned y, uint64_t addr);

bool fake_is_wormhole(void);

/*
 * A block more on a core that runs, as the orders say; false if there are no
 * orders of the kernel's.  What goes wrong on tile 4-5, from its block `after` on:
 * "yes" (its judge finds no word wrong), "nod" (nor does that of its data mover),
 * "stale" (its outputs stay as they were when they were compared), "theirs" (it
 * stamps those of the core before it), "wrong" (a word, once), "lie" (the same,
 * untold), "core" (stops), "slow" (four times the cycles), "rest" (throttled),
 * "memory" (a wrong word in the second channel of the card's memory, once), "keeps"
 * (one in the first, too), "mute" (that channel answers no more), "mover" (its data
 * mover does nothing more), "spare" (its mover finds a word of its peer's memory
 * wrong), "stray" (what that writes does not get there), "idle" (its mover reads no
 * more, but comes to its end), "unborn" (it never begins to compute), "early" (it ends
 * with a pass, untold), "quit" (it takes a pass for its last one, but ends when told
 * to), "claim" (it counts a block that it did not make).
 * And on all tiles: "drag" (slow), "silence" (mute), "desert" (they end after so
 * many seconds without a beat).
 */
bool fake_core_run(unsigned x, unsigned y, bool released, const char *fault, unsigned long after);
