/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/hold.h"

#include "base/child.h"
#include "base/clock.h"
#include "device/bus.h"
#include "device/kind.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#define ANSWER	  (2 * CLOCK_SECOND)	/* wait for the driver, which may be busy with a reset */
#define HAS_LOCKS 0x020800		/* drivers whose lock for resets outlives a handle */

bool hold_is_taken(int code)
{
	return code == -EBUSY || code == -EINPROGRESS || code == -EALREADY;
}

static bool hold_has(const struct hold *h, int index)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->index[i] == index)
			return true;
	return false;
}

static int hold_take_one(struct hold *h, struct device *d, struct error *e)
{
	struct error why = { 0 };
	pid_t holder = 0, stranger;
	int r = device_lock(d, &holder, &why);

	if (r == 0) {
		h->index[h->n++] = d->index;
		return 0;
	}
	if (r != -EBUSY)
		return fail_because(e, r, &why, "%s: %.200s", d->bdf, why.text);
	r = holder ? r : -EINPROGRESS;
	h->is_reset = holder > 0 && holder_resets(holder);
	stranger = d->is_passed ? 0 : device_find_stranger(d);
	if (stranger > 0)
		return fail(e, r, "%s: " HOLDER_HAS_IT "process %ld of another user has locked it: "
			"end that process; a reset alone passes it: tt-smi -wr %s --force",
			d->bdf, (long)stranger, d->bdf);
	if (holder > 0)
		return fail(e, r, "%s: " HOLDER_HAS_IT "process %ld resets, burns or checks it",
			d->bdf, (long)holder);
	/* Its holder cannot be seen from here. */
	return fail(e, r, "%s: " HOLDER_HAS_IT "a reset, burn or check in another container, or "
		"left by one that was killed", d->bdf);
}

int hold_take(struct hold *h, struct bus *bus, const bool *wanted, struct error *e)
{
	const size_t had = h->n;
	int r = 0;

	h->bus = bus;
	h->is_reset = false;
	for (size_t i = 0; r == 0 && i < bus->n; i++)
		if (wanted[i] && !hold_has(h, (int)i))
			r = hold_take_one(h, &bus->dev[i], e);
	while (r < 0 && h->n > had)
		device_unlock(&bus->dev[h->index[--h->n]]);
	return r;
}

/* Runs in its own process: opening a card during its reset blocks, and signals do not end it. */
static int hold_ask_one(void *arg, int fd)
{
	struct device *d = arg;
	int r = device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL);

	if (r == 0)
		r = device_claim(d);
	return send(fd, &r, sizeof(r), MSG_NOSIGNAL) < 0;
}

/* The driver's answer for one card; 0 if there was none in time. */
static int hold_take_answer(const struct child *c, int64_t until)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	int r = 0;

	if (c->pid == 0 || clock_wait(&p, 1, until) <= 0 ||
		recv(c->fd, &r, sizeof(r), MSG_DONTWAIT) != (ssize_t)sizeof(r))
		return 0;
	return r;
}

int hold_ask_driver(const struct hold *h, struct error *e)
{
	const int64_t until = clock_mono() + ANSWER;
	struct child asked[DEVICE_MAX] = { { 0 } }, *all[DEVICE_MAX];
	int r = 0;

	if (h->n == 0 || driver_version(h->bus->driver) < HAS_LOCKS)
		return 0;
	for (size_t i = 0; i < h->n; i++) {
		struct device *d = &h->bus->dev[h->index[i]];
		const struct child_config how = { .run = hold_ask_one, .arg = d,
			.keep = h->bus->keep, .n_keep = h->bus->n_keep,
			.dies_with_parent = true, .ignores_terminal = true };

		all[i] = &asked[i];
		child_start(&asked[i], &how, NULL);
	}
	for (size_t i = 0; r == 0 && i < h->n; i++)
		if (hold_take_answer(&asked[i], until) == -EALREADY)
			r = fail(e, -EALREADY, "%s: %s", h->bus->dev[h->index[i]].bdf,
				holder_of_driver);
	child_end_all(all, h->n, 0);
	return r;
}

void hold_renew(const struct hold *h, int index)
{
	pid_t holder;

	if (hold_has(h, index))
		device_lock(&h->bus->dev[index], &holder, NULL);
}

void hold_leave(struct hold *h, int index)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->index[i] == index)
			h->index[i--] = h->index[--h->n];
}

void hold_give_back(struct hold *h)
{
	while (h->n > 0)
		device_unlock(&h->bus->dev[h->index[--h->n]]);
}
