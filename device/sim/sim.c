/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.c - the simulated transport: the boards of a SPEC, and the entry points to them.
 *
 * Boards are simulated at register level, below the readers, so that they are read by the same code
 * as silicon.  Handles follow the driver's rules: a handle from before a reset never works again.
 */
#include "config.h"
#include "device/sim/sim.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "device/kind.h"
#include "device/lock.h"
#include "device/sim/sim_chip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The chips of a SPEC: their ids, and their places on the PCI bus and in the driver. */

/* Used bus numbers by PCI domain; there are as many domains as the boards need. */
struct buses {
	bool used[SIM_CHIPS + 1][256];
};

static unsigned galaxy_bus(const struct sim_board *b, unsigned place)
{
	return galaxy_buses(b->chip)[place / GALAXY_CHIPS] + place % GALAXY_CHIPS + 1;
}

static bool galaxy_fits(const struct buses *b, unsigned domain, const struct sim_board *board)
{
	for (unsigned i = 0; i < GALAXY_TRAYS * GALAXY_CHIPS; i++)
		if (b->used[domain][galaxy_bus(board, i)])
			return false;
	return true;
}

/* Give a chip the next free bus number, or in a galaxy its tray's (chip-facts 1.2). */
static void place_chip(struct buses *b, struct sim_chip *c, unsigned first_domain)
{
	unsigned domain = first_domain, bus = 1;

	if (c->board->galaxy) {
		bus = galaxy_bus(c->board, c->place);
	} else {
		while (b->used[domain][bus])
			if (++bus == 256) {
				bus = 1;
				domain++;
			}
	}
	b->used[domain][bus] = true;
	snprintf(c->bdf, sizeof(c->bdf), "%04x:%02x:00.0", domain & 0xffff, bus & 0xff);
}

/*
 * Board id (chip-facts 3.1): UPI, revision and a serial number, different for each
 * board; a Wormhole galaxy has no serial number.
 */
static uint64_t board_id(const struct sim *s, const struct sim_board *b, unsigned board)
{
	uint64_t serial = 0x11900000u + board * 0x101u + sim_hash(s, board, 0, 0) % 0xf000 * 16;
	bool has_serial = !b->galaxy || b->like != DEVICE_WORMHOLE;
	uint64_t prefix = b->like == DEVICE_BLACKHOLE ? 0 : 0x01000000;

	return (prefix | (uint64_t)b->upi << 4 | b->revision) << 32 | (has_serial ? serial : 0);
}

static void init_chip(struct sim *s, struct sim_chip *c, const struct sim_spec_board *from,
	unsigned board, unsigned place)
{
	c->sim = s;
	c->number = (unsigned)(c - s->chips);
	c->state = &s->shared->chips[c->number];
	c->board = from->board;
	c->board_number = board;
	c->place = place;
	c->board_id = board_id(s, c->board, board);
	c->asic_id = sim_hash(s, c->number, 0, 1);
	if (place == 0) {
		c->faults = from->faults;
		c->n_faults = from->n_faults;
	}
	c->remote = c->board->remote && place == 1;
	if (c->remote) {
		c->peer = c - 1;
		c->peer->peer = c;
		memcpy(c->bdf, c->peer->bdf, sizeof(c->bdf));
	}
	sim_words_init(c);
	sim_regs_init(c);
}

static void sim_make_chips(struct sim *s)
{
	struct buses *buses = mem_calloc(1, sizeof(*buses));
	int node = 0;

	for (unsigned i = 0; i < s->spec.n; i++) {
		const struct sim_board *b = s->spec.boards[i].board;
		unsigned domain = 0;

		while (b->galaxy && !galaxy_fits(buses, domain, b))
			domain++;
		for (unsigned place = 0; place < b->asics; place++) {
			struct sim_chip *c = &s->chips[s->n++];

			init_chip(s, c, &s->spec.boards[i], i, place);
			c->node = c->remote ? -1 : node++;
			if (!c->remote)
				place_chip(buses, c, domain);
		}
	}
	free(buses);
}

/* The entry points. */

#define SLOW (30 * CLOCK_SECOND)
#define LATE (150 * CLOCK_MS)

static int sim_open(struct bus *bus, const char *where, struct error *e)
{
	struct sim *s = mem_calloc(1, sizeof(*s));
	int r = sim_spec_parse(where, &s->spec, e);

	if (r == 0)
		r = sim_driver_init(s, bus, e);
	if (r == 0)
		r = sim_log_open(s, e);
	if (r < 0) {
		free(s);
		return r;
	}
	s->seed = bus->sim_seed;
	s->start = clock_mono();
	s->start_real = clock_real();
	s->shared_size = sizeof(*s->shared) + s->spec.n_chips * sizeof(s->shared->chips[0]);
	s->shared = mem_share(s->shared_size);
	s->chips = mem_calloc(s->spec.n_chips, sizeof(*s->chips));
	sim_make_chips(s);
	bus->priv = s;
	if (s->log >= 0)
		bus->keep[bus->n_keep++] = s->log;
	return 0;
}

