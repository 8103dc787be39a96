/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_regs.c - the address map of a chip (chip-facts 2.1), and the addresses that
 * must not be touched (1.9); and its ethernet cores.
 *
 * An address is first mapped to a block, and each block knows its words.  An
 * access that no reader has a reason for is a violation: it is counted and gets
 * -EFAULT, where silicon might hang or lose data.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/eth.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

#include <string.h>

/*
 * Ethernet cores: their status words, and on Wormhole the routing firmware's queues.  On an n300
 * they are the only way to the second chip (chip-facts 3.8 and 3.11).
 */

#define LOOP_WH   100000	/* ns between two heartbeats of a core */
#define LOOP_BH   1250000000

#define REQUEST   0x11080u	/* in Wormhole's L1: 192 bytes; an unused queue follows */
#define RESPONSE  0x11200u
#define QUEUE_END 0x112c0u

/* Word numbers in a queue, and in a command in one of its four slots. */
enum { WPTR = 8, RPTR = 12, SLOTS = 16, SLOT_WORDS = 8 };
enum { ADDR_LOW, ADDR_HIGH, DATA, FLAGS, RACK };

#define RD_REQ  4u
#define RD_DATA 8u
#define UNREACHABLE (1u << 31)

/* A chip's x in the node info of chip-facts 3.8; an n300's right chip is at (1, 0). */
static unsigned shelf_x(const struct sim_chip *c)
{
	return c->remote ? 1 : c->board->galaxy ? c->place % 4 : 0;
}

static unsigned shelf_y(const struct sim_chip *c)
{
	return c->board->galaxy ? c->place / 4 : 0;
}

/* The low half of a core's heartbeat. */
static uint32_t beats_of(const struct sim_chip *c, const struct sim_now *now, unsigned core)
{
	const bool stuck = sim_has_fault(now, SIM_ETHSTUCK) && core == SIM_BAD_CHANNEL;

	if (stuck || sim_eth_is_dead(c, now, core))
		return 7;
	return (now->t - now->ready) / (c->board->like == DEVICE_BLACKHOLE ? LOOP_BH : LOOP_WH) &
		0xffff;
}

/* How often a core's link has trained again; each time it has lost a few words. */
static uint32_t retrains_of(const struct sim_chip *c, const struct sim_now *now, unsigned core)
{
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == SIM_RETRAIN && sim_has_fault(now, SIM_RETRAIN) &&
			core == SIM_BAD_CHANNEL)
			return (uint32_t)((now->t - c->faults[i].from) / (5 * CLOCK_SECOND)) + 1;
	return 0;
}

static uint32_t read_wh(const struct sim_chip *c, const struct sim_now *now, unsigned core,
	uint32_t addr)
{
	const struct sim_chip *peer = sim_joins_peer(c, core) ? c->peer : NULL;
	const bool up = sim_has_link(c, now, core);

	if (addr >= 0x1200 && addr < 0x1200 + 4 * ETH_CHANNELS_WORMHOLE) {
		unsigned to = (addr - 0x1200) / 4;

		return sim_link_is_down(c, now, to) ? 1 : sim_joins_peer(c, to) ? 3 : 1;
	}
	switch (addr) {
	case 0x1c: return 0xabcd0000 | beats_of(c, now, core);
	case 0x170: return 0x11000;
	case 0x210: return c->board->eth_fw;
	case 0x104c: return 0;
	case 0x1108: return shelf_y(c) << 24 | shelf_x(c) << 16;
	case 0x1124: return peer ? shelf_y(peer) << 22 | shelf_x(peer) << 16 |
			(unsigned)eth_xy_wormhole[c->remote ? core + 8 : core - 8][1] << 10 |
			(unsigned)eth_xy_wormhole[c->remote ? core + 8 : core - 8][0] << 4 : 0;
	case 0x1104: return up ? 1 : 2;
	case 0x1440: return up ? 0 : sim_link_is_down(c, now, core) ? 10 : 11;
	case 0x1ed4: return up ? 6 : 0;
	case 0x1edc: return retrains_of(c, now, core);
	case 0x1f7c: return 3 * retrains_of(c, now, core);
	case 0x1f94: return 700 * retrains_of(c, now, core);
	case 0x1f9c: return 2 * retrains_of(c, now, core);
	default: return 0;
	}
}

