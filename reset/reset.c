/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset.c - the phases of all cards, driven by one loop of the caller.
 */
#include "config.h"
#include "reset/reset.h"
#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "reset/agent.h"
#include "reset/listeners.h"
#include "reset/verify.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_EVERY (20 * CLOCK_MS)
#define RESCAN_EVERY (20 * CLOCK_MS)
#define SETTLE	     (5 * CLOCK_SECOND)	/* for memory and link to come up once firmware runs */

/* What reset.c alone knows of a card. */
struct run {
	struct reset_card *card;
	struct device *device;
	struct snapshot *before;
	struct verify verify;
	struct agent agent;
	bool is_fired;			/* on this rung */
	bool was_reset;			/* on this rung: config space showed it */
	bool is_stuck;			/* its process sits in the driver */
	int restarts;			/* of its process */
	int64_t alive;			/* clock_mono() when the heartbeat first moved; 0 */
	char cause[176];		/* config space showed no reset on this rung */
	char why[320];			/* each rung so far failed */
};

struct reset {
	struct reset_config config;
	size_t n;
	struct reset_card *cards;
	struct run *runs;
	int64_t began;			/* clock_mono() */
	int64_t next_rescan, next_sample;
	bool is_sampling, is_stopped;
	size_t told;			/* listeners */
	struct outside_run outside;
	bool is_outside;		/* it was started */
};

static const char *const phases[] = { "notify", "fire", "outside", "wait", "rebind", "post",
	"verify", "over" };
static const char *const verdicts[] = { "pending", "recovered", "degraded", "lost", "stopped" };

const char *reset_phase_name(enum reset_phase p)
{
	return phases[p];
}

const char *reset_verdict_name(enum reset_verdict v)
{
	return verdicts[v];
}

static enum plan_method method_of(const struct reset_card *c)
{
	return c->plan.ladder[c->rung];
}

/* How long config space is watched for a reset, in ns. */
static int64_t watch_limit(const struct reset *r, const struct reset_card *c)
{
	if (r->config.outside && c->plan.n && method_of(c) == PLAN_OUTSIDE)
		return r->config.outside->wait;
	return (c->plan.n && method_of(c) == PLAN_DMC ? 20 : 10) * CLOCK_SECOND;
}

/* Seconds that a phase may take (chip-facts 5.2; driver-behaviour 13: 12 s for a mute Wormhole). */
static int64_t limit_of(const struct reset *r, const struct reset_card *c)
{
	int64_t seconds = 0;

	switch (c->phase) {
	case RESET_NOTIFY: seconds = 2; break;
	case RESET_FIRE: seconds = 20; break;
	case RESET_OUTSIDE: return r->config.outside->limit;
	case RESET_WAIT: seconds = watch_limit(r, c) / CLOCK_SECOND; break;
	case RESET_REBIND: seconds = 10; break;
	case RESET_POST: seconds = 15; break;
	case RESET_VERIFY: seconds = r->config.require_links ? 90 : 20; break;
	case RESET_OVER: break;
	}
	return seconds * CLOCK_SECOND / (r->config.hurry ? r->config.hurry : 1);
}

static void enter(struct reset *r, struct reset_card *c, enum reset_phase phase)
{
	c->phase = phase;
	c->began = clock_mono();
	c->limit = limit_of(r, c);
}

static void finish_step(struct reset *r, struct reset_card *c, bool ok, const char *text)
{
	struct reset_step *s, spare;

	s = c->n_steps < RESET_STEPS ? &c->steps[c->n_steps++] : &spare;
	*s = (struct reset_step){ .phase = c->phase, .method = method_of(c),
		.began = c->began - r->began, .took = clock_mono() - c->began, .ok = ok };
	mem_copy_text(s->text, sizeof(s->text), text);
	r->config.tell(r->config.arg, c, s);
}

