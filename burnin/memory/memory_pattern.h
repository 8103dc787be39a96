/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_pattern.h - what each word of a card's memory is to hold: a function of
 * its address and of the round, so that it is known without a copy.
 *
 * Patterns that repeat after few words cannot show a lane that is late, so none
 * of these does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum memory_pattern {
	MEMORY_RANDOM,
	MEMORY_ADDRESS,		/* each word has its own address in it */
	MEMORY_BURST,		/* the words of 64 bytes are the same, and no other's */
	MEMORY_ONES,		/* one bit set */
	MEMORY_ZEROS,		/* one bit clear */
	MEMORY_PATTERNS
};

#define MEMORY_BURST_BYTES 64

struct memory_data {
	enum memory_pattern pattern;
	uint64_t key;		/* other data for each round and channel */
};

struct memory_data memory_data_of(uint64_t seed, uint64_t round, unsigned channel);

/* Of marks, which no round has. */
struct memory_data memory_mark_of(uint64_t seed, unsigned channel);

/* The word at addr, a multiple of 4. */
uint32_t memory_word(const struct memory_data *m, uint64_t addr);
void memory_fill(const struct memory_data *m, uint64_t addr, uint32_t *words, uint64_t n);

/* MEMORY_ADDRESS: the address whose word this is; false: it is that of none. */
bool memory_address(const struct memory_data *m, uint32_t word, uint64_t *addr);