/*
 * On a simulated board with two Blackholes, cores 10 and 11 of the second lead to 3 and 4 of the
 * first, as telemetry/port.c has it of real ones [U].
 */
static uint32_t read_bh_end(const struct sim_chip *c, unsigned core, uint32_t addr)
{
	const struct sim_chip *other = c->place ? c - 1 : c + 1;

	if (c->board->asics != 2 || core - (c->place ? 10 : 3) > 1)
		return 0;
	switch (addr) {
	case 0x7cfe0: return (c->place ? core - 7 : core + 7) << 16 | other->place << 8;
	case 0x7cfe4: return (uint32_t)(other->board_id >> 32);
	case 0x7cfe8: return (uint32_t)other->board_id;
	case 0x7cff4: return (uint32_t)(other->asic_id >> 32);
	case 0x7cff8: return (uint32_t)other->asic_id;
	default: return 0;
	}
}

static uint32_t read_bh(const struct sim_chip *c, const struct sim_now *now, unsigned core,
	uint32_t addr)
{
	const bool up = sim_has_link(c, now, core);

	switch (addr) {
	case 0x7cc04: return up ? 1 : sim_link_is_down(c, now, core) ? 2 : 3;
	case 0x7cc08: return up ? 2 : sim_link_is_down(c, now, core) ? 9 : 1;
	case 0x7cc0c: return up ? 400 : 0;
	case 0x7cc70: return 0xabcd0000 | beats_of(c, now, core);
	case 0x7cc8c: return 400;
	case 0x7ce00: return retrains_of(c, now, core);
	case 0x7ce60: return 3 * retrains_of(c, now, core);
	case 0x7ce90: return 700 * retrains_of(c, now, core);
	case 0x7ce98: return 2 * retrains_of(c, now, core);
	default: return read_bh_end(c, core, addr);
	}
}

static uint32_t sim_eth_read(struct sim_chip *c, const struct sim_now *now, unsigned core,
	uint32_t addr)
{
	if (!now->booted)
		return 0;
	if (c->board->like == DEVICE_BLACKHOLE)
		return read_bh(c, now, core, addr);
	if (addr >= REQUEST && addr < QUEUE_END)
		return c->state->eth[core][(addr - REQUEST) / 4];
	return read_wh(c, now, core, addr);
}

/* The chip that a command is for, if this core can route to it; else NULL. */
static struct sim_chip *target(struct sim_chip *c, unsigned core, uint64_t addr, uint32_t rack)
{
	unsigned x = addr >> 48 & 0x3f, y = addr >> 54 & 0x3f;

	if (rack & 0xffff)
		return NULL;
	if (x == shelf_x(c) && y == shelf_y(c))
		return c;
	if (sim_joins_peer(c, core) && x == shelf_x(c->peer) && y == shelf_y(c->peer))
		return c->peer;
	return NULL;
}

static void serve_command(struct sim_chip *c, unsigned core, const uint32_t *in, uint32_t *out)
{
	uint64_t addr = in[ADDR_LOW] | (uint64_t)in[ADDR_HIGH] << 32;
	struct reg_addr at = { REG_NOC, addr >> 36 & 0x3f, addr >> 42 & 0x3f, addr & 0xfffffffff };
	struct sim_chip *to = target(c, core, addr, in[RACK]);
	uint32_t word = UINT32_MAX;
	struct sim_now now;

	if (in[FLAGS] != RD_REQ) {
		sim_violation(c, "ethernet command with flags 0x%x", in[FLAGS]);
		to = NULL;
	}
	if (to) {
		now = sim_now(to);
		sim_regs_read(to, &now, at, &word);
		if (now.dead)
			word = UINT32_MAX;
	}
	out[ADDR_LOW] = in[ADDR_LOW];
	out[ADDR_HIGH] = in[ADDR_HIGH];
	out[DATA] = word;
	out[RACK] = in[RACK];
	out[FLAGS] = to ? RD_DATA : UNREACHABLE;
}

