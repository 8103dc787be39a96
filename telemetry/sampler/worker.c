/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.c - the loop of the process that touches the cards.
 *
 * A worker takes chip after chip off the shared order, so that its successor
 * goes on behind the chip it got stuck at.  It owns no terminal and no pipe of
 * ours: one that can not die must not keep the reader of `tt-smi -s | jq`
 * waiting for the end of file.
 */
#include "config.h"
#include "telemetry/sampler/worker.h"
#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "telemetry/decode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* May this look go beyond the passive?  Only if asked for, and while nobody holds the board. */
static bool may_be_active(struct device *board, const struct worker_order *order, char *why,
	size_t size)
{
	pid_t pid[1] = { 0 };
	bool partial;
	ssize_t n;

	*why = '\0';
	if (order->inactive) {
		mem_copy_text(why, size, order->inactive);
		return false;
	}
	n = device_holders(board, pid, 1, &partial);
	if (n > 0)
		snprintf(why, size, "not read: process %ld holds the board", (long)pid[0]);
	else if (n < 0 || partial)
		snprintf(why, size,
			"not read: cannot tell whether a process holds the board"
			" (the host's root can)");
	return !*why;
}

/* Who this is, from discovery. */
static void identify(const struct device *d, struct snapshot *s)
{
	s->index = d->index;
	s->local = d->local;
	s->chip = d->chip;
	s->pci_device = d->device;
	s->subsys_device = d->subsys_device;
	s->node = d->node;
	s->numa_node = d->numa_node;
	memcpy(s->bdf, d->bdf, sizeof(s->bdf));
}

/* Only what the kernel holds in memory is known; telemetry cannot be had, and this says why. */
void worker_describe(const struct device *d, enum snapshot_health health, const char *reason,
	struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	identify(d, s);
	s->raw.chip = d->chip;
	s->raw.remote = d->local >= 0;
	decode_snapshot(s);
	s->health = health;
	s->note[0] = '\0';
	s->n_findings = 0;
	mem_copy_text(s->reason, sizeof(s->reason), reason);
}

static void look(struct device *d, const struct worker_order *order, struct snapshot *s)
{
	bool remote = d->local >= 0;
	struct reader_policy policy = { .passive = d->bus->passive, .fresh = order->fresh,
		.keep = order->keep };
	char why[128];
	bool over;

	if (d->trouble == DEVICE_GONE) {
		worker_describe(d, SNAPSHOT_GONE, d->reason, s);
		return;
	}
	identify(d, s);
	s->reason[0] = s->note[0] = '\0';
	s->health = SNAPSHOT_PENDING;
	policy.active = may_be_active(remote ? &d->bus->dev[d->local] : d, order, why, sizeof(why));
	if (remote && !policy.active) {
		worker_describe(d, SNAPSHOT_NOT_READ, why, s);
		return;
	}
	over = device_look(d) == -ENODATA;
	reader_look(d, &policy, &s->raw);
	s->raw.repeated = over;
	device_look_done(d);
	decode_snapshot(s);
	if (d->trouble == DEVICE_NO_DRIVER) {
		s->health = SNAPSHOT_FAILED;
		mem_copy_text(s->reason, sizeof(s->reason), d->reason);
	} else if (d->trouble != DEVICE_FINE) {
		mem_copy_text(s->note, sizeof(s->note), d->reason);
	}
}

static void list_processes(struct device *d, struct worker_slot *slot)
{
	pid_t pids[WORKER_PROCESSES];
	ssize_t n = device_holders(d, pids, WORKER_PROCESSES, &slot->processes_partial);

	slot->n_processes = n < 0 ? 0 : (size_t)n;
	for (size_t i = 0; i < slot->n_processes; i++) {
		process_describe(d->bus->root, pids[i], &slot->processes[i]);
		slot->processes[i].device = d->index;
	}
}

static void work(struct bus *bus, struct worker_shared *shared)
{
	const struct worker_order *order = &shared->order;

	for (;;) {
		size_t at = atomic_fetch_add(&shared->next, 1);
		struct worker_slot *slot;
		struct device *d;

		if (at >= order->n)
			break;
		d = &bus->dev[order->chips[at]];
		slot = &shared->slots[d->index];
		atomic_store(&shared->phase, WORKER_LOOK);
		atomic_store(&shared->began, clock_steady());
		atomic_store(&shared->current, d->index);
		slot->snapshot.skew = clock_mono() - order->time;
		look(d, order, &slot->snapshot);
		atomic_store(&slot->looked, order->tick);
		if (order->list && !order->process_lists_hang && d->local < 0) {
			atomic_store(&shared->phase, WORKER_PROCESS_LIST);
			list_processes(d, slot);
			atomic_store(&slot->listed, order->tick);
		}
		atomic_store(&shared->current, -1);
	}
}

static int serve(void *arg, int fd)
{
	const struct worker *w = arg;
	char byte;

	while (recv(fd, &byte, 1, 0) == 1) {
		work(w->bus, w->shared);
		if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return 0;
}

int worker_start(struct worker *w, struct bus *bus, struct worker_shared *shared)
{
	const struct child_config how = { .run = serve, .arg = w, .keep = bus->keep,
		.n_keep = bus->n_keep, .dies_with_parent = true, .ignores_terminal = true };

	w->bus = bus;
	w->shared = shared;
	return child_start(&w->child, &how, NULL);
}

int worker_go(struct worker *w)
{
	return w->child.pid && send(w->child.fd, "g", 1, MSG_NOSIGNAL) == 1 ? 0 : -EPIPE;
}

int worker_poll(struct worker *w)
{
	char byte;
	ssize_t n = w->child.pid ? recv(w->child.fd, &byte, 1, MSG_DONTWAIT) : 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	return n == 1 ? 1 : -EPIPE;
}
