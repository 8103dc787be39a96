/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.c - the accesses: whether one is allowed, and which transport does it.
 * Each is shown to the recorder.
 */
#include "config.h"
#include "device/device.h"

#include "base/mem.h"
#include "device/bus.h"
#include "device/kind.h"
#include "device/lock.h"
#include "device/record/record.h"

#include <errno.h>
#include <string.h>

#define EXCLUDES 0x020a00	/* tt-kmd 2.10: O_EXCL, and a handle that outlives its reset */

/*
 * Whether a register may be touched on a real card.
 *
 * Some registers hang the chip, pop a queue or damage hardware when they are merely read
 * (chip-facts 1.9), so each kind of chip lists the registers that are known to be harmless.  All
 * others are refused to every caller.  Each rule names the purposes it serves: a reader of
 * telemetry does not get the registers that only a burn-in or a reset needs.
 */

static bool is_inside(struct reg_rect r, unsigned x, unsigned y)
{
	return x >= r.x0 && x <= r.x1 && y >= r.y0 && y <= r.y1;
}

static bool is_eth(const struct device_kind *k, struct reg_addr at)
{
	if (k->eth_moved[0] && at.y == k->eth_moved[1] && at.x >= k->eth_moved[0] &&
		at.x < k->eth_moved[0] + k->n_eth - ARRAY_LEN(k->eth_spare))
		return true;
	for (size_t i = 0; i < k->n_eth; i++)
		if (at.x == k->eth_xy[i][0] && at.y == k->eth_xy[i][1])
			return true;
	return false;
}

static bool is_dram(const struct device_kind *k, struct reg_addr at)
{
	for (size_t i = 0; i < k->n_dram; i++)
		for (size_t p = 0; p < KIND_PORTS; p++)
			if (at.x == k->dram_xy[i][p][0] && at.y == k->dram_xy[i][p][1])
				return true;
	return false;
}

static bool is_on(const struct device_kind *k, enum kind_tile tile, struct reg_addr at)
{
	if ((tile == TILE_NONE) != (at.space == REG_BAR0))
		return false;
	switch (tile) {
	case TILE_NONE:
		return true;
	case TILE_ARC:
		return at.x == k->arc_x && at.y == k->arc_y;
	case TILE_ETH:
		return is_eth(k, at);
	case TILE_DRAM:
		return is_dram(k, at);
	case TILE_TENSIX:
		return is_inside(k->tensix, at.x, at.y) && !(k->other_columns >> at.x & 1) &&
			!(k->other_rows >> at.y & 1);
	}
	return false;
}

static bool is_in(const struct kind_rule *r, uint64_t addr, size_t n)
{
	return (addr & 3) == 0 && n > 0 && n <= ACCESS_WORDS_MAX && addr >= r->start &&
		addr < r->end && (uint64_t)n * 4 <= r->end - addr;
}

bool access_allowed(enum device_chip chip, enum access_purpose purpose, struct reg_addr at,
	size_t n, bool store)
{
	const struct device_kind *k = kind_of(chip);

	for (const struct kind_rule *r = k->rules; r->end; r++)
		if ((r->purposes >> purpose & 1) && (r->store || !store) && is_in(r, at.addr, n) &&
			is_on(k, r->tile, at))
			return true;
	return false;
}

bool access_multicast_allowed(enum device_chip chip, enum access_purpose purpose,
	struct reg_rect to, uint64_t addr, size_t n)
{
	const struct device_kind *k = kind_of(chip);

	if (!is_inside(k->tensix, to.x0, to.y0) || !is_inside(k->tensix, to.x1, to.y1))
		return false;
	for (const struct kind_rule *r = k->rules; r->end; r++)
		if ((r->purposes >> purpose & 1) && r->tile == TILE_TENSIX && r->store &&
			is_in(r, addr, n))
			return true;
	return false;
}

/* The accesses. */

int device_begin_sample(struct device *d)
{
	record_begin_page(d);
	return d->ops->begin_sample ? d->ops->begin_sample(d) : 0;
}

void device_end_sample(struct device *d)
{
	record_end_page(d);
}

