/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrap_ttsim.c - the simulator TTSIM_REAL with a fault between it and whoever loads this.
 * The part of the file's name after a '+', or else TTSIM_FAULT, says which one, and on which
 * tile: "golden@7:6-5"; 4-5 if none is named.
 *
 *	throttle	the firmware of many tiles asks for less power
 *	slow		that of this tile
 *	stop@N		its cores are held once N blocks were compared
 *	image		a word of its program cannot be set
 *	output@N	word N of one block of its output is wrong in one bit before it is compared
 *	golden@N	the same of what its second block is compared with
 *	weights@N	a bit of word N of its weights, once it is loaded
 *	input@N		a bit of word N of its input
 *	mute@N		channel N of the card's memory gives it no answer
 *
 * Faults of the card's memory are those of wrap_memory.c, with their seed: "lane@7".
 */
#include "config.h"
#include "tests/wrap_memory.h"
#include "burnin/kernel/mailbox.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATE(member) (KERNEL_AT_STATE + offsetof(struct kernel_state, member))
#define TRAFFIC(member) (KERNEL_AT_TRAFFIC + offsetof(struct kernel_traffic, member))
#define SOFT_RESET 0xffb121b0
#define HOLD_ALL   0x47800
#define HOLD_BUT_B 0x47000
#define HOLD_NCRISC 0x40000
#define WINDOW 5	/* one of the windows of 2 MiB that nobody else uses */

void libttsim_init(void);
uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset);
void libttsim_pci_mem_rd_bytes(uint64_t at, void *to, uint32_t n);
void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t n);
void libttsim_clock(uint32_t n);

static void *real;
static bool blackhole, memory;	/* memory: the fault is one of it */
static uint64_t bar0;
static char fault[16];
static unsigned long after, clocks;
static unsigned tile_x = 4, tile_y = 5;

static void *find(const char *name)
{
	void *symbol = real ? dlsym(real, name) : NULL;

	if (!symbol) {
		fprintf(stderr, "TTSIM_REAL names no simulator\n");
		exit(1);
	}
	return symbol;
}

uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset)
{
	uint32_t (*f)(uint32_t, uint32_t);
	void *symbol = find(__func__);

	memcpy(&f, &symbol, sizeof(f));
	return f(bdf, offset);
}

static void read_bytes(uint64_t at, void *to, uint32_t n)
{
	void (*f)(uint64_t, void *, uint32_t);
	void *symbol = find("libttsim_pci_mem_rd_bytes");

	memcpy(&f, &symbol, sizeof(f));
	f(at, to, n);
}

void libttsim_pci_mem_rd_bytes(uint64_t at, void *to, uint32_t n)
{
	(memory ? wrap_memory_load : read_bytes)(at, to, n);
}

static void write_bytes(uint64_t at, const void *from, uint32_t n)
{
	void (*f)(uint64_t, const void *, uint32_t);
	void *symbol = find("libttsim_pci_mem_wr_bytes");

	memcpy(&f, &symbol, sizeof(f));
	f(at, from, n);
}

static void put(uint64_t offset, uint32_t word)
{
	write_bytes(bar0 + offset, &word, sizeof(word));
}

/* Where one word of one tile is in BAR0. */
static uint64_t aim(unsigned x, unsigned y, uint64_t addr)
{
	uint32_t page = (uint32_t)(addr >> 21);

	if (blackhole) {
		put(0x1fc00000 + 12 * WINDOW, page);
		put(0x1fc00000 + 12 * WINDOW + 4, (uint32_t)(x << 11 | y << 17));
		put(0x1fc00000 + 12 * WINDOW + 8, 0);
		return (WINDOW << 21) + (addr & 0x1fffff);
	} else {
		put(0x1fc00000 + 8 * (156 + WINDOW), (uint32_t)(page | x << 15 | y << 21));
		put(0x1fc00000 + 8 * (156 + WINDOW) + 4, 0);
		return 0x9c00000 + (WINDOW << 21) + (addr & 0x1fffff);
	}
}

void libttsim_init(void)
{
	const char *path = getenv("TTSIM_REAL"), *text = getenv("TTSIM_FAULT"), *name;
	void (*init)(void);
	void *symbol;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)libttsim_init, &info))
		abort();
	name = strchr(strrchr(info.dli_fname, '/') + 1, '+');
	text = name ? name + 1 : text;
	real = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	symbol = find("libttsim_init");
	memcpy(&init, &symbol, sizeof(init));
	if (text)
		sscanf(text, "%15[a-z]@%lu:%u-%u", fault, &after, &tile_x, &tile_y);
	init();
	blackhole = libttsim_pci_config_rd32(0, 0) >> 16 == 0xb140;
	bar0 = (uint64_t)libttsim_pci_config_rd32(0, 0x14) << 32 |
		(libttsim_pci_config_rd32(0, 0x10) & ~15u);
	memory = wrap_memory_init(&(struct wrap_chip){ blackhole, bar0, read_bytes, write_bytes,
		aim }, fault, after);
}

