/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_wire.h - what passes between kmd_shim.so, which stands in front of the
 * kernel in every process of the program, and kmd_driver, which plays the
 * driver and the card.  A connection is an open file of the node: it ends with
 * its last descriptor, as the driver sees a file end.
 */
#pragma once

#include <stdint.h>

#define WIRE_PAGE   4096u
#define WIRE_POISON 0x9d3f16b7u	/* a word of a page that nobody has stored to */

/* In a file of the tree: reading it fails with ENODATA (driver-behaviour 14). */
#define WIRE_NO_DATA "ENODATA\n"

enum wire_op {
	WIRE_OPEN,	/* at: the flags of open(); answered when the driver lets it in */
	WIRE_SYNC,	/* answered when every close before it was seen */
	WIRE_IOCTL,	/* at: the request; its argument goes and comes back */
	WIRE_MMAP,	/* at: the offset; n: pages */
	WIRE_MUNMAP,	/* the same */
	WIRE_LOAD,	/* at: offset of a mapping; n 1: a load that memcpy() does not make */
	WIRE_AIM,	/* the same, for a store that will follow */
	WIRE_STORE	/* n bytes from there on; not answered */
};

/* How an access may be let through. */
enum wire_way {
	WIRE_STEP,	/* one instruction, after the bytes that came with the answer */
	WIRE_WHOLE,	/* all of the page, until the next access that is not to it */
	WIRE_GONE	/* not at all: the driver has taken the mapping away */
};

struct wire_request {
	uint32_t op, n;
	uint64_t at;
	_Alignas(8) uint8_t data[WIRE_PAGE];
};

struct wire_answer {
	int32_t result;			/* 0, enum wire_way, or -errno */
	uint32_t n;
	_Alignas(8) uint8_t data[WIRE_PAGE];
};
