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

#include "base/mem.h"
#include "device/eth.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

/*
 * Ethernet cores: their status words, and on Wormhole the routing firmware's queues.  On an n300
 * they are the only way to the second chip (chip-facts 3.8 and 3.11).
 */

#define LOOP      100000	/* ns between two heartbeats of a core */

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

static uint32_t read_wh(const struct sim_chip *c, const struct sim_now *now, unsigned core,
	uint32_t addr)
{
	const struct sim_chip *peer = sim_joins_peer(c, core) ? c->peer : NULL;
	uint32_t beats = (uint32_t)((now->t - now->ready) / LOOP);

	if (addr >= 0x1200 && addr < 0x1200 + 4 * ETH_CHANNELS_WORMHOLE) {
		unsigned to = (addr - 0x1200) / 4;

		return sim_link_is_down(c, now, to) ? 1 : sim_joins_peer(c, to) ? 3 : 1;
	}
	switch (addr) {
	case 0x1c: return 0xabcd0000 | (beats & 0xffff);
	case 0x170: return 0x11000;
	case 0x210: return c->board->eth_fw;
	case 0x104c: return 0;
	case 0x1108: return shelf_y(c) << 24 | shelf_x(c) << 16;
	case 0x1124: return peer ? shelf_y(peer) << 22 | shelf_x(peer) << 16 |
			(unsigned)eth_xy_wormhole[c->remote ? core + 8 : core - 8][1] << 10 |
			(unsigned)eth_xy_wormhole[c->remote ? core + 8 : core - 8][0] << 4 : 0;
	default: return 0;
	}
}

/*
 * On a simulated board with two Blackholes, cores 10 and 11 lead to the same cores of the other
 * chip.  On a real board the cores themselves report which ones are linked.
 */
static uint32_t read_bh_end(const struct sim_chip *c, unsigned core, uint32_t addr)
{
	const struct sim_chip *other = c->place ? c - 1 : c + 1;

	if (c->board->asics != 2 || core < 10 || core > 11)
		return 0;
	switch (addr) {
	case 0x7cfe0: return core << 16 | other->place << 8;
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
	switch (addr) {
	case 0x7cc04: return core >= 12 ? 3 : sim_link_is_down(c, now, core) ? 2 : 1;
	case 0x7cc0c: return core < 12 && !sim_link_is_down(c, now, core) ? 400 : 0;
	case 0x7cc8c: return 400;
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
#define CSM_TABLE     0x74000u
#define CSM_WH_VALUES 0x74400u
#define CSM_WH_LEGACY 0x78d60u
#define CSM_GS_LEGACY 0x78c00u

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
	case BLOCK_DRAM:
	case BLOCK_NIU:
		return sim_violation(c, "write to a read-only register");
	case BLOCK_NONE:
		break;
	}
	return sim_violation(c, "write to 0x%llx: %s", (unsigned long long)at.addr, w.why);
}
