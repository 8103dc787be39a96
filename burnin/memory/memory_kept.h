/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_kept.h - endpoints that no test uses: a memory controller's own firmware uses one
 * endpoint of its channel, and newer firmware reports which.
 */
#pragma once

#include "burnin/memory/memory_fault.h"

#include <stdbool.h>

struct memory_kept {
	uint8_t ports[MEMORY_CHANNELS];	/* endpoints of each channel, a bit each */
};

static inline bool memory_kept_has(const struct memory_kept *k, unsigned channel, unsigned port)
{
	return k->ports[channel] >> port & 1;
}

/* The endpoint, or the next one that is not kept. */
static inline unsigned memory_kept_near(const struct memory_kept *k, unsigned channel,
	unsigned port)
{
	for (unsigned i = 0; i < MEMORY_PORTS; i++)
		if (!memory_kept_has(k, channel, (port + i) % MEMORY_PORTS))
			return (port + i) % MEMORY_PORTS;
	return port % MEMORY_PORTS;
}

/* Number of endpoints of these channels that are tested. */
static inline unsigned memory_kept_rest(const struct memory_kept *k, uint32_t channels)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_PORTS; i++)
		n += (channels >> i / MEMORY_PORTS & 1) &&
			!memory_kept_has(k, i / MEMORY_PORTS, i % MEMORY_PORTS);
	return n;
}

/* "endpoint 0 of channels 1, 2; endpoint 2 of channel 0"; NULL if none is kept. */
char *memory_kept_text(const struct memory_kept *k, uint32_t channels, char *text, size_t size);