static void poke(unsigned x, unsigned y, uint32_t addr, uint32_t word)
{
	put(aim(x, y, addr), word);
}

static uint32_t peek(unsigned x, unsigned y, uint32_t addr)
{
	uint32_t word;

	read_bytes(bar0 + aim(x, y, addr), &word, sizeof(word));
	return word;
}

/* A word of this tile's memory. */
static uint32_t get(uint32_t addr)
{
	return peek(tile_x, tile_y, addr);
}

static void set(uint32_t addr, uint32_t word)
{
	poke(tile_x, tile_y, addr, word);
}

/* What the tile was given, and has summed up, goes bad before its cores begin. */
static void spoil_data(void)
{
	const struct {
		const char *fault;
		uint32_t at, bit;
	} spots[] = {
		{ "golden", KERNEL_AT_GOLDEN + KERNEL_BLOCK_BYTES, 13 },
		{ "weights", KERNEL_AT_WEIGHTS, 16 },
		{ "input", KERNEL_AT_INPUT, 0 },
	};
	static bool done;

	if (done || get(KERNEL_AT_ORDER) != KERNEL_MAGIC)
		return;
	for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
		const uint32_t at = spots[i].at + 4 * (uint32_t)after;

		if (strcmp(fault, spots[i].fault) != 0)
			continue;
		set(at, get(at) ^ 1u << spots[i].bit);
		done = true;
	}
}

void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t n)
{
	uint32_t word = 0;

	if (n == sizeof(word))
		memcpy(&word, from, n);
	if (word == HOLD_BUT_B)
		spoil_data();
	(memory ? wrap_memory_store : write_bytes)(at, from, n);
	if (strcmp(fault, "image") == 0 && n > sizeof(uint32_t))
		set(KERNEL_AT_T1 + 64, get(KERNEL_AT_T1 + 64) | 1u << 31);
}

/* The newest block that is not compared yet, one at a time until it was found. */
static void spoil_output(void)
{
	uint32_t packed = get(STATE(t2_packed)), rows, golden;
	uint32_t checked = get(STATE(b_checked));
	static uint32_t spoilt;

	if (packed == checked || checked < spoilt || get(STATE(b_errors)))
		return;
	spoilt = packed;
	rows = get(KERNEL_AT_ORDER + offsetof(struct kernel_order, rows));
	golden = get(KERNEL_AT_GOLDEN + (packed - 1) % rows * KERNEL_BLOCK_BYTES +
		4 * (uint32_t)after);
	set(KERNEL_AT_OUT + (packed - 1) % 2 * KERNEL_BLOCK_BYTES + 4 * (uint32_t)after,
		golden ^ 1 << 7);
}

void libttsim_clock(uint32_t n)
{
	void (*f)(uint32_t);
	void *symbol = find(__func__);

	clocks++;
	if (strcmp(fault, "throttle") == 0 && clocks == 1)
		for (unsigned x = 1; x < (blackhole ? 17 : 10); x++)
			for (unsigned y = 2; y < 6; y++)
				if (x != (blackhole ? 8 : 5) && x != (blackhole ? 9 : 5))
					poke(x, y, KERNEL_AT_THROTTLE, 1);
	if (strcmp(fault, "slow") == 0 && clocks == 1)
		set(KERNEL_AT_THROTTLE, 1);
	if (strcmp(fault, "stop") == 0 && get(STATE(b_checked)) >= after)
		set(SOFT_RESET, HOLD_ALL);
	/* As a core is found that waits: a request of its own is answered within a clock. */
	if (strcmp(fault, "mute") == 0 && get(TRAFFIC(nc_heart)) > 2 && !get(TRAFFIC(nc_waits))) {
		set(SOFT_RESET, HOLD_NCRISC);
		set(TRAFFIC(nc_waits), 1 + ((uint32_t)after << 8));
	}
	if (strcmp(fault, "output") == 0)
		spoil_output();
	if (memory)
		wrap_memory_clock();
	memcpy(&f, &symbol, sizeof(f));
	f(n);
}
