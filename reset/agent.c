/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.c - the dangerous steps of one card's reset, in the process that takes them.
 *
 * The return value of a driver call proves nothing in either direction (driver-behaviour 17), so
 * the evidence is config space.  Before a reset the driver sets a marker in byte 4.  A chip that is
 * reset leaves the bus (all ones) and comes back with the marker and its enable bits cleared.
 *
 * Over 700 lines: the reset of a Grayskull's cores is part of its only user.
 */
#include "config.h"
#include "reset/run.h"

#include "act/hold.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "device/arc_msg.h"
#include "device/bus.h"
#include "device/kind.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/*
 * The reset of a Grayskull's compute cores, which no driver offers.
 *
 * Resetting a tile resets its routers too, so each router of both networks is set up anew
 * afterwards, as the driver does when it starts (tt-kmd 2.1.0, grayskull.c; the order of steps is
 * that of tt-tools-common's gs_tensix_reset).  The driver hands out no windows of this chip: the
 * tools of its time share window 184 and aim it as they need, and 185 is the driver's own.
 */

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
#define ALL_TILES   2u			/* in place of a network: all tiles of NOC0 */
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

/* Point the window at one tile, in the network's coordinates. */
static void aim(struct grid *g, unsigned noc, unsigned x, unsigned y)
{
	tensix_write_all(g, WINDOW_REG, WINDOW_BASE >> 24 | x << 8 | y << 14);
	tensix_write_all(g, WINDOW_REG + 4, noc | STRICT << 2);
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
			const unsigned bit = (place_of(GRID_X, x) - 1) * COLUMNS +
				place_of(GRID_Y, y) - 1;

			if (is_usable(g, x, y))
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
	aim(g, ALL_TILES, GRID_X - 1, GRID_Y - 1);
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

/* The steps of a reset. */

#define COMMAND_BYTE	4	/* of config space */
#define MEMORY_ENABLE	0x02	/* in it: cleared by a reset, set by the driver */
#define POLL_LEAST	(3 * CLOCK_MS)
#define POLL_MOST	(50 * CLOCK_MS)
#define UNTOUCHED	(500 * CLOCK_MS)	/* enabled and unmarked this long: not reset */
#define CLAIM_EVERY	(20 * CLOCK_MS)
#define LEFT		(5 * CLOCK_SECOND)	/* a reset that goes on longer was abandoned */
#define MUTE		(400 * CLOCK_MS)	/* the driver waits longer for an answer */
#define OUTLIVES	0x020800		/* drivers whose reset lock outlives a handle */
#define PATIENCE	(10 * CLOCK_SECOND)	/* for our displays and exporters to close it */
#define REFUSE_AFTER	(3 * CLOCK_SECOND)	/* of that, if another program has it */
#define SHARE_AFTER	(250 * CLOCK_MS)	/* or this, if it is reset under it anyway */
#define TAKE_EVERY	CLOCK_MS

struct order {
	uint8_t order, method;
	int64_t limit;
};

/* The process's state of its card. */
struct work {
	struct device *d;
	int fd;			/* to the caller */
	int64_t limit;		/* of AGENT_WAIT, ns */
	int64_t alone;		/* the same once the caller is gone */
	enum plan_method method;
	bool was_off;		/* off the bus when the reset was asked for */
	bool is_open;		/* the driver keeps the card shut until the end of AGENT_POST */
	bool was_left;		/* an earlier reset had begun and did not end */
	bool shares;		/* go on if another program has it open */
	bool is_taken;		/* by AGENT_TAKE, for the next AGENT_FIRE */
	enum reset_guard guard;
	char sharer[HOLDER_TEXT];	/* RESET_SHARED: the program that has it open */
};

static uint8_t command_byte(struct device *d)
{
	uint8_t byte = 0xff;

	return device_config(d, COMMAND_BYTE, &byte, 1) == 1 ? byte : 0xff;
}

/*
 * Whether a request failed for a reason that may pass: a signal, a program that has the card alone
 * for a moment, a lack of our own.  Given up, it may leave the card in its reset.
 */
static bool may_retry(int r, int64_t until)
{
	if ((r != -EINTR && !want_is(r)) || clock_mono() >= until)
		return false;
	clock_sleep_until(clock_mono() + CLAIM_EVERY);
	return true;
}

static int call_driver(struct device *d, enum device_reset kind, uint32_t *result)
{
	const int64_t until = clock_mono() + LEFT;
	int r;

	do
		r = device_reset(d, kind, result);
	while (may_retry(r, until));
	return r;
}

/*
 * Open the card, exclusively if the driver can do that: then nobody opens it between our look at
 * its holders and the end of its reset.  Our own displays and exporters close it again and again.
 */
static int open_card(struct work *w, struct error *e)
{
	const int64_t began = clock_mono();
	int r;

	device_release(w->d);
	w->guard = w->d->ops->has_node ? RESET_OPEN : RESET_UNGUARDED;
	if (!device_can_exclude(w->d))
		return device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, e);
	while ((r = device_acquire_for(w->d, ACCESS_RESET, DEVICE_EXCLUSIVE, e)) == -EAGAIN) {
		const int64_t waited = clock_mono() - began;

		if (waited > PATIENCE || (waited > (w->shares ? SHARE_AFTER : REFUSE_AFTER) &&
			holder_find(w->d, w->sharer)))
			break;
		clock_sleep_until(clock_mono() + TAKE_EVERY);
	}
	w->guard = r == 0 ? RESET_EXCLUSIVE : RESET_SHARED;
	if (r != -EAGAIN)
		return r;
	holder_find(w->d, w->sharer);
	if (w->shares)
		r = device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, e);
	return r == -EAGAIN ? fail_as(e, CODE_HELD, -EALREADY, "%s", w->sharer) : r;
}

