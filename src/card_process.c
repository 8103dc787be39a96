/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/card_process.h"

#include "base/clock.h"
#include "device/device.h"

#include <errno.h>

#define PATIENCE (20 * CLOCK_SECOND)	/* without a single access that returns */
#define END_TIME (500 * CLOCK_MS)

void card_process_start(struct card_process *p, const struct bus *bus,
	int (*run)(void *arg, int fd), void *arg, struct error *why)
{
	const struct child_config how = { .run = run, .arg = arg, .keep = bus->keep,
		.n_keep = bus->n_keep, .dies_with_parent = true, .ignores_terminal = true };

	watchdog_open(&p->watchdog, 1, clock_mono());
	p->started = child_start(&p->child, &how, why) == 0;
}

bool card_process_beat(struct card_process *p, uint64_t moved, struct error *why)
{
	if (!p->started || *why->text || child_has_ended(&p->child))
		return false;
	watchdog_look(&p->watchdog, clock_mono());
	watchdog_see(&p->watchdog, 0, moved, false);
	if (watchdog_stands(&p->watchdog, 0) < PATIENCE)
		return true;
	fail_as(why, CODE_HUNG, -ETIMEDOUT, "its memory does not answer: given up after %d s",
		(int)(PATIENCE / CLOCK_SECOND));
	child_kill(&p->child);
	return false;
}

void card_process_end(struct card_process *p, bool at_once)
{
	if (p->started)
		child_end(&p->child, at_once ? 0 : END_TIME);
	p->started = false;
	watchdog_close(&p->watchdog);
}
