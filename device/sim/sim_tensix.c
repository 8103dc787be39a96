/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_tensix.c - the registers of a simulated Grayskull for a reset of its compute cores: the
 * resets of all tiles, and through window 184 their ports to both NOCs and the soft resets of their
 * cores; and messages to the firmware, one of which slows the clock for that reset.
 *
 * A tile that leaves its reset has lost the setup of its routers.  An access that
 * could hang silicon is a violation: touching a reset at full clock, reaching a
 * tile that is in reset, a broadcast while the routers would pass it to harvested
 * rows, releasing cores that their soft reset does not hold.
 */
#include "config.h"

#include "base/mem.h"
#include "device/sim/sim_chip.h"

#include <errno.h>
#include <string.h>

#define GRID_X	   13u
#define GRID_Y	   12u
#define UNIT	   0x1ff30000u
#define DDR_RESET  (UNIT + 0x08)
#define TENSIX	   (UNIT + 0x20)
#define RISCV	   (UNIT + 0x40)
#define RISCV_END  (UNIT + 0x60)
#define WINDOW	   0x1d000000u
#define WINDOW_END 0x1e000000u
#define WINDOW_REG 0x1fc005c0u
#define SOFT_RESET 0xffb121b0u
#define ALL_CORES  0x00047800u
#define PORT_WORDS 5u

/* The target of a port or the window, in coordinates of NOC0. */
struct at {
	unsigned x, y, noc;
	bool all;			/* a broadcast */
	uint32_t addr;			/* in the tile */
};

static bool is_tensix(unsigned x, unsigned y)
{
	return x != 0 && y != 0 && y != 6;
}

/* Rows of compute tiles that are not harvested, by y of NOC0. */
static uint32_t usable_rows(const struct sim_chip *c)
{
	static const uint8_t row_of[] = { 5, 7, 4, 8, 3, 9, 2, 10, 1, 11 };
	uint32_t rows = 0;

	for (unsigned i = 0; i < ARRAY_LEN(row_of); i++)
		if (c->board->tensix >> i & 1)
			rows |= 1u << row_of[i];
	return rows;
}

static bool is_usable(const struct sim_chip *c, unsigned x, unsigned y)
{
	return is_tensix(x, y) && usable_rows(c) >> y & 1;
}

/* The bit of a compute tile in TENSIX_RESET or RISCV_RESET. */
static bool has_bit(const uint32_t *words, unsigned x, unsigned y)
{
	unsigned px = x * 2 < GRID_X ? x * 2 : (GRID_X - 1 - x) * 2 + 1;
	unsigned py = y * 2 < GRID_Y ? y * 2 : (GRID_Y - 1 - y) * 2 + 1;
	unsigned bit = (px - 1) * 12 + py - 1;

	return words[bit / 32] >> bit % 32 & 1;
}

static uint32_t rows_off(const struct sim_chip *c, unsigned noc)
{
	uint32_t off = ~usable_rows(c) & 0xfff, mirrored = 0;

	for (unsigned y = 0; y < GRID_Y; y++)
		mirrored |= (off >> y & 1) << (GRID_Y - 1 - y);
	return noc ? mirrored : off;
}

/* The tiles; at first as the driver leaves them when it starts, with a program on every core. */
static struct sim_tensix *state_of(struct sim_chip *c)
{
	struct sim_tensix *s = &c->state->tensix;

	if (s->is_set_up)
		return s;
	s->is_set_up = true;
	s->ddr = 3;
	memset(s->tensix, 0xff, sizeof(s->tensix));
	for (unsigned y = 0; y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X; x++)
			for (unsigned noc = 0; noc < 2; noc++) {
				uint32_t *port = s->tile[y][x].port[noc];

				port[0] = is_tensix(x, y) && !is_usable(c, x, y) ? 0x1001 : 1;
				port[1] = 0xf01;
				port[2] = noc ? 1u << 12 : 1;
				port[4] = rows_off(c, noc);
			}
	return s;
}

/* The register that BAR0 has at an address, or NULL. */
static uint32_t *plain_reg(struct sim_chip *c, uint64_t a)
{
	struct sim_tensix *s = state_of(c);

	if (a == DDR_RESET)
		return &s->ddr;
	if (a >= TENSIX && a < RISCV_END)
		return &(a < RISCV ? s->tensix : s->riscv)[(a & 0x1f) / 4];
	return a >= WINDOW_REG && a < WINDOW_REG + 8 ? &s->aim[(a - WINDOW_REG) / 4] : NULL;
}