static void sim_close(struct bus *bus)
{
	struct sim *s = bus->priv;

	if (!s)
		return;
	if (s->log >= 0)
		close(s->log);
	mem_unshare(s->shared, s->shared_size);
	free(s->chips);
	free(s);
}

static ssize_t sim_scan(struct bus *bus, struct device *found, size_t max, struct error *e)
{
	struct sim *s = bus->priv;
	bool first = atomic_fetch_add(&s->shared->scans, 1) == 0;
	size_t n = 0;

	(void)e;
	for (size_t i = 0; i < s->n && n < max; i++) {
		const struct sim_chip *c = &s->chips[i];
		struct sim_now now = sim_now(c);
		struct device *d = &found[n];

		if (c->remote || (now.away && !first))
			continue;
		*d = (struct device){ .local = -1, .chip = c->board->chip,
			.node = sim_driver_node(c, &now),
			.vendor = DEVICE_VENDOR, .device = kind_of(c->board->chip)->pci_device,
			.subsys_vendor = DEVICE_VENDOR, .subsys_device = c->board->upi,
			.revision = c->board->like == DEVICE_WORMHOLE,
			.numa_node = c->board->galaxy ? (int)(c->place / 16) : 0 };
		memcpy(d->bdf, c->bdf, sizeof(d->bdf));
		if (now.unbound) {
			d->node = -1;
			d->trouble = DEVICE_NO_DRIVER;
			snprintf(d->reason, sizeof(d->reason), "the driver has not taken it");
		}
		if (sim_has_fault(&now, SIM_VFIO)) {
			d->trouble = DEVICE_GIVEN;
			snprintf(d->reason, sizeof(d->reason), DEVICE_GIVEN_TO, "vfio-pci");
		} else if (sim_has_fault(&now, SIM_NODELESS) && d->node >= 0) {
			d->trouble = DEVICE_NO_NODE;
			snprintf(d->reason, sizeof(d->reason), DEVICE_NODELESS, d->node);
		}
		n++;
	}
	return (ssize_t)n;
}

static int sim_attach(struct device *d)
{
	struct sim *s = d->bus->priv;

	for (size_t i = 0; i < s->n; i++)
		if (!s->chips[i].remote && strcmp(s->chips[i].bdf, d->bdf) == 0) {
			d->priv = &s->chips[i];
			return 0;
		}
	return -ENODEV;
}

/* SIM_VANISH: whether the driver has let go of the card, which is not back yet. */
static bool is_let_go(const struct sim_chip *c, const struct sim_now *now)
{
	return sim_has_fault(now, SIM_VANISH) && c->state->was_reset && now->t < c->state->up;
}

/* Opens and the driver's own attributes wait for its reset lock, ignoring signals. */
static struct sim_now wait_for_driver(struct sim_chip *c)
{
	struct sim_now now = sim_now(c);

	while (now.t < now.held) {
		clock_sleep_until(c->sim->start + now.held);
		now = sim_now(c);
	}
	return now;
}

/* As in the kernel, a signal does not end it. */
static void sleep_for(int64_t ns)
{
	const int64_t until = clock_mono() + ns;

	while (clock_sleep_until(until) == -EINTR)
		;
}

/* Apply the faults that all accesses share; a slow card answers after a delay. */
static int meet_faults(const struct sim_now *now)
{
	if (now->away || now->unbound)
		return -ENODEV;
	if (sim_has_fault(now, SIM_EIO))
		return -EIO;
	if (sim_has_fault(now, SIM_SLOW))
		sleep_for(SLOW);
	return 0;
}

/* A load that waits for the chip in vain; callers must stop after one (driver-behaviour 15). */
static void wait_in_vain(struct sim_chip *c)
{
	atomic_fetch_add(&c->sim->shared->reads, 1);
	sim_log(c, "late", "%s", "");
	sleep_for(LATE);
}

static ssize_t sim_get_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = attrs[a].dir == ATTR_PCI ? sim_now(c) : wait_for_driver(c);
	int r;

	/* PCI attributes are the kernel's own and do not need the driver. */
	now.unbound = now.unbound && attrs[a].dir != ATTR_PCI;
	r = meet_faults(&now);
	/* For the others the driver loads words from the chip. */
	if (sim_has_fault(&now, SIM_LATE) && attrs[a].dir != ATTR_PCI && !now.window)
		wait_in_vain(c);
	return r < 0 ? r : sim_attr(c, &now, a, buf, size);
}

