/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap_memory.c - what goes wrong between host and memory, and in the memory
 * where the chip's cores see it, too.  The place is drawn from the seed, and
 * told in the file TTSIM_TOLD.
 *
 *   lane      on the way out to the host: a byte lane late by 64 and 128 bytes in turn
 *   stale     the same on the way out to the cores; the host reads what is right
 *   stuck     a bit of some cells is always 1
 *   flip      one bit, once in 10^6 words that the host reads; to cores: until one finds it
 *   alias     an address line is not connected: both addresses are one cell
 *   highline  the same of a line that no test of 64 KiB reaches with its data
 *   pair      two words are one cell, at the beginning and where the cores read
 *   endpoint  one endpoint: random bits to the host, another channel to the cores
 *   write     random bits of one word in 100 that the host writes
 *   harvest   a channel is switched off, and must not be touched
 *   twin      the channel leads to the memory of another one
 *   stray     one endpoint of it does
 *   cross     and the same endpoint of the other channel leads to this one
 *   shortline one endpoint lacks an address line, when read and when written
 *   burst     one write of 64 bytes by the host is lost
 *   deaf      all that the host writes through one endpoint is lost
 *   dark      the host reads ones from all of the memory, from some time on
 */
#include "config.h"
#include "tests/rig/wrap_memory.h"
#include "burnin/firmware/mailbox.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TLB_REGS 0x1fc00000u
#define CHUNK	 32
#define HISTORY	 8
#define FLIPS	 1000000
#define FLIP_STEP 2048	/* bytes from one word that cores read to the next one */
#define RARE	 100
#define LOST	 64			/* bytes of a write */
#define NOT_LOST 0x10000u		/* what the test writes twice */
#define PAGE	 16384u			/* of what the host has written */
#define PAGES	 (0x100000000 / PAGE)
#define SHADOW	 0x140000u		/* of what the cores read, in each half */
#define RELEASED 0x47000u		/* RISC-V B runs */
#define RESET_REG 0xffb121b0u
#define TABLE	 0x100			/* of telemetry, in the memory of the ARC */
#define VALUES	 0x200

enum fault { NONE, LANE, STALE, STUCK, FLIP, ALIAS, PAIR, ENDPOINT, WRITE, HARVEST,
	TWIN, STRAY, CROSS, SHORTLINE, BURST, DEAF, DARK, HIGHLINE, FAULTS };

static const char *const names[FAULTS] = { "", "lane", "stale", "stuck", "flip", "alias", "pair",
	"endpoint", "write", "harvest", "twin", "stray", "cross", "shortline", "burst", "deaf", "dark",
	"highline" };

static const uint8_t wormhole[6][3][2] = {
	{ { 0, 0 }, { 0, 1 }, { 0, 11 } }, { { 0, 5 }, { 0, 6 }, { 0, 7 } },
	{ { 5, 0 }, { 5, 1 }, { 5, 11 } }, { { 5, 2 }, { 5, 9 }, { 5, 10 } },
	{ { 5, 3 }, { 5, 4 }, { 5, 8 } }, { { 5, 5 }, { 5, 6 }, { 5, 7 } },
};

static struct wrap_chip chip;
static enum fault fault;
static unsigned channel, port, lane, phase, bit, line, other;
static uint64_t pair[2], random_state, next_flip, left;	/* left: bytes until it begins */
static uint32_t tlb[1024];
static uint8_t history[HISTORY][CHUNK];
static uint64_t chunks;
static uint8_t written[PAGES];
static uint8_t shadow[2][SHADOW];

