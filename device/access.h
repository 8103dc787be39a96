/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.h - which registers of a real chip may be touched.
 */
#pragma once

#include "device/device.h"

#define ACCESS_WORDS_MAX 131072	/* in one access: the whole CSM */

/* Whether n words from `at` on may be read, or written if store, for this purpose. */
bool access_allowed(enum device_chip chip, enum access_purpose purpose, struct reg_addr at,
	size_t n, bool store);

/* Whether n words from addr on may be written to all tiles of a rectangle at once. */
bool access_multicast_allowed(enum device_chip chip, enum access_purpose purpose,
	struct reg_rect to, uint64_t addr, size_t n);
