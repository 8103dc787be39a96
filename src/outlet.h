/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outlet.h - text for stdout that never makes its writer wait: what a pipe or
 * a stopped terminal does not take now stays here until the end.
 *
 * A card that has been reset must not stay closed because our lines are not read.
 */
#pragma once

#include "base/strbuf.h"

#include <poll.h>
#include <stdbool.h>

struct outlet {
	struct strbuf text;	/* what is to be written is added here */
	size_t sent;
	int fd;			/* an open file of our own where stdout is a pipe or a terminal */
	bool is_broken;		/* a write failed: outlet_close() tries again, and is told why */
};

void outlet_open(struct outlet *o);

/* Write the rest through stdio, however long its reader takes; errors stay with stdout. */
void outlet_close(struct outlet *o);

/* Write what is taken at once; false: there is more. */
bool outlet_push(struct outlet *o);

/* For poll(): stdout, while there is something to write. */
struct pollfd outlet_poll(const struct outlet *o);

/* Would a line on this descriptor be taken now? */
bool outlet_is_free(int fd);

/* Cells in a line of this descriptor; 0 where it is not a terminal, or does not say. */
size_t outlet_columns(int fd);
