/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn.h - one wait in a loop: for its own descriptors, for the reader of its output, and for a
 * person or a program that ends it.  Whatever hears a struct stop waits here.
 */
#pragma once

#include "src/outlet.h"
#include "src/stop.h"

#define TURN_FDS (STOP_FDS + 1)

/*
 * Push out (or NULL), then wait for n descriptors, for out and for a stop (or NULL), for ms at
 * most (-1: for ever).  fds has room for TURN_FDS more.  True once a stop was requested.
 */
bool turn_wait(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms);

/* The same for a program, a disk or a person: their time is real even if the cards' is virtual. */
bool turn_wait_steady(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int ms);

/* The same in ns, for deadlines that a ms would miss. */
bool turn_wait_ns(struct stop *stop, struct outlet *out, struct pollfd *fds, size_t n, int64_t ns);

/* The same without descriptors and output: rest until ms are over or a stop is requested. */
bool turn_rest(struct stop *stop, int ms);

/* After a stop: ns that the reader of output has for the rest of what it has begun to take. */
int64_t turn_last_words(const struct stop *stop);

/*
 * Write the last output, and close out.  A stopped terminal has two seconds to take it; a pipe has
 * until a further signal or q ends the program.  After SIGTERM or SIGHUP neither is waited for.
 */
void turn_end(struct stop *stop, struct outlet *out);
