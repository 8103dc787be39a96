/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_words.h - how many words go to and from a device, whatever its transport.
 */
#pragma once

#include "device/device.h"

struct count_words {
	size_t read, written, multicast;	/* multicast: once for all tiles */
	size_t stores;				/* of one word */
};

/* From now on; one device at a time. */
struct count_words *count_words_begin(struct device *d);
