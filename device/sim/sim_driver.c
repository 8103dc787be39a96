/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_driver.c - what the simulated driver does and keeps for a card: resets, its
 * version, the node number, the requested power, and the lock files.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/state.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * How a reset changes a simulated chip, and what the driver does (chip-facts 1.8.2 and 5.1,
 * driver-behaviour 13, 14 and 17).
 *
 * A message to the firmware resets the chip without the driver's knowledge, so handles stay valid.
 * The driver's own reset makes all other handles stale and denies access until POST_RESET.  The
 * marker bit shows whether the chip was reset; the result that the driver reports does not.
 */

#define ANSWER_MS 1000	/* that the driver waits for an answer (tt-kmd msgqueue.h) */
#define FIRES     (5 * CLOCK_MS)	/* from message to reset (chip-facts 4.1, 0x56) */
#define DMC_TIME  (13 * CLOCK_SECOND)	/* off the bus, with SIM_DMC */
#define BOOT_TIME (500 * CLOCK_MS)	/* until the firmware is up */

#define RESTORED  0x07	/* of config byte 4: memory and I/O on, bus master */

/* The state in which the driver finds a chip to reset. */
enum condition { HEALTHY, HANGING, MUTE, OFF_BUS, CONDITIONS };

/* The outcome of a reset; times in ms. */
static const struct outcome {
	bool fires;		/* the driver sets the marker and triggers the reset */
	int time, result;	/* of ASIC_RESET */
	int dmc_time, dmc_result;
	int post_time;
} outcomes[2][CONDITIONS] = {
	{	/* Wormhole */
		[HEALTHY] = { true, 20, 0, 20, 0, 20 },
		[HANGING] = { true, 1020, 0, 1020, 0, 20 },
		[MUTE] = { false, 12000, 1, 12000, 1, 250 },
		[OFF_BUS] = { false, 12100, 1, 2000, 1, 20 },
	},
	{	/* Blackhole */
		[HEALTHY] = { true, 20, 0, 20, 0, 20 },
		[HANGING] = { true, 20, 0, 2000, 1, 20 },
		[MUTE] = { true, 1000, 0, 2000, 1, 3000 },
		[OFF_BUS] = { false, 20, 0, 2000, 1, 500 },
	},
};

/* Clear the chip's state once it is down; the message for the reset is answered before. */
void sim_reset_settle(struct sim_chip *c, const struct sim_now *now)
{
	struct sim_state *st = c->state;

	if (!st->was_reset || st->is_settled || now->t < st->down)
		return;
	st->is_settled = true;
	st->marker = st->busy = false;
	st->unrestored = true;
	st->misc = 0;
	memset(st->scratch, 0, sizeof(st->scratch));
	memset(st->eth, 0, sizeof(st->eth));
}

static void reset_one(struct sim_chip *c, const struct sim_now *now, bool dmc)
{
	bool is_late = dmc && sim_has_fault(now, SIM_DMC);
	struct sim_state *st = c->state;

	sim_reset_settle(c, now);
	if (st->was_reset && now->t >= st->down) {
		st->was_up = st->up;
		st->was_ready = st->ready;
	}
	st->changes++;
	st->was_reset = true;
	st->is_settled = false;
	st->down = now->t + FIRES;
	st->up = st->down + (is_late ? DMC_TIME : SIM_OFF_TIME);
	st->ready = st->up + BOOT_TIME;
	if (sim_has_fault(now, SIM_RESETFAIL))
		st->up = st->ready = INT64_MAX;
	else
		sim_log(c, "boots", "%lld us after %lld us", (long long)(st->ready / 1000),
			(long long)(now->t / 1000));
}

void sim_reset_chip(struct sim_chip *c, const struct sim_now *now, bool all)
{
	bool whole = all && !c->board->galaxy;	/* a galaxy's chips have controllers of their own */
	struct sim_chip *first = whole ? c - c->place : c;
	unsigned n = whole ? c->board->asics : 1;

	for (unsigned i = 0; i < n; i++) {
		struct sim_now own = sim_now(&first[i]);

		own.t = now->t;
		reset_one(&first[i], &own, all);
	}
}

void sim_reset_outside(struct device *d)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);

	sim_log(c, "reset", "outside");
	sim_reset_chip(c, &now, false);
}