bool sim_tensix_has(struct sim_chip *c, uint64_t a)
{
	static const uint32_t ports[] = { 0x1ff50100, 0x1ff58100, 0x1fd00100, 0x1fd08100 };

	for (size_t i = 0; i < ARRAY_LEN(ports); i++)
		if (a >= ports[i] && a < ports[i] + 4 * PORT_WORDS)
			return true;
	return (a >= WINDOW && a < WINDOW_END) || plain_reg(c, a);
}

/* Find the target of a BAR0 address; false: a violation. */
static bool find_target(struct sim_chip *c, uint32_t a, struct at *to)
{
	const struct sim_tensix *s = state_of(c);

	if (a < WINDOW || a >= WINDOW_END) {
		*to = (struct at){ .y = a >= 0x1ff00000 ? 2 : 4, .noc = a >> 15 & 1 };
		to->addr = 0xffb20000 + to->noc * 0x10000 + (a & 0xfff);
		return true;
	}
	*to = (struct at){ .x = s->aim[0] >> 8 & 63, .y = s->aim[0] >> 14 & 63,
		.noc = s->aim[1] & 1, .all = s->aim[1] & 2,
		.addr = s->aim[0] << 24 | (a & 0xffffff) };
	if (to->x >= GRID_X || to->y >= GRID_Y || (to->all && s->aim[0] >> 20)) {
		sim_violation(c, "window 184 is pointed beyond the grid");
		return false;
	}
	if (to->noc) {
		to->x = GRID_X - 1 - to->x;
		to->y = GRID_Y - 1 - to->y;
	}
	if (!to->all && is_tensix(to->x, to->y) && !has_bit(s->tensix, to->x, to->y)) {
		sim_violation(c, "tile %u-%u is reached while it is in reset", to->x, to->y);
		return false;
	}
	return true;
}

/* Find a register of one tile; NULL: a violation. */
static uint32_t *reg_of(struct sim_chip *c, const struct at *at)
{
	bool is_dram = (at->y == 0 || at->y == 6) && at->x % 3 == 1;
	uint32_t base = is_dram ? 0xffff4000 + at->noc * 0x1000 : 0xffb20000 + at->noc * 0x10000;
	struct sim_tile *tile = &state_of(c)->tile[at->y][at->x];
	uint32_t n = (at->addr - base - 0x100) / 4;

	if (n < PORT_WORDS && n != 3)
		return &tile->port[at->noc][n];
	if (at->addr == SOFT_RESET && is_usable(c, at->x, at->y))
		return &tile->soft;
	sim_violation(c, "register 0x%x of tile %u-%u is not there", at->addr, at->x, at->y);
	return NULL;
}

int sim_tensix_read(struct sim_chip *c, uint32_t a, uint32_t *word)
{
	const uint32_t *reg = plain_reg(c, a);
	struct at at;

	if (!reg && find_target(c, a, &at) && !at.all)
		reg = reg_of(c, &at);
	*word = reg ? *reg : 0;
	return reg ? 0 : -EFAULT;
}

static int write_tensix(struct sim_chip *c, unsigned n, uint32_t word)
{
	struct sim_tensix *s = state_of(c);
	uint32_t before[8];

	memcpy(before, s->tensix, sizeof(before));
	s->tensix[n] = word;
	for (unsigned y = 0; y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X; x++)
			if (is_tensix(x, y) && !has_bit(before, x, y) && has_bit(s->tensix, x, y))
				s->tile[y][x] = (struct sim_tile){ 0 };
	return 0;
}