/* Pointers count modulo 8, slots modulo 4. */
static void serve_queue(struct sim_chip *c, unsigned core)
{
	uint32_t *request = c->state->eth[core];
	uint32_t *response = request + (RESPONSE - REQUEST) / 4;

	if (request[WPTR] > 7 || response[RPTR] > 7 || ((request[WPTR] - request[RPTR]) & 7) > 4) {
		sim_violation(c, "ethernet queue pointer out of range");
		return;
	}
	while (request[RPTR] != request[WPTR] && ((response[WPTR] - response[RPTR]) & 7) != 4) {
		serve_command(c, core, request + SLOTS + (request[RPTR] & 3) * SLOT_WORDS,
			response + SLOTS + (response[WPTR] & 3) * SLOT_WORDS);
		request[RPTR] = (request[RPTR] + 1) & 7;
		response[WPTR] = (response[WPTR] + 1) & 7;
	}
}

/* Whether the host may write here: request slots and pointer, response pointer. */
static bool is_hosts(uint32_t addr)
{
	uint32_t request = (addr - REQUEST) / 4;

	return addr == RESPONSE + 4 * RPTR || request == WPTR ||
		(addr >= REQUEST && request >= SLOTS && request < SLOTS + 4 * SLOT_WORDS);
}

static int sim_eth_write(struct sim_chip *c, const struct sim_now *now, unsigned core,
	uint32_t addr, uint32_t word)
{
	if (c->board->like != DEVICE_WORMHOLE || !is_hosts(addr))
		return sim_violation(c, "write to ethernet core %u, L1 0x%x", core, addr);
	c->state->eth[core][(addr - REQUEST) / 4] = word;
	/* A link that is down accepts requests and never answers. */
	if ((addr == REQUEST + 4 * WPTR || addr == RESPONSE + 4 * RPTR) &&
		!sim_link_is_down(c, now, core))
		serve_queue(c, core);
	return 0;
}

/* The address map. */

enum block {
	BLOCK_NONE,
	BLOCK_CSM,		/* the ARC's memory, offsets from 0x10000000 */
	BLOCK_UNIT,		/* its reset unit */
	BLOCK_NIU,		/* node id of the PCIe tile */
	BLOCK_ETH,
	BLOCK_DRAM,
	BLOCK_CORE,
	BLOCK_TENSIX		/* Grayskull's tiles and their resets; off is the BAR0 address */
};

struct where {
	enum block block;
	unsigned core;		/* ethernet or memory channel */
	uint32_t off;
	const char *why;	/* reason for BLOCK_NONE */
};

#define CSM_SIZE   0x80000u
#define CSM_ARC    0x10000000u
#define UNIT_SIZE  0x1000u
#define WH_L1_SIZE 0x40000u
#define BH_L1_SIZE 0x80000u

/* Offsets of the firmware's words in CSM; Wormhole's legacy struct is in chip-facts 2.3. */
#define CSM_RUNTIME   0x7f000u	/* the buffer for a runtime; Wormhole's pointer to it */
#define CSM_WH_BUFFER 0x75c00u
#define CSM_TABLE     0x74000u
#define CSM_WH_VALUES 0x74400u
#define CSM_WH_LEGACY 0x78d60u
#define CSM_GS_LEGACY 0x78c00u

/*
 * A runtime that counts its work (SIM_RUNTIME): a control block in the firmware's buffer and a
 * block in the memory of each queue's core, in the layouts of telemetry/busy.c.  Every period the
 * runtime starts all its cores; some work until the share is reached, the others end at once.
 */