/* The log is on the disk before the step that may take the host down with it. */
static void note(struct reset *r, const char *event, const struct reset_card *c)
{
	struct json_out *j;

	if (!r->config.log)
		return;
	j = log_begin(r->config.log, event);
	json_text(j, "bdf", c->bdf);
	json_text(j, "board", c->series);
	json_text(j, "method", plan_method_title(method_of(c)));
	if (c->verdict != RESET_PENDING) {
		json_text(j, "verdict", reset_verdict_name(c->verdict));
		json_decimal(j, "seconds", c->took / CLOCK_MS, 1000);
		json_text(j, "reason", *c->reason ? c->reason : NULL);
	}
	log_end(r->config.log);
}

/* What to do with a card that is not as it should be. */
static void advise(const struct reset *r, struct reset_card *c)
{
	bool tried_dmc = false;

	for (size_t i = 0; i <= c->rung; i++)
		tried_dmc |= c->plan.ladder[i] == PLAN_DMC;
	if (r->config.outside && !r->outside.has_fired)
		return;
	if (c->verdict == RESET_DEGRADED && r->config.outside)
		snprintf(c->advice, sizeof(c->advice), "try: tt-smi -glx_reset_auto");
	else if (c->verdict == RESET_DEGRADED && !tried_dmc)
		snprintf(c->advice, sizeof(c->advice), "try: tt-smi -wr %s --dmc", c->bdf);
	else if (c->verdict == RESET_DEGRADED)
		snprintf(c->advice, sizeof(c->advice), "reboot the host cold; if it stays so, "
			"reseat the card");
	else if (c->verdict == RESET_LOST)
		snprintf(c->advice, sizeof(c->advice), "power the host off and on; if the card "
			"stays away, reseat it");
}

static void gather(const struct reset *r, const struct snapshot *s, struct reset_facts *out)
{
	mem_copy_text(out->firmware, sizeof(out->firmware), s->raw.attr[ATTR_TT_FW_BUNDLE_VER]);
	preflight_aer(r->config.bus, s->bdf, &out->aer);
}

static void conclude(struct reset *r, struct run *run, enum reset_verdict verdict,
	const char *reason)
{
	struct reset_card *c = run->card;

	c->verdict = verdict;
	c->took = clock_mono() - r->began;
	c->node_after = run->device->node;
	gather(r, &sampler_fleet(r->config.sampler)->chips[c->index], &c->after);
	mem_copy_text(c->reason, sizeof(c->reason), reason);
	mem_copy_text(c->note, sizeof(c->note), run->verify.note);
	advise(r, c);
	c->phase = RESET_OVER;
	note(r, "verdict", c);
	r->config.tell(r->config.arg, c, NULL);
}

static void give_order(struct reset *r, struct run *run, enum agent_order order);

static void fire(struct reset *r, struct run *run)
{
	if (r->is_stopped) {
		conclude(r, run, run->is_fired ? RESET_LOST : RESET_STOPPED,
			run->is_fired ? run->why : "stopped before it was reset");
		return;
	}
	enter(r, run->card, RESET_FIRE);
	run->is_fired = true;
	run->was_reset = false;
	note(r, "fire", run->card);
	give_order(r, run, AGENT_FIRE);
}

/* The rung did not help: the next one, or the end. */
static void next_rung(struct reset *r, struct run *run, const char *why)
{
	struct reset_card *c = run->card;

	size_t at = strlen(run->why);

	snprintf(run->why + at, sizeof(run->why) - at, "%s%s: %s", at ? "; " : "",
		plan_method_title(method_of(c)), why);
	if (c->rung + 1 < c->plan.n && !run->is_stuck && !r->is_stopped) {
		c->rung++;
		fire(r, run);
	} else {
		conclude(r, run, RESET_LOST, run->why);
	}
}

/* The process that acts for a card has died: once, a new one goes on where the card is. */
static void replace_agent(struct reset *r, struct run *run)
{
	struct error e = { 0 };

	child_end(&run->agent.child, 0);
	if (run->restarts++ > 0 ||
		agent_start(&run->agent, run->device, limit_of(r, run->card), &e) < 0) {
		finish_step(r, run->card, false, "the process that acts for this card ended");
		conclude(r, run, RESET_LOST, "the process that acts for this card ended");
		return;
	}
	finish_step(r, run->card, false, "its process was killed; another one goes on");
	enter(r, run->card, RESET_WAIT);
	give_order(r, run, AGENT_WAIT);
}

