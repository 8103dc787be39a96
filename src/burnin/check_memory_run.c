/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_memory_run.c - a card that does not answer may keep its process for
 * ever; it costs the others nothing.
 */
#include "config.h"
#include "src/burnin/check_memory.h"
#include "base/clock.h"
#include "base/mem.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE (20 * CLOCK_SECOND)	/* without a single access that comes back */
#define END_TIME (500 * CLOCK_MS)
#define TURN_MS	 50

static int check_card(void *arg, int fd)
{
	struct check_memory_card *c = arg;
	struct check_memory_shared *s = c->shared;
	/* Active: the memory of a board that has powered down is asleep. */
	int r = device_acquire_for(c->d, ACCESS_MEMORY, DEVICE_ACTIVE, &s->error);

	(void)fd;
	if (r == 0) {
		r = card_check_run(c->d, &c->plan, &s->check, &s->error);
		device_release(c->d);
	}
	s->result = r;
	atomic_store(&s->over, true);
	return 0;
}

static bool start(struct check_memory_card *c, struct bus *bus)
{
	const struct child_config how = { .run = check_card, .arg = c, .keep = bus->keep,
		.n_keep = bus->n_keep, .dies_with_parent = true, .ignores_terminal = true };
	struct error e = { 0 };
	pid_t holder;
	int r = device_lock(c->d, &holder, &e);

	if (r == -EBUSY)
		fail(&e, r, "process %ld works on it", (long)holder);
	if (r == 0)
		r = child_start(&c->child, &how, &e);
	c->moved_at = clock_steady();
	if (r < 0)
		snprintf(c->reason, sizeof(c->reason), "%s", e.text);
	return r == 0;
}

/* True while it goes on. */
static bool watch(struct check_memory_card *c)
{
	const uint64_t moved = atomic_load(&c->shared->check.moved);

	if (!c->started || *c->reason)
		return false;
	if (child_has_ended(&c->child))
		return false;
	if (moved != c->moved) {
		c->moved = moved;
		c->moved_at = clock_steady();
	}
	if (clock_steady() - c->moved_at < PATIENCE)
		return true;
	snprintf(c->reason, sizeof(c->reason), "its memory does not answer: given up after %d s",
		(int)(PATIENCE / CLOCK_SECOND));
	child_kill(&c->child);
	return false;
}

static void judge(struct check_memory_card *c)
{
	bool disagrees = false, complete = atomic_load(&c->shared->over) && !*c->reason;

	if (atomic_load(&c->shared->over) && c->shared->result < 0 && !*c->reason)
		snprintf(c->reason, sizeof(c->reason), "%s", c->shared->error.text);
	complete = complete && c->shared->result == 0;
	for (unsigned k = 0; k < MEMORY_CHANNELS; k++) {
		const struct card_check_channel *m = &c->shared->check.channel[k];
		const enum card_check_verdict v = card_check_judge(m);

		disagrees = disagrees || v == CARD_CHECK_DISAGREES;
		if (v == CARD_CHECK_CHANGED && !*c->reason)
			snprintf(c->reason, sizeof(c->reason), "channel %u changed while it was "
				"read: a program writes there, or a read was wrong once", k);
		complete = complete && v != CARD_CHECK_CHANGED;
	}
	for (unsigned k = 0; k < MEMORY_CHANNELS && complete; k++)
		if (c->left >> k & 1) {
			snprintf(c->reason, sizeof(c->reason), "channel %u is not trained and was "
				"left alone", k);
			complete = false;
		}
	if (!*c->reason && !complete)
		snprintf(c->reason, sizeof(c->reason), "it did not come to its end");
	c->verdict = disagrees ? CHECK_MEMORY_DISAGREES : complete ? CHECK_MEMORY_AGREES
		: CHECK_MEMORY_INCOMPLETE;
}

void check_memory_run(struct check_memory_card *cards, size_t n, struct bus *bus)
{
	struct pollfd fds[STOP_FDS];
	struct stop stop;
	bool goes_on = true;

	stop_open(&stop, true);
	for (size_t i = 0; i < n; i++) {
		cards[i].shared = mem_share(sizeof(*cards[i].shared));
		if (!*cards[i].reason)
			cards[i].started = start(&cards[i], bus);
	}
	while (goes_on) {
		goes_on = false;
		for (size_t i = 0; i < n; i++)
			goes_on = watch(&cards[i]) || goes_on;
		stop_poll(&stop, fds);
		if (goes_on)
			poll(fds, STOP_FDS, TURN_MS);
		if (!goes_on || !stop_check(&stop))
			continue;
		goes_on = false;
		for (size_t i = 0; i < n; i++)
			if (cards[i].started && !*cards[i].reason)
				snprintf(cards[i].reason, sizeof(cards[i].reason),
					"stopped before its end");
	}
	for (size_t i = 0; i < n; i++) {
		if (cards[i].started) {
			child_end(&cards[i].child, *cards[i].reason ? 0 : END_TIME);
			device_unlock(cards[i].d);
		}
		judge(&cards[i]);
	}
	stop_close(&stop);
}
