/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_room.h - how much memory this process may take without taking it from
 * others: what is free, within its control groups and its own limits.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes that are free for us; `by` names the limit that applies.  root: "" except in tests. */
int burn_room_free(const char *root, uint64_t *bytes, const char **by, struct error *e);

/* True if less is left than others need, so that a burn of memory has to end. */
bool burn_room_is_short(const char *root);

/* How many processes the kernel has killed because memory ran out; 0 if it does not report that. */
uint64_t burn_room_kills(const char *root);

/* Bytes of our own memory that are swapped out. */
uint64_t burn_room_swapped(void);
