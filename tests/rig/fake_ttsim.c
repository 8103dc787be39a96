/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_ttsim.c - a library with the simulator's C interface, whose chip is
 * memory and little more, and which fails as its file name says: a copy named
 * "wh.so" is a good Wormhole, "bh+exit@30.so" a Blackhole that ends its process
 * at the 30th load.  "bh+calm@50" computes at each 50th clock alone, so that many of
 * them leave the machine free.  Telemetry and firmware pointers are laid out as ttsim's.
 */
#include "config.h"
#include "tests/rig/fake_core.h"
#include "burnin/firmware/mailbox.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BAR0	 0x100000000ULL
#define PAGE	 4096
#define BUCKETS	 4096
#define TOGGLE_TURN 9973	/* words that are read until other ones are changed, */
#define TOGGLE_TIME 400		/* and how long they are */
#define RESET_REG 0xffb121b0u	/* bit 11 clear: RISC-V B runs, and counts at 0x100 of its tile;
				 * ethernet tile 1-0 always does; with the burn's
				 * kernel it is a core of fake_core.c */

void libttsim_init(void);
uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset);
void libttsim_pci_mem_rd_bytes(uint64_t at, void *to, uint32_t n);
void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t n);
void libttsim_clock(uint32_t n);

struct page {
	struct page *next;
	unsigned x, y;
	uint64_t number;
	uint8_t byte[PAGE];
};

static struct page *pages[BUCKETS];
static uint32_t tlb[1024];
static bool blackhole;
static char action[32];
static unsigned long after, loads, multicasts, clocks;

/* All endpoints of a memory channel lead to its first one; the channel, or -1. */
static int go_home(unsigned *x, unsigned *y)
{
	static const uint8_t wh[6][3][2] = {
		{ { 0, 0 }, { 0, 1 }, { 0, 11 } }, { { 0, 5 }, { 0, 6 }, { 0, 7 } },
		{ { 5, 0 }, { 5, 1 }, { 5, 11 } }, { { 5, 2 }, { 5, 9 }, { 5, 10 } },
		{ { 5, 3 }, { 5, 4 }, { 5, 8 } }, { { 5, 5 }, { 5, 6 }, { 5, 7 } },
	};

	if (blackhole && *x >= 17 && *x <= 18 && *y >= 12 && *y <= 23) {
		*y -= *y % 3;
		return (int)((*x - 17) * 4 + (*y - 12) / 3);
	}
	for (int i = 0; !blackhole && *x % 5 == 0 && i < 18; i++)
		if (*x == wh[i / 3][i % 3][0] && *y == wh[i / 3][i % 3][1]) {
			*x = wh[i / 3][0][0];
			*y = wh[i / 3][0][1];
			return i / 3;
		}
	return -1;
}

/* Its data must not repeat: as little the same everywhere as a busy card's. */
static bool is_memory_fault(void)
{
	return strcmp(action, "late") == 0 || strcmp(action, "toggle") == 0 ||
		strcmp(action, "shared") == 0;
}

/* Memory that nobody has written. */
static void fill_memory(struct page *p)
{
	uint64_t random = (p->number + 1) * 0x9e3779b97f4a7c15 + 64 * p->x + p->y;

	for (size_t i = 0; i < PAGE; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		p->byte[i] = (uint8_t)(random >> 32);
	}
}

static uint8_t *find(unsigned x, unsigned y, uint64_t addr)
{
	int channel = go_home(&x, &y);
	uint64_t number = addr / PAGE;
	struct page **at, *p;

	/* "shared": channel 2 of the memory leads to that of channel 1. */
	if (channel == 2 && strcmp(action, "shared") == 0) {
		x = blackhole ? 17 : 0;
		y = blackhole ? 15 : 5;
	}
	at = &pages[(number * 31 + x * 7 + y * 131) % BUCKETS];
	for (p = *at; p; p = p->next)
		if (p->x == x && p->y == y && p->number == number)
			return p->byte + addr % PAGE;
	p = calloc(1, sizeof(*p));
	if (!p)
		abort();
	*p = (struct page){ .next = *at, .x = x, .y = y, .number = number };
	if (channel >= 0 && is_memory_fault())
		fill_memory(p);
	*at = p;
	return p->byte + addr % PAGE;
}