/* A byte of a tile. */
struct spot {
	unsigned x, y;
	int place, port;	/* of the memory; place -1: another tile */
	uint64_t addr;
};

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void tell(const char *mode, const char *text)
{
	const char *path = getenv("TTSIM_TOLD");
	FILE *f = path ? fopen(path, mode) : NULL;

	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void tell_place(void)
{
	char text[300];

	snprintf(text, sizeof(text), "channel=%u endpoint=%u lane=%u late_even=%d late_odd=%d "
		"bit=%u line=%u at=0x%llx of=0x%llx other=%u\n", channel, port, lane,
		phase ? 128 : 64, phase ? 64 : 128, bit, line, (unsigned long long)pair[0],
		(unsigned long long)pair[1], other);
	tell("w", text);
}

static void find_memory(struct spot *s)
{
	s->place = -1;
	s->port = 0;
	if (chip.blackhole && s->x >= 17 && s->x <= 18 && s->y >= 12 && s->y <= 23) {
		s->place = (int)((s->x - 17) * 4 + (s->y - 12) / 3);
		s->port = (int)((s->y - 12) % 3);
	}
	for (int i = 0; !chip.blackhole && i < 18; i++)
		if (s->x == wormhole[i / 3][i % 3][0] && s->y == wormhole[i / 3][i % 3][1]) {
			s->place = i / 3;
			s->port = i % 3;
		}
}

/* Where a byte of BAR0 leads to; false: not to one tile. */
static bool find(uint64_t at, struct spot *s)
{
	const uint64_t offset = at - chip.bar0;
	const size_t w = chip.blackhole ? offset >> 21 : ((offset - 0x9c00000) >> 21) + 156;
	uint64_t c;

	*s = (struct spot){ .place = -1 };
	if (offset >= (chip.blackhole ? 0x19400000 : 0x1f000000) ||
		(!chip.blackhole && offset < 0x9c00000))
		return false;
	if (chip.blackhole) {
		c = (uint64_t)tlb[3 * w + 2] << 32 | tlb[3 * w + 1];
		s->x = c >> 11 & 63;
		s->y = c >> 17 & 63;
		s->addr = ((c & 0x7ff) << 32 | tlb[3 * w]) << 21 | (offset & 0x1fffff);
		c = c >> 37 & 1;
	} else {
		c = (uint64_t)tlb[2 * w + 1] << 32 | tlb[2 * w];
		s->x = c >> 15 & 63;
		s->y = c >> 21 & 63;
		s->addr = (c & 0x7fff) << 21 | (offset & 0x1fffff);
		c = c >> 40 & 1;
	}
	find_memory(s);
	return c == 0;
}

static uint64_t cell(const struct spot *s, uint64_t addr)
{
	return chip.bar0 + chip.aim(s->x, s->y, addr);
}

static uint32_t peek(unsigned x, unsigned y, uint64_t addr)
{
	uint32_t word;

	chip.load(chip.bar0 + chip.aim(x, y, addr), &word, sizeof(word));
	return word;
}

static void poke(unsigned x, unsigned y, uint64_t addr, uint32_t word)
{
	chip.store(chip.bar0 + chip.aim(x, y, addr), &word, sizeof(word));
}

/* Memory that nobody has written is as little the same everywhere as a busy card's. */
static uint8_t noise(uint64_t addr)
{
	uint64_t x = (addr / 8 + 1) * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	return (uint8_t)(x >> 8 * (addr % 8));
}

/* The first tile of a channel. */
static void place_of(unsigned place, struct spot *s)
{
	s->x = chip.blackhole ? 17 + place / 4 : wormhole[place][0][0];
	s->y = chip.blackhole ? 12 + place % 4 * 3 : wormhole[place][0][1];
}

/* Does the way lead to another place than it should? */
static bool turn(struct spot *s)
{
	const bool leads = fault == TWIN || fault == STRAY || fault == CROSS;

	if (s->place != (int)channel && (fault != CROSS || s->place != (int)other))
		return false;
	if (fault != TWIN && s->port != (int)port)
		return false;
	if (leads)
		place_of(s->place == (int)channel ? other : channel, s);
	if (fault == SHORTLINE)
		s->addr &= ~(1ULL << line);
	return leads || fault == SHORTLINE;
}

/* With the line missing, what crosses it comes in parts. */
static void each_part(const struct spot *s, uint8_t *bytes, uint32_t n, bool is_store)
{
	for (uint32_t i = 0, m; i < n; i += m) {
		const uint64_t addr = s->addr + i, end = ((addr >> line) + 1) << line;
		struct spot to = *s;

		m = end - addr < n - i ? (uint32_t)(end - addr) : n - i;
		to.addr = addr;
		turn(&to);
		if (is_store)
			chip.store(cell(&to, to.addr), bytes + i, m);
		else
			chip.load(cell(&to, to.addr), bytes + i, m);
	}
}

static bool is_over(uint32_t n)
{
	left -= left < n ? left : n;
	return left == 0;
}

/* What the memory has, a chunk of it. */
static void load_chunk(const struct spot *s, uint64_t from, uint8_t to[CHUNK])
{
	chip.load(cell(s, from), to, CHUNK);
	for (unsigned k = 0; !written[from / PAGE % PAGES] && k < CHUNK; k++)
		to[k] = noise(from + k);
}

/* Each chunk of a transaction passes once; the lane shows the one two or four before. */
static void pass_late(const struct spot *s, uint8_t *to, uint32_t n)
{
	for (uint32_t i = 0, m; i < n; i += m) {
		const uint64_t from = (s->addr + i) / CHUNK * CHUNK;
		const unsigned late = (from / CHUNK + phase) & 1 ? 4 : 2;
		const uint8_t *old = history[(chunks - late) % HISTORY];
		const uint32_t offset = (uint32_t)(s->addr + i - from);
		uint8_t whole[CHUNK];

		m = CHUNK - offset < n - i ? CHUNK - offset : n - i;
		load_chunk(s, from, whole);
		for (uint32_t k = 0; k < m; k++)
			to[i + k] = (offset + k) % 4 == lane ? old[offset + k] : whole[offset + k];
		memcpy(history[chunks++ % HISTORY], whole, CHUNK);
	}
}

/* Where the cores read: the half and the place in it, or -1. */
static int half_of(uint64_t addr, uint32_t n, uint64_t *at)
{
	for (int half = 0; half < 2; half++) {
		*at = addr - KERNEL_DRAM_AT - (uint64_t)half * KERNEL_DRAM_HALF;
		if (addr >= KERNEL_DRAM_AT + (uint64_t)half * KERNEL_DRAM_HALF &&
			*at + n <= SHADOW)
			return half;
	}
	return -1;
}

/* The memory gets what a lane that is late would bring, and we keep what is right. */
static void store_stale(const struct spot *s, uint8_t *bytes, uint32_t n)
{
	uint64_t at;
	const int half = half_of(s->addr, n, &at);

	if (half < 0)
		return;
	memcpy(shadow[half] + at, bytes, n);
	for (uint32_t i = 0; i < n; i++) {
		const unsigned late = ((s->addr + i) / CHUNK + phase) & 1 ? 4 * CHUNK : 2 * CHUNK;

		if ((s->addr + i) % 4 == lane && at + i >= late)
			bytes[i] = shadow[half][at + i - late];
	}
}

static void flip_now_and_then(uint8_t *to, uint32_t n)
{
	for (; next_flip < n / 4; next_flip += 1 + draw() % (2 * FLIPS))
		to[4 * next_flip + bit / 8] ^= (uint8_t)(1u << bit % 8);
	next_flip -= n / 4;
}

static void spoil(uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4)
		if (draw() % RARE == 0) {
			const unsigned b = draw() % 32;

			bytes[i + b / 8] ^= (uint8_t)(1u << b % 8);
		}
}