ssize_t device_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	ssize_t r = d->ops->attr ? d->ops->attr(d, a, buf, size) : -EOPNOTSUPP;

	if (r > 0 && buf[r - 1] == '\n')
		buf[--r] = '\0';
	record_attr(d, a, r, buf);
	return r;
}

enum code device_code(const struct device *d)
{
	static const enum code codes[] = {
		[DEVICE_FINE] = CODE_NONE,
		[DEVICE_NO_DRIVER] = CODE_NO_DRIVER,
		[DEVICE_NO_NODE] = CODE_NO_DRIVER,
		[DEVICE_NO_PERMISSION] = CODE_NO_PERMISSION,
		[DEVICE_GONE] = CODE_OFF_BUS,
		[DEVICE_GIVEN] = CODE_NO_DRIVER,
	};

	return codes[d->trouble];
}

const char *device_strerror(int code)
{
	switch (code) {
	case -ENODEV: return "another program has reset it, or the driver has let go of it";
	case -ENOLINK: return "it has left the bus: its config space is all ones";
	case -ETIMEDOUT: return "the chip does not answer";
	case -ENOMEM: return "all windows to the chip are taken by other programs";
	case -ENOTCONN: return "the driver maps nothing: see `dmesg | grep tenstorrent`";
	case -ENOBUFS: return "this process may map no more memory (ulimit -v, ulimit -l)";
	default: return strerror(-code);
	}
}

bool device_is_gone(int code)
{
	return code == -ENODEV || code == -ENOLINK;
}

int device_acquire_for(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	int r = d->ops->acquire ? d->ops->acquire(d, purpose, how, e) :
		fail(e, -EOPNOTSUPP, "%s cannot read registers", d->ops->name);

	record_acquire(d, r, e);
	return r;
}

bool device_can_exclude(const struct device *d)
{
	return d->ops->has_node && driver_version(d->bus->driver) >= EXCLUDES;
}

int device_acquire(struct device *d, struct error *e)
{
	return device_acquire_for(d, ACCESS_TELEMETRY, DEVICE_PASSIVE, e);
}

void device_release(struct device *d)
{
	if (d->ops->release)
		d->ops->release(d);
}

int device_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	int r = -EINVAL;

	if ((at.addr & 3) == 0)
		r = d->ops->read ? d->ops->read(d, at, words, n) : -EOPNOTSUPP;
	record_read(d, at, r, words, n);
	return r;
}

int device_write(struct device *d, struct reg_addr at, uint32_t word)
{
	int r = -EINVAL;

	if ((at.addr & 3) == 0)
		r = d->ops->write ? d->ops->write(d, at, word) : -EOPNOTSUPP;
	record_write(d, at, r, word);
	return r;
}

int device_read_block(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	if ((at.addr & 3) != 0)
		return -EINVAL;
	if (d->ops->read_block)
		return d->ops->read_block(d, at, words, n);
	return d->ops->read ? d->ops->read(d, at, words, n) : -EOPNOTSUPP;
}

static bool are_aligned(const struct device_piece *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((pieces[i].at.addr & 3) != 0)
			return false;
	return true;
}

int device_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	int r = 0;

	*failed = 0;
	if (!are_aligned(pieces, n))
		return -EINVAL;
	if (d->ops->gather)
		return d->ops->gather(d, pieces, n, failed);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct device_piece *p = &pieces[i];

		*failed = i;
		r = p->n == 1 ? device_read(d, p->at, p->words, 1)
			: device_read_block(d, p->at, p->words, p->n);
	}
	return r;
}

int device_scatter(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	int first = 0;

	*failed = 0;
	if (!are_aligned(pieces, n))
		return -EINVAL;
	if (d->ops->scatter)
		return d->ops->scatter(d, pieces, n, failed);
	for (size_t i = 0; i < n; i++) {
		const struct device_piece *p = &pieces[i];
		int r = p->n == 1 ? device_write(d, p->at, *p->words)
			: device_write_block(d, p->at, p->words, p->n);

		if (r < 0 && first == 0) {
			first = r;
			*failed = i;
		}
	}
	return first;
}