/* How many of n bytes lie in one page. */
static size_t in_page(uint64_t addr, size_t n)
{
	const size_t left = PAGE - addr % PAGE;

	return n < left ? n : left;
}

static void put(unsigned x, unsigned y, uint64_t addr, uint32_t word)
{
	memcpy(find(x, y, addr), &word, sizeof(word));
}

static uint32_t get(unsigned x, unsigned y, uint64_t addr)
{
	uint32_t word;

	memcpy(&word, find(x, y, addr), sizeof(word));
	return word;
}

/* From the part of the file's name after the first '+'. */
static void read_name(void)
{
	const char *name, *plus;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)libttsim_init, &info))
		abort();
	name = strrchr(info.dli_fname, '/') + 1;
	blackhole = strncmp(name, "bh", 2) == 0;
	plus = strchr(name, '+');
	if (plus)
		sscanf(plus + 1, "%31[a-z]@%lu", action, &after);
}

static void fill_tables(void)
{
	static const uint32_t tags[][2] = {
		{ 1, 0 }, { 2, 1 }, { 3, 1 }, { 11, 40 << 16 }, { 14, 1000 }, { 22, 0x5555 },
		{ 28, 18u << 24 | 4 << 16 }, { 32, 1 },
	};
	enum { N = sizeof(tags) / sizeof(tags[0]) };
	unsigned x = blackhole ? 8 : 0, y = blackhole ? 0 : 10;
	uint64_t csm = blackhole ? 0x10000000 : 0x810000000, unit = blackhole ? 0x80030000
								     : 0x880030000;

	put(x, y, csm + 0x100, 1);
	put(x, y, csm + 0x104, N);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t board = blackhole ? 0x400 : 0x180, channels = blackhole ? 0x5555 : 0x555;

		put(x, y, csm + 0x108 + 4 * i, tags[i][0] | i << 16);
		put(x, y, csm + 0x200 + 4 * i, tags[i][0] == 1 ? board
			: tags[i][0] == 22 ? channels : tags[i][1]);
	}
	put(x, y, unit + 0x60, 0xc0de0001);
	put(x, y, unit + 0x408, 5);
	put(x, y, unit + (blackhole ? 0x434 : 0x1d0), 0x10000100);
	put(x, y, unit + (blackhole ? 0x430 : 0x1d4), 0x10000200);
	for (unsigned tx = 0; tx < 17; tx++)
		for (unsigned ty = 0; ty < 12; ty++)
			put(tx, ty, RESET_REG, 0x47800);
}

static void hang(void)
{
	for (;;)
		pause();
}

void libttsim_init(void)
{
	read_name();
	fill_tables();
	if (strcmp(action, "initexit") == 0) {
		printf("[0] ERROR: ConfigurationError: fake: no chip today\n");
		fflush(stdout);
		_Exit(1);
	}
	if (strcmp(action, "inithang") == 0)
		hang();
}

uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset)
{
	if (bdf != 0 && strcmp(action, "two") != 0)
		return UINT32_MAX;
	switch (offset) {
	case 0x00: return blackhole ? 0xb1401e52 : 0x401e1e52;
	case 0x08: return 0x12000001;
	case 0x10: return (uint32_t)BAR0 | 4;
	case 0x14: return BAR0 >> 32;
	default: return 0;
	}
}

