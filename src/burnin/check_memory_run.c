/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_memory_run.c - a card that does not answer may keep its process for
 * ever; it costs the others nothing.
 */
#include "config.h"
#include "src/burnin/check_memory.h"
#include "base/clock.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE (20 * CLOCK_SECOND)	/* without a single access that comes back */
#define END_TIME (500 * CLOCK_MS)

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

void check_memory_start(struct check_memory_card *c, struct bus *bus)
{
	const struct child_config how = { .run = check_card, .arg = c, .keep = bus->keep,
		.n_keep = bus->n_keep, .dies_with_parent = true, .ignores_terminal = true };
	struct error e = { 0 };

	c->shared = mem_share(sizeof(*c->shared));
	if (*c->reason)
		return;
	watchdog_open(&c->watchdog, 1, clock_steady());
	c->started = child_start(&c->child, &how, &e) == 0;
	if (!c->started)
		snprintf(c->reason, sizeof(c->reason), "%s", e.text);
}

bool check_memory_beat(struct check_memory_card *c)
{
	if (!c->started || *c->reason)
		return false;
	if (child_has_ended(&c->child))
		return false;
	watchdog_look(&c->watchdog, clock_steady());
	watchdog_see(&c->watchdog, 0, atomic_load(&c->shared->check.moved), false);
	if (watchdog_stands(&c->watchdog, 0) < PATIENCE)
		return true;
	snprintf(c->reason, sizeof(c->reason), "its memory does not answer: given up after %d s",
		(int)(PATIENCE / CLOCK_SECOND));
	child_kill(&c->child);
	return false;
}

bool check_memory_same(const struct check_memory_card *c, unsigned *a, unsigned *b)
{
	for (*a = 0; *a < MEMORY_CHANNELS; (*a)++)
		for (*b = *a + 1; *b < MEMORY_CHANNELS; (*b)++) {
			const struct card_check_same *same = &c->shared->check.same[*a][*b];

			if (same->told > 0 && same->equal == same->told)
				return true;
		}
	return false;
}

__attribute__((format(printf, 2, 3)))
static void reason(struct check_memory_card *c, const char *fmt, ...)
{
	va_list args;

	if (*c->reason)
		return;
	va_start(args, fmt);
	vsnprintf(c->reason, sizeof(c->reason), fmt, args);
	va_end(args);
}

static void judge_channel(struct check_memory_card *c, unsigned channel, bool *disagrees)
{
	const enum card_check_verdict v = card_check_judge(&c->shared->check.channel[channel],
		c->held);

	*disagrees = *disagrees || v == CARD_CHECK_DISAGREES;
	if (v == CARD_CHECK_CHANGED && c->held)
		reason(c, "differences in channel %u were seen while another program holds the "
			"card: not proof, since it may write there", channel);
	else if (v == CARD_CHECK_CHANGED)
		reason(c, "channel %u changed while it was read: a program writes there, or a "
			"read was wrong once", channel);
	if (c->left >> channel & 1)
		reason(c, "channel %u is not trained and was left alone", channel);
}

void check_memory_judge(struct check_memory_card *c)
{
	const bool over = atomic_load(&c->shared->over);
	bool disagrees = false;
	unsigned a, b;
	char gaps[200];

	c->coverage = (struct ledger){ .asked = { 0 } };
	card_check_ask(&c->plan, c->d->chip, c->left, &c->coverage);
	card_check_count(&c->plan, &c->shared->check, &c->coverage);
	if (over && c->shared->result < 0)
		reason(c, "%.*s", (int)sizeof(c->shared->error.text) - 1, c->shared->error.text);
	for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
		judge_channel(c, k, &disagrees);
	if (check_memory_same(c, &a, &b))
		reason(c, "channels %u and %u show the same data: copies that a program made, or "
			"two channels that lead to one memory", a, b);
	ledger_put_gaps(&c->coverage, gaps, sizeof(gaps));
	if (*gaps)
		reason(c, "%s", gaps);
	if (!over)
		reason(c, "it did not come to its end");
	c->verdict = disagrees ? CHECK_MEMORY_DISAGREES : *c->reason ? CHECK_MEMORY_INCOMPLETE
		: CHECK_MEMORY_AGREES;
}

void check_memory_end(struct check_memory_card *c, bool stopped)
{
	if (!c->started)
		return;
	if (stopped)
		reason(c, "stopped before its end");
	child_end(&c->child, *c->reason ? 0 : END_TIME);
}

void check_memory_clear(struct check_memory_card *c)
{
	watchdog_close(&c->watchdog);
	mem_unshare(c->shared, sizeof(*c->shared));
}
