/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_msg.h - messages to the firmware through the scratch registers of
 * Grayskull and Wormhole (chip-facts 4.1).
 *
 * The driver and all tools share one slot, and no lock is taken by all of them:
 * send only while no other process holds the board.
 */
#pragma once

#include "device/device.h"

struct arc_mailbox {
	struct reg_addr unit;	/* the reset unit */
	struct reg_addr dma;	/* bit 31: the firmware is copying; addr 0: no such word */
	int64_t patience;	/* most ns for a load before anything is sent; 0: no limit */
	int64_t wait;		/* most ns for the answer; 0: 1 s */
};

/*
 * The patience of a process that is never killed: a message takes ten accesses, and one that was
 * sent must be completed.  Nothing is sent to a chip whose first loads take longer.
 */
#define ARC_MSG_PATIENCE 2000000000LL

enum {
	ARC_MSG_LEGACY_ADDRESS = 0x2c,	/* out[0]: address of the legacy struct */
	ARC_MSG_RESET = 0x56,		/* reset the chip at once */
	ARC_MSG_HARVESTING = 0x57,	/* Grayskull, out[0]: fuses of the unusable rows */
	ARC_MSG_PREPARE_RESET = 0xa3,
	ARC_MSG_FW_VERSION = 0xb9,	/* arg0 0: the firmware's, as 0xaabbccdd */
	ARC_MSG_SAFE_CLOCKS = 0xbb	/* Grayskull, arg0 1: low enough to touch resets */
};

/*
 * Send one message and wait at most a second for its answer.  -EHOSTDOWN: the
 * firmware takes no messages now; -EBUSY: another program's message is under
 * way; -ETIMEDOUT: no answer, or nothing was sent because the chip is too slow;
 * -EPROTO: the firmware does not know the message, or refused it.
 */
int arc_msg_send(struct device *d, const struct arc_mailbox *m, uint8_t code, uint16_t arg0,
	uint16_t arg1, uint32_t out[2], struct error *e);
