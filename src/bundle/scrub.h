/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub.h - serial numbers in any text: each is given a number in its place that keeps what kind
 * of board it is and which chips share a board, and is the same wherever it stands.
 */
#pragma once

#include "base/strbuf.h"
#include "telemetry/fleet.h"

struct scrub {
	size_t n;
	struct {
		uint64_t secret, instead;
	} ids[2 * DEVICE_MAX];		/* boards and chips */
};

/* The numbers of boards and chips that were read. */
void scrub_take(struct scrub *s, const struct fleet *f);

/*
 * Append the text without them, however they are written: as a hexadecimal number, and as the two
 * words that registers have.
 */
void scrub_put(const struct scrub *s, struct strbuf *to, const char *text, size_t len);
