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
 *	double		its address leads to the tile of the row before
 *	unborn		its cores cannot be let go
 *	loose		they cannot be held any more, once they have computed
 *	mover@N		its data mover stands still after N turns; 0: it never begins
 *	keeps@0		one of the two bursts that it reads the memory into keeps what it had, if
 *			it is not compared within a clock: words of one channel or of several
 *	repeats@N	it leaves N repeats of each block out
 *	judge		no word that its core compares differs from any other
 *	nod@N		its data mover takes each burst (N: 0) or each sum of operands (1) as right
 *	vector@N	the N-th multiplication of its vector unit's program does nothing
 *	left@N		another program left requests with tag N that count as under way for ever
 *	misled		the place that it is given of its peer is that of another tile
 *	low@N, high@N	a bit of the word at this address of its memory stays 0, or 1
 *	lost@N		what a core writes to the 64 bytes at this address does not come there
 *	astray@N	it comes to the next 64 bytes instead
 *	ones@N		the chip answers all ones once the tile has compared N blocks
 *	busy@N		a runtime's counters are in the tile's memory: it works all the time, on N %
 *			of the cores
 *	claim@N		it counts N more blocks as computed than were compared
 *
 * Faults of the card's memory are those of wrap_memory.c, with their seed: "lane@7".
 */
#include "config.h"
#include "tests/rig/wrap_memory.h"
#include "burnin/cores/card_data.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ORDER(member) (KERNEL_AT_ORDER + offsetof(struct kernel_order, member))
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

static bool is_fault(const char *name)
{
	return strcmp(fault, name) == 0;
}

static bool is_gone;	/* from the bus: what is asked does not reach the chip */

static bool show_runtime(uint64_t at, void *to, uint32_t n);

