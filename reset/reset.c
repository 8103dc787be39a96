/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.c - the phases of all cards, driven by one loop of the caller.
 */
#include "config.h"
#include "reset/run.h"

#include "act/hold.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/want.h"
#include "device/bus.h"
#include "reset/outside/outside.h"
#include "telemetry/sampler/sampler.h"

#include <stdio.h>
#include <stdlib.h>

#define LONGEST_WAIT CLOCK_SECOND

/*
 * In addition to each card's own needs (its lock, and a process with a socket): for sampling,
 * scans of sysfs, log and report, and a program that resets the cards from outside.
 */
#define SPARE_FILES	16
#define SPARE_PROCESSES 3
#define SPARE_MEMORY	(8 << 20)

#define STANDSTILL   (3 * CLOCK_SECOND)	/* this long between steps: we were stopped */

/* Wait as long as the listeners' protocol grants them; do not wait if there are none. */
static void notify(struct reset *r)
{
	struct run *ready[DEVICE_MAX];
	char text[64] = "";
	size_t n = 0;

	snprintf(text, sizeof(text), "%zu listening program%s notified", r->told,
		r->told == 1 ? "" : "s");
	for (size_t i = 0; i < r->n; i++) {
		struct reset_card *c = &r->cards[i];

		if (c->phase != RESET_NOTIFY || (r->told && !run_is_late(c) && !r->is_stopped))
			continue;
		if (r->told)
			run_end_phase(r, c, CODE_NONE, text);
		if (r->is_stopped)
			run_conclude(r, &r->runs[i], RESET_STOPPED, "stopped before it was reset");
		else
			ready[n++] = &r->runs[i];
	}
	run_fire(r, ready, n);
}

/* Time in which we could not watch does not count towards any limit. */
static void forgive_standstill(struct reset *r)
{
	int64_t now = clock_mono(), gap = now - r->stepped;

	r->stepped = now;
	if (gap < STANDSTILL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		r->cards[i].began += gap;
		if (r->runs[i].alive)
			r->runs[i].alive += gap;
	}
}

bool reset_step(struct reset *r)
{
	forgive_standstill(r);
	notify(r);
	run_take_reports(r);
	run_check_limits(r);
	run_outside(r);
	run_rebind(r);
	run_verify(r);
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase != RESET_OVER)
			return false;
	return true;
}

size_t reset_fds(const struct reset *r, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n && n < max; i++)
		if (run_has_order(&r->runs[i]) && r->runs[i].agent.fd >= 0)
			fds[n++] = (struct pollfd){ .fd = r->runs[i].agent.fd,
				.events = POLLIN };
	if (run_any_in(r, RESET_OUTSIDE) && r->outside.child.fd > 2 && n < max)
		fds[n++] = (struct pollfd){ .fd = r->outside.child.fd, .events = POLLIN };
	if (r->is_sampling && n < max)
		fds[n++] = (struct pollfd){ .fd = sampler_fd(r->config.sampler),
			.events = POLLIN };
	return n;
}

int reset_wait_ms(const struct reset *r)
{
	int64_t at = clock_mono() + LONGEST_WAIT;
	int ms;

	/* The other phases end with a report, a scan of the bus or a sample. */
	for (size_t i = 0; i < r->n; i++)
		at = clock_earlier(at, r->cards[i].phase != RESET_NOTIFY ? run_due(&r->runs[i])
			: r->cards[i].began + r->cards[i].limit + CLOCK_MS);
	if (run_any_in(r, RESET_NOTIFY) && !r->told)
		at = 0;
	if (run_any_in(r, RESET_OUTSIDE) && r->is_outside)
		at = clock_earlier(at, outside_wake(&r->outside));
	if (run_any_in(r, RESET_REBIND) && !sampler_is_busy(r->config.sampler))
		at = clock_earlier(at, r->next_rescan);
	if (run_any_in(r, RESET_VERIFY) && !r->is_sampling && !r->config.shared_interval)
		at = clock_earlier(at, r->next_sample);
	ms = clock_poll_ms(at);
	if (r->is_sampling && sampler_wait_ms(r->config.sampler) < ms)
		ms = sampler_wait_ms(r->config.sampler);
	return ms;
}

void reset_stop(struct reset *r)
{
	r->is_stopped = true;
	if (reset_is_outside(r))
		outside_stop(&r->outside);
}

bool reset_is_hot(const struct reset *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase > RESET_NOTIFY && r->cards[i].phase < RESET_OVER)
			return true;
	return false;
}

size_t reset_cards(const struct reset *r, const struct reset_card **cards)
{
	*cards = r->cards;
	return r->n;
}

static void init_second(struct reset *r, struct run *run)
{
	const struct fleet *f = sampler_fleet(r->config.sampler);

	run->second = run_find_second(f, run->card->index);
	run->second_before = mem_calloc(1, sizeof(*run->second_before));
	if (run->second >= 0)
		*run->second_before = r->config.before ? r->config.before[run->second]
			: f->chips[run->second];
}