/* The untouched place: the firmware moves a Blackhole's last. */
static void watch(const struct spot *s)
{
	if (s->place == (chip.blackhole ? 7 : (int)channel))
		tell("a", "touched\n");
}

void wrap_memory_load(uint64_t at, void *to, uint32_t n)
{
	struct spot s;
	uint64_t in;
	int half;

	chip.load(at, to, n);
	if (!find(at, &s) || s.place < 0)
		return;
	if (fault == HARVEST)
		watch(&s);
	if (fault == DARK && is_over(n))
		memset(to, 0xff, n);
	if (s.place != (int)channel && fault != CROSS)
		return;
	if (turn(&(struct spot){ s.x, s.y, s.place, s.port, s.addr }))
		each_part(&s, to, n, false);
	if (fault == LANE)
		pass_late(&s, to, n);
	half = half_of(s.addr, n, &in);
	if (fault == STALE && half >= 0)
		memcpy(to, shadow[half] + in, n);
	if (fault == FLIP)
		flip_now_and_then(to, n);
	if (fault == ENDPOINT && s.port == (int)port)
		spoil(to, n);
}

/* Both addresses of an unconnected line are one cell: whoever wrote last is read at both. */
static void store_aliased(const struct spot *s, const uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0, m; i < n; i += m) {
		const uint64_t addr = s->addr + i, end = ((addr >> line) + 1) << line;

		m = end - addr < n - i ? (uint32_t)(end - addr) : n - i;
		chip.store(cell(s, addr), bytes + i, m);
		chip.store(cell(s, addr ^ 1ULL << line), bytes + i, m);
	}
}

