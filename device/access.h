/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * access.h - which registers of a real chip may be touched at all.
 */
#pragma once

#include "device/device.h"

#define ACCESS_WORDS_MAX 131072	/* of one access: the whole CSM */

/* n words from `at` on are known to be harmless to read, or to write. */
bool access_allowed(enum device_chip chip, struct reg_addr at, size_t n, bool store);