/* Rubbish to each reader, before or in place of the answer. */
static void junk(void)
{
	for (int fd = 3; fd < 32; fd++)
		send(fd, "rubbish", 7, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void misbehave(void)
{
	if (!*action || ++loads != after)
		return;
	if (strcmp(action, "exit") == 0) {
		printf("[28] ERROR: UnimplementedFunctionality: fake: offset=0x1234\n");
		fflush(stdout);
		_Exit(1);
	}
	if (strcmp(action, "silent") == 0)
		_Exit(3);
	if (strcmp(action, "abort") == 0)
		abort();
	if (strcmp(action, "segv") == 0)
		raise(SIGSEGV);
	if (strcmp(action, "hang") == 0)
		hang();
	if (strcmp(action, "junk") == 0)
		junk();
	if (strcmp(action, "chatter") == 0)
		for (int i = 0; i < 300000; i++)
			printf("[%d] a line that nobody reads, of many that stand before the"
				" last\n", i);
}

struct target {
	unsigned x0, y0, x1, y1;
	uint64_t addr;
};

/* Where a byte of BAR0 leads to. */
static struct target aim(uint64_t offset)
{
	struct target t = { 0, 10, 0, 10, 0 };
	uint64_t w, c;

	if (!blackhole && offset >= 0x1fe80000) {
		t.addr = offset < 0x1ff00000 ? 0x810000000 + offset - 0x1fe80000
					     : 0x880000000 + offset - 0x1ff00000;
	} else if (blackhole && offset >= 0x1fd00000) {
		t.addr = offset;
	} else if (blackhole) {
		w = offset >> 21;
		c = (uint64_t)tlb[3 * w + 2] << 32 | tlb[3 * w + 1];
		t = (struct target){ c >> 23 & 63, c >> 29 & 63, c >> 11 & 63, c >> 17 & 63,
			((c & 0x7ff) << 32 | tlb[3 * w]) << 21 | (offset & 0x1fffff) };
		if (!(c >> 37 & 1))
			t.x0 = t.x1, t.y0 = t.y1;
	} else {
		w = ((offset - 0x9c00000) >> 21) + 156;
		c = (uint64_t)tlb[2 * w + 1] << 32 | tlb[2 * w];
		t = (struct target){ c >> 27 & 63, c >> 33 & 63, c >> 15 & 63, c >> 21 & 63,
			(c & 0x7fff) << 21 | (offset & 0x1fffff) };
		if (!(c >> 40 & 1))
			t.x0 = t.x1, t.y0 = t.y1;
	}
	return t;
}

/*
 * "twin": the address of tile 4-5 leads to 4-4.  "loose": nobody can hold that tile's cores any
 * more once it has computed.  "ones": when it has computed `after` blocks the chip leaves the bus.
 */
static bool is_gone;

static void lead_astray(struct target *t)
{
	if (strcmp(action, "twin") == 0 && t->x0 == 4 && t->x1 == 4 && t->y0 == 5 && t->y1 == 5)
		t->y0 = t->y1 = 4;
}

static bool is_refused(uint64_t addr, const uint8_t *from)
{
	return strcmp(action, "loose") == 0 && addr == RESET_REG && from[1] == 0x78 &&
		get(4, 5, KERNEL_AT_STATE) == KERNEL_DONE;
}

/*
 * "toggle": a program changes words of memory channel 3 and puts them back, in a moment of the
 * time that reads take.
 */
static void read_toggled(const struct target *t, uint8_t *to, uint32_t n)
{
	static unsigned long read;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t word = (t->addr + i) / 4;

		if (read++ / 4 % TOGGLE_TURN < TOGGLE_TIME && word % 8 == 0)
			to[i] ^= (uint8_t)(word * 0x9e3779b97f4a7c15 >> 32) | 1;
	}
}

/* "late": lane 2 of memory channel 3 is late by 64 and 128 bytes in turn, when it is read. */
static void read_late(const struct target *t, uint8_t *to, uint32_t n)
{
	static uint8_t history[8][32];
	static unsigned long chunks;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t addr = t->addr + i, from = addr / 32 * 32;

		if (addr % 4 == 2)
			to[i] = history[(chunks - (from / 32 & 1 ? 4 : 2)) % 8][addr % 32];
		if (addr % 32 != 31 && i != n - 1)
			continue;
		for (unsigned k = 0; k < 32; k++)
			history[chunks % 8][k] = *find(t->x1, t->y1, from + k);
		chunks++;
	}
}