#define RUNTIME_AT     0x19800u		/* in a core's memory */
#define RUNTIME_SIZE   296u
#define RUNTIME_BUFFER 64u		/* bytes */
#define RUNTIME_PERIOD (10 * 1000000LL)
#define RUNTIME_CLOCK  ((INT64_C(3) << 32) - 2000000000)	/* ticks (1 ns) at the start */

struct runtime {
	bool is_on;
	unsigned flags;
	uint64_t now, busy, since, launch, work;
	uint32_t done, workers;
};

static struct kind_cores cores_on(const struct sim_chip *c)
{
	const bool bh = c->board->like == DEVICE_BLACKHOLE;

	return (struct kind_cores){ c->board->tensix, c->board->eth,
		bh || c->board->bundle >= SIM_BUFFER_WH };
}

/* Add the work of one fault until t. */
static void runtime_add(struct runtime *r, const struct sim_fault *f, int64_t t, unsigned cores)
{
	const int64_t run = RUNTIME_PERIOD * f->any / 100;
	const int64_t span = (t < f->to ? t : f->to) - f->from, periods = span / RUNTIME_PERIOD;
	const int64_t rest = span % RUNTIME_PERIOD, started = t < f->to ? t - rest : f->to - rest;
	const uint32_t busy = f->any ? (f->cores * cores + f->any / 2u) / f->any : 0;
	const bool under_way = t < f->to && rest < run;
	const int64_t done = periods * run + (under_way ? 0 : rest < run ? rest : run);

	if (run == 0 || span <= 0)
		return;
	r->launch = (uint64_t)(started + RUNTIME_CLOCK);
	r->since = under_way ? r->launch : 0;
	r->busy += (uint64_t)done;
	r->work += (uint64_t)done * busy;
	r->done = under_way ? r->workers - (busy < r->workers ? busy : r->workers) : r->workers;
}

static struct runtime runtime_of(const struct sim_chip *c, const struct sim_now *now)
{
	const struct kind_cores on = cores_on(c), compute = { on.tensix, 0, on.translated };
	const struct device_kind *k = kind_of(c->board->chip);
	struct runtime r = { .workers = kind_count_cores(k, &compute) };
	int64_t t = now->t;

	r.done = r.workers;
	for (size_t i = 0; i < c->n_faults; i++) {
		const struct sim_fault *f = &c->faults[i];

		if (f->kind != SIM_RUNTIME || now->t < f->from || now->t >= f->to ||
			f->from < now->ready)
			continue;
		r.is_on = now->booted;
		r.flags |= f->runtime;
		t = f->runtime & SIM_RUNTIME_DEAD && f->from < t ? f->from : t;
	}
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == SIM_RUNTIME)
			runtime_add(&r, &c->faults[i], t, kind_count_cores(k, &on));
	r.now = (uint64_t)(t + RUNTIME_CLOCK);
	return r;
}

/* A queue's core: in the first line that is on, or one that is off. */
static uint32_t runtime_core(const struct sim_chip *c, const struct runtime *r, unsigned queue)
{
	const struct device_kind *k = kind_of(c->board->chip);
	const struct kind_cores on = cores_on(c);
	unsigned x = k->tensix.x0 + queue, y = k->tensix.y0;

	if (r->flags & SIM_RUNTIME_OFF)
		return k->tensix_in_rows ? 18u << 16 | 27 : 8u << 16 | 2;
	if (k->tensix_in_rows && !(r->flags & SIM_RUNTIME_RAW))
		return (18u + queue) << 16 | 18;
	while (k->tensix_in_rows && kind_tensix_off(k, on.tensix, on.translated) >> y & 1)
		y++;
	return x << 16 | y;
}