/*
 * Programs in other containers do not see the lock in sysfs, so take the driver's
 * own lock as well.  While a reset is under way the driver does not answer about
 * locks: wait for its end, but not for ever.
 */
static int claim(struct work *w, struct error *e)
{
	const int64_t until = clock_mono() + clock_earlier(w->limit / 2, LEFT);
	int r = open_card(w, e);

	if (r < 0 || driver_version(w->d->bus->driver) < OUTLIVES)
		return r;
	while ((r = device_claim(w->d)) == -ENODEV && w->method != PLAN_OUTSIDE &&
		clock_mono() < until) {
		/* A handle from before that reset would never get an answer. */
		device_release(w->d);
		clock_sleep_until(clock_mono() + CLAIM_EVERY);
		r = open_card(w, e);
		if (r < 0)
			return r;
	}
	if (r == -EALREADY && w->method != PLAN_OUTSIDE)
		return fail_as(e, CODE_HELD, r, "%s", holder_of_driver);
	w->was_left = r == -ENODEV;
	return 0;
}

/* Drivers before 2.4, Wormhole: tell the firmware to prepare, then to reset (chip-facts 5.3). */
static int send_message(struct device *d, bool *has_begun, struct error *e)
{
	static const struct arc_mailbox arc = { .unit = { REG_BAR0, 0, 0, 0x1ff30000 },
		.patience = ARC_MSG_PATIENCE };
	uint32_t result = 0, out[2];
	int r = call_driver(d, DEVICE_RESET_LINK, &result);

	*has_begun = r == 0;
	if (r < 0)
		return fail(e, r, "RESET_PCIE_LINK: %s", strerror(-r));
	r = arc_msg_send(d, &arc, ARC_MSG_PREPARE_RESET, 0, 0, out, e);
	if (r < 0)
		return r;
	clock_sleep_until(clock_mono() + 30 * CLOCK_MS);
	r = arc_msg_send(d, &arc, ARC_MSG_RESET, 0, 0, out, e);
	/* The chip may be gone before it can answer. */
	return r == -ETIMEDOUT || r == -EIO || device_is_gone(r) ? 0 : r;
}

static void shoot(struct work *w, struct agent_report *out, struct error *e)
{
	/* A reset of cores is complete in itself, and the driver does not know about it. */
	w->is_open = w->method != PLAN_TENSIX;
	if (w->method == PLAN_MESSAGE) {
		out->error = send_message(w->d, &out->has_begun, e);
	} else if (w->method == PLAN_TENSIX) {
		out->has_begun = true;
		out->error = tensix_reset(w->d, e);
	} else {
		out->error = call_driver(w->d, plan_method_call(w->method), &out->result);
		if (out->error < 0)
			fail(e, out->error, "the driver refuses it: %s",
				strerror(-out->error));
	}
}

/* What kept others from opening it, in words. */
static const char *guard_text(const struct work *w)
{
	switch (w->guard) {
	case RESET_EXCLUSIVE: return "no other program can open it until it is reset";
	case RESET_SHARED: return w->sharer;
	case RESET_OPEN: return w->method == PLAN_TENSIX ? ""
			: "others can open it meanwhile; tt-kmd 2.10 can prevent that";
	case RESET_UNGUARDED: break;
	}
	return "";
}

/* What the driver's call ended with. */
static void take_error(struct agent_report *out, const struct error *e)
{
	if (out->error < 0) {
		out->code = e->word != CODE_NONE ? e->word : code_find(out->error);
		snprintf(out->text, sizeof(out->text), "%.150s", e->text);
	} else if (out->result) {
		out->code = CODE_NOT_RESET;
		snprintf(out->text, sizeof(out->text), "the driver reports a failure");
	}
}