/* The same for two words; of one block, the one that is further behind. */
static void store_pair(const struct spot *s, const uint8_t *bytes, uint32_t n)
{
	for (uint64_t base = 0; base <= KERNEL_DRAM_AT; base += KERNEL_DRAM_AT) {
		uint64_t last = 0;
		bool any = false;

		for (int i = 0; i < 2; i++)
			if (base + pair[i] >= s->addr && base + pair[i] < s->addr + n &&
				(!any || pair[i] > last)) {
				last = pair[i];
				any = true;
			}
		for (int i = 0; any && i < 2; i++)
			chip.store(cell(s, base + pair[i]), bytes + (base + last - s->addr), 4);
	}
}

static bool is_lost(const struct spot *s, uint32_t n)
{
	if (fault == DEAF)
		return s->port == (int)port;
	if (fault != BURST || !is_over(n) || s->addr < NOT_LOST || n != LOST)
		return false;
	left = UINT64_MAX;
	return true;
}

static void store_memory(const struct spot *s, uint64_t at, uint8_t *bytes, uint32_t n)
{
	if (is_lost(s, n))
		return;
	if (turn(&(struct spot){ s->x, s->y, s->place, s->port, s->addr })) {
		each_part(s, bytes, n, true);
		return;
	}
	for (uint64_t i = s->addr / PAGE; i <= (s->addr + n - 1) / PAGE; i++)
		written[i % PAGES] = 1;
	for (uint32_t i = 0; fault == STUCK && i < n; i += 4)
		if ((s->addr + i) % 4096 == pair[0] % 4096)
			bytes[i + bit / 8] |= (uint8_t)(1u << bit % 8);
	if (fault == STALE)
		store_stale(s, bytes, n);
	if (fault == WRITE)
		spoil(bytes, n);
	if (fault == ALIAS || fault == HIGHLINE)
		store_aliased(s, bytes, n);
	else
		chip.store(at, bytes, n);
	if (fault == PAIR)
		store_pair(s, bytes, n);
}

/* An endpoint of the channel leads the cores of this tile to another channel, or all of them do. */
static void mislead(const struct spot *s)
{
	const uint32_t at = KERNEL_AT_LOADS + offsetof(struct kernel_loads, channel);
	const uint32_t from = at + 8 * (fault == TWIN ? other : channel == 0);
	const uint32_t to = at + 8 * channel, number = 0xffff0000;
	uint32_t first, word;

	if (peek(s->x, s->y, KERNEL_AT_ORDER) != KERNEL_MAGIC)
		return;
	first = peek(s->x, s->y, from);
	if (fault == TWIN) {
		poke(s->x, s->y, to, first);
		word = peek(s->x, s->y, to + 4);
		poke(s->x, s->y, to + 4, (word & number) | (peek(s->x, s->y, from + 4) & ~number));
		return;
	}
	word = peek(s->x, s->y, to + 4 * (port / 2));
	word = port % 2 ? (word & 0xffff) | first << 16 : (word & 0xffff0000) | (first & 0xffff);
	poke(s->x, s->y, to + 4 * (port / 2), word);
}

