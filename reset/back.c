/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * back.c - finds a card again after its reset, and verifies it sample by sample.
 *
 * If the caller itself samples all the time, as the live display does, its ticks
 * are the evidence, and no tick is begun here.
 */
#include "config.h"
#include "reset/run.h"
#include "act/hold.h"
#include "base/clock.h"
#include "device/bus.h"
#include "telemetry/sampler/sampler.h"

#include <stdio.h>
#include <string.h>

#define SAMPLE_EVERY (20 * CLOCK_MS)
#define RESCAN_EVERY (20 * CLOCK_MS)
#define BUSY_HOST    (30 * CLOCK_SECOND)	/* more, until a busy host has read a card twice */
#define SETTLE	     (5 * CLOCK_SECOND)	/* for memory and link to come up once firmware runs */

static void rebind_card(struct reset *r, struct run *run)
{
	struct reset_card *c = run->card;
	char text[96] = "";

	if (run->device->trouble != DEVICE_FINE) {
		if (!run_is_late(c))
			return;
		snprintf(text, sizeof(text), "no node: %.80s", run->device->reason);
		run_end_phase(r, c, device_code(run->device), text);
		run_next_rung(r, run, run->was_reset ? c->code : run->cause_code,
			run->was_reset ? text : run->cause);
		return;
	}
	if (run->device->node != c->node_before)
		snprintf(text, sizeof(text), "now /dev/tenstorrent/%d, was %d", run->device->node,
			c->node_before);
	hold_renew(r->config.hold, c->index);
	run_end_phase(r, c, CODE_NONE, text);
	run_post(r, run);
}

/* A card that left the bus may come back as another node, so find it by its BDF. */
void run_rebind(struct reset *r)
{
	int64_t now = clock_mono();

	if (!run_any_in(r, RESET_REBIND) || now < r->next_rescan ||
		sampler_is_busy(r->config.sampler))
		return;
	r->next_rescan = now + RESCAN_EVERY;
	sampler_rescan(r->config.sampler, NULL);
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == RESET_REBIND)
			rebind_card(r, &r->runs[i]);
}

/* Verify the board's second chip; true: nothing is missing, or there is none, or it is not read. */
static bool verify_second(struct reset *r, struct run *run)
{
	const struct fleet *f = sampler_fleet(r->config.sampler);
	struct verify *v = &run->second_verify;
	const struct snapshot *now;

	if (run->second < 0 || (size_t)run->second >= f->n)
		return true;
	now = &f->chips[run->second];
	if (now->health == SNAPSHOT_NOT_READ) {
		snprintf(v->note, sizeof(v->note), "its second chip (%d) is not verified: %.90s",
			run->second, now->reason);
		if (v->require_links)
			snprintf(v->unproved, sizeof(v->unproved), "the ethernet links cannot be "
				"checked: not read");
		return true;
	}
	return verify_take(v, now);
}

/* Join what is said of a card: first of its own chip, then of the second one. */
static void name_both(const struct run *run, const char *own, const char *second, char *text,
	size_t size)
{
	size_t at;

	snprintf(text, size, "%s%s", own, *own && *second ? "; " : "");
	at = strlen(text);
	if (*second)
		snprintf(text + at, size - at, "second chip (%d): %s", run->second, second);
}

/* A card that its controller did not reset was sampled too: its reason says how it is. */
static void conclude_left(struct reset *r, struct run *run, const char *missing)
{
	char why[540];

	snprintf(why, sizeof(why), "%s; %s%s", run->cause, *missing ? "the card is not as it was: "
		: "the card is as it was", missing);
	run_next_rung(r, run, run->cause_code, why);
}

/* Nothing is missing.  What was required and cannot be checked is still no recovery. */
static void conclude_well(struct reset *r, struct run *run)
{
	char unproved[320];

	name_both(run, run->verify.unproved, run->second_verify.unproved, unproved,
		sizeof(unproved));
	run->card->is_unproved = *unproved && !run->is_left;
	run_end_phase(r, run->card, *unproved ? CODE_NOT_KNOWN : CODE_NONE,
		*unproved ? unproved : run->verify.note);
	if (run->is_left)
		conclude_left(r, run, "");
	else
		run_conclude(r, run, *unproved ? RESET_DEGRADED : RESET_RECOVERED, unproved);
}

static void verify_card(struct reset *r, struct run *run)
{
	const struct fleet *f = sampler_fleet(r->config.sampler);
	struct reset_card *c = run->card;
	int64_t now = clock_mono();
	char missing[320];
	bool own, second;

	/* This sample began before the card was back: it proves nothing. */
	if (f->time < run->verify.since)
		return;
	own = verify_take(&run->verify, &f->chips[c->index]);
	second = verify_second(r, run);
	if (run->verify.is_alive && !run->alive)
		run->alive = now;
	if (own && second) {
		conclude_well(r, run);
		return;
	}
	/*
	 * Once the firmware has run for SETTLE, only ethernet links still come up, among them
	 * those to a second chip.  Wait longer for these alone.  The sample that decides must
	 * have begun after that time.
	 */
	if (!run_is_late(c) && (!run->alive || r->config.require_links || own ||
		f->time - run->alive < SETTLE + r->config.shared_interval))
		return;
	/* A busy host reads late: that is not the card's fault, up to a limit. */
	if ((run->verify.is_early || run->second_verify.is_early) &&
		now - c->began < c->limit + BUSY_HOST)
		return;
	name_both(run, run->verify.missing, run->second_verify.missing, missing, sizeof(missing));
	run_end_phase(r, c, run->verify.code != CODE_NONE ? run->verify.code :
		run->second_verify.code, missing);
	if (run->is_left)
		conclude_left(r, run, missing);
	else if (run->verify.is_blind || run->second_verify.is_blind)
		run_conclude(r, run, RESET_UNKNOWN, missing);
	else if (run->verify.is_alive)
		run_conclude(r, run, RESET_DEGRADED, missing);
	else if (run->is_open && snapshot_is_being_reset(&f->chips[c->index]))
		/* Ours was completed, so this one is another program's. */
		run_conclude(r, run, RESET_LOST, missing);
	else
		run_next_rung(r, run, c->code, run->verify.missing);
}

void reset_take_sample(struct reset *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == RESET_VERIFY)
			verify_card(r, &r->runs[i]);
	if (run_any_in(r, RESET_VERIFY))
		sampler_refresh(r->config.sampler);
}

void run_verify(struct reset *r)
{
	bool wanted[DEVICE_MAX] = { false };

	if (r->config.shared_interval)
		return;
	if (r->is_sampling) {
		if (sampler_collect(r->config.sampler) == 0)
			return;
		r->is_sampling = false;
		reset_take_sample(r);
	}
	if (!run_any_in(r, RESET_VERIFY) || clock_mono() < r->next_sample)
		return;
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == RESET_VERIFY) {
			wanted[r->cards[i].index] = true;
			if (r->runs[i].second >= 0)
				wanted[r->runs[i].second] = true;
		}
	r->next_sample = clock_mono() + SAMPLE_EVERY;
	sampler_select(r->config.sampler, wanted, DEVICE_MAX, "");
	sampler_refresh(r->config.sampler);
	r->is_sampling = sampler_begin(r->config.sampler) == 0;
}
