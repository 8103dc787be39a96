/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub.h - replaces serial numbers in any text.  A replacement keeps the kind of board, is the
 * same everywhere, and so shows which chips share a board.
 */
#pragma once

#include "base/text.h"
#include "telemetry/snapshot.h"

struct scrub {
	size_t n;
	struct {
		uint64_t secret, instead;
	} ids[3 * DEVICE_MAX];		/* of a board, and two of a chip */
};

/* Collect the serial numbers of boards and chips that were read. */
void scrub_take(struct scrub *s, const struct fleet *f);

/*
 * Append the text with the serial numbers replaced, whether they are written as one hexadecimal
 * number or as the two words of registers.
 */
void scrub_put(const struct scrub *s, struct strbuf *to, const char *text, size_t len);