void wrap_memory_store(uint64_t at, const void *from, uint32_t n)
{
	const uint64_t offset = at - chip.bar0;
	static uint8_t bytes[1 << 21];
	struct spot s;

	if (offset >= TLB_REGS && offset + n <= TLB_REGS + sizeof(tlb))
		memcpy((uint8_t *)tlb + offset - TLB_REGS, from, n);
	else if (find(at, &s) && s.place >= 0) {
		if (fault == HARVEST)
			watch(&s);
		if ((s.place == (int)channel && fault != HARVEST) || fault == CROSS) {
			memcpy(bytes, from, n);
			store_memory(&s, at, bytes, n);
			return;
		}
	} else if ((fault == ENDPOINT || fault == TWIN) && s.addr == RESET_REG && n == 4 &&
		memcmp(from, &(uint32_t){ RELEASED }, 4) == 0) {
		mislead(&s);
	}
	chip.store(at, from, n);
}

/* A bit of some words that cores read is the other one, or becomes again what it was. */
static void flip_stored(void)
{
	struct spot s;

	place_of(channel, &s);
	for (uint64_t at = KERNEL_DRAM_AT; at < KERNEL_DRAM_AT + KERNEL_DRAM_SIZE; at += FLIP_STEP)
		poke(s.x, s.y, at, peek(s.x, s.y, at) ^ 1u << bit);
}

/* From when a core reads until one has found it: the host finds what it has written. */
void wrap_memory_clock(void)
{
	static enum { FLIP_WAITS, FLIP_IS_THERE, FLIP_IS_OVER } state;
	const uint64_t errors = KERNEL_AT_TRAFFIC + offsetof(struct kernel_traffic, nc_errors);
	bool runs = false, is_found = false;

	if (fault != FLIP || state == FLIP_IS_OVER)
		return;
	/* Tiles that both chips have. */
	for (unsigned i = 0; i < 16; i++) {
		const unsigned x = 1 + i / 4, y = 2 + i % 4;

		if (peek(x, y, KERNEL_AT_TRAFFIC) != KERNEL_RUNS)
			continue;
		runs = true;
		is_found = is_found || peek(x, y, errors) > KERNEL_TRIALS;
	}
	if (state == FLIP_WAITS ? runs : is_found || !runs) {
		flip_stored();
		state++;
	}
}

/* Telemetry says that a channel is switched off; one word of it makes room for that. */
static void harvest(void)
{
	const unsigned x = chip.blackhole ? 8 : 0, y = chip.blackhole ? 0 : 10;
	const uint64_t csm = chip.blackhole ? 0x10000000 : 0x810000000;
	const uint32_t n = peek(x, y, csm + TABLE + 4);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t entry = peek(x, y, csm + TABLE + 8 + 4 * i);
		const uint64_t value = csm + VALUES + 4 * (entry >> 16);

		if ((entry & 0xffff) == 22)
			poke(x, y, value, peek(x, y, value) & ~(3u << 2 * channel));
		if ((entry & 0xffff) == 15) {
			poke(x, y, csm + TABLE + 8 + 4 * i, (entry & 0xffff0000) | 36);
			poke(x, y, value, (chip.blackhole ? 0xff : 0x3f) & ~(1u << channel));
		}
	}
}

bool wrap_memory_init(const struct wrap_chip *c, const char *name, unsigned long seed)
{
	chip = *c;
	fault = NONE;
	for (unsigned i = NONE + 1; i < FAULTS; i++)
		if (strcmp(names[i], name) == 0)
			fault = (enum fault)i;
	if (fault == NONE)
		return false;
	random_state = (seed + 1) * 0x9e3779b97f4a7c15;
	for (int i = 0; i < 4; i++)
		draw();
	channel = draw() % (chip.blackhole ? 8 : 6);
	port = draw() % 3;
	lane = draw() % 4;
	bit = draw() % 32;
	line = 2 + draw() % 16;
	phase = seed & 1;
	pair[0] = draw() % 1024 * 4;
	do
		pair[1] = draw() % 4096 * 4;
	while (pair[1] == pair[0]);
	next_flip = draw() % FLIPS;
	other = (channel + 1 + (unsigned)(draw() % (chip.blackhole ? 7 : 5))) %
		(chip.blackhole ? 8 : 6);
	if (fault == HIGHLINE)
		line = 18 + draw() % 12;
	left = (1 << 17) + draw() % (1 << 17);
	if (fault == HARVEST)
		harvest();
	tell_place();
	return true;
}