int device_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	if ((at.addr & 3) != 0)
		return -EINVAL;
	return d->ops->write_block ? d->ops->write_block(d, at, words, n) : -EOPNOTSUPP;
}

int device_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n)
{
	if ((addr & 3) != 0 || to.x0 > to.x1 || to.y0 > to.y1)
		return -EINVAL;
	return d->ops->multicast ? d->ops->multicast(d, to, addr, words, n) : -EOPNOTSUPP;
}

int device_reset(struct device *d, enum device_reset kind, uint32_t *result)
{
	*result = UINT32_MAX;
	return d->ops->reset ? d->ops->reset(d, kind, result) : -EOPNOTSUPP;
}

ssize_t device_config(struct device *d, size_t offset, uint8_t *buf, size_t n)
{
	return d->ops->config ? d->ops->config(d, offset, buf, n) : -EOPNOTSUPP;
}

int device_power(struct device *d, unsigned flags)
{
	return d->ops->power ? d->ops->power(d, flags) : -EOPNOTSUPP;
}

static int device_take_lock(struct device *d, enum device_lock which, pid_t *holder,
	struct error *e)
{
	char path[4096];
	int r = d->ops->lock_path(d, which, path, sizeof(path), e);
	int *fd = &d->bus->own->lock[d->index][which];

	if (r == 0)
		r = which == DEVICE_LOCK_ROOTS ? lock_take_roots(path, fd, holder, e)
			: lock_take(path, fd, holder, e);
	/* A recorded tree may lack this file. */
	return which == DEVICE_LOCK_ROOTS && r == -ENOENT ? 0 : r;
}

int device_lock(struct device *d, pid_t *holder, struct error *e)
{
	const bool had = device_lock_fd(d) >= 0;
	int r = 0;

	*holder = 0;
	if (d->ops->needs_no_lock)
		return 0;
	if (!d->ops->lock_path)
		return fail(e, -EOPNOTSUPP, "%s cannot be locked", d->ops->name);
	if (!d->is_passed)
		r = device_take_lock(d, DEVICE_LOCK_ANYBODYS, holder, e);
	if (r == 0)
		r = device_take_lock(d, DEVICE_LOCK_ROOTS, holder, e);
	if (r < 0 && !had && !d->is_passed)
		device_unlock(d);
	return r;
}

pid_t device_find_stranger(struct device *d)
{
	char path[4096];

	return d->ops->lock_path &&
		d->ops->lock_path(d, DEVICE_LOCK_ANYBODYS, path, sizeof(path), NULL) == 0 ?
		lock_stranger(path) : 0;
}

pid_t device_pass_stranger(struct device *d)
{
	const pid_t pid = device_find_stranger(d);

	d->is_passed = pid > 0;
	return pid;
}

void device_unlock(struct device *d)
{
	d->is_passed = false;
	for (int i = 0; d->ops->lock_path && i < DEVICE_LOCKS; i++)
		lock_release(&d->bus->own->lock[d->index][i]);
}

int device_lock_fd(struct device *d)
{
	int fd = -1;

	for (int i = 0; d->ops->lock_path && fd < 0 && i < DEVICE_LOCKS; i++)
		fd = d->bus->own->lock[d->index][i];
	return fd;
}

size_t device_keep(struct device *d, int keep[static DEVICE_KEEP])
{
	memcpy(keep, d->bus->keep, sizeof(d->bus->keep));
	keep[d->bus->n_keep] = device_lock_fd(d);
	return d->bus->n_keep + 1;
}

int device_claim(struct device *d)
{
	return d->ops->claim ? d->ops->claim(d) : -EOPNOTSUPP;
}

ssize_t device_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	ssize_t r;

	*partial = false;
	r = d->ops->holders ? d->ops->holders(d, pids, max, partial) : -EOPNOTSUPP;
	record_holders(d, r, pids, *partial);
	return r;
}

int device_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes)
{
	int r;

	for (size_t i = 0; i < n; i++)
		bytes[i] = -1;
	r = d->ops->pinned ? d->ops->pinned(d, pids, n, bytes) : -EOPNOTSUPP;
	record_pinned(d, r, bytes, n);
	return r;
}
