/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_process.h - the process in which an act works on one card.  A card that does not answer
 * may keep it for ever, and costs the others nothing.
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

/* Let run(arg, ...) work; why it cannot is in reason[]. */
void card_process_start(struct card_process *p, const struct bus *bus,
	int (*run)(void *arg, int fd), void *arg, char *reason, size_t size);

/*
 * True while it goes on.  moved: what it has counted so far; a process that stops counting for
 * too long is killed, and reason[] says so.
 */
bool card_process_beat(struct card_process *p, uint64_t moved, char *reason, size_t size);

/* Its end: at once where there is a reason for that, else after a moment for its last words. */
void card_process_end(struct card_process *p, bool at_once);
