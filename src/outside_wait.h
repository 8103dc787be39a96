/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside_wait.h - runs an act outside of the driver (reset/outside/outside.h) from start
 * to end, and prints its progress on stdout.
 */
#pragma once

#include "reset/outside/outside.h"
#include "src/stop.h"

/*
 * A first signal ends it before its next dangerous step; a second one leaves it
 * in the middle of what it does.  `last` is its last report: 0, -ECANCELED
 * (stopped), or why it failed.
 */
void outside_wait(const struct outside *what, struct stop *stop, struct outside_report *last);