static enum condition condition(const struct sim_chip *c, const struct sim_now *now)
{
	if (now->off || sim_has_fault(now, SIM_OFF))
		return OFF_BUS;
	if (sim_has_fault(now, SIM_HANG))
		return HANGING;
	return sim_is_mute(c, now) ? MUTE : HEALTHY;
}

static const struct outcome *outcome_of(const struct sim_chip *c, const struct sim_now *now)
{
	bool bh = c->board->like == DEVICE_BLACKHOLE;

	return &outcomes[bh][condition(c, now)];
}

/* The ioctl takes this long. */
static void take_time(struct sim_chip *c, struct sim_now *now, int ms)
{
	const int64_t until = now->t + ms * CLOCK_MS;

	while (now->t < until) {
		clock_sleep_until(c->sim->start + until);
		*now = sim_now(c);
	}
}

/* The same, and meanwhile opens and attributes wait. */
static void hold(struct sim_chip *c, struct sim_now *now, int ms)
{
	c->state->held = now->t + ms * CLOCK_MS;
	take_time(c, now, ms);
}

/* The driver begins a reset: handles become stale, and the card is shut. */
static void begin_reset(struct sim_chip *c, const struct sim_now *now)
{
	c->state->resets++;
	c->state->needs_init = true;
	c->state->no_table = false;
	/* The caller's handle stays valid, except with drivers 2.6 to 2.9 and SIM_VANISH. */
	if ((c->sim->driver < 0x020600 || c->sim->driver >= 0x020a00) &&
		!sim_has_fault(now, SIM_VANISH))
		c->open_resets++;
}

static uint32_t fire(struct sim_chip *c, struct sim_now *now, bool dmc)
{
	const struct outcome *o = outcome_of(c, now);
	int result = dmc ? o->dmc_result : o->result;

	begin_reset(c, now);
	hold(c, now, dmc ? o->dmc_time : o->time);
	if (!o->fires || result)
		return (uint32_t)result;
	c->state->marker = true;
	if (!sim_has_fault(now, SIM_NORESET) && (dmc || !sim_has_fault(now, SIM_DMC)))
		sim_reset_chip(c, now, dmc);
	return sim_has_fault(now, SIM_FALSEFAIL);
}

/* POST_RESET: the driver trusts the marker, and restores the config space that it saved. */
static uint32_t finish(struct sim_chip *c, struct sim_now *now)
{
	const struct outcome *o = outcome_of(c, now);

	hold(c, now, o->post_time);
	sim_reset_settle(c, now);
	if (now->off) {
		c->state->needs_init = false;
		c->state->no_table = true;
		return 1;
	}
	if (c->state->marker)
		return 1;
	c->state->needs_init = c->state->no_table = c->state->unrestored = false;
	return 0;
}

static uint32_t carry_out(struct sim_chip *c, struct sim_now *now, enum device_reset kind)
{
	switch (kind) {
	case DEVICE_RESTORE_STATE:
		hold(c, now, now->off ? 500 : 20);
		c->state->needs_init = c->state->marker = c->state->unrestored = false;
		return 0;
	case DEVICE_RESET_LINK:
		hold(c, now, 550);
		return now->off;
	case DEVICE_CONFIG_WRITE:
		begin_reset(c, now);
		c->state->needs_init = false;
		/* A write to a card that is off the bus is lost. */
		if (condition(c, now) != OFF_BUS)
			sim_reset_chip(c, now, false);
		return 0;
	case DEVICE_USER_RESET:
		begin_reset(c, now);
		c->state->marker = !now->off;
		return 0;
	case DEVICE_ASIC_RESET:
	case DEVICE_DMC_RESET:
		return fire(c, now, kind == DEVICE_DMC_RESET);
	case DEVICE_POST_RESET:
		return finish(c, now);
	case DEVICE_RESETS:
		break;
	}
	return 1;
}