/* The word at this offset of the buffer. */
static uint32_t read_control(const struct sim_chip *c, const struct sim_now *now, uint32_t off)
{
	const struct runtime r = runtime_of(c, now);
	const unsigned queues = r.flags & SIM_RUNTIME_Q3 ? 3 : r.flags & SIM_RUNTIME_Q2 ? 2 : 1;
	uint8_t bytes[RUNTIME_BUFFER] = { 1, 0, 0, 0, 0x5f, 'C', 'M', 'S' };
	uint32_t word;

	if (!r.is_on)
		return 0;
	bytes[8] = (r.flags & SIM_RUNTIME_SLOW) != 0;
	word = RUNTIME_AT;
	memcpy(bytes + 9, &word, sizeof(word));
	bytes[13] = 3;
	memset(bytes + 14, 0xff, 36);
	for (unsigned i = 0; i < queues; i++) {
		word = runtime_core(c, &r, i);
		memcpy(bytes + 14 + 12 * i, &word, sizeof(word));
		memcpy(bytes + 18 + 12 * i, &word, sizeof(word));
	}
	if (r.flags & SIM_RUNTIME_EARLY)
		memmove(bytes + 8, bytes + 14, 36);
	memcpy(&word, bytes + off, sizeof(word));
	return word;
}

static void put_u64(uint32_t *words, unsigned at, uint64_t value)
{
	words[at / 4] = (uint32_t)value;
	words[at / 4 + 1] = (uint32_t)(value >> 32);
}

/* The word at this offset of a core's block. */
static uint32_t read_core(struct sim_chip *c, const struct sim_now *now, uint32_t off)
{
	static const struct {
		uint16_t busy, launch, launches, work, done, workers;
	} layouts[] = { { 40, 56, 0, 120, 184, 216 }, { 0, 40, 104, 168, 232, 264 },
		{ 104, 120, 0, 184, 72, 40 } };
	const struct runtime r = runtime_of(c, now);
	const unsigned l = r.flags & SIM_RUNTIME_C ? 2 : r.flags & SIM_RUNTIME_A ? 1 : 0;
	uint32_t words[RUNTIME_SIZE / 4] = { 1, 0x44495350 };

	if (!r.is_on || r.flags & SIM_RUNTIME_ONES)
		return r.is_on ? UINT32_MAX : 0;
	if (off == 0)
		c->is_torn = r.flags & SIM_RUNTIME_TORN && !c->is_torn;
	if (!(r.flags & SIM_RUNTIME_MUTE)) {
		put_u64(words, 24, r.now + ((uint64_t)c->is_torn << 32));
		if (layouts[l].busy) {
			put_u64(words, layouts[l].busy, r.busy);
			put_u64(words, layouts[l].busy + 8u, r.since);
		}
		put_u64(words, layouts[l].launch, r.launch);
		put_u64(words, layouts[l].work, r.work);
		if (layouts[l].launches)
			words[layouts[l].launches / 4] = r.launch ? 2 : 0;
		words[layouts[l].done / 4] = r.done;
		words[layouts[l].workers / 4] = r.workers;
	}
	return words[off / 4];
}

/* The firmware's pointer to its buffer, and the buffer's size. */
static uint32_t buffer_word(const struct sim_chip *c, const struct sim_now *now, bool is_size)
{
	const bool bh = c->board->like == DEVICE_BLACKHOLE;

	if (!now->booted || c->board->bundle < (bh ? SIM_BUFFER_BH : SIM_BUFFER_WH))
		return 0;
	return is_size ? RUNTIME_BUFFER : CSM_ARC + CSM_RUNTIME;
}

