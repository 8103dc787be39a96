/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * want.h - what this process may lack: descriptors, processes, memory.  That is
 * a fact about us and our limits, never about a card.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether -errno says that something of ours is lacking, whatever we tried to do with it. */
bool want_is(int code);

/* What an act is going to need, on top of what is in use already. */
struct want {
	size_t files;		/* descriptors, open at the same time */
	size_t processes;
	size_t bytes;		/* of memory */
};

/*
 * Try all of it out and give it back.  The soft limit of descriptors is raised as
 * far as the hard one allows.  0, or -errno with what is needed and what is lacking.
 */
int want_prove(const struct want *w, struct error *e);
