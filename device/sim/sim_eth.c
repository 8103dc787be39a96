/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_eth.c - ethernet cores of a simulated chip: their status words, and on
 * Wormhole the routing firmware's queues.  On an n300 they are the only way to the
 * second chip (chip-facts 3.8 and 3.11).
 */
#include "config.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"
#include "device/eth.h"

#define LOOP      100000	/* ns between two heartbeats of a core */

#define REQUEST   0x11080u	/* in Wormhole's L1: 192 bytes; an unused queue follows */
#define RESPONSE  0x11200u
#define QUEUE_END 0x112c0u

/* Word numbers in a queue, and in a command in one of its four slots. */
enum { WPTR = 8, RPTR = 12, SLOTS = 16, SLOT_WORDS = 8 };
enum { ADDR_LOW, ADDR_HIGH, DATA, FLAGS, RACK };

#define WR_REQ  1u
#define WR_ACK  2u
#define RD_REQ  4u
#define RD_DATA 8u
#define UNREACHABLE (1u << 31)

int sim_eth_core(const struct sim_chip *c, uint8_t x, uint8_t y)
{
	const struct device_kind *k = kind_of(c->board->chip);

	for (unsigned i = 0; i < k->n_eth; i++) {
		uint8_t moved[2];

		if (k->eth_xy[i][0] == x && k->eth_xy[i][1] == y)
			return (int)i;
		if (k->eth_moved[0] && kind_eth(k, c->board->eth, true, i, moved) &&
			moved[0] == x && moved[1] == y)
			return (int)i;
	}
	return -1;
}

/* Channels 8 and 9 of an n300's left chip are joined to channels 0 and 1 of the right one. */
static bool joins_peer(const struct sim_chip *c, unsigned core)
{
	return c->peer && core / 2 == (c->remote ? 0 : 4);
}

/* SIM_ETH: channel 2, and on an n300 channel 8; SIM_PEERLOST: all links to the peer. */
static bool is_down(const struct sim_chip *c, const struct sim_now *now, unsigned core)
{
	bool was_reset = now->ready > 0 && now->t >= now->ready;

	if (was_reset && sim_has_fault(now, SIM_PEERLOST) && joins_peer(c, core))
		return true;
	return sim_has_fault(now, SIM_ETH) && (core == 2 || (core == 8 && c->peer));
}

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
	const struct sim_chip *peer = joins_peer(c, core) ? c->peer : NULL;
	uint32_t beats = (uint32_t)((now->t - now->ready) / LOOP);

	if (addr >= 0x1200 && addr < 0x1200 + 4 * ETH_CHANNELS_WORMHOLE) {
		unsigned to = (addr - 0x1200) / 4;

		return is_down(c, now, to) ? 1 : joins_peer(c, to) ? 3 : 1;
	}
	switch (addr) {
	case 0x1c: return 0xabcd0000 | (beats & 0xffff);
	case 0x170: return 0x11000;
	case 0x210: return c->board->eth_fw;
	case 0x104c: return 0;
	case 0x1104: return is_down(c, now, core) ? 2 : 1;
	case 0x1108: return shelf_y(c) << 24 | shelf_x(c) << 16;
	case 0x1124: return peer ? shelf_y(peer) << 22 | shelf_x(peer) << 16 |
			(unsigned)eth_xy_wormhole[c->remote ? core + 8 : core - 8][1] << 10 |
			(unsigned)eth_xy_wormhole[c->remote ? core + 8 : core - 8][0] << 4 : 0;
	case 0x1440: return is_down(c, now, core) ? 10 : 0;
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
	case 0x7cc00: return 0x10;
	case 0x7cc04: return core >= 12 ? 3 : is_down(c, now, core) ? 2 : 1;
	case 0x7cc0c: return core < 12 && !is_down(c, now, core) ? 400 : 0;
	case 0x7cc8c: return 400;
	case 0x7cc70: return (uint32_t)sim_beats(c, now);
	case 0x7cfbc: return (c->board->eth_fw & 0xff) | (c->board->eth_fw & 0xff00) |
			(c->board->eth_fw & 0xff0000);
	default: return read_bh_end(c, core, addr);
	}
}

uint32_t sim_eth_read(struct sim_chip *c, const struct sim_now *now, unsigned core, uint32_t addr)
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
	if (joins_peer(c, core) && x == shelf_x(c->peer) && y == shelf_y(c->peer))
		return c->peer;
	return NULL;
}

static void serve_command(struct sim_chip *c, unsigned core, const uint32_t *in, uint32_t *out)
{
	uint64_t addr = in[ADDR_LOW] | (uint64_t)in[ADDR_HIGH] << 32;
	struct reg_addr at = { REG_NOC, addr >> 36 & 0x3f, addr >> 42 & 0x3f, addr & 0xfffffffff };
	struct sim_chip *to = target(c, core, addr, in[RACK]);
	uint32_t word = UINT32_MAX, flags = UNREACHABLE;
	struct sim_now now;

	if (to) {
		now = sim_now(to);
		flags = in[FLAGS] & RD_REQ ? RD_DATA : WR_ACK;
		if (in[FLAGS] & RD_REQ)
			sim_regs_read(to, &now, at, &word);
		else if (in[FLAGS] & WR_REQ)
			sim_regs_write(to, &now, at, in[DATA]);
		else
			flags = sim_violation(c, "ethernet command with flags 0x%x", in[FLAGS]) ?
				UNREACHABLE : 0;
		if (now.dead)
			word = UINT32_MAX;
	}
	out[ADDR_LOW] = in[ADDR_LOW];
	out[ADDR_HIGH] = in[ADDR_HIGH];
	out[DATA] = word;
	out[RACK] = in[RACK];
	out[FLAGS] = flags;
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

int sim_eth_write(struct sim_chip *c, const struct sim_now *now, unsigned core, uint32_t addr,
	uint32_t word)
{
	if (c->board->like != DEVICE_WORMHOLE || !is_hosts(addr))
		return sim_violation(c, "write to ethernet core %u, L1 0x%x", core, addr);
	c->state->eth[core][(addr - REQUEST) / 4] = word;
	/* A link that is down accepts requests and never answers. */
	if ((addr == REQUEST + 4 * WPTR || addr == RESPONSE + 4 * RPTR) && !is_down(c, now, core))
		serve_queue(c, core);
	return 0;
}
