/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linger.c - leave alone a board that is above its idle clock and not held, until
 * it is idle or held, or has been seen like that for longer than the driver waits.
 */
#include "config.h"
#include "device/linger.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/kind.h"
#include "device/transport.h"

#include <errno.h>
#include <string.h>

#define MARGIN CLOCK_SECOND	/* added to the driver's time */

struct linger {
	int64_t since, last;	/* first and last seen above idle and not held; 0: never */
};

static bool is_above_idle(struct device *d)
{
	char text[ATTR_TEXT];
	ssize_t n = d->ops->attr ? d->ops->attr(d, ATTR_TT_AICLK, text, sizeof(text)) : -ENOENT;
	uint64_t mhz;

	if (n <= 0)
		return false;	/* firmware that reports no clock has no power states */
	text[strcspn(text, "\n")] = '\0';
	return parse_u64(text, &mhz) && mhz > kind_of(d->chip)->idle_mhz && mhz <= UINT16_MAX;
}

static bool is_held(struct device *d)
{
	pid_t pid;
	bool partial;

	return d->ops->holders && d->ops->holders(d, &pid, 1, &partial) > 0;
}

int linger_check(struct device *d, struct error *e)
{
	bool waits = d->ops->grace && kind_of(d->chip)->idle_mhz;
	int64_t grace = waits ? d->ops->grace(d) * CLOCK_MS : 0;
	struct bus_own *own = d->bus->own;
	int64_t now = clock_mono() + 1;
	struct linger *l;

	if (grace <= 0)
		return 0;
	if (!own->linger)
		own->linger = mem_calloc(DEVICE_MAX, sizeof(own->linger[0]));
	l = &own->linger[d->index];
	if (!is_above_idle(d) || is_held(d)) {
		*l = (struct linger){ 0 };
		return 0;
	}
	/* After a long gap start again: a whole job may have run in it. */
	if (!l->since || now - l->last > grace / 2)
		l->since = now;
	l->last = now;
	if (now - l->since > grace + MARGIN)
		return 0;
	return fail(e, -EINPROGRESS, "only sysfs is read: opening the card now could keep it from"
		" powering down");
}