/* Whether this driver and this chip have the kind of reset (chip-facts 1.8.2). */
static bool is_known(const struct sim_chip *c, enum device_reset kind)
{
	static const unsigned since[DEVICE_RESETS] = {
		[DEVICE_RESET_LINK] = 0x011600, [DEVICE_CONFIG_WRITE] = 0x011f00,
		[DEVICE_USER_RESET] = 0x020400, [DEVICE_ASIC_RESET] = 0x020400,
		[DEVICE_DMC_RESET] = 0x020400, [DEVICE_POST_RESET] = 0x020400,
	};
	bool gs = c->board->like == DEVICE_GRAYSKULL;

	if (kind >= DEVICE_RESETS || c->sim->driver < since[kind] ||
		(gs && kind > DEVICE_RESET_LINK))
		return false;
	return kind != DEVICE_CONFIG_WRITE || c->board->like == DEVICE_BLACKHOLE;
}

int sim_reset(struct device *d, enum device_reset kind, uint32_t *result)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);

	if (!c->is_open)
		return -EBADF;
	if (c->purpose != ACCESS_RESET)
		return -EPERM;
	if (now.away || now.unbound || c->open_resets != now.resets)
		return -ENODEV;
	if (sim_has_fault(&now, SIM_EINTR) && !c->state->was_interrupted) {
		c->state->was_interrupted = true;
		return -EINTR;
	}
	if (!is_known(c, kind))
		return -EINVAL;
	if (sim_has_fault(&now, SIM_EXPORTED) && kind != DEVICE_RESTORE_STATE &&
		kind != DEVICE_POST_RESET)
		return -EBUSY;
	sim_reset_settle(c, &now);
	sim_log(c, "reset", "%d", (int)kind);
	*result = carry_out(c, &now, kind);
	return 0;
}

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

ssize_t sim_reset_config(struct device *d, size_t offset, uint8_t *buf, size_t n)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);
	uint8_t space[DEVICE_CONFIG_SIZE] = { [6] = 0x10, [8] = d->revision, [11] = 0x12 };

	if (now.away)
		return -ENOENT;
	if (offset > sizeof(space))
		return 0;
	sim_reset_settle(c, &now);
	space[4] = (uint8_t)((c->state->unrestored ? 0 : RESTORED) |
		(c->state->marker ? DEVICE_CONFIG_MARKER : 0));
	put16(space, d->vendor);
	put16(space + 2, d->device);
	put16(space + 0x2c, d->subsys_vendor);
	put16(space + 0x2e, d->subsys_device);
	if (now.off)
		memset(space, 0xff, sizeof(space));
	n = n < sizeof(space) - offset ? n : sizeof(space) - offset;
	memcpy(buf, space + offset, n);
	return (ssize_t)n;
}

/* Versions, nodes, power and locks. */

#define NEWEST "2.10.0"
#define OLD    "2.0.0"
#define EXCLUSIVE (10 * CLOCK_MS)	/* between two attempts at an exclusive open */
#define SPEEDS	1000	/* how many times faster than real time may pass */

static bool has_fault(const struct sim *s, enum sim_fault_kind kind)
{
	for (size_t i = 0; i < s->spec.n; i++)
		for (size_t k = 0; k < s->spec.boards[i].n_faults; k++)
			if (s->spec.boards[i].faults[k].kind == kind)
				return true;
	return false;
}

int sim_set_pace(struct error *e)
{
	const char *speed = getenv("TT_SMI_SIM_SPEED");
	uint64_t v = 1;

	if (speed && *speed && (!parse_u64(speed, &v) || v < 1 || v > SPEEDS))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "TT_SMI_SIM_SPEED: '%.20s' is not a "
			"number from 1 to %d", speed, SPEEDS);
	clock_set_pace((unsigned)v);
	return 0;
}

int sim_driver_init(struct sim *s, struct bus *bus, struct error *e)
{
	const char *version = getenv("TT_SMI_SIM_DRIVER");

	if (!version || !*version)
		version = has_fault(s, SIM_OLDDRIVER) ? OLD : NEWEST;
	s->driver = driver_version(version);
	if (s->driver == 0 || version[strspn(version, "0123456789.")])
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "TT_SMI_SIM_DRIVER: '%.20s' is not a "
			"version (2.10.0)", version);
	mem_copy_text(bus->driver, sizeof(bus->driver), version);
	return 0;
}

/* The node's number; after a reset with SIM_RENUMBER one above all others. */
int sim_driver_node(const struct sim_chip *c, const struct sim_now *now)
{
	bool again = sim_has_fault(now, SIM_RENUMBER) && c->state->was_reset &&
		now->t >= c->state->up;

	return again ? c->node + (int)c->sim->n : c->node;
}

