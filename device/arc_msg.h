/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_msg.h - messages to the firmware through the scratch registers of
 * Grayskull and Wormhole (chip-facts 4.1).
 *
 * There is one slot, shared with the driver and every other tool, and no lock
 * that all of them take: send only while no other process holds the board.
 */
#pragma once

#include "device/device.h"

struct arc_mailbox {
	struct reg_addr unit;	/* the reset unit */
	struct reg_addr dma;	/* bit 31: the firmware copies something; addr 0: no such word */
	int64_t patience;	/* ns for a load before anything is sent; 0: it may take any time */
};

/*
 * The patience of a process that nobody ends: a message is ten accesses, and what has been sent
 * has to be seen to its end.  A chip whose first load takes longer is sent nothing.
 */
#define ARC_MSG_PATIENCE 2000000000LL

enum {
	ARC_MSG_LEGACY_ADDRESS = 0x2c,	/* out[0]: where the legacy struct is */
	ARC_MSG_RESET = 0x56,		/* the chip is reset at once */
	ARC_MSG_HARVESTING = 0x57,	/* Grayskull, out[0]: fuses of rows that are not usable */
	ARC_MSG_PREPARE_RESET = 0xa3,
	ARC_MSG_FW_VERSION = 0xb9,	/* arg0 0: of the firmware, as 0xaabbccdd */
	ARC_MSG_SAFE_CLOCKS = 0xbb	/* Grayskull, arg0 1: so low that resets may be touched */
};

/*
 * Send one message and wait for its answer, at most a second; code and both
 * arguments have 8 and 16 bits.  -EAGAIN: the firmware takes no messages now;
 * -EBUSY: another program's message is under way; -ETIMEDOUT: no answer, or
 * nothing was sent, since the chip is too slow; -EPROTO: the firmware does not
 * know the message, or refused it.
 */
int arc_msg_send(struct device *d, const struct arc_mailbox *m, uint8_t code, uint16_t arg0,
	uint16_t arg1, uint32_t out[2], struct error *e);
