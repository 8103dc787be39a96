/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_driver.c - what the simulated driver keeps of a card beside its
 * registers: its version, the node's number, the power that is asked for, and
 * the file by which two of us meet.
 */
#include "config.h"
#include "device/sim/sim_chip.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/state.h"
#include "device/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEWEST "2.10.0"
#define OLD    "2.0.0"
#define SPEEDS	1000	/* how much faster than life a reset may go */

static bool has_fault(const struct sim *s, enum sim_fault_kind kind)
{
	for (size_t i = 0; i < s->spec.n; i++)
		for (size_t k = 0; k < s->spec.boards[i].n_faults; k++)
			if (s->spec.boards[i].faults[k].kind == kind)
				return true;
	return false;
}

/* "2.10.0" or, as old drivers say it, "1.29". */
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

int sim_driver_init(struct sim *s, struct bus *bus, struct error *e)
{
	const char *version = getenv("TT_SMI_SIM_DRIVER"), *speed = getenv("TT_SMI_SIM_SPEED");
	uint64_t v = 1;

	if (!version || !*version)
		version = has_fault(s, SIM_OLDDRIVER) ? OLD : NEWEST;
	if (!parse_version(version, &s->driver))
		return fail(e, -EINVAL, "TT_SMI_SIM_DRIVER: '%.20s' is no version as 2.10.0",
			version);
	if (speed && *speed && (!parse_u64(speed, &v) || v < 1 || v > SPEEDS))
		return fail(e, -EINVAL, "TT_SMI_SIM_SPEED: '%.20s' is no number from 1 to %d",
			speed, SPEEDS);
	s->speed = (int64_t)v;
	mem_copy_text(bus->driver, sizeof(bus->driver), version);
	return 0;
}

/* The lowest free number, as the driver gives it out: behind all others. */
int sim_driver_node(const struct sim_chip *c, const struct sim_now *now)
{
	bool again = sim_has_fault(now, SIM_RENUMBER) && c->state->was_reset &&
		now->t >= c->state->up;

	return again ? c->node + (int)c->sim->n : c->node;
}

int sim_driver_power(struct device *d, unsigned flags)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);

	if (!c->is_open)
		return -EBADF;
	if (c->sim->driver < 0x020600)
		return -EOPNOTSUPP;
	if (now.window || c->open_resets != now.resets || now.away)
		return -ENODEV;
	if (d->chip == DEVICE_GRAYSKULL)
		return -EINVAL;
	c->power = flags;
	c->state->busy = flags & DEVICE_POWER_AICLK;
	c->state->changes++;
	sim_log(c, "power", "0x%x", flags);
	return 0;
}

int sim_driver_lock(struct device *d, pid_t *holder, struct error *e)
{
	struct sim_chip *c = d->priv;
	char name[64], path[4096];
	int r, fd;

	snprintf(name, sizeof(name), "sim-%s.lock", c->bdf);
	r = state_path(name, path, sizeof(path), e);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return fail_errno(e, "%s: cannot be made", path);
	close(fd);
	return lock_take(path, &c->lock, holder, e);
}

void sim_driver_unlock(struct device *d)
{
	struct sim_chip *c = d->priv;

	lock_release(&c->lock);
}