void sim_driver_opened(struct sim_chip *c, const struct sim_now *now, enum device_handle how)
{
	struct sim_state *st = c->state;

	for (size_t i = 0; i < c->n_faults && how == DEVICE_PASSIVE; i++) {
		int64_t end = c->faults[i].to;

		if (c->faults[i].kind != SIM_JOB || now->t < end || st->cancelled == end ||
			!sim_driver_waits_since(c, end, now->t))
			continue;
		st->cancelled = end;
		st->changes++;
		atomic_fetch_add(&c->sim->shared->cancelled, 1);
		sim_log(c, "cancelled", "the power-down");
	}
	if (st->handles++ == 0)
		st->opened = now->t;
}

/* Count a program's attempts to open the card exclusively, which our handle made fail. */
static void count_refused(struct sim_chip *c, const struct sim_now *now)
{
	int64_t first = (c->state->opened + EXCLUSIVE - 1) / EXCLUSIVE, last = now->t / EXCLUSIVE;

	if (!sim_has_fault(now, SIM_EXCLUSIVE) || last < first)
		return;
	atomic_fetch_add(&c->sim->shared->refused, (uint64_t)(last - first + 1));
	sim_log(c, "refused", "%lld", (long long)(last - first + 1));
}

/* Begin or end the load of a burn-in; the simulated board does not compute anything. */
static void set_burn(struct sim_state *st, const struct sim_now *now, bool on)
{
	if (on && st->burn_to != INT64_MAX) {
		st->burn_from = now->t;
		st->burn_to = INT64_MAX;
	} else if (!on && st->burn_to == INT64_MAX) {
		st->burn_to = now->t;
	}
}

void sim_driver_closed(struct sim_chip *c, const struct sim_now *now)
{
	struct sim_state *st = c->state;

	count_refused(c, now);
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == SIM_JOB && st->opened <= c->faults[i].to &&
			now->t >= c->faults[i].to)
			st->at_once = c->faults[i].to;
	if (c->purpose == ACCESS_BURN)
		set_burn(st, now, false);
	if (c->how == DEVICE_ACTIVE) {
		st->vote_end = now->t;
		st->cancelled = 0;
	}
	st->changes++;
	if (st->handles)
		st->handles--;
}

int sim_driver_power(struct device *d, unsigned flags)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);

	if (!c->is_open)
		return -EBADF;
	if (c->sim->driver < 0x020600 || c->sim->driver < kind_of(d->chip)->power_since)
		return -EOPNOTSUPP;
	if (now.window || c->open_resets != now.resets || now.away || now.unbound)
		return -ENODEV;
	if (c->board->like == DEVICE_GRAYSKULL)
		return -EINVAL;
	if (sim_is_mute(c, &now)) {
		take_time(c, &now, ANSWER_MS);
		return -EINVAL;
	}
	c->power = flags;
	if (!flags && c->state->cancelled) {
		c->state->at_once = c->state->cancelled;
		c->state->cancelled = 0;
	}
	c->state->busy = flags & DEVICE_POWER_AICLK;
	if (c->purpose == ACCESS_BURN)
		set_burn(c->state, &now, flags & DEVICE_POWER_AICLK);
	c->state->changes++;
	sim_log(c, "power", "0x%x", flags);
	return 0;
}

/* This also creates the file; only root creates root's. */
int sim_driver_lock_path(struct device *d, enum device_lock which, char *path, size_t size,
	struct error *e)
{
	const struct sim_chip *c = d->priv;
	const bool is_roots = which == DEVICE_LOCK_ROOTS;
	struct stat st;
	char name[64];
	int r, fd;

	snprintf(name, sizeof(name), "sim-%s.%s", c->bdf, is_roots ? "root" : "lock");
	r = state_path(name, path, size, e);
	if (r < 0 || (is_roots && geteuid() != 0) ||
		(lstat(path, &st) == 0 && S_ISREG(st.st_mode)))
		return r;
	fd = state_append(path, e);
	if (fd < 0)
		return fd;
	if (is_roots)
		fchmod(fd, 0600);
	close(fd);
	return 0;
}
