/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * want.h - resources that this process may lack: descriptors, processes, memory.
 * A lack is a fact about us and our limits, never about a card.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether this -errno means that we lack a resource, whatever we were trying to do. */
bool want_is(int code);

/* What a lack of this kind is of, and what shows its limit: "processes: ulimit -u". */
const char *want_limit(int code);

/* The resources that an act will need, on top of those already in use. */
struct want {
	size_t files;		/* descriptors, open at the same time */
	size_t processes;
	size_t bytes;		/* of memory */
};

/*
 * Allocate all of it and give it back.  If needed, the soft limit of descriptors is
 * raised to the hard one.  0, or -errno with a message about the lacking resource.
 */
int want_prove(const struct want *w, struct error *e);
