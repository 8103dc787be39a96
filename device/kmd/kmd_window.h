/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_window.h - parts of the chip mapped into this process, through an open node.
 */
#pragma once

#include "device/kmd/kmd.h"

/* True when it is known how this chip's registers are reached. */
bool kmd_window_knows(const struct device *d);

/* Learn what can be mapped, and get the window without which nothing can be read. */
int kmd_window_begin(struct device *d, struct kmd_card *card, struct error *e);

/* Unmap everything and give the windows back. */
void kmd_window_drop(struct kmd_card *card);

/*
 * Where `at` is mapped in this process, and in *len how many bytes follow it;
 * NULL and -errno in *error where it cannot be.
 */
volatile uint32_t *kmd_window_map(struct device *d, struct kmd_card *card, struct reg_addr at,
	enum kmd_way way, uint64_t *len, int *error);

/* The same for the tiles of a rectangle, to be filled. */
volatile uint32_t *kmd_window_map_rect(struct device *d, struct kmd_card *card, struct reg_rect to,
	uint64_t addr, uint64_t *len, int *error);