static void take(struct work *w, struct agent_report *out)
{
	struct error e = { 0 };

	out->error = claim(w, &e);
	w->is_taken = out->error == 0;
	out->guard = w->guard;
	if (!w->is_taken)
		device_release(w->d);
	take_error(out, &e);
}

static void fire(struct work *w, struct agent_report *out)
{
	struct error e = { 0 };

	/* The process that took it may have been another one, which was killed. */
	out->error = w->is_taken ? 0 : claim(w, &e);
	w->is_taken = false;
	w->was_off = command_byte(w->d) == 0xff;
	if (out->error == 0)
		shoot(w, out, &e);
	/* A card that is gone may have been reset nevertheless. */
	out->has_begun |= out->error == 0 || device_is_gone(out->error);
	out->guard = w->guard;
	/* A handle from before a reset fails for ever, unless it is exclusive. */
	if (out->error < 0 || w->guard != RESET_EXCLUSIVE)
		device_release(w->d);
	take_error(out, &e);
	if (out->error < 0 || out->result)
		return;
	if (w->was_left)
		snprintf(out->text, sizeof(out->text), "an earlier reset of it never ended");
	if (*guard_text(w))
		text_join(out->text, sizeof(out->text), "; ", "%s", guard_text(w));
}

/* True: it is certain whether the card was reset.  Evidence counts from the order to reset. */
static bool judge_byte(const struct work *w, int64_t now, int64_t since, bool *changed,
	struct agent_report *out)
{
	const uint8_t byte = command_byte(w->d);

	out->is_off = byte == 0xff;
	out->is_marked = !out->is_off && byte & DEVICE_CONFIG_MARKER;
	if (out->is_off || out->is_marked) {
		*changed |= out->is_marked || !w->was_off;
		return false;
	}
	/* Back before we looked; but an order of its board's other half may be about to fire. */
	if (w->method == PLAN_DMC && !*changed && now - since <= UNTOUCHED)
		return false;
	out->was_reset = *changed || w->was_off || !(byte & MEMORY_ENABLE);
	return out->was_reset || now - since > UNTOUCHED;
}

static void agent_watch(struct work *w, struct agent_report *out)
{
	struct pollfd caller = { .fd = w->fd };
	int64_t began = clock_mono(), now = began;
	bool changed = false, alone = false;

	/* The time is that of before the look: a card that is back by then is back. */
	while (!judge_byte(w, now, began, &changed, out)) {
		if (!alone && poll(&caller, 1, 0) == 1) {
			alone = true;
			if (w->limit > now - began + w->alone)
				w->limit = now - began + w->alone;
		}
		if (now - began > w->limit)
			break;
		clock_pause(began, POLL_LEAST, POLL_MOST);
		now = clock_mono();
	}
	if (out->was_reset)
		return;
	out->error = -ETIMEDOUT;
	out->code = out->is_off ? CODE_OFF_BUS : CODE_NOT_RESET;
	snprintf(out->text, sizeof(out->text), "%s", out->is_off
		? "the card did not come back on the bus"
		: out->is_marked ? "the chip was not reset: the driver's marker is still set"
				 : "the chip was not reset: its config space was never touched");
}

/* Config space does not show a reset of cores, so ask the tiles themselves. */
static void check_cores(struct work *w, struct agent_report *out)
{
	struct error e = { 0 };
	int n = device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, &e);

	if (n == 0)
		n = tensix_check(w->d, &e);
	device_release(w->d);
	out->was_reset = n > 0;
	out->error = n < 0 ? n : 0;
	out->code = n > 0 ? CODE_NONE : n < 0 ? e.word : CODE_NOT_RESET;
	if (n > 0)
		snprintf(out->text, sizeof(out->text), "the cores of %d tiles are held in reset",
			n);
	else
		snprintf(out->text, sizeof(out->text), "the cores were not reset: %.110s", e.text);
}

/* Open a card that was reset, which may have another node now. */
static int reopen(struct device *d, struct error *e)
{
	const int64_t until = clock_mono() + LEFT;
	int r;

	device_release(d);
	do {
		*e = (struct error){ 0 };
		r = device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, e);
	} while (may_retry(r, until));
	return r;
}

/* Others may open the card from now on, but only this reset acts on it until it is verified. */
static void open_to_others(struct device *d)
{
	device_release(d);
	if (device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL) == 0)
		device_claim(d);
}

