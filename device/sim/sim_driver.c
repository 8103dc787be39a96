/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_driver.c - what the simulated driver keeps for a card besides its
 * registers: its version, the node number, the requested power, and the lock
 * files.
 */
#include "config.h"
#include "device/sim/sim_chip.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/state.h"
#include "device/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* "2.10.0" or, for old drivers, "1.29". */
static bool parse_version(const char *text, unsigned *version)
{
	unsigned a, b, c = 0;
	char end;
	int n = sscanf(text, "%2u.%2u%c%2u%c", &a, &b, &end, &c, &end);

	if (n != 2 && (n != 4 || text[strcspn(text, ".") + 1] == '\0'))
		return false;
	*version = a << 16 | b << 8 | c;
	return true;
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
	if (!parse_version(version, &s->driver))
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

void sim_driver_lets_go(struct device *d)
{
	d->node = -1;
	d->trouble = DEVICE_NO_DRIVER;
	snprintf(d->reason, sizeof(d->reason), "the driver has not taken it");
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
	if (c->sim->driver < 0x020600)
		return -EOPNOTSUPP;
	if (now.window || c->open_resets != now.resets || now.away || now.unbound)
		return -ENODEV;
	if (c->board->like == DEVICE_GRAYSKULL)
		return -EINVAL;
	c->power = flags;
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

int *sim_driver_lock_fd(struct device *d, enum device_lock which)
{
	struct sim_chip *c = d->priv;

	return &c->lock[which];
}