/* What is in BAR0, and in the ARC's tile. */
static const struct region {
	uint8_t chips;
	enum reg_space space;
	uint64_t at;
	uint32_t size;
	enum block block;
} regions[] = {
	{ SIM_GS | SIM_WH, REG_BAR0, 0x1fe80000, CSM_SIZE, BLOCK_CSM },
	{ SIM_GS | SIM_WH, REG_BAR0, 0x1ff30000, UNIT_SIZE, BLOCK_UNIT },
	{ SIM_GS | SIM_WH, REG_BAR0, 0x1ff5002c, 4, BLOCK_NIU },
	{ SIM_BH, REG_BAR0, 0x1fd04044, 4, BLOCK_NIU },
	{ SIM_GS | SIM_WH, REG_NOC, 0x810000000, CSM_SIZE, BLOCK_CSM },
	{ SIM_GS | SIM_WH, REG_NOC, 0x880030000, UNIT_SIZE, BLOCK_UNIT },
	{ SIM_BH, REG_NOC, CSM_ARC, CSM_SIZE, BLOCK_CSM },
	{ SIM_BH, REG_NOC, 0x80030000, UNIT_SIZE, BLOCK_UNIT },
};

void sim_regs_init(struct sim_chip *c)
{
	const struct device_kind *k = kind_of(c->board->chip);
	uint8_t moved[2];

	for (unsigned i = 0; i < k->n_eth; i++) {
		c->tile[k->eth_xy[i][0]][k->eth_xy[i][1]] = (uint8_t)(SIM_TILE_ETH + i);
		if (k->eth_moved[0] && kind_eth(k, c->board->eth, true, i, moved))
			c->tile[moved[0]][moved[1]] = (uint8_t)(SIM_TILE_ETH + i);
	}
	for (unsigned i = 0; i < SIM_GRID * SIM_GRID; i++) {
		const struct kind_cores on = cores_on(c);

		if (kind_find_core(k, &on, i % SIM_GRID, i / SIM_GRID, moved) &&
			!c->tile[moved[0]][moved[1]])
			c->tile[moved[0]][moved[1]] = SIM_TILE_TENSIX;
	}
	for (unsigned i = 0; i < k->n_dram; i++)
		for (unsigned p = 0; p < KIND_PORTS; p++) {
			const struct reg_addr at = kind_dram(k, c->board->gddr, i, p, 0);

			c->tile[at.x][at.y] = (uint8_t)(SIM_TILE_DRAM + i);
		}
}

static struct where bad(const char *why)
{
	return (struct where){ .block = BLOCK_NONE, .why = why };
}

/* A tile that is not the ARC's. */
static struct where find_tile(const struct sim_chip *c, struct reg_addr at)
{
	const unsigned tile = at.x < SIM_GRID && at.y < SIM_GRID ? c->tile[at.x][at.y] : 0;
	const unsigned core = tile % SIM_TILE_ETH;

	if (tile & SIM_TILE_ETH) {
		if (at.addr >= (c->board->like == DEVICE_BLACKHOLE ? BH_L1_SIZE : WH_L1_SIZE))
			return bad("ethernet tile beyond its L1");
		return c->board->eth >> core & 1
			? (struct where){ BLOCK_ETH, core, (uint32_t)at.addr, NULL }
			: bad("harvested ethernet tile");
	}
	if (tile == SIM_TILE_TENSIX)
		return (c->purpose == ACCESS_BUSY || c->purpose == ACCESS_BURN) &&
			at.addr >= RUNTIME_AT &&
			at.addr < RUNTIME_AT + RUNTIME_SIZE
			? (struct where){ BLOCK_CORE, 0, (uint32_t)at.addr - RUNTIME_AT, NULL }
			: bad("compute tile, beyond a runtime's counters");
	if (tile && c->purpose != ACCESS_MEMORY && c->purpose != ACCESS_BURN)
		return bad("memory of a card that is only looked at");
	if (tile && (c->board->gddr >> core & 1) && at.addr < kind_of(c->board->chip)->dram_size)
		return (struct where){ BLOCK_DRAM, core, (uint32_t)at.addr, NULL };
	return bad("tile that is harvested, in reset or unknown");
}

static struct where find_where(struct sim_chip *c, struct reg_addr at)
{
	const struct device_kind *k = kind_of(c->board->chip);
	const bool bar0 = at.space == REG_BAR0;