static void give_order(struct reset *r, struct run *run, enum agent_order order)
{
	struct error e = { 0 };

	if (run->agent.child.pid == 0 &&
		agent_start(&run->agent, run->device, watch_limit(r, run->card) /
			(r->config.hurry ? r->config.hurry : 1), &e) < 0) {
		finish_step(r, run->card, false, e.text);
		conclude(r, run, RESET_LOST, e.text);
		return;
	}
	if (agent_order(&run->agent, order, method_of(run->card)) < 0)
		replace_agent(r, run);
}

static void take_report(struct reset *r, struct run *run, const struct agent_report *report)
{
	struct reset_card *c = run->card;

	switch (report->order) {
	case AGENT_FIRE:
		finish_step(r, c, report->error == 0 && report->result == 0, report->text);
		/* It happens to this card too, whatever the driver said. */
		if (r->config.outside && method_of(c) == PLAN_OUTSIDE) {
			enter(r, c, RESET_OUTSIDE);
			break;
		}
		if (report->error < 0 && report->error != -ENODEV) {
			next_rung(r, run, report->text);
			break;
		}
		enter(r, c, RESET_WAIT);
		give_order(r, run, AGENT_WAIT);
		break;
	case AGENT_WAIT:
		run->was_reset = report->was_reset;
		if (!report->was_reset)
			mem_copy_text(run->cause, sizeof(run->cause), report->text);
		finish_step(r, c, report->was_reset, report->text);
		enter(r, c, RESET_REBIND);
		r->next_rescan = 0;
		break;
	case AGENT_POST:
		finish_step(r, c, report->error == 0 && report->result == 0, report->text);
		if (!run->was_reset) {
			next_rung(r, run, run->cause);
			break;
		}
		enter(r, c, RESET_VERIFY);
		run->verify = (struct verify){ .before = run->before,
			.require_links = r->config.require_links };
		run->alive = 0;
		break;
	}
}

static void take_reports(struct reset *r)
{
	struct agent_report report;

	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];
		int n = 0;

		while (run->card->phase != RESET_OVER && run->agent.child.fd >= 0 &&
			(n = agent_take(&run->agent, &report)) > 0)
			take_report(r, run, &report);
		if (n < 0 && run->card->phase >= RESET_FIRE && run->card->phase <= RESET_POST &&
			run->card->phase != RESET_OUTSIDE)
			replace_agent(r, run);
	}
}

static bool is_late(const struct reset_card *c)
{
	return clock_mono() - c->began > c->limit;
}

/* Calls of the driver that do not come back; the other phases look after themselves. */
static void check_limits(struct reset *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];
		struct reset_card *c = run->card;
		char text[200];

		if ((c->phase != RESET_FIRE && c->phase != RESET_POST) || !is_late(c))
			continue;
		snprintf(text, sizeof(text), "the driver has not come back from it for %.0f s; "
			"process %ld waits there and cannot be ended",
			(double)(clock_mono() - c->began) / CLOCK_SECOND,
			(long)run->agent.child.pid);
		run->is_stuck = true;
		finish_step(r, c, false, text);
		next_rung(r, run, text);
	}
}

static bool any_in(const struct reset *r, enum reset_phase phase)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == phase)
			return true;
	return false;
}

static void begin_outside(struct reset *r, struct outside_report *report)
{
	struct error e = { 0 };

	*report = (struct outside_report){ .is_over = true };
	r->is_outside = true;
	if (r->is_stopped)
		report->error = fail(&e, -EINTR, "stopped before it was reset");
	else
		report->error = outside_start(&r->outside, r->config.outside, &e);
	report->is_over = report->error < 0;
	mem_copy_text(report->text, sizeof(report->text), e.text);
}

/* It is done, or it failed: what may have been reset is watched, all are made usable again. */
static void end_outside(struct reset *r, const struct outside_report *report)
{
	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];
		bool fired = report->error == 0 || report->has_fired;

		if (run->card->phase != RESET_OUTSIDE)
			continue;
		finish_step(r, run->card, report->error == 0, report->text);
		if (!fired)
			mem_copy_text(run->cause, sizeof(run->cause), report->text);
		enter(r, run->card, fired ? RESET_WAIT : RESET_POST);
		give_order(r, run, fired ? AGENT_WAIT : AGENT_POST);
	}
}

