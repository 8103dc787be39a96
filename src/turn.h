/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn.h - one turn of whatever waits for an act: its own descriptors, a reader of its lines, and
 * the ways in which a person or a program ends it.
 */
#pragma once

#include "src/outlet.h"
#include "src/stop.h"

#define TURN_FDS (STOP_FDS + 1)

/*
 * Push what is written to out (NULL: there is none), and wait for n descriptors, which have room
 * for TURN_FDS more, for out, for a stop, and for ms at most.  True once a stop was requested.
 */
bool turn_wait(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms);

/* The same, where there is nothing but time to wait for. */
bool turn_rest(struct stop *stop, int ms);

/*
 * The last words, and their end.  A terminal that stands still has two seconds to take them; a
 * pipe has until a signal or q ends the program.  After SIGTERM or SIGHUP neither is waited for.
 */
void turn_end(struct stop *stop, struct outlet *out);
