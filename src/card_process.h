/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_process.h - the process in which an act works on one card.  A card that does not answer
 * may block it for ever, which does not delay the other cards.
 */
#pragma once

#include "act/watchdog.h"
#include "base/child.h"

#include <stddef.h>
#include <stdint.h>

struct bus;

struct card_process {
	struct child child;
	bool started;
	struct watchdog watchdog;
};

/* Start run(arg, ...) in it; if that fails, *why says why. */
void card_process_start(struct card_process *p, const struct bus *bus,
	int (*run)(void *arg, int fd), void *arg, struct error *why);

/*
 * True while it runs, and *why has no text.  moved: its progress counter.  A process whose counter
 * stands still for too long is killed, and *why says so.
 */
bool card_process_beat(struct card_process *p, uint64_t moved, struct error *why);

/* End it: at once, or after a moment for its last messages. */
void card_process_end(struct card_process *p, bool at_once);
