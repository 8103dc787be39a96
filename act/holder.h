/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holder.h - who has a card.  Three signs show it: the lock of its file, the driver's own
 * lock, and a process that has its node open; each is said in the same words.
 */
#pragma once

#include "telemetry/fleet.h"

struct device;

#define HOLDER_TEXT 320

/* What every such text begins with. */
#define HOLDER_HAS_IT "another program has it: "

/* Our own live displays and dumps: they let go of a card that is reset, and change nothing. */
bool holder_is_monitor(const struct process *p);

/* The next process that has the card open, monitors left out; NULL after the last. */
const struct process *holder_next(const struct fleet *f, int index, size_t *at);

/* "another program has it: process 4242 (root) has it open: ./app" */
void holder_put(const struct device *d, const struct process *p, char text[static HOLDER_TEXT]);

/* The same of its lock; pid 0: one that cannot be seen from here. */
void holder_put_lock(pid_t pid, char text[static HOLDER_TEXT]);

/* Of a lock that a process of another user has: what ends it, and what passes it. */
void holder_put_stranger(const struct device *d, pid_t pid, char text[static HOLDER_TEXT]);

/* The driver's lock. */
extern const char holder_of_driver[];
