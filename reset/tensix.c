/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tensix.c - the reset of a Grayskull's compute cores, which no driver offers.
 *
 * Resetting a tile resets its routers too, so each router of both networks is
 * set up anew afterwards, as the driver does when it starts (tt-kmd 2.1.0,
 * grayskull.c; the order of steps is that of tt-tools-common's gs_tensix_reset).
 * The driver hands out no windows of this chip: the tools of its time share
 * window 184 and aim it as they need, and 185 is the driver's own.
 */
#include "config.h"
#include "reset/tensix.h"
#include "base/array.h"
#include "base/clock.h"
#include "device/arc_msg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define GRID_X	    13
#define GRID_Y	    12
#define COLUMNS	    12			/* of compute tiles */
#define UNIT	    0x1ff30000u
#define WINDOW_REG  0x1fc005c0u		/* of window 184: two words */
#define WINDOW	    0x1d000000u		/* where it lies in BAR0 */
#define WINDOW_BASE 0xff000000u		/* the address in a tile that it shows */
#define SOFT_RESET  0xffb121b0u
#define ALL_CORES   0x00047800u		/* in it: BRISC, the three TRISCs, NCRISC */
#define STRICT	    1u			/* ordering of a window */
#define BUSY	    (500 * CLOCK_MS)
#define LONGEST	    (10 * CLOCK_SECOND)	/* a chip that answers takes milliseconds */

/* Offsets in the reset unit, and in a network's port at each tile. */
enum { DDR_RESET = 0x08, TENSIX_RESET = 0x20, RISCV_RESET = 0x40, RESET_WORDS = 8 };
enum { NIU_CFG_0 = 0x100, ROUTER_CFG_0 = 0x104, ROUTER_CFG_1 = 0x108, ROUTER_CFG_3 = 0x110 };

#define GATING	    0x001u		/* in NIU_CFG_0 and ROUTER_CFG_0 */
#define BACKOFF	    0xf00u		/* in ROUTER_CFG_0 */
#define TILE_OFF    0x1000u		/* in NIU_CFG_0: the tile's clock is stopped */

struct grid {
	struct device *d;
	int64_t until;			/* clock_mono(); nothing more is done after it */
	uint32_t rows;			/* usable rows: bit y, as NOC0 counts */
	int error;			/* the first; nothing more is done after it */
	struct error *e;
};

static const struct arc_mailbox box = { .unit = { REG_BAR0, 0, 0, UNIT },
	.dma = { REG_BAR0, 0, 0, 0x1fef84cc },	/* chip-facts 4.1 */
	.patience = ARC_MSG_PATIENCE };

static void fail_access(struct grid *g, int r, uint32_t addr)
{
	g->error = fail(g->e, r, "register 0x%x: %s", addr, strerror(-r));
}

/* There are thousands of accesses: if each were slow, we would hold the lock for hours. */
static bool may_go_on(struct grid *g, uint32_t addr)
{
	if (!g->error && clock_mono() > g->until)
		fail_access(g, -ETIMEDOUT, addr);
	return !g->error;
}

static void tensix_write_all(struct grid *g, uint32_t addr, uint32_t word)
{
	const struct reg_addr at = { REG_BAR0, 0, 0, addr };
	int r = may_go_on(g, addr) ? device_write(g->d, at, word) : 0;

	if (r < 0)
		fail_access(g, r, addr);
}

/* No register here reads all ones, unless its hardware has gone. */
static uint32_t grid_get(struct grid *g, uint32_t addr)
{
	const struct reg_addr at = { REG_BAR0, 0, 0, addr };
	uint32_t word = 0;
	int r = may_go_on(g, addr) ? device_read(g->d, at, &word, 1) : 0;

	if (r == 0 && word == UINT32_MAX)
		r = -EIO;
	if (r < 0)
		fail_access(g, r, addr);
	return word;
}

static void change(struct grid *g, uint32_t addr, uint32_t clear, uint32_t set)
{
	tensix_write_all(g, addr, (grid_get(g, addr) & ~clear) | set);
}

/* Point the window at one tile, in the network's coordinates; below, at all tiles of NOC0. */
static void aim(struct grid *g, unsigned noc, unsigned x, unsigned y)
{
	tensix_write_all(g, WINDOW_REG, WINDOW_BASE >> 24 | x << 8 | y << 14);
	tensix_write_all(g, WINDOW_REG + 4, noc | STRICT << 2);
}

static void aim_at_all(struct grid *g)
{
	tensix_write_all(g, WINDOW_REG, WINDOW_BASE >> 24 | (GRID_X - 1) << 8 | (GRID_Y - 1) << 14);
	tensix_write_all(g, WINDOW_REG + 4, 1u << 1 | STRICT << 2);
}

static uint32_t through(uint32_t addr)
{
	return WINDOW + (addr - WINDOW_BASE);
}

/* The message slot is shared with the driver: wait for our turn, but give up if it hangs. */
static int arc_tell(struct device *d, uint8_t code, uint16_t arg, uint32_t out[2], struct error *e)
{
	int64_t until = clock_mono() + BUSY;
	int r;

	while ((r = arc_msg_send(d, &box, code, arg, 0, out, e)) == -EBUSY && clock_mono() < until)
		clock_sleep_until(clock_mono() + 10 * CLOCK_MS);
	return r == -EBUSY ? fail(e, -ETIMEDOUT, "the firmware has not finished an "
		"earlier message") : r;
}

/* Fuses name rows from the bottom up: bits 0 to 9 for memory, 10 to 19 for logic. */
static int find_rows(struct grid *g)
{
	static const uint8_t row_of[] = { 5, 7, 4, 8, 3, 9, 2, 10, 1, 11 };
	uint32_t out[2];
	int r = arc_tell(g->d, ARC_MSG_HARVESTING, 0, out, g->e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_LEN(row_of); i++)
		if (!((out[0] | out[0] >> 10) >> i & 1))
			g->rows |= 1u << row_of[i];
	return g->rows ? 0 : fail(g->e, -EPROTO, "the firmware says that no row of compute tiles "
		"is usable (0x%x)", out[0]);
}

static bool is_tensix(unsigned x, unsigned y)
{
	return x != 0 && y != 0 && y != 6;
}

static bool is_usable(const struct grid *g, unsigned x, unsigned y)
{
	return is_tensix(x, y) && g->rows >> y & 1;
}

/* Rows and columns are folded: the first half has the even places, the rest the odd, backwards. */
static unsigned place_of(unsigned limit, unsigned at)
{
	return at * 2 < limit ? at * 2 : (limit - 1 - at) * 2 + 1;
}

static void make_mask(const struct grid *g, uint32_t mask[RESET_WORDS])
{
	memset(mask, 0, RESET_WORDS * sizeof(mask[0]));
	for (unsigned y = 0; y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X; x++) {
			unsigned bit;

			if (!is_usable(g, x, y))
				continue;
			bit = (place_of(GRID_X, x) - 1) * COLUMNS + place_of(GRID_Y, y) - 1;
			mask[bit / 32] |= 1u << bit % 32;
		}
}

static void put_all(struct grid *g, uint32_t reg, uint32_t word)
{
	for (unsigned i = 0; i < RESET_WORDS; i++)
		tensix_write_all(g, UNIT + reg + 4 * i, word);
}

/* Keep broadcasts away from column 0 and from rows without usable compute tiles. */
static void set_up_port(struct grid *g, unsigned noc, uint32_t regs)
{
	uint32_t off = ~g->rows & ((1u << GRID_Y) - 1), mirrored = 0;

	for (unsigned y = 0; y < GRID_Y; y++)
		mirrored |= (off >> y & 1) << (GRID_Y - 1 - y);
	tensix_write_all(g, regs + ROUTER_CFG_1, noc ? 1u << (GRID_X - 1) : 1u);
	tensix_write_all(g, regs + ROUTER_CFG_3, noc ? mirrored : off);
	change(g, regs + NIU_CFG_0, 0, GATING);
	change(g, regs + ROUTER_CFG_0, BACKOFF, BACKOFF | GATING);
}

/* Set up both ports of a tile; NOC1 counts from the opposite corner. */
static void set_up_tile(struct grid *g, unsigned x, unsigned y)
{
	bool is_dram = (y == 0 || y == 6) && x % 3 == 1;
	uint32_t regs[2] = { through(is_dram ? 0xffff4000u : 0xffb20000u),
		through(is_dram ? 0xffff5000u : 0xffb30000u) };

	for (unsigned noc = 0; noc < 2; noc++) {
		aim(g, noc, noc ? GRID_X - 1 - x : x, noc ? GRID_Y - 1 - y : y);
		set_up_port(g, noc, regs[noc]);
		if (is_tensix(x, y))
			change(g, regs[noc] + NIU_CFG_0, TILE_OFF,
				is_usable(g, x, y) ? 0 : TILE_OFF);
	}
}

/* The ARC's and PCIe's own ports are in BAR0. */
static void set_up_networks(struct grid *g)
{
	for (unsigned y = 0; y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X; x++) {
			uint32_t regs = y == 2 ? 0x1ff50000u : 0x1fd00000u;

			if (x == 0 && (y == 2 || y == 4)) {
				set_up_port(g, 0, regs);
				set_up_port(g, 1, regs + 0x8000);
			} else {
				set_up_tile(g, x, y);
			}
		}
}

static void reset_cores(struct grid *g)
{
	uint32_t mask[RESET_WORDS];

	put_all(g, RISCV_RESET, 0);
	put_all(g, TENSIX_RESET, 0);
	put_all(g, TENSIX_RESET, UINT32_MAX);
	tensix_write_all(g, UNIT + DDR_RESET, 3);
	set_up_networks(g);
	aim_at_all(g);
	tensix_write_all(g, through(SOFT_RESET), ALL_CORES);
	make_mask(g, mask);
	for (unsigned i = 0; i < RESET_WORDS; i++)
		tensix_write_all(g, UNIT + RISCV_RESET + 4 * i, mask[i]);
}

/*
 * Raise the clock again, whatever happened.  A chip that has become too slow to be sent a
 * message keeps the low clock until its next reset.
 */
static int raise_clock(struct grid *g, int r)
{
	struct error later = { 0 };
	char first[100];
	uint32_t out[2];
	int r2 = arc_tell(g->d, ARC_MSG_SAFE_CLOCKS, 0, out, &later);

	if (r2 == 0)
		return r;
	snprintf(first, sizeof(first), "%.90s%s", r < 0 ? g->e->text : "", r < 0 ? "; " : "");
	return fail(g->e, r < 0 ? r : r2, "%sthe clock stays low: %.120s", first, later.text);
}

/* The reset registers must not be touched at full clock, so lower it first. */
int tensix_reset(struct device *d, struct error *e)
{
	struct grid g = { .d = d, .until = clock_mono() + LONGEST, .e = e };
	uint32_t out[2];
	int r = find_rows(&g);

	if (r < 0)
		return r;
	r = arc_tell(d, ARC_MSG_SAFE_CLOCKS, 1, out, e);
	if (r == 0) {
		reset_cores(&g);
		r = g.error;
	}
	return raise_clock(&g, r);
}

int tensix_check(struct device *d, struct error *e)
{
	struct grid g = { .d = d, .until = clock_mono() + LONGEST, .e = e };
	uint32_t mask[RESET_WORDS];
	int r = find_rows(&g), n = 0;

	if (r < 0)
		return r;
	make_mask(&g, mask);
	for (unsigned i = 0; i < RESET_WORDS && !g.error; i++)
		if (grid_get(&g, UNIT + RISCV_RESET + 4 * i) != mask[i] && !g.error)
			return fail(e, -EIO, "RISCV_RESET[%u] is not what was written", i);
	for (unsigned y = 0; y < GRID_Y; y++)
		for (unsigned x = 0; x < GRID_X && !g.error; x++) {
			if (!is_usable(&g, x, y))
				continue;
			aim(&g, 0, x, y);
			if ((grid_get(&g, through(SOFT_RESET)) & ALL_CORES) != ALL_CORES &&
				!g.error)
				return fail_as(e, CODE_NOT_RESET, -EIO, "the cores of tile %u-%u "
					"are not held in reset", x, y);
			n++;
		}
	return g.error ? g.error : n;
}