void libttsim_pci_mem_rd_bytes(uint64_t at, void *to, uint32_t n)
{
	if (is_gone)
		memset(to, 0xff, n);
	else if (!is_fault("busy") || !show_runtime(at, to, n))
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

/*
 * A runtime that counts: firmware that is new enough, its buffer with the control block, and the
 * counters of one queue's dispatch core, the tile (upstream facts F).
 */
#define CSM	   0x10000000u		/* in the ARC's tile; its table of tags is at 0x100 */
#define BUFFER	   0x70000u		/* in CSM */
#define COUNTERS   0x20000u		/* in the tile's memory */

static uint32_t page;			/* of the first window */

static uint64_t in_csm(uint32_t offset)
{
	return blackhole ? aim(8, 0, CSM + offset) : 0x1fe80000 + offset;
}

static uint32_t csm_word(uint32_t offset)
{
	uint32_t word;

	read_bytes(bar0 + in_csm(offset), &word, sizeof(word));
	return word;
}

static void set_tag(uint32_t tag, uint32_t value)
{
	const uint32_t n = csm_word(0x104);
	uint32_t i = 0;

	while (i < n && (csm_word(0x108 + 4 * i) & 0xffff) != tag)
		i++;
	put(in_csm(0x108 + 4 * i), tag | i << 16);
	put(in_csm(0x200 + 4 * i), value);
	put(in_csm(0x104), i == n ? n + 1 : n);
}

static void begin_runtime(void)
{
	const uint32_t cores = blackhole ? 152 : 96, workers = blackhole ? 140 : 80;
	const uint32_t counters[] = { [0] = 1, [1] = 0x44495350, [12] = 1000, [14] = 1000,
		[46] = workers - cores * (uint32_t)after / 100, [54] = workers };
	uint8_t control[52] = { [0] = 1, [4] = 0x5f, [5] = 0x43, [6] = 0x4d, [7] = 0x53,
		[11] = COUNTERS >> 16, [13] = 1, [14] = (uint8_t)(tile_y + 1),
		[16] = (uint8_t)tile_x, [18] = (uint8_t)tile_y, [20] = (uint8_t)tile_x };

	memset(control + 22, 0xff, 28);
	set_tag(28, 0x130d0000);
	set_tag(blackhole ? 34 : 59, blackhole ? 0x3fff : 0x3ff);
	set_tag(35, blackhole ? 0xfff : 0xffff);
	set_tag(40, 0);
	if (!blackhole) {
		put(in_csm(0x75c00), CSM + BUFFER);
		put(in_csm(0x75c04), 1024);
	}
	for (uint32_t i = 0; i < sizeof(control); i += 4) {
		uint32_t word;

		memcpy(&word, control + i, sizeof(word));
		put(in_csm(BUFFER + i), word);
	}
	for (uint32_t i = 0; i < 74; i++)
		put(aim(tile_x, tile_y, COUNTERS + 4 * i),
			i < sizeof(counters) / 4 ? counters[i] : 0);
}

/* Its clock runs.  True: the simulator has no such register; the answer is given here. */
static bool show_runtime(uint64_t at, void *to, uint32_t n)
{
	const uint32_t buffer[] = { CSM + BUFFER, 1024 };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	put(aim(tile_x, tile_y, COUNTERS + 24),
		(uint32_t)(now.tv_sec % 1000 * 1000000 + now.tv_nsec / 1000) + 2000);
	if (!blackhole || page != 0x80030458 >> 21 || at - bar0 - 0x30458 > 4 || n != 4)
		return false;
	memcpy(to, &buffer[(at - bar0 - 0x30458) / 4], sizeof(buffer[0]));
	return true;
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
	if (is_fault("busy"))
		begin_runtime();
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

/* A write to two other tiles: it counts as one request, and as two answers. */
static void leave_requests(void)
{
	const uint32_t niu = 0xffb20000, at = KERNEL_AT_END, own = tile_x | tile_y << 6;
	const uint32_t to = 2 | 2 << 6 | (1 | 2 << 6) << 12;
	const uint32_t words[][2] = { { 0x0, at }, { 0xc, at }, { 0x18, (uint32_t)after << 10 },
		{ 0x1c, 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 }, { 0x20, 16 } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		set(niu + words[i][0], words[i][1]);
	set(niu + 0x4, blackhole ? 0 : own << 4);
	set(niu + 0x10, blackhole ? 0 : to << 4);
	if (blackhole) {
		set(niu + 0x8, own);
		set(niu + 0x14, to);
	}
	set(niu + (blackhole ? 0x40 : 0x28), 1);
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
	if (is_fault("left")) {
		leave_requests();
		done = true;
	}
	if (is_fault("misled")) {
		set(KERNEL_AT_PEER, get(KERNEL_AT_PEER) - (2 << 6));
		done = true;
	}
	if (is_fault("repeats")) {
		set(ORDER(repeats), get(ORDER(repeats)) - (uint32_t)after);
		done = true;
	}
	for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
		const uint32_t at = spots[i].at + 4 * (uint32_t)after;

		if (strcmp(fault, spots[i].fault) != 0)
			continue;
		set(at, get(at) ^ 1u << spots[i].bit);
		done = true;
	}
}

static bool is_or(uint32_t word)
{
	return (word & 0xfe00707f) == 0x6033;
}

/* Whether one of the next instructions branches by the result of this one, not of another or. */
static bool is_asked_for(uint32_t at)
{
	const uint32_t branch = (get(at) >> 7 & 31) << 15 | 0x63;
	const uint32_t end = at + 5 * sizeof(uint32_t);

	do
		at += sizeof(uint32_t);
	while (at < end && !is_or(get(at)) && (get(at) & 0x1ffe07f) != branch);
	return (get(at) & 0x1ffe07f) == branch;
}

/* The N-th comparison of a program finds nothing: what differs is or-ed, to be asked for. */
static void silence(uint32_t from, uint32_t end)
{
	unsigned long nth = 0;

	for (uint32_t at = from; at < end; at += sizeof(uint32_t))
		if (is_or(get(at)) && is_asked_for(at) && nth++ == after)
			set(at, 0x13 | (get(at) & 0xf80));
}

/* An instruction of its programs does nothing, or its data mover's goes nowhere. */
static void spoil_programs(void)
{
	const uint32_t nowhere = 0x6f, nothing = 0x02u << 26;
	unsigned long nth = 0;

	if (is_fault("judge"))
		silence(32, KERNEL_AT_ORDER);
	if (is_fault("nod"))
		silence(KERNEL_AT_NC, KERNEL_AT_BURSTS);
	if (is_fault("mover") && after == 0 && get(TRAFFIC(nc_phase)) == KERNEL_IDLE)
		set(KERNEL_AT_NC, nowhere);
	for (uint32_t at = KERNEL_AT_T2; is_fault("vector") && at < KERNEL_AT_NC; at += 4) {
		const uint32_t word = get(at);

		if ((word & 3) == 3 || (word >> 2 | word << 30) >> 24 != 0x84 || nth++ != after)
			continue;
		set(at, nothing);
		return;
	}
}

/* Whether the first window, that on single tiles, leads to this one: the word that says so. */
static bool is_aim(uint64_t at, uint32_t n)
{
	return n == sizeof(uint32_t) && at == bar0 + 0x1fc00000 + (blackhole ? 4 : 8 * 156);
}

static bool leads_to_it(uint32_t word)
{
	return (word >> (blackhole ? 11 : 15) & 63) == tile_x &&
		(word >> (blackhole ? 17 : 21) & 63) == tile_y;
}

/* Its reset register does not take this word. */
static bool is_refused(uint32_t word)
{
	static bool computed;

	computed = computed || (is_fault("loose") && get(KERNEL_AT_ORDER) == KERNEL_MAGIC &&
		get(STATE(b_phase)) == KERNEL_DONE);
	return (is_fault("unborn") && word == HOLD_BUT_B) || (computed && word == HOLD_ALL);
}

/*
 * The 64 bytes at this address of its memory, after each clock and each write of the host: a bit is
 * set again, or a core's write undone.
 */
static void spoil_memory(bool by_host)
{
	static uint32_t were[16];
	static bool known;
	uint32_t are[16];

	if (is_fault("low") || is_fault("high")) {
		const uint32_t word = get((uint32_t)after);

		if ((word >> 3 & 1) != is_fault("high"))
			set((uint32_t)after, word ^ 1 << 3);
		return;
	}
	read_bytes(bar0 + aim(tile_x, tile_y, after), are, sizeof(are));
	if (by_host || !known) {
		memcpy(were, are, sizeof(were));
		known = true;
	} else if (memcmp(were, are, sizeof(were)) != 0) {
		write_bytes(bar0 + aim(tile_x, tile_y, after), were, sizeof(were));
		if (is_fault("astray"))
			write_bytes(bar0 + aim(tile_x, tile_y, after + sizeof(are)), are,
				sizeof(are));
	}
}

static bool is_of_memory(void)
{
	return is_fault("low") || is_fault("high") || is_fault("lost") || is_fault("astray");
}

void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t n)
{
	static bool on_it;
	uint32_t word = 0;

	if (n == sizeof(word))
		memcpy(&word, from, n);
	if (word == HOLD_BUT_B) {
		spoil_data();
		spoil_programs();
	}
	if (at == bar0 + 0x1fc00000)
		page = word;
	if (is_aim(at, n)) {
		on_it = leads_to_it(word);
		word -= on_it && is_fault("double") ? 1u << (blackhole ? 17 : 21) : 0;
		from = &word;
	} else if (is_gone || (on_it && is_refused(word))) {
		return;
	}
	(memory ? wrap_memory_store : write_bytes)(at, from, n);
	if (is_of_memory())
		spoil_memory(true);
	if (is_fault("image") && n > sizeof(uint32_t))
		set(KERNEL_AT_T1 + 64, get(KERNEL_AT_T1 + 64) | 1u << 31);
}

/* Where no golden block is known: what the host is to read, once. */
static void spoil_open(void)
{
	const uint32_t at = KERNEL_AT_OUT + 4 * (uint32_t)after;
	static bool done;

	if (!done && get(STATE(b_phase)) == KERNEL_DONE && get(STATE(b_checked)) == 2) {
		set(at, get(at) ^ 1 << 7);
		done = true;
	}
}

/* The newest block that is not compared yet, one at a time until it was found. */
static void spoil_output(void)
{
	uint32_t packed = get(STATE(t2_packed)), rows, golden;
	uint32_t checked = get(STATE(b_checked));
	static uint32_t spoilt;

	if (get(KERNEL_AT_GOLDEN) == CARD_OPEN) {
		spoil_open();
		return;
	}
	if (packed == checked || checked < spoilt || get(STATE(b_errors)) > 1)
		return;
	spoilt = packed;
	rows = get(ORDER(rows));
	golden = get(KERNEL_AT_GOLDEN + (packed - 1) % rows * KERNEL_BLOCK_BYTES +
		4 * (uint32_t)after);
	set(KERNEL_AT_OUT + (packed - 1) % 2 * KERNEL_BLOCK_BYTES + 4 * (uint32_t)after,
		golden ^ 1 << 7);
}

/* The beginning of a burst is never again what was read. */
static void keep_burst(void)
{
	const uint32_t at = KERNEL_AT_BURSTS + KERNEL_BURST_MAX;
	static uint32_t kept[KERNEL_BURST_STEP / 4];
	static bool has;

	if (get(TRAFFIC(nc_phase)) != KERNEL_RUNS || !get(at))
		return;
	for (uint32_t i = 0; i < KERNEL_BURST_STEP / 4; i++)
		if (has)
			set(at + 4 * i, kept[i]);
		else
			kept[i] = get(at + 4 * i);
	has = true;
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
	if (is_fault("keeps"))
		keep_burst();
	if (is_fault("mover") && after > 0 && get(TRAFFIC(nc_heart)) >= after &&
		!get(TRAFFIC(nc_waits))) {
		set(SOFT_RESET, HOLD_NCRISC);
		after = 0;
	}
	if (is_fault("claim") && get(STATE(b_phase)) == KERNEL_DONE &&
		get(STATE(t1_blocks)) == get(STATE(b_checked)))
		set(STATE(t1_blocks), get(STATE(b_checked)) + (uint32_t)after);
	if (is_fault("ones") && get(KERNEL_AT_ORDER) == KERNEL_MAGIC &&
		get(STATE(b_checked)) >= after)
		is_gone = true;
	if (memory)
		wrap_memory_clock();
	memcpy(&f, &symbol, sizeof(f));
	/* A core writes and reads back within few clocks. */
	for (; is_of_memory() && n > 0; n--) {
		f(1);
		spoil_memory(false);
	}
	f(n);
}
