/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_burn.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/cores/card_child.h"
#include "burnin/cores/card_ledger.h"
#include "device/bus.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LOAD_FACTOR 10			/* a load is one long piece of work */
#define HOLD_TIME   (5 * CLOCK_SECOND)	/* to hold the cores of a child that was killed */

/* Terminate the texts, whatever the child wrote. */
static void end_texts(struct card_shared *s)
{
	s->trouble.text[sizeof(s->trouble.text) - 1] = '\0';
	s->power[sizeof(s->power) - 1] = '\0';
}

static int card_burn_run_child(void *arg, int fd)
{
	const struct card_burn *b = arg;

	return card_child_run(&b->config, b->shared, fd);
}

/* Hold the cores of a child that could not do it itself. */
static int hold(void *arg, int fd)
{
	const struct card_burn *b = arg;

	(void)fd;
	return card_child_hold(&b->config, b->shared);
}

static int card_burn_start_child(struct child *child, struct card_burn *b, int (*work)(void *, int),
	struct error *e)
{
	int keep[DEVICE_KEEP];
	/* The card is locked until its cores are held, even if we are killed before that. */
	const struct child_config how = { .run = work, .arg = b, .keep = keep,
		.n_keep = device_keep(b->config.device, keep), .ignores_terminal = true };

	return child_start(child, &how, e);
}

int card_burn_start(struct card_burn *b, const struct card_burn_config *c, struct error *e)
{
	int r;

	*b = (struct card_burn){ .config = *c, .shared = mem_share(sizeof(*b->shared)) };
	card_ledger_ask(c, &b->asked);
	b->shared->kept = c->kept;
	watchdog_open(&b->watchdog, 1, clock_mono());
	atomic_store(&b->shared->watched, b->watchdog.looked);
	/* The child does not die with us: first it stops the cores. */
	r = card_burn_start_child(&b->child, b, card_burn_run_child, e);
	if (r < 0) {
		watchdog_close(&b->watchdog);
		mem_unshare(b->shared, sizeof(*b->shared));
		b->shared = NULL;
	}
	return r;
}

/* The child has ended.  True if another child was started, which holds the cores in its place. */
static bool go_on(struct card_burn *b)
{
	struct error e;

	if (!b->holds)
		b->status = b->child.status;
	end_texts(b->shared);
	if (!b->holds && !b->shared->finished &&
		(atomic_load(&b->shared->n) > 0 || b->shared->was_told_busy) &&
		card_burn_start_child(&b->child, b, hold, &e) == 0) {
		b->holds = true;
		watchdog_close(&b->watchdog);
		watchdog_open(&b->watchdog, 1, clock_mono());
		return true;
	}
	b->is_over = true;
	return false;
}

bool card_burn_watch(struct card_burn *b, int64_t patience)
{
	const int phase = atomic_load(&b->shared->phase);
	const int64_t now = clock_mono();

	if (b->is_over)
		return false;
	watchdog_look(&b->watchdog, now);
	atomic_store(&b->shared->watched, now);
	if (child_has_ended(&b->child)) {
		child_end(&b->child, 0);
		return go_on(b);
	}
	watchdog_see(&b->watchdog, 0, atomic_load(&b->shared->beats), false);
	if (watchdog_stands(&b->watchdog, 0) < patience * (phase == CARD_LOADS ? LOAD_FACTOR : 1))
		return true;
	b->was_killed = b->was_killed || !b->holds;
	child_kill(&b->child);
	child_end(&b->child, 0);
	return go_on(b);
}

void card_burn_stop(struct card_burn *b)
{
	/* Wake the child once: it may be long until its next turn. */
	if (!atomic_exchange(&b->shared->stop, true) && b->child.fd >= 0)
		(void)!send(b->child.fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void card_burn_end(struct card_burn *b, int64_t patience)
{
	card_burn_stop(b);
	while (!b->is_over) {
		child_end(&b->child, b->holds ? HOLD_TIME : patience);
		go_on(b);
	}
}

void card_burn_close(struct card_burn *b)
{
	if (!b->shared)
		return;
	card_burn_end(b, 0);
	watchdog_close(&b->watchdog);
	mem_unshare(b->shared, sizeof(*b->shared));
	b->shared = NULL;
}