static void read_tile(const struct target *t, uint8_t *to, uint32_t n)
{
	uint64_t addr = t->addr;

	for (size_t k; n > 0; addr += k, to += k, n -= (uint32_t)k) {
		k = in_page(addr, n);
		memcpy(to, find(t->x1, t->y1, addr), k);
	}
}

void libttsim_pci_mem_rd_bytes(uint64_t at, void *to, uint32_t n)
{
	struct target t = aim(at - BAR0);

	lead_astray(&t);
	misbehave();
	if (strcmp(action, "ones") == 0 && get(4, 5, KERNEL_AT_STATE + 4) >= after &&
		get(4, 5, KERNEL_AT_ORDER) == KERNEL_MAGIC)
		is_gone = true;
	if (strcmp(action, "garbage") == 0)
		memset(to, 0xa5, n);
	else
		read_tile(&t, to, n);
	if (is_gone)
		memset(to, 0xff, n);
	if (strcmp(action, "late") == 0 && go_home(&t.x1, &t.y1) == 3)
		read_late(&t, to, n);
	if (strcmp(action, "toggle") == 0 && go_home(&t.x1, &t.y1) == 3)
		read_toggled(&t, to, n);
}

/* A multicast that tile 4-5 misses, or memory of that tile that cannot be set. */
static bool missing;

static void write_tile(unsigned x, unsigned y, uint64_t addr, const uint8_t *from, uint32_t n)
{
	const bool struck = x == 4 && y == 5;

	if (is_gone || (struck && (missing || is_refused(addr, from))))
		return;
	for (size_t k; n > 0; addr += k, from += k, n -= (uint32_t)k) {
		k = in_page(addr, n);
		memcpy(find(x, y, addr), from, k);
	}
	/* "smudge": a bit of what is written to memory channel 3 */
	if (strcmp(action, "smudge") == 0 && go_home(&x, &y) == 3)
		*find(x, y, addr - 1) ^= 1;
	if (struck && strcmp(action, "stuck") == 0)
		*find(x, y, 0x70041) |= 0x7f;	/* an exponent that no weight has */
}

void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t n)
{
	struct target t;

	if (at - BAR0 >= 0x1fc00000 && at - BAR0 < 0x1fc01000) {
		memcpy(&tlb[(at - BAR0 - 0x1fc00000) / 4], from, n);
		return;
	}
	t = aim(at - BAR0);
	lead_astray(&t);
	missing = t.x0 != t.x1 && strcmp(action, "miss") == 0 && ++multicasts == after;
	for (unsigned y = t.y0; y <= t.y1; y++)
		for (unsigned x = t.x0; x <= t.x1; x++)
			write_tile(x, y, t.addr, from, n);
}

bool fake_is_wormhole(void)
{
	return !blackhole;
}

uint8_t *fake_memory(unsigned x, unsigned y, uint64_t addr)
{
	return find(x, y, addr);
}

void libttsim_clock(uint32_t n)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const bool calm = strcmp(action, "calm") == 0 && ++clocks % after != 0;
	bool burns = calm;

	for (unsigned x = 0; x < 17 && !calm; x++)
		for (unsigned y = 0; y < 12; y++) {
			bool released = !(get(x, y, RESET_REG) & 1 << 11);

			if (fake_core_run(x, y, released, action, after))
				burns = true;
			else if (released)
				put(x, y, 0x100, get(x, y, 0x100) + n);
		}
	/* So that a burn of seconds is no load on the machine. */
	if (burns)
		nanosleep(&pause, NULL);
	put(1, 0, 0x100, get(1, 0, 0x100) + n);
}
