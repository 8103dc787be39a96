/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.c - the dangerous steps of one card's reset.
 *
 * The return value of a driver call proves nothing in either direction
 * (driver-behaviour 17), so the evidence is config space.  Before a reset the
 * driver sets a marker in byte 4.  A chip that is reset leaves the bus (all
 * ones) and comes back with the marker and its enable bits cleared.
 */
#include "config.h"
#include "reset/agent.h"
#include "act/hold.h"
#include "base/clock.h"
#include "device/arc_msg.h"
#include "device/bus.h"
#include "device/kind.h"
#include "reset/tensix.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define COMMAND_BYTE	4	/* of config space */
#define MEMORY_ENABLE	0x02	/* in it: cleared by a reset, set by the driver */
#define POLL_LEAST	(3 * CLOCK_MS)
#define POLL_MOST	(50 * CLOCK_MS)
#define UNTOUCHED	(500 * CLOCK_MS)	/* enabled and unmarked this long: not reset */
#define TRIES		4			/* of a call that signals interrupt */
#define CLAIM_EVERY	(20 * CLOCK_MS)
#define LEFT		(5 * CLOCK_SECOND)	/* a reset that goes on longer was abandoned */
#define OUTLIVES	0x020800		/* drivers whose reset lock outlives a handle */

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
};

static uint8_t command_byte(struct device *d)
{
	uint8_t byte = 0xff;

	return device_config(d, COMMAND_BYTE, &byte, 1) == 1 ? byte : 0xff;
}

static int call_driver(struct device *d, enum device_reset kind, uint32_t *result)
{
	int r = -EINTR;

	for (int i = 0; i < TRIES && r == -EINTR; i++)
		r = device_reset(d, kind, result);
	return r;
}

/*
 * Programs in other containers do not see the lock in sysfs, so take the driver's
 * own lock as well.  While a reset is under way the driver does not answer about
 * locks: wait for its end, but not for ever.
 */
static int claim(struct work *w, struct error *e)
{
	int64_t until = clock_mono() + (w->limit / 2 < LEFT ? w->limit / 2 : LEFT);
	int r = device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, e);

	if (r < 0 || driver_version(w->d->bus->driver) < OUTLIVES)
		return r;
	while ((r = device_claim(w->d)) == -ENODEV && w->method != PLAN_OUTSIDE &&
		clock_mono() < until) {
		/* A handle from before that reset would never get an answer. */
		device_release(w->d);
		clock_sleep_until(clock_mono() + CLAIM_EVERY);
		r = device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, e);
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
	static const enum device_reset kinds[PLAN_METHODS] = {
		[PLAN_ASIC] = DEVICE_ASIC_RESET, [PLAN_DMC] = DEVICE_DMC_RESET,
		[PLAN_CONFIG_WRITE] = DEVICE_CONFIG_WRITE, [PLAN_OUTSIDE] = DEVICE_USER_RESET,
	};

	/* A reset of cores is complete in itself, and the driver does not know about it. */
	w->is_open = w->method != PLAN_TENSIX;
	if (w->method == PLAN_MESSAGE) {
		out->error = send_message(w->d, &out->has_begun, e);
	} else if (w->method == PLAN_TENSIX) {
		out->has_begun = true;
		out->error = tensix_reset(w->d, e);
	} else {
		out->error = call_driver(w->d, kinds[w->method], &out->result);
		if (out->error < 0)
			fail(e, out->error, "the driver refuses it: %s",
				strerror(-out->error));
	}
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

static void fire(struct work *w, struct agent_report *out)
{
	struct error e = { 0 };

	out->error = claim(w, &e);
	w->was_off = command_byte(w->d) == 0xff;
	if (out->error == 0)
		shoot(w, out, &e);
	/* A card that is gone may have been reset nevertheless. */
	out->has_begun |= out->error == 0 || device_is_gone(out->error);
	/* A handle from before a reset fails for ever. */
	device_release(w->d);
	take_error(out, &e);
	if (out->error == 0 && !out->result && w->was_left)
		snprintf(out->text, sizeof(out->text), "an earlier reset of it never ended");
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

static bool is_alone(const struct work *w)
{
	struct pollfd p = { .fd = w->fd };

	return poll(&p, 1, 0) == 1;
}

static void agent_watch(struct work *w, struct agent_report *out)
{
	int64_t began = clock_mono(), now = began;
	bool changed = false, alone = false;

	/* The time is that of before the look: a card that is back by then is back. */
	while (!judge_byte(w, now, began, &changed, out)) {
		if (!alone && is_alone(w)) {
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

static void post(struct work *w, struct agent_report *out)
{
	bool is_old = w->method == PLAN_MESSAGE || w->method == PLAN_CONFIG_WRITE;
	struct error e = { 0 };

	out->error = device_acquire_for(w->d, ACCESS_RESET, DEVICE_PASSIVE, &e);
	if (out->error == 0) {
		out->error = call_driver(w->d, is_old ? DEVICE_RESTORE_STATE : DEVICE_POST_RESET,
			&out->result);
		if (out->error < 0)
			fail(&e, out->error, "POST_RESET: %s", strerror(-out->error));
		out->is_marked = command_byte(w->d) != 0xff &&
			command_byte(w->d) & DEVICE_CONFIG_MARKER;
		/* Else the driver would keep the card closed, though nothing happened to it. */
		if (out->error == 0 && out->is_marked) {
			uint32_t restored;

			call_driver(w->d, DEVICE_RESTORE_STATE, &restored);
		}
	}
	device_release(w->d);
	w->is_open = false;
	take_error(out, &e);
}

static void agent_carry_out(struct work *w, enum agent_order order, struct agent_report *out)
{
	*out = (struct agent_report){ .order = order };
	switch (order) {
	case AGENT_FIRE:
		fire(w, out);
		break;
	case AGENT_WAIT:
		if (w->method == PLAN_TENSIX)
			check_cores(w, out);
		else
			agent_watch(w, out);
		break;
	case AGENT_POST:
		if (w->method != PLAN_TENSIX)
			post(w, out);
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

int agent_start(struct agent *a, struct device *d, int64_t alone, struct error *e)
{
	struct work w = { .d = d, .alone = alone };
	int keep[DEVICE_KEEP];
	const struct child_config how = { .run = agent_serve, .arg = &w, .keep = keep,
		.n_keep = device_keep(d, keep), .ignores_terminal = true };

	return child_start(&a->child, &how, e);
}

int agent_order(struct agent *a, enum agent_order order, enum plan_method method, int64_t limit)
{
	const struct order o = { .order = (uint8_t)order, .method = (uint8_t)method,
		.limit = limit };

	if (a->child.pid == 0 || send(a->child.fd, &o, sizeof(o), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -EPIPE;
	return 0;
}

int agent_take(struct agent *a, struct agent_report *report)
{
	ssize_t n;

	if (a->child.fd < 0)
		return -EPIPE;
	n = recv(a->child.fd, report, sizeof(*report), MSG_DONTWAIT);
	if (n == (ssize_t)sizeof(*report))
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -EPIPE;
}
