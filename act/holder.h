/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holder.h - which program has a card.  Three signs show it: the lock of its file, the driver's
 * own lock, and a process that has its node open.  All are reported in the same words.
 */
#pragma once

#include "telemetry/snapshot.h"

struct device;

#define HOLDER_TEXT 320

/* The beginning of every such text. */
#define HOLDER_HAS_IT "another program has it: "

/* Our own live displays and dumps: they release a card for its reset, and change nothing. */
bool holder_is_monitor(const struct process *p);

/* The next process that has the card open, monitors left out; NULL after the last. */
const struct process *holder_next(const struct fleet *f, int index, size_t *at);

/* "another program has it: process 4242 (root) has it open: ./app" */
void holder_put(const struct device *d, const struct process *p, char text[static HOLDER_TEXT]);

/* The same for the holder of its lock; pid 0: a process that cannot be seen from here. */
void holder_put_lock(pid_t pid, char text[static HOLDER_TEXT]);

/* The same for a lock held by another user's process, with how to end it or pass it over. */
void holder_put_stranger(const struct device *d, pid_t pid, char text[static HOLDER_TEXT]);

/* The same for the driver's lock. */
extern const char holder_of_driver[];
