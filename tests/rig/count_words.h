/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_words.h - how many words go to and from a device, whatever its transport,
 * in how many accesses, by us and by all children that are started from here on.
 */
#pragma once

#include "device/device.h"

#include <stdatomic.h>

struct count_words {
	_Atomic size_t read, written, multicast;	/* multicast: once for all tiles */
	_Atomic size_t stores;			/* of one word */
	_Atomic size_t accesses;		/* of any kind; many pieces together are one */
};

/* From now on; one device at a time. */
struct count_words *count_words_begin(struct device *d);