static void post(struct work *w, struct agent_report *out)
{
	const bool is_exclusive = w->guard == RESET_EXCLUSIVE;
	const enum device_reset kind = plan_method_is_old(w->method) ? DEVICE_RESTORE_STATE
		: DEVICE_POST_RESET;
	struct error e = { 0 };
	uint32_t restored;

	out->error = is_exclusive ? call_driver(w->d, kind, &out->result) : -EBADF;
	/* A card that left the bus is a new one to the driver. */
	if (out->error == -EBADF || out->error == -ENODEV) {
		out->error = reopen(w->d, &e);
		if (out->error == 0)
			out->error = call_driver(w->d, kind, &out->result);
	}
	if (out->error < 0 && !*e.text)
		fail(&e, out->error, "POST_RESET: %s", strerror(-out->error));
	if (out->error == 0) {
		const uint8_t byte = command_byte(w->d);

		out->is_marked = byte != 0xff && byte & DEVICE_CONFIG_MARKER;
		/* Else the driver would keep the card closed, though nothing happened to it. */
		if (out->is_marked)
			call_driver(w->d, DEVICE_RESTORE_STATE, &restored);
	}
	if (is_exclusive)
		open_to_others(w->d);
	device_release(w->d);
	w->guard = RESET_UNGUARDED;
	w->is_open = false;
	take_error(out, &e);
}

/* Ask for no power, which is what the driver asks for when the last program closes the card. */
static int send_power(struct work *w, int64_t *took)
{
	const int64_t began = clock_mono();
	const int r = device_power(w->d, 0);

	*took = clock_mono() - began;
	return r;
}

/*
 * The driver returns EINVAL for a message that the firmware refuses, which takes no time, and for
 * one that it does not answer within 0.5 to 1 s (tt-kmd 2.10, msgqueue.c).  A busy host may be
 * late once.
 */
static void ask(struct work *w, struct agent_report *out)
{
	struct error e = { 0 };
	int64_t took = 0;

	out->error = device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, &e);
	if (out->error < 0) {
		snprintf(out->text, sizeof(out->text), "%.150s", e.text);
		return;
	}
	out->error = send_power(w, &took);
	if (out->error == -EINVAL && took > MUTE)
		out->error = send_power(w, &took);
	device_release(w->d);
	out->is_mute = out->error == -EINVAL && took > MUTE;
	if (out->is_mute)
		snprintf(out->text, sizeof(out->text), "the firmware does not answer messages");
	else if (out->error == -EINVAL || out->error == -EOPNOTSUPP)
		snprintf(out->text, sizeof(out->text), "its %s has no power states",
			out->error == -EINVAL ? "firmware" : "driver");
	else if (out->error < 0)
		snprintf(out->text, sizeof(out->text), "%s", strerror(-out->error));
}

static void agent_carry_out(struct work *w, enum agent_order order, struct agent_report *out)
{
	*out = (struct agent_report){ .order = order };
	switch (order) {
	case AGENT_TAKE:
		take(w, out);
		break;
	case AGENT_FIRE:
		fire(w, out);
		break;
	case AGENT_WAIT:
		/* The process that fired may have been another one, which was killed. */
		w->is_open = w->method != PLAN_TENSIX;
		if (w->method == PLAN_TENSIX)
			check_cores(w, out);
		else
			agent_watch(w, out);
		break;
	case AGENT_POST:
		if (w->method != PLAN_TENSIX)
			post(w, out);
		break;
	case AGENT_ASK:
		ask(w, out);
		break;
	}
}

static int agent_serve(void *arg, int fd)
{
	struct work *w = arg;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct agent_report report;
	struct order order;

	w->fd = fd;
	while (clock_wait(&p, 1, INT64_MAX) > 0 &&
		recv(fd, &order, sizeof(order), 0) == (ssize_t)sizeof(order)) {
		w->method = order.method;
		w->limit = order.limit;
		agent_carry_out(w, order.order, &report);
		if (send(fd, &report, sizeof(report), MSG_NOSIGNAL) < 0)
			break;
	}
	/* The caller is gone: finish this card's reset without it. */
	if (w->is_open) {
		agent_carry_out(w, AGENT_WAIT, &report);
		agent_carry_out(w, AGENT_POST, &report);
	}
	return 0;
}

int agent_start(struct child *a, struct device *d, int64_t alone, bool shares, struct error *e)
{
	struct work w = { .d = d, .alone = alone, .shares = shares };
	int keep[DEVICE_KEEP];
	const struct child_config how = { .run = agent_serve, .arg = &w, .keep = keep,
		.n_keep = device_keep(d, keep), .ignores_terminal = true };

	return child_start(a, &how, e);
}

int agent_order(struct child *a, enum agent_order order, enum plan_method method, int64_t limit)
{
	const struct order o = { .order = (uint8_t)order, .method = (uint8_t)method,
		.limit = limit };

	if (a->pid == 0 || send(a->fd, &o, sizeof(o), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -EPIPE;
	return 0;
}

int agent_take(struct child *a, struct agent_report *report)
{
	ssize_t n;

	if (a->fd < 0)
		return -EPIPE;
	n = recv(a->fd, report, sizeof(*report), MSG_DONTWAIT);
	if (n == (ssize_t)sizeof(*report))
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -EPIPE;
}
