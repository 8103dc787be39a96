/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/memory/memory_pattern.h"
#include "burnin/kernels/impl.h"

#define ODD	0x9e3779b1u	/* and its inverse modulo 2^32 */
#define INVERSE	0x0e8b2f51u
#define INDEX	0x3fffffffu	/* of a word in 4 GiB */

struct memory_data memory_data_of(uint64_t seed, uint64_t round, unsigned channel)
{
	return (struct memory_data){ (enum memory_pattern)(round % MEMORY_PATTERNS),
		impl_mix(impl_mix(seed) + round * 64 + channel) };
}

struct memory_data memory_mark_of(uint64_t seed, unsigned channel)
{
	return (struct memory_data){ MEMORY_RANDOM, impl_mix(~impl_mix(seed) - channel) };
}

static uint32_t rotate_left(uint32_t word, unsigned by)
{
	return word << (by & 31) | word >> (-by & 31);
}

uint32_t memory_word(const struct memory_data *m, uint64_t addr)
{
	const uint32_t i = (uint32_t)(addr / 4);

	switch (m->pattern) {
	case MEMORY_ADDRESS:
		return rotate_left((i ^ ((uint32_t)m->key & INDEX)) * ODD, 16);
	case MEMORY_BURST:
		return (uint32_t)impl_mix(m->key + addr / MEMORY_BURST_BYTES);
	case MEMORY_ONES:
		return 1u << ((i + (i >> 5) + (uint32_t)m->key) & 31);
	case MEMORY_ZEROS:
		return ~(1u << ((i + (i >> 5) + (uint32_t)m->key) & 31));
	case MEMORY_RANDOM:
	case MEMORY_PATTERNS:
		break;
	}
	return (uint32_t)impl_mix(m->key + i);
}

void memory_fill(const struct memory_data *m, uint64_t addr, uint32_t *words, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		words[i] = memory_word(m, addr + 4 * i);
}

bool memory_address(const struct memory_data *m, uint32_t word, uint64_t *addr)
{
	const uint32_t i = (rotate_left(word, 16) * INVERSE) ^ ((uint32_t)m->key & INDEX);

	*addr = (uint64_t)i * 4;
	return m->pattern == MEMORY_ADDRESS && i <= INDEX;
}
