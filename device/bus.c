/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bus.c - the devices of a machine and their numbers.
 *
 * A device keeps its number for as long as the bus is open: a rescan only adds
 * devices at the end and marks those whose card is gone.
 */
#include "config.h"
#include "device/bus.h"

#include "base/mem.h"
#include "base/state.h"
#include "device/lock.h"
#include "device/record/record.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* PCI functions by BDF, then remote chips (a recording has them) by their local chip. */
static int by_bdf(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	if (!*x->bdf || !*y->bdf)
		return *x->bdf || *y->bdf ? !*x->bdf - !*y->bdf : x->local - y->local;
	return strcmp(x->bdf, y->bdf);
}

static int attach(struct bus *bus, struct device *d)
{
	d->bus = bus;
	d->ops = bus->ops;
	d->index = (int)(d - bus->dev);
	return d->ops->attach ? d->ops->attach(d) : 0;
}

static int first_scan(struct bus *bus, struct error *e)
{
	ssize_t n = bus->ops->scan(bus, bus->dev, DEVICE_MAX, e);

	if (n < 0)
		return (int)n;
	qsort(bus->dev, (size_t)n, sizeof(bus->dev[0]), by_bdf);
	for (; bus->n < (size_t)n; bus->n++) {
		int r = attach(bus, &bus->dev[bus->n]);

		if (r < 0)
			return fail(e, r, "%s: cannot be used", bus->dev[bus->n].bdf);
	}
	return 0;
}

int bus_open(const struct bus_config *c, struct bus **out, struct error *e)
{
	struct bus *bus = mem_share(sizeof(*bus));
	int r;

	bus->own = mem_calloc(1, sizeof(*bus->own));
	memset(bus->own->lock, -1, sizeof(bus->own->lock));
	bus->ops = c->sim ? &transport_sim : c->ttsim ? &transport_ttsim :
		c->replay ? &transport_replay : &transport_kmd;
	bus->passive = c->passive;
	bus->sim_seed = c->sim_seed;
	mem_copy_text(bus->root, sizeof(bus->root), c->root ? c->root : "/");
	r = bus->ops->open(bus, c->sim ? c->sim : c->ttsim ? c->ttsim : c->replay, e);
	if (r == 0)
		r = first_scan(bus, e);
	if (r == 0 && c->record)
		r = record_open(bus, c->record, e);
	if (r < 0) {
		bus_close(bus);
		return r;
	}
	*out = bus;
	return 0;
}

void bus_close(struct bus *bus)
{
	if (!bus)
		return;
	record_close(bus);
	for (size_t i = 0; i < bus->n; i++)
		if (bus->dev[i].ops->detach)
			bus->dev[i].ops->detach(&bus->dev[i]);
	bus->ops->close(bus);
	free(bus->own->links);
	free(bus->own->linger);
	for (size_t i = 0; i < DEVICE_MAX; i++) {
		for (int k = 0; k < DEVICE_LOCKS; k++)
			lock_leave(&bus->own->lock[i][k]);
		free(bus->own->reader[i]);
	}
	free(bus->own);
	mem_unshare(bus, sizeof(*bus));
}

const struct origin *bus_origin(const struct bus *bus)
{
	return bus->ops->origin;
}

/* Copied files of a machine, in place of this machine's. */
static bool is_tree(const struct bus *bus)
{
	return bus->ops == &transport_kmd && strcmp(bus->root, "/") != 0;
}

const char *bus_state_name(const struct bus *bus)
{
	const bool is_driver = bus->ops == &transport_kmd;

	if ((!is_driver || is_tree(bus)) && !state_is_chosen())
		return NULL;
	return is_tree(bus) ? "root" : bus->ops->name;
}

bool bus_is_live(const struct bus *bus)
{
	return !bus->ops->is_still && !bus->ops->origin->is_recorded && !is_tree(bus);
}

bool bus_is_still(const struct bus *bus)
{
	return bus->ops->is_still;
}

static const struct device *find_device(const struct device *in, size_t n, const char *bdf)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(in[i].bdf, bdf) == 0)
			return &in[i];
	return NULL;
}

/* Update a known device from a new scan; true if that changed anything. */
static bool refresh(struct device *old, const struct device *now)
{
	if (old->trouble == now->trouble && old->node == now->node)
		return false;
	old->node = now->node;
	old->trouble = now->trouble;
	memcpy(old->reason, now->reason, sizeof(old->reason));
	attach(old->bus, old);
	return true;
}

int bus_rescan(struct bus *bus, struct error *e)
{
	static const struct device away = { .node = -1, .trouble = DEVICE_GONE,
		.reason = "not on the bus any more" };
	struct device *found = mem_calloc(DEVICE_MAX, sizeof(*found));
	ssize_t n = bus->ops->scan(bus, found, DEVICE_MAX, e);
	bool changed = false;

	/* The order of a scan is that of a folder: number new devices as a first scan would. */
	if (n > 0)
		qsort(found, (size_t)n, sizeof(*found), by_bdf);
	for (size_t i = 0; n >= 0 && i < bus->n; i++) {
		struct device *d = &bus->dev[i];
		const struct device *now = find_device(found, (size_t)n, d->bdf);

		if (*d->bdf)
			changed |= refresh(d, now ? now : &away);
	}
	for (ssize_t k = 0; k < n; k++) {
		if (!*found[k].bdf || bus->n == DEVICE_MAX ||
			find_device(bus->dev, bus->n, found[k].bdf))
			continue;
		bus->dev[bus->n] = found[k];
		changed |= attach(bus, &bus->dev[bus->n++]) == 0;
	}
	free(found);
	return n < 0 ? (int)n : changed;
}

struct device *bus_add_remote(struct bus *bus, int local)
{
	struct device *d;

	for (size_t i = 0; i < bus->n; i++)
		if (bus->dev[i].local == local)
			return &bus->dev[i];
	if (bus->n == DEVICE_MAX)
		return NULL;
	d = &bus->dev[bus->n++];
	*d = (struct device){ .ops = &transport_eth, .bus = bus, .index = (int)(d - bus->dev),
		.local = local, .chip = bus->dev[local].chip, .node = -1, .numa_node = -1 };
	return d;
}