static void init_card(struct reset *r, size_t i, const struct snapshot *s)
{
	struct reset_card *c = &r->cards[i];
	struct run *run = &r->runs[i];

	*c = (struct reset_card){ .index = s->index, .plan = r->config.plan->cards[i],
		.node_before = s->node, .node_after = s->node };
	mem_copy_text(c->bdf, sizeof(c->bdf), s->bdf);
	mem_copy_text(c->series, sizeof(c->series), s->upi ? s->series : device_chip_name(s->chip));
	run->card = c;
	run->device = &r->config.bus->dev[s->index];
	run->before = mem_calloc(1, sizeof(*run->before));
	if (r->config.before)
		s = &r->config.before[s->index];
	*run->before = *s;
	run_gather(r, s, &c->before);
	run->verify.before = run->before;
	init_second(r, run);
	run->agent.fd = -1;
	run_enter(r, c, RESET_NOTIFY);
}

/* Each chip of a galaxy has a controller of its own. */
static void find_board(struct reset *r, size_t i, const struct fleet *f)
{
	const struct snapshot *s = &f->chips[r->cards[i].index];

	r->runs[i].board = i;
	for (size_t k = 0; k < i && !snapshot_is_of_galaxy(s) && r->runs[i].board == i; k++)
		if (fleet_takes_along(f, s, &f->chips[r->cards[k].index]))
			r->runs[i].board = r->runs[k].board;
}

/* Try out the resources before the first card is touched. */
static int prove(struct bus *bus, const struct reset_plan *plan, struct error *e)
{
	struct want want = { .files = plan->n + SPARE_FILES, .processes = SPARE_PROCESSES,
		.bytes = SPARE_MEMORY };

	for (size_t i = 0; i < plan->n; i++)
		if (device_lock_fd(&bus->dev[plan->cards[i].index]) < 0)
			want.files += DEVICE_LOCKS;
	return want_prove(&want, e);
}

int reset_take(struct hold *h, struct bus *bus, const struct reset_plan *plan, struct error *e)
{
	bool wanted[DEVICE_MAX] = { false };
	int r = prove(bus, plan, e);

	for (size_t i = 0; i < plan->n; i++)
		wanted[plan->cards[i].index] = true;
	return r < 0 ? r : hold_take(h, bus, wanted, e);
}

/* Start a process for each card; it waits for its orders. */
static int equip(struct reset *r, struct error *e)
{
	struct error why = { 0 };
	int err = prove(r->config.bus, r->config.plan, e);

	for (size_t i = 0; err == 0 && i < r->n; i++) {
		err = agent_start(&r->runs[i].agent, r->runs[i].device, AGENT_ALONE,
			r->config.shares, &why);
		if (err < 0)
			fail_because(e, err, &why, "a process is needed for each of %zu cards, and "
				"there are %zu: %.120s (ulimit -u)", r->n, i, why.text);
	}
	return err;
}

int reset_open(const struct reset_config *config, struct reset **out, struct error *e)
{
	const struct fleet *f = sampler_fleet(config->sampler);
	struct reset *r = mem_calloc(1, sizeof(*r));
	int err;

	r->config = *config;
	r->n = config->plan->n;
	r->n_chips = f->n;
	r->cards = mem_calloc(r->n + 1, sizeof(*r->cards));
	r->runs = mem_calloc(r->n + 1, sizeof(*r->runs));
	r->began = r->stepped = clock_mono();
	for (size_t i = 0; i < r->n; i++) {
		init_card(r, i, &f->chips[config->plan->cards[i].index]);
		find_board(r, i, f);
	}
	err = equip(r, e);
	if (err < 0) {
		reset_close(r);
		return err;
	}
	/* A card that hangs after its reset must not delay the others. */
	if (!config->shared_interval)
		sampler_set_brisk(config->sampler);
	if (config->listeners)
		r->told = listeners_tell(config->listeners, LISTENERS_BEFORE);
	*out = r;
	return 0;
}

void reset_close(struct reset *r)
{
	struct child *idle[DEVICE_MAX];
	size_t n = 0;

	if (!r)
		return;
	if (r->is_sampling)
		sampler_finish(r->config.sampler, NULL);
	if (r->config.listeners && r->told)
		listeners_tell(r->config.listeners, LISTENERS_AFTER);
	outside_end(&r->outside);
	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];

		if (run->is_stuck || run_is_acting(run->card))
			child_leave(&run->agent);
		else
			idle[n++] = &run->agent;
		/* A process that goes on keeps the lock; a stuck one would keep it for ever. */
		if (!run->is_stuck && run_is_acting(run->card))
			hold_leave(r->config.hold, run->card->index);
	}
	child_end_all(idle, n, 2 * CLOCK_SECOND);
	for (size_t i = 0; i < r->n; i++) {
		free(r->runs[i].before);
		free(r->runs[i].second_before);
	}
	free(r->runs);
	free(r->cards);
	free(r);
}
