/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_pattern.h - the test data for a card's memory: each word is a function of
 * its address and of the round, so that no copy is needed.
 *
 * A pattern that repeats after a few words cannot show a late lane, so none of
 * these does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum memory_pattern {
	MEMORY_RANDOM,
	MEMORY_ADDRESS,		/* each word has its own address in it */
	MEMORY_BURST,		/* all words of 64 bytes are equal, and differ from other bursts */
	MEMORY_ONES,		/* one bit set */
	MEMORY_ZEROS,		/* one bit clear */
	MEMORY_PATTERNS
};

#define MEMORY_BURST_BYTES 64

struct memory_data {
	enum memory_pattern pattern;
	uint64_t key;		/* differs for each round and channel */
};

struct memory_data memory_data_of(uint64_t seed, uint64_t round, unsigned channel);

/* The data of marks, which no round uses. */
struct memory_data memory_mark_of(uint64_t seed, unsigned channel);

/* The word at addr, a multiple of 4. */
uint32_t memory_word(const struct memory_data *m, uint64_t addr);
void memory_fill(const struct memory_data *m, uint64_t addr, uint32_t *words, uint64_t n);

/* MEMORY_ADDRESS: find the address that has this word; false if none has, or another pattern. */
bool memory_address(const struct memory_data *m, uint32_t word, uint64_t *addr);