static int sim_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	struct sim_chip *c = d->priv;
	struct sim_now now;
	int r;

	if (c->is_open)
		return access_serves(c->purpose, purpose) ? 0 :
			fail(e, -EBUSY, "/dev/tenstorrent/%d is open for something else", d->node);
	if (d->bus->passive)
		return fail_as(e, CODE_LEFT_ALONE, -EPERM, "passive: only sysfs is read");
	if (d->node < 0)
		return fail(e, -ENODEV, "%s", d->reason);
	now = wait_for_driver(c);
	if (now.away || now.unbound || d->node != sim_driver_node(c, &now))
		return fail(e, -ENODEV, "cannot open /dev/tenstorrent/%d: No such device", d->node);
	if (sim_has_fault(&now, SIM_NODELESS))
		return fail_as(e, CODE_NO_DRIVER, -ENOENT, DEVICE_NODELESS, d->node);
	r = access_serves(purpose, ACCESS_TELEMETRY) ? linger_check(d, e) : 0;
	if (r < 0)
		return r;
	if (now.window && (purpose != ACCESS_RESET || is_let_go(c, &now)))
		return fail_as(e, CODE_HELD, -ENODEV, DEVICE_SHUT);
	c->is_open = true;
	c->was_told = false;
	c->was_late = false;
	c->purpose = purpose;
	c->how = how;
	c->power = how == DEVICE_ACTIVE ? DEVICE_POWER_TENSIX : 0;
	c->open_resets = now.resets;
	atomic_fetch_add(&c->sim->shared->opens, 1);
	sim_log(c, "open", "%s", how == DEVICE_ACTIVE ? "active" : "");
	sim_driver_opened(c, &now, how);
	if (access_serves(purpose, ACCESS_TELEMETRY))
		linger_repair(d);
	return 0;
}

static void sim_release(struct device *d)
{
	struct sim_chip *c = d->priv;
	struct sim_now now;

	if (!c->is_open)
		return;
	now = sim_now(c);
	c->is_open = false;
	sim_driver_closed(c, &now);
	sim_log(c, "close", "%s", "");
}

/* Check the handle: -ENODEV once a reset made it stale; the caller must not try again. */
static int check_handle(struct sim_chip *c, const struct sim_now *now)
{
	if (!c->is_open) {
		sim_violation(c, "register access without acquire");
		return -EBADF;
	}
	if (!now->window && c->open_resets == now->resets)
		return 0;
	if (c->was_told)
		sim_violation(c, "access through a handle that a reset made stale");
	c->was_told = true;
	return -ENODEV;
}

static int check_access(struct sim_chip *c, const struct sim_now *now, struct reg_addr at)
{
	int r = check_handle(c, now);

	if (r == 0 && (at.addr & 3)) {
		sim_violation(c, "unaligned address 0x%llx", (unsigned long long)at.addr);
		r = -EINVAL;
	}
	return r == 0 ? meet_faults(now) : r;
}

/* Only the first read waits; later ones fail at once, as with the driver's transport. */
static int read_late(struct sim_chip *c, uint32_t *words)
{
	if (!c->was_late)
		wait_in_vain(c);
	c->was_late = true;
	words[0] = UINT32_MAX;
	return -ETIMEDOUT;
}

static int sim_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);
	int r = check_access(c, &now, at);

	if (r == 0 && sim_has_fault(&now, SIM_LATE))
		return read_late(c, words);
	atomic_fetch_add(&c->sim->shared->reads, n);
	c->begins = true;
	for (size_t i = 0; r == 0 && i < n; i++, at.addr += 4) {
		r = sim_regs_read(c, &now, at, &words[i]);
		if (now.dead)
			words[i] = UINT32_MAX;
	}
	return r;
}

static int sim_write(struct device *d, struct reg_addr at, uint32_t word)
{
	struct sim_chip *c = d->priv;
	struct sim_now now = sim_now(c);
	int r = check_access(c, &now, at);

	if (r < 0)
		return r;
	atomic_fetch_add(&c->sim->shared->writes, 1);
	sim_log(c, "write", "%s %u-%u 0x%llx 0x%x", at.space == REG_NOC ? "noc" : "bar0", at.x,
		at.y, (unsigned long long)at.addr, word);
	return sim_regs_write(c, &now, at, word);
}

static ssize_t sim_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	struct sim_now now = sim_now(d->priv);

	(void)partial;
	if ((!sim_has_fault(&now, SIM_HELD) && !sim_has_fault(&now, SIM_JOB) &&
		!sim_has_fault(&now, SIM_RUNTIME)) || max == 0)
		return 0;
	pids[0] = 1;
	return 1;
}

/* Each holder of a simulated board has 1 GiB pinned for it. */
static int sim_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes)
{
	(void)d, (void)pids;
	for (size_t i = 0; i < n; i++)
		bytes[i] = 1LL << 30;
	return 0;
}

const struct transport_ops transport_sim = {
	.name = "sim",
	.origin = &origin_sim,
	.open = sim_open,
	.close = sim_close,
	.scan = sim_scan,
	.attach = sim_attach,
	.attr = sim_get_attr,
	.acquire = sim_acquire,
	.release = sim_release,
	.read = sim_read,
	.write = sim_write,
	.reset = sim_reset,
	.config = sim_reset_config,
	.power = sim_driver_power,
	.grace = sim_driver_grace,
	.lock_path = sim_driver_lock_path,
	.holders = sim_holders,
	.pinned = sim_pinned,
};
