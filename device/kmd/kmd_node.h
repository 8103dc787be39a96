/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_node.h - the device node, and requests to the driver through it.
 */
#pragma once

#include "device/kmd/kmd.h"
#include "device/kmd/kmd_abi.h"

/* Returns 0 or -errno; an interrupted call is tried again. */
int kmd_ioctl(int fd, enum kmd_ioctl request, void *arg);

/* Open the node and check that it is this card's; on failure close it again. */
int kmd_node_open(struct device *d, struct kmd_card *card, enum access_purpose purpose,
	enum device_handle how, struct error *e);
void kmd_node_close(struct kmd_card *card);

/* Say why an open node gives no access. */
int kmd_node_fail(struct device *d, int code, struct error *e);

/* Implement the transport operations of these names. */
int kmd_node_reset(struct kmd_card *card, enum device_reset kind, uint32_t *result);
int kmd_node_power(struct kmd_card *card, unsigned flags);
int kmd_node_claim(struct kmd_card *card);