/* Once every card's driver knows: one act for all of them. */
static void act_outside(struct reset *r)
{
	struct outside_report report = { 0 };

	if (!any_in(r, RESET_OUTSIDE) || any_in(r, RESET_NOTIFY) || any_in(r, RESET_FIRE))
		return;
	if (!r->is_outside)
		begin_outside(r, &report);
	while (!report.is_over)
		if (!outside_take(&r->outside, &report))
			return;
	end_outside(r, &report);
}

/* A card that left the bus may come back as another node; it is known by its BDF. */
static void rebind(struct reset *r)
{
	int64_t now = clock_mono();

	if (!any_in(r, RESET_REBIND) || now < r->next_rescan || r->is_sampling)
		return;
	r->next_rescan = now + RESCAN_EVERY;
	sampler_rescan(r->config.sampler, NULL);
	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];
		struct reset_card *c = run->card;
		char text[96] = "";

		if (c->phase != RESET_REBIND)
			continue;
		if (run->device->trouble != DEVICE_FINE) {
			if (!is_late(c))
				continue;
			snprintf(text, sizeof(text), "no node: %.80s", run->device->reason);
			finish_step(r, c, false, text);
			next_rung(r, run, run->was_reset ? text : run->cause);
			continue;
		}
		if (run->device->node != c->node_before)
			snprintf(text, sizeof(text), "now /dev/tenstorrent/%d, was %d",
				run->device->node, c->node_before);
		finish_step(r, c, true, text);
		enter(r, c, RESET_POST);
		give_order(r, run, AGENT_POST);
	}
}

static void verify_card(struct reset *r, struct run *run)
{
	const struct fleet *f = sampler_fleet(r->config.sampler);
	struct reset_card *c = run->card;
	bool whole = verify_take(&run->verify, &f->chips[c->index]);
	int64_t now = clock_mono();

	if (run->verify.is_alive && !run->alive)
		run->alive = now;
	if (whole) {
		finish_step(r, c, true, run->verify.note);
		conclude(r, run, RESET_RECOVERED, "");
		return;
	}
	/* What firmware that runs has not brought up by now does not come by waiting. */
	if (!is_late(c) && (!run->alive || r->config.require_links ||
		now - run->alive < SETTLE / (r->config.hurry ? r->config.hurry : 1)))
		return;
	finish_step(r, c, false, run->verify.missing);
	if (run->verify.is_alive)
		conclude(r, run, RESET_DEGRADED, run->verify.missing);
	else
		next_rung(r, run, run->verify.missing);
}

static void verify(struct reset *r)
{
	bool wanted[DEVICE_MAX] = { false };
	bool any = false;

	if (r->is_sampling) {
		if (sampler_collect(r->config.sampler) == 0)
			return;
		r->is_sampling = false;
		for (size_t i = 0; i < r->n; i++)
			if (r->cards[i].phase == RESET_VERIFY)
				verify_card(r, &r->runs[i]);
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == RESET_VERIFY)
			any = wanted[r->cards[i].index] = true;
	if (!any || clock_mono() < r->next_sample)
		return;
	r->next_sample = clock_mono() + SAMPLE_EVERY;
	sampler_select(r->config.sampler, wanted, DEVICE_MAX, "");
	sampler_refresh(r->config.sampler);
	r->is_sampling = sampler_begin(r->config.sampler) == 0;
}

/* Listeners get the time that their protocol grants them; without any nobody waits. */
static void notify(struct reset *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct reset_card *c = &r->cards[i];
		char text[64];

		if (c->phase != RESET_NOTIFY || (r->told && !is_late(c) && !r->is_stopped))
			continue;
		if (r->told) {
			snprintf(text, sizeof(text), "%zu listening program%s told", r->told,
				r->told == 1 ? "" : "s");
			finish_step(r, c, true, text);
		}
		fire(r, &r->runs[i]);
	}
}