/* Released tiles need cores held by the soft reset, or they would run whatever is in memory. */
static int write_riscv(struct sim_chip *c, const struct sim_now *now, unsigned n, uint32_t word)
{
	struct sim_tensix *s = state_of(c);

	s->riscv[n] = word;
	for (unsigned y = 0; word && y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X; x++) {
			if (!is_tensix(x, y) || !has_bit(s->riscv, x, y))
				continue;
			if (!is_usable(c, x, y))
				return sim_violation(c, "a core of harvested tile %u-%u is let go",
					x, y);
			if (s->tile[y][x].soft != ALL_CORES && !sim_has_fault(now, SIM_NORESET))
				return sim_violation(c, "cores of tile %u-%u run without a program",
					x, y);
		}
	/* Word 7 is the last one written; only the first words have bits of cores. */
	if (n == 7 && s->riscv[0]) {
		c->state->cores = now->t + 1;
		c->state->changes++;
		sim_log(c, "reset", "cores");
	}
	return 0;
}

static int broadcast(struct sim_chip *c, const struct sim_now *now, uint32_t addr, uint32_t word)
{
	struct sim_tensix *s = state_of(c);

	if (addr != SOFT_RESET)
		return sim_violation(c, "a broadcast to 0x%x", addr);
	for (unsigned y = 0; y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X; x++) {
			struct sim_tile *tile = &s->tile[y][x];

			if (tile->port[0][2] != 1 || tile->port[0][4] != rows_off(c, 0))
				return sim_violation(c, "a broadcast before the router of %u-%u is "
					"set up", x, y);
			if (is_usable(c, x, y) && !sim_has_fault(now, SIM_NORESET))
				tile->soft = word;
		}
	return 0;
}

int sim_tensix_write(struct sim_chip *c, const struct sim_now *now, uint32_t a, uint32_t word)
{
	uint32_t *reg = plain_reg(c, a);
	struct at at;

	if (a >= TENSIX && a < RISCV_END) {
		if (!state_of(c)->is_slow)
			return sim_violation(c, "a reset is touched at full clock");
		return a < RISCV ? write_tensix(c, (a & 0x1f) / 4, word)
			: write_riscv(c, now, (a & 0x1f) / 4, word);
	}
	if (!reg && find_target(c, a, &at)) {
		if (at.all)
			return broadcast(c, now, at.addr, word);
		reg = reg_of(c, &at);
	}
	if (!reg)
		return -EFAULT;
	*reg = word;
	return 0;
}

/*
 * Messages to the firmware through the scratch mailbox of Grayskull and Wormhole (chip-facts 4.1),
 * answered when the doorbell rings.  The queues of newer chips (4.2, 4.3) are not simulated:
 * nothing of this program uses them.
 */

#define DOORBELL  (1u << 16)	/* of ARC_MISC_CNTL */
#define LEGACY_WH 0x10078d60u
#define LEGACY_GS 0x10078c00u

/* False: the firmware does not know this message. */
static bool handle(struct sim_chip *c, const struct sim_now *now, uint32_t code, uint32_t arg,
	uint32_t *answer)
{
	static const uint32_t tensix_rows = 0x3ff;
	bool wh = c->board->like == DEVICE_WORMHOLE;

	switch (code) {
	case 0x2c:
		*answer = wh ? LEGACY_WH : LEGACY_GS;
		return true;
	case 0x52:
	case 0x54:
		c->state->busy = code == 0x52;
		c->state->changes++;
		return true;
	case 0x56:
		sim_reset_chip(c, now, arg == 3);
		return true;
	case 0x57:
		*answer = ~c->board->tensix & tensix_rows;
		return true;
	case 0xb9:
		*answer = arg ? c->board->bundle : c->board->cm_fw;
		return true;
	case 0xbb:
		if (!wh)
			state_of(c)->is_slow = arg == 1;
		return true;
	case 0x11: case 0xa3: case 0xba:
		return true;
	default:
		return false;
	}
}

void sim_arc_doorbell(struct sim_chip *c, const struct sim_now *now)
{
	uint32_t *scratch = c->state->scratch;
	const uint32_t code = scratch[5] & 0xff, args = scratch[3];

	if (!now->booted || sim_is_mute(c, now))
		return;
	c->state->misc &= ~DOORBELL;
	if ((scratch[5] & 0xffffff00) != 0xaa00)
		return;
	atomic_fetch_add(&c->sim->shared->messages, 1);
	sim_log(c, "message", "0x%02x 0x%x 0x%x", code, args & 0xffff, args >> 16);
	scratch[3] = scratch[4] = 0;
	scratch[5] = handle(c, now, code, args & 0xffff, &scratch[3]) ? code : UINT32_MAX;
}
