/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap_memory.h - faults of one channel of a chip's memory, for wrap_ttsim.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The simulator itself: bytes of BAR0, words of a tile. */
struct wrap_chip {
	bool blackhole;
	uint64_t bar0;
	void (*load)(uint64_t at, void *to, uint32_t n);
	void (*store)(uint64_t at, const void *from, uint32_t n);
	uint64_t (*aim)(unsigned x, unsigned y, uint64_t addr);	/* where it is in BAR0 */
};

/* False: no fault of the memory has this name. */
bool wrap_memory_init(const struct wrap_chip *chip, const char *fault, unsigned long seed);

/* In the place of the simulator's. */
void wrap_memory_load(uint64_t at, void *to, uint32_t n);
void wrap_memory_store(uint64_t at, const void *from, uint32_t n);
void wrap_memory_clock(void);
