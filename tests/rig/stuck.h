/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stuck.h - bits of the chip simulator's units that are stuck at 0 or 1.  tests/bench/stuck.py puts
 * this file and the calls of it into a copy of the simulator's source.
 *
 *   TTSIM_STUCK=unit:x:y:index:bit:level[,...]	the faults, of tile x-y; of memory channel x if
 *						the unit is "channel"
 *   TTSIM_STUCK_SEEN=FILE	two 64-bit counters for each fault: how many words passed its
 *				place, and in how many of them the bit was different
 *   TTSIM_STUCK_WATCH=1	count only, and change no bit
 */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

/* In the order of stuck_names. */
enum stuck_unit { STUCK_SRCA, STUCK_SRCB, STUCK_DST, STUCK_PACK, STUCK_UNPACKA, STUCK_UNPACKB,
	STUCK_L1, STUCK_READ, STUCK_SENT, STUCK_CHANNEL, STUCK_UNITS };
inline const char *const stuck_names[STUCK_UNITS] = { "srca", "srcb", "dst", "pack", "unpacka",
	"unpackb", "l1", "read", "sent", "channel" };

struct stuck_fault {
	uint64_t index;			/* of a word of 32 bits in its unit */
	uint32_t mask, level;		/* level: 0 or the mask */
	uint64_t *seen;			/* words, different ones */
};

inline std::vector<stuck_fault> stuck_at[STUCK_UNITS][NUM_T_TILES];
inline bool stuck_watches;

/* These n words follow each other from this index of the unit on. */
static inline void stuck_words(stuck_unit unit, uint32_t tile, void *words, uint64_t first,
	uint64_t n)
{
	for (const stuck_fault &f : stuck_at[unit][tile]) {
		if (f.index - first >= n)
			continue;
		uint8_t *at = static_cast<uint8_t *>(words) + 4 * (f.index - first);
		uint32_t word;

		memcpy(&word, at, 4);
		f.seen[0]++;
		f.seen[1] += (word & f.mask) != f.level;
		if (stuck_watches)
			continue;
		word = (word & ~f.mask) | f.level;
		memcpy(at, &word, 4);
	}
}

/* Bytes that were written to a tile's memory. */
static inline void stuck_l1(uint32_t tile, uint8_t *l1, uint64_t addr, uint64_t size)
{
	if (size > 0 && !stuck_at[STUCK_L1][tile].empty())
		stuck_words(STUCK_L1, tile, l1 + (addr & ~3ull), addr / 4,
			(addr + size - 1) / 4 - addr / 4 + 1);
}

/* Data on the network, in flits of one width; noc: which of the two networks. */
static inline void stuck_flits(stuck_unit unit, uint32_t tile, uint32_t noc, uint8_t *data,
	uint64_t size)
{
	const uint64_t words = NOC_LINK_WIDTH / 4;

	for (uint64_t at = 0; !stuck_at[unit][tile].empty() && at + 4 * words <= size;
		at += 4 * words)
		stuck_words(unit, tile, data + at, noc * words, words);
}

/* What a tile sends: its memory stays as it is. */
static inline const uint8_t *stuck_sent(uint32_t tile, uint32_t noc, const uint8_t *data,
	uint64_t size)
{
	static uint8_t copy[NOC_MAX_PACKET_SIZE];

	if (stuck_at[STUCK_SENT][tile].empty())
		return data;
	memcpy(copy, data, size);
	stuck_flits(STUCK_SENT, tile, noc, copy, size);
	return copy;
}

/* A word of 32 bits in Dst: its low half is eight rows below its high half. */
static inline uint64_t stuck_dst(uint32_t half_row, uint32_t col)
{
	return ((half_row / 16) * 8 + half_row % 8) * 16ull + col;
}

/* The tiles' coordinates: without the columns and rows of other tiles between and before them. */
#if TT_ARCH_VERSION == 0
enum { STUCK_COLUMNS = 8, STUCK_RIGHT = 6, STUCK_BEFORE_RIGHT = 2, STUCK_TOP = 1, STUCK_LOWER = 7 };
#else
enum { STUCK_COLUMNS = 14, STUCK_RIGHT = 10, STUCK_BEFORE_RIGHT = 3, STUCK_TOP = 2,
	STUCK_LOWER = 12 };
#endif

static inline uint32_t stuck_tile(unsigned x, unsigned y)
{
	return (y - STUCK_TOP - (y >= STUCK_LOWER)) * STUCK_COLUMNS + x -
		(x < STUCK_RIGHT ? 1 : STUCK_BEFORE_RIGHT);
}

[[noreturn]] static inline void stuck_refuse(const char *text)
{
	fprintf(stderr, "stuck.h: %s\n", text);
	abort();
}

static inline void stuck_add(const char *text, uint64_t *seen)
{
	unsigned x, y, bit, level, unit = 0;
	unsigned long long index;
	char name[16];

	if (sscanf(text, "%15[^:]:%u:%u:%llu:%u:%u", name, &x, &y, &index, &bit, &level) != 6)
		stuck_refuse(text);
	while (unit < STUCK_UNITS && strcmp(name, stuck_names[unit]))
		unit++;
	const uint32_t tile = unit == STUCK_CHANNEL ? x : stuck_tile(x, y);

	if (unit == STUCK_UNITS || tile >= NUM_T_TILES || bit > 31 || level > 1)
		stuck_refuse(text);
	stuck_at[unit][tile].push_back({ index, 1u << bit, level << bit, seen });
}

static inline void stuck_open(void)
{
	const char *text = getenv("TTSIM_STUCK"), *file = getenv("TTSIM_STUCK_SEEN");
	size_t n = 1;

	if (!text || !*text)
		return;
	for (const char *p = text; (p = strchr(p, ',')); p++)
		n++;
	const int fd = file ? open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

	if (fd < 0 || ftruncate(fd, 16 * n) < 0)
		stuck_refuse("TTSIM_STUCK_SEEN names no file that can be written");
	void *seen = mmap(nullptr, 16 * n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	if (seen == MAP_FAILED)
		stuck_refuse("TTSIM_STUCK_SEEN cannot be mapped");
	stuck_watches = getenv("TTSIM_STUCK_WATCH");
	for (size_t i = 0; i < n; i++) {
		stuck_add(text, static_cast<uint64_t *>(seen) + 2 * i);
		text += strcspn(text, ",") + 1;
	}
	for (uint32_t tile = 0; tile < NUM_T_TILES; tile++)
		stuck_l1(tile, g_t_tiles[tile].sram, 0, TENSIX_SRAM_SIZE);
	memset(seen, 0, 16 * n);	/* memory as it is at the start does not count */
}