	if (bar0 && c->remote)
		return bad("BAR0 of a chip without PCIe");
	if (!bar0 && (at.x != k->arc_x || at.y != k->arc_y))
		return find_tile(c, at);
	if (bar0 && c->board->like == DEVICE_GRAYSKULL && c->purpose == ACCESS_RESET &&
		sim_tensix_has(c, at.addr))
		return (struct where){ BLOCK_TENSIX, 0, (uint32_t)at.addr, NULL };
	for (size_t i = 0; i < ARRAY_LEN(regions); i++) {
		const struct region *r = &regions[i];

		if ((r->chips >> c->board->like & 1) && r->space == at.space && at.addr >= r->at &&
			at.addr - r->at < r->size)
			return (struct where){ r->block, 0, (uint32_t)(at.addr - r->at), NULL };
	}
	if (!bar0)
		return bad("unknown address of the ARC tile");
	return bad(at.addr < 0x1fc00000 ? "BAR0 window that was not allocated" :
		at.addr < 0x1fd00000 ? "window registers belong to the driver" :
		"unknown BAR0 address");
}

/* Offset of the values in CSM; on Blackhole they follow the table. */
static uint32_t values_at(const struct sim_chip *c)
{
	return c->board->like == DEVICE_BLACKHOLE ? CSM_TABLE + 4 * (2 + (uint32_t)c->n_entries)
						   : CSM_WH_VALUES;
}

static uint32_t legacy_at(const struct sim_chip *c)
{
	return c->board->like == DEVICE_WORMHOLE ? CSM_WH_LEGACY :
		c->board->like == DEVICE_GRAYSKULL ? CSM_GS_LEGACY : CSM_SIZE;
}

static uint32_t read_csm(struct sim_chip *c, const struct sim_now *now, uint32_t off)
{
	uint32_t table = off - CSM_TABLE, values = off - values_at(c), legacy = off - legacy_at(c);

	if (!now->booted)
		return 0;
	if (off - CSM_RUNTIME < RUNTIME_BUFFER)
		return read_control(c, now, off - CSM_RUNTIME);
	if (c->board->like == DEVICE_WORMHOLE && (off & ~4u) == CSM_WH_BUFFER)
		return buffer_word(c, now, off & 4);
	if (c->n_entries && table < 4 * (2 + c->n_entries))
		return c->table[table / 4];
	if (c->n_entries && values < 4 * SIM_ENTRIES)
		return c->tag_at[values / 4] ? sim_words(c, now)->tag[c->tag_at[values / 4]] : 0;
	if (legacy < 4 * SIM_LEGACY)
		return sim_words(c, now)->legacy[legacy / 4];
	return 0;
}

/* A pointer that the firmware publishes once it runs. */
static uint32_t pointer(const struct sim_now *now, bool is_there, uint32_t off)
{
	return now->booted && is_there ? CSM_ARC + off : 0;
}

/* SCRATCH_RAM of Blackhole (chip-facts 2.1). */
static uint32_t read_scratch_ram(struct sim_chip *c, const struct sim_now *now, uint32_t n)
{
	switch (n) {
	case 2: return now->booted ? 0x5 : 0x2;
	case 4: return (uint32_t)sim_has_fault(now, SIM_REGULATOR) |
		(uint32_t)sim_has_fault(now, SIM_CABLE) << 1 |
		(uint32_t)sim_has_fault(now, SIM_DRAM) << 4;
	case 12: return pointer(now, true, values_at(c));
	case 13: return pointer(now, true, CSM_TABLE);
	case 22: case 23: return buffer_word(c, now, n == 23);
	default: return 0;
	}
}

static uint32_t post_code(const struct sim_chip *c, const struct sim_now *now)
{
	if (!now->booted)
		return 0x11110000;
	return c->board->like == DEVICE_GRAYSKULL ? 0xc0de0001 : 0xc0de0040;
}

