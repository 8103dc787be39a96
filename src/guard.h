/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - a process that outlives an act: if the act's own process dies, from a flipped bit or a
 * signal, it says that there is no verdict.
 */
#pragma once

#include "base/child.h"

/* what: the act, "burn of the host".  An act that cannot have a guard goes on without one. */
void guard_start(struct child *guard, const char *what);

/* The act has said how it ended. */
void guard_end(struct child *guard);