bool reset_step(struct reset *r)
{
	notify(r);
	take_reports(r);
	check_limits(r);
	act_outside(r);
	rebind(r);
	verify(r);
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase != RESET_OVER)
			return false;
	return true;
}

size_t reset_fds(const struct reset *r, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n && n < max; i++)
		if (r->cards[i].phase != RESET_OVER && r->runs[i].agent.child.fd >= 0)
			fds[n++] = (struct pollfd){ .fd = r->runs[i].agent.child.fd,
				.events = POLLIN };
	if (any_in(r, RESET_OUTSIDE) && r->outside.child.fd > 2 && n < max)
		fds[n++] = (struct pollfd){ .fd = r->outside.child.fd, .events = POLLIN };
	if (r->is_sampling && n < max)
		fds[n++] = (struct pollfd){ .fd = sampler_fd(r->config.sampler),
			.events = POLLIN };
	return n;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int reset_wait_ms(const struct reset *r)
{
	int64_t at = INT64_MAX;
	int ms;

	for (size_t i = 0; i < r->n; i++) {
		const struct reset_card *c = &r->cards[i];

		if (c->phase != RESET_OVER)
			at = earlier(at, c->began + c->limit + CLOCK_MS);
	}
	if (any_in(r, RESET_NOTIFY) && !r->told)
		at = 0;
	if (any_in(r, RESET_REBIND) && !r->is_sampling)
		at = earlier(at, r->next_rescan);
	if (any_in(r, RESET_VERIFY) && !r->is_sampling)
		at = earlier(at, r->next_sample);
	ms = at == INT64_MAX ? 1000 : clock_poll_ms(at);
	if (r->is_sampling && sampler_wait_ms(r->config.sampler) < ms)
		ms = sampler_wait_ms(r->config.sampler);
	return ms;
}

void reset_stop(struct reset *r)
{
	r->is_stopped = true;
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
	gather(r, s, &c->before);
	run->verify.before = run->before;
	run->agent.child.fd = -1;
	enter(r, c, RESET_NOTIFY);
}

static int lock_all(struct reset *r, struct error *e)
{
	for (size_t i = 0; i < r->n; i++) {
		pid_t holder = 0;
		struct error why = { 0 };
		int err = device_lock(r->runs[i].device, &holder, &why);

		if (err == -EBUSY)
			return fail(e, err, "%s: a reset or burn-in has it already%s%.0ld",
				r->cards[i].bdf, holder ? ": process " : ", in another container",
				(long)holder);
		if (err < 0)
			return fail(e, err, "%s: %.200s", r->cards[i].bdf, why.text);
	}
	return 0;
}

int reset_open(const struct reset_config *config, struct reset **out, struct error *e)
{
	const struct fleet *f = sampler_fleet(config->sampler);
	struct reset *r = mem_calloc(1, sizeof(*r));
	int err;

	r->config = *config;
	r->n = config->plan->n;
	r->cards = mem_calloc(r->n + 1, sizeof(*r->cards));
	r->runs = mem_calloc(r->n + 1, sizeof(*r->runs));
	r->began = clock_mono();
	for (size_t i = 0; i < r->n; i++)
		init_card(r, i, &f->chips[config->plan->cards[i].index]);
	err = lock_all(r, e);
	if (err < 0) {
		reset_close(r);
		return err;
	}
	if (config->listeners)
		r->told = listeners_tell(config->listeners, LISTENERS_BEFORE);
	*out = r;
	return 0;
}

void reset_close(struct reset *r)
{
	if (!r)
		return;
	if (r->is_sampling)
		sampler_finish(r->config.sampler, NULL);
	if (r->config.listeners && r->told)
		listeners_tell(r->config.listeners, LISTENERS_AFTER);
	outside_end(&r->outside);
	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];

		if (run->is_stuck)
			child_leave(&run->agent.child);
		else
			child_end(&run->agent.child, 2 * CLOCK_SECOND);
		device_unlock(run->device);
		free(run->before);
	}
	free(r->runs);
	free(r->cards);
	free(r);
}