static int read_unit(struct sim_chip *c, const struct sim_now *now, uint32_t off, uint32_t *word)
{
	bool bh = c->board->like == DEVICE_BLACKHOLE, wh = c->board->like == DEVICE_WORMHOLE;

	if (off == 0x60) {
		*word = post_code(c, now);
	} else if (off > 0x60 && off < 0x80) {
		*word = c->state->scratch[(off - 0x60) / 4];
	} else if (off == 0x100) {
		*word = c->state->misc;
	} else if (!bh && off == 0x1d0) {
		*word = pointer(now, wh && c->n_entries, CSM_TABLE);
	} else if (!bh && off == 0x1d4) {
		*word = pointer(now, wh && c->n_entries, CSM_WH_VALUES);
	} else if (bh && off >= 0x400 && off < 0x500) {
		*word = read_scratch_ram(c, now, (off - 0x400) / 4);
	} else if (wh && off == 0x328) {
		return sim_violation(c, "reset unit + 0x328 must not be read");
	} else {
		return sim_violation(c, "reset unit + 0x%x is not documented", off);
	}
	return 0;
}

int sim_regs_read(struct sim_chip *c, const struct sim_now *now, struct reg_addr at,
	uint32_t *word)
{
	struct where w = find_where(c, at);

	sim_reset_settle(c, now);
	switch (w.block) {
	case BLOCK_CSM:
		*word = read_csm(c, now, w.off);
		return 0;
	case BLOCK_UNIT:
		return read_unit(c, now, w.off, word);
	case BLOCK_NIU:
		*word = c->board->like == DEVICE_BLACKHOLE ? (c->number % 2 ? 11 : 2) : 3 << 6;
		return 0;
	case BLOCK_ETH:
		*word = sim_eth_read(c, now, w.core, w.off);
		return 0;
	case BLOCK_CORE:
		*word = read_core(c, now, w.off);
		return 0;
	case BLOCK_DRAM:
		*word = sim_dram_read(c, now, w.core, w.off);
		return 0;
	case BLOCK_TENSIX:
		return sim_tensix_read(c, w.off, word);
	case BLOCK_NONE:
		break;
	}
	return sim_violation(c, "read of 0x%llx: %s", (unsigned long long)at.addr, w.why);
}

static int write_unit(struct sim_chip *c, const struct sim_now *now, uint32_t off, uint32_t word)
{
	bool bh = c->board->like == DEVICE_BLACKHOLE;
	uint32_t n = (off - 0x60) / 4;

	if (off == 0x100) {
		c->state->misc = word;
		if (word & 1u << 16)
			sim_arc_doorbell(c, now);
		return 0;
	}
	if (bh || n < 2 || n > 5)
		return sim_violation(c, "write to reset unit + 0x%x", off);
	if (n == 5 && (c->state->scratch[5] & 0xff00) == 0xaa00)
		return sim_violation(c, "a message while another one waits");
	c->state->scratch[n] = word;
	return 0;
}

int sim_regs_write(struct sim_chip *c, const struct sim_now *now, struct reg_addr at,
	uint32_t word)
{
	struct where w = find_where(c, at);

	sim_reset_settle(c, now);
	if (now->dead)
		return 0;
	switch (w.block) {
	case BLOCK_UNIT:
		return write_unit(c, now, w.off, word);
	case BLOCK_ETH:
		return sim_eth_write(c, now, w.core, w.off, word);
	case BLOCK_TENSIX:
		return sim_tensix_write(c, now, w.off, word);
	case BLOCK_CSM:
	case BLOCK_CORE:
	case BLOCK_DRAM:
	case BLOCK_NIU:
		return sim_violation(c, "write to a read-only register");
	case BLOCK_NONE:
		break;
	}
	return sim_violation(c, "write to 0x%llx: %s", (unsigned long long)at.addr, w.why);
}
