/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_window.h - parts of the chip mapped into this process, through an open node.
 */
#pragma once

#include "device/kmd/kmd.h"

/* Whether we know how this chip's registers are reached. */
bool kmd_window_knows(const struct device *d);

/* Ask the driver what can be mapped, and get the first window if reads will need one. */
int kmd_window_begin(struct device *d, struct kmd_card *card, struct error *e);

/* Unmap everything and free the windows. */
void kmd_window_drop(struct kmd_card *card);

/*
 * Returns where `at` is mapped in this process, and in *len the bytes from there to
 * the mapping's end; NULL and -errno in *error if it cannot be mapped.
 */
volatile uint32_t *kmd_window_map(struct device *d, struct kmd_card *card, struct reg_addr at,
	enum kmd_way way, uint64_t *len, int *error);

/* The same for the tiles of a rectangle, for KMD_FILL. */
volatile uint32_t *kmd_window_map_rect(struct device *d, struct kmd_card *card, struct reg_rect to,
	uint64_t addr, uint64_t *len, int *error);
