/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act.c - orders each card's process to take the dangerous steps, rung by rung, then finds and
 * verifies the card.
 */
#include "config.h"

#include "act/hold.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "device/bus.h"
#include "reset/run.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ASKER_ENDED "its process was killed"
#define RESTARTS  5	/* of a card's process; more would be of no use either */
#define LONG_TAKE (9 * CLOCK_SECOND)	/* its process waits 8 s at most, unless the kernel does */

static void run_next_rung(struct reset *r, struct run *run, enum code code, const char *why);
static void replace_agent(struct reset *r, struct run *run);

/*
 * We lack a resource.  That says nothing about the card, and no other method of reset
 * would help.  If a reset was begun, its outcome is not known.
 */
static void conclude_want(struct reset *r, struct run *run, const char *text)
{
	run_conclude(r, run, run->is_touched ? RESET_UNKNOWN : RESET_REFUSED, text);
}

/* Start its process anew; false: we cannot, and its reset is over. */
static bool start_agent(struct reset *r, struct run *run)
{
	struct error e = { 0 };

	if (agent_start(&run->agent, run->device, AGENT_ALONE, r->config.shares, &e) == 0)
		return true;
	run_end_phase(r, run->card, e.word, e.text);
	conclude_want(r, run, e.text);
	return false;
}

static void give_order(struct reset *r, struct run *run, enum agent_order order)
{
	const enum plan_method method = run_method(run->card);

	if (run->agent.pid == 0 && !start_agent(r, run))
		return;
	if (agent_order(&run->agent, order, method,
		reset_phase_limit(RESET_WAIT, method, r->config.outside, false)) == 0)
		return;
	/* The process was killed while it waited: nothing was done yet. */
	if (order <= AGENT_FIRE && run->restarts == 0) {
		run->restarts++;
		child_end(&run->agent, 0);
		give_order(r, run, order);
	} else {
		replace_agent(r, run);
	}
}

/* Whether the board's controller has, or is about to have, such an order for another chip of it. */
static bool board_has(const struct reset *r, const struct run *run,
	bool (*order)(const struct run *))
{
	for (size_t i = 0; i < r->n; i++)
		if (&r->runs[i] != run && r->runs[i].board == run->board &&
			run_method(&r->cards[i]) == PLAN_DMC && order(&r->runs[i]))
			return true;
	return false;
}

static bool is_given(const struct run *run)
{
	return run->card->phase == RESET_FIRE;
}

static bool was_taken(const struct run *run)
{
	return run->is_fired && !run->is_refused && run->is_touched;
}

/*
 * Watch for its reset, and then complete it, once no such order is under way: it takes this chip
 * off the bus as well, and what POST_RESET restored before would be lost.
 */
static void watch(struct reset *r, struct run *run)
{
	run_enter(r, run->card, RESET_WAIT);
	run->is_watched = !board_has(r, run, is_given);
	if (run->is_watched)
		give_order(r, run, AGENT_WAIT);
}

/* No order of its board is under way any more: watch it, unless none was taken. */
static void go_on_watching(struct reset *r, struct run *run)
{
	if (run->is_refused && !board_has(r, run, was_taken)) {
		run_next_rung(r, run, run->cause_code, run->cause);
		return;
	}
	run->is_touched = true;
	watch(r, run);
}

/* Note why this rung did not reset the card. */
static void blame(struct run *run, enum code code, const char *text)
{
	run->cause_code = code;
	mem_copy_text(run->cause, sizeof(run->cause), text);
}

/* Its order was refused; true: its board's other half has one, or may get one, that resets both. */
static bool is_reset_all_the_same(struct reset *r, struct run *run, enum code code,
	const char *text)
{
	if (run_method(run->card) != PLAN_DMC ||
		!(board_has(r, run, is_given) || board_has(r, run, was_taken)))
		return false;
	blame(run, code, text);
	run->is_refused = true;
	run_enter(r, run->card, RESET_WAIT);
	run->is_watched = false;
	return true;
}

/* All processes were started before the first card is touched; until now they only waited. */
void run_fire(struct reset *r, struct run **runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct run *run = runs[i];

		run->take = RUN_TAKING;
		run->is_fired = true;
		run->was_reset = run->is_open = run->is_refused = run->is_cut = false;
		run_log(r, "fire", run);
	}
	if (r->config.log && n > 0)
		log_sync(r->config.log);
	for (size_t i = 0; i < n; i++) {
		run_enter(r, runs[i]->card, RESET_FIRE);
		give_order(r, runs[i], AGENT_TAKE);
	}
}

/* Its process could not take it, or that of another card: no method is tried (any more). */
static void deny(struct reset *r, struct run *run, const struct run *denied)
{
	char text[176];

	child_end(&run->agent, 0);
	if (run == denied)
		mem_copy_text(text, sizeof(text), run->cause);
	else
		snprintf(text, sizeof(text), "not fired: card %d is in use", denied->card->index);
	run_end_phase(r, run->card, CODE_HELD, text);
	run->card->plan.n = run->card->rung + 1;
	run_next_rung(r, run, CODE_HELD, text);
}

static void fire_one(struct reset *r, struct run *run, const struct run *denied)
{
	if (run->take == RUN_DENIED) {
		deny(r, run, run);
	} else if (denied && !r->config.shares &&
		(!run->is_touched || run->board == denied->board)) {
		deny(r, run, denied);
	} else if (r->is_stopped && !run->is_touched) {
		child_end(&run->agent, 0);
		run_conclude(r, run, RESET_STOPPED, "stopped before it was reset");
	} else {
		run->take = RUN_FIRED;
		run_enter(r, run->card, RESET_FIRE);
		give_order(r, run, AGENT_FIRE);
	}
}

/*
 * Fire when the process of each card has taken it, or hangs in that.  If one cannot be taken, fire
 * none that was not reset yet, and none of its board: one order may reset several.
 */
static void fire_taken(struct reset *r)
{
	const struct run *denied = NULL;

	for (size_t i = 0; i < r->n; i++) {
		if (r->cards[i].phase != RESET_FIRE)
			continue;
		if (r->runs[i].take == RUN_TAKING && clock_mono() - r->cards[i].began < LONG_TAKE)
			return;
		if (r->runs[i].take == RUN_DENIED)
			denied = &r->runs[i];
	}
	for (size_t i = 0; i < r->n; i++) {
		const enum run_take take = r->runs[i].take;

		if (r->cards[i].phase == RESET_FIRE && take != RUN_TAKING && take != RUN_FIRED)
			fire_one(r, &r->runs[i], denied);
	}
}

/* This rung did not help: try the next one, or conclude. */
static void run_next_rung(struct reset *r, struct run *run, enum code code, const char *why)
{
	struct reset_card *c = run->card;

	c->code = code;
	text_join(run->why, sizeof(run->why), "; ", "%s: %s", plan_method_title(run_method(c)),
		why);
	if (c->rung + 1 < c->plan.n && !run->is_stuck && !r->is_stopped) {
		c->rung++;
		run_fire(r, &run, 1);
	} else {
		run_conclude(r, run, run->is_touched ? RESET_LOST : RESET_REFUSED, run->why);
	}
}

static void run_post(struct reset *r, struct run *run)
{
	run_enter(r, run->card, RESET_POST);
	give_order(r, run, AGENT_POST);
}

/*
 * A card's process has died.  Start a new one that goes on in the card's phase: without it the
 * driver would keep the card closed.
 */
static void replace_agent(struct reset *r, struct run *run)
{
	struct reset_card *c = run->card;
	const bool had_fired = c->phase != RESET_FIRE || run->take == RUN_FIRED;
	const char *ended;

	child_end(&run->agent, 0);
	/* Its handle went with it; the next process has one that keeps nobody away. */
	if (had_fired && c->phase < RESET_VERIFY && c->guard == RESET_EXCLUSIVE)
		c->guard = RESET_OPEN;
	/* It may have begun whatever it was ordered to do. */
	run->is_touched |= had_fired;
	run->is_cut |= c->phase == RESET_FIRE;
	if (run->restarts++ >= RESTARTS) {
		ended = run->is_touched ? "the processes that act for this card are killed; the "
			"driver may keep it closed until its next reset"
			: "the processes that act for this card are killed";
		run_end_phase(r, c, CODE_LOAD_ENDED, ended);
		run_conclude(r, run, run->is_touched ? RESET_LOST : RESET_REFUSED, ended);
		return;
	}
	if (!start_agent(r, run))
		return;
	run_end_phase(r, c, CODE_LOAD_ENDED, "its process was killed; another one goes on");
	if (!had_fired)
		run_fire(r, &run, 1);
	else if (c->phase == RESET_REBIND)
		run_enter(r, c, RESET_REBIND);
	else if (c->phase == RESET_POST && run->was_reset)
		run_post(r, run);
	else
		watch(r, run);
}

static void begin_verify(struct reset *r, struct run *run)
{
	run_enter(r, run->card, RESET_VERIFY);
	run->verify = (struct verify){ .before = run->before, .since = run->card->began,
		.require_links = r->config.require_links,
		.is_still = bus_is_still(r->config.bus) };
	run->second_verify = run->verify;
	run->second_verify.before = run->second_before;
	run->verify.was_heard = run_method(run->card) == PLAN_TENSIX && run->was_reset;
	run->alive = 0;
	run->ask = ASK_NOT_YET;
	run->mute[0] = run->unasked[0] = '\0';
}

/*
 * If the card was reset, or was left alone from outside, verify it.  If its process was killed
 * before it fired, fire again, unless that resets other cards as well; else try the next rung.
 */
static void end_rung(struct reset *r, struct run *run)
{
	const enum plan_method method = run_method(run->card);

	if (run->was_reset || run->is_left)
		begin_verify(r, run);
	else if (run->is_cut && !r->is_stopped && method != PLAN_DMC && method != PLAN_OUTSIDE)
		run_fire(r, &run, 1);
	else
		run_next_rung(r, run, run->cause_code, run->cause);
}

static void end_ask(struct run *run, bool is_mute, const char *text)
{
	run->ask = ASK_OVER;
	mem_copy_text(is_mute ? run->mute : run->unasked, sizeof(run->mute), text);
}

static void take_report(struct reset *r, struct run *run, const struct agent_report *report)
{
	struct reset_card *c = run->card;

	switch (report->order) {
	case AGENT_TAKE:
		c->guard = report->guard;
		/* Any other failure is that of the order to fire. */
		run->take = report->error == -EALREADY ? RUN_DENIED : RUN_TAKEN;
		if (run->take == RUN_DENIED)
			blame(run, report->code, report->text);
		break;
	case AGENT_FIRE:
		c->guard = report->guard;
		run->is_touched |= report->has_begun;
		run->refusal = report->error;
		run_end_phase(r, c, report->code, report->text);
		/* The reset from outside happens to this card too, whatever the driver said. */
		if (r->config.outside && run_method(c) == PLAN_OUTSIDE) {
			run_enter(r, c, RESET_OUTSIDE);
			break;
		}
		if (report->error < 0 && !report->has_begun &&
			is_reset_all_the_same(r, run, report->code, report->text))
			break;
		if (want_is(report->error) && !report->has_begun) {
			conclude_want(r, run, report->text);
			break;
		}
		/* Another program is resetting the card: other methods would fail the same way. */
		if (report->error == -EALREADY)
			c->plan.n = c->rung + 1;
		if (report->error < 0 && report->error != -ENODEV) {
			run_next_rung(r, run, report->code, report->text);
			break;
		}
		watch(r, run);
		break;
	case AGENT_WAIT:
		run->was_reset = report->was_reset;
		if (!report->was_reset)
			blame(run, report->code, report->text);
		run_end_phase(r, c, report->code, report->text);
		/* It never left the bus, and the driver does not know about this reset. */
		if (run_method(c) == PLAN_TENSIX) {
			end_rung(r, run);
			break;
		}
		run_enter(r, c, RESET_REBIND);
		r->next_rescan = 0;
		break;
	case AGENT_POST:
		run_end_phase(r, c, report->code, report->text);
		run->is_open = report->error == 0;
		if (want_is(report->error))
			conclude_want(r, run, report->text);
		else
			end_rung(r, run);
		break;
	case AGENT_ASK:
		end_ask(run, report->is_mute, report->text);
		break;
	}
}

void run_take_reports(struct reset *r)
{
	struct agent_report report;

	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];
		int n = 0;

		while (run_has_order(run) && (n = agent_take(&run->agent, &report)) > 0)
			take_report(r, run, &report);
		if (n < 0 && run->ask == ASK_SENT)
			end_ask(run, false, ASKER_ENDED);
		else if (n < 0 && run->card->phase == RESET_OUTSIDE)
			child_end(&run->agent, 0);
		else if (n < 0 && run_is_acting(run->card))
			replace_agent(r, run);
	}
	fire_taken(r);
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == RESET_WAIT && !r->runs[i].is_watched &&
			!board_has(r, &r->runs[i], is_given))
			go_on_watching(r, &r->runs[i]);
}

/* Check for driver calls that do not return; the other phases check their own limits. */
void run_check_limits(struct reset *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];
		struct reset_card *c = run->card;
		char text[160];

		if (clock_mono() < run_due(run))
			continue;
		snprintf(text, sizeof(text), "process %ld has not come back from the kernel "
			"for %.0f s and cannot be ended", (long)run->agent.pid,
			(double)(clock_mono() - c->began) / CLOCK_SECOND);
		run->is_stuck = run->is_touched = true;
		run_end_phase(r, c, CODE_TIMEOUT, text);
		run_next_rung(r, run, CODE_TIMEOUT, text);
	}
}

static void begin_outside(struct reset *r, struct outside_report *report)
{
	struct error e = { 0 };

	*report = (struct outside_report){ .kind = OUTSIDE_OVER };
	r->is_outside = true;
	if (r->is_stopped)
		report->error = fail(&e, -EINTR, "stopped before it was reset");
	else
		report->error = outside_start(&r->outside, r->config.outside, &e);
	if (report->error == 0)
		report->kind = OUTSIDE_SAYS;
	report->code = report->error ? e.word : CODE_NONE;
	mem_copy_text(report->text, sizeof(report->text), e.text);
}

/* It is done, or it failed: watch the cards if they may have been reset; make all usable again. */
static void end_outside(struct reset *r, const struct outside_report *report)
{
	bool fired = report->error == 0 || report->has_fired;

	for (size_t i = 0; i < r->n; i++) {
		struct run *run = &r->runs[i];

		if (run->card->phase != RESET_OUTSIDE)
			continue;
		run_end_phase(r, run->card, report->code, report->text);
		run->is_left = !fired;
		if (!fired)
			blame(run, report->code, report->text);
		if (fired)
			watch(r, run);
		else
			run_post(r, run);
	}
}

/* Once the driver was notified for every card, run one act for all of them. */
void run_outside(struct reset *r)
{
	struct outside_report report = { 0 };

	if (!run_any_in(r, RESET_OUTSIDE) || run_any_in(r, RESET_NOTIFY) ||
		run_any_in(r, RESET_FIRE))
		return;
	if (!r->is_outside)
		begin_outside(r, &report);
	while (report.kind != OUTSIDE_OVER)
		if (!outside_take(&r->outside, &report))
			return;
	end_outside(r, &report);
}

bool reset_is_outside(const struct reset *r)
{
	return run_any_in(r, RESET_OUTSIDE) && r->outside.child.pid && !r->outside.is_over;
}

void reset_leave_outside(struct reset *r)
{
	struct outside_report report;

	if (!reset_is_outside(r))
		return;
	outside_leave(&r->outside, &report);
	end_outside(r, &report);
}

/*
 * The way back: a card is found again after its reset, and verified sample by sample.
 *
 * If the caller itself samples all the time, as the live display does, its ticks
 * are the evidence, and no tick is begun here.
 */

#define SAMPLE_EVERY (20 * CLOCK_MS)
#define RESCAN_EVERY (20 * CLOCK_MS)
#define BUSY_HOST    (30 * CLOCK_SECOND)	/* more, until a busy host has read a card twice */
#define SETTLE	     (5 * CLOCK_SECOND)	/* for memory and link to come up once firmware runs */
#define ASK_LIMIT    (10 * CLOCK_SECOND)

/* A board that came since at another address and has this card's serial, or NULL. */
static const struct snapshot *find_moved(struct reset *r, const struct run *run)
{
	const struct fleet *f = sampler_fleet(r->config.sampler);
	const uint64_t serial = snapshot_serial(run->before);

	if (!serial || f->n == r->n_chips)
		return NULL;
	/* This is once for a card that is late: the others have processes of their own. */
	if (!r->config.shared_interval) {
		sampler_select(r->config.sampler, NULL, 0, "");
		sampler_tick(r->config.sampler, NULL);
	}
	for (size_t i = r->n_chips; i < f->n; i++)
		if (f->chips[i].local < 0 && snapshot_is_live(&f->chips[i]) &&
			snapshot_serial(&f->chips[i]) == serial)
			return &f->chips[i];
	return NULL;
}

static void rebind_card(struct reset *r, struct run *run)
{
	struct reset_card *c = run->card;
	const struct snapshot *moved;
	char text[96] = "";

	if (run->device->trouble != DEVICE_FINE) {
		if (!run_is_late(c))
			return;
		moved = find_moved(r, run);
		if (moved) {
			snprintf(text, sizeof(text), "it is at %s now (card %d), and was not "
				"verified there", moved->bdf, moved->index);
			run->has_moved = true;
			run_end_phase(r, c, CODE_MOVED_INDEX, text);
			run_conclude(r, run, RESET_DEGRADED, text);
			return;
		}
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

	/* Which board it is, and that it has a second chip, may be known only now. */
	if (run->second < 0)
		run->second = run_find_second(f, run->card->index);
	if (run->second < 0 || (size_t)run->second >= f->n)
		return true;
	now = &f->chips[run->second];
	if (now->health == SNAPSHOT_NOT_READ) {
		snprintf(v->note, sizeof(v->note), "not verified: %.120s", now->reason);
		if (v->require_links)
			snprintf(v->unproved, sizeof(v->unproved), "the ethernet links cannot be "
				"checked: not read");
		return true;
	}
	return verify_take(v, now);
}

/* A card that its controller did not reset was sampled too: its reason says how it is. */
static void conclude_left(struct reset *r, struct run *run, const char *missing)
{
	char why[540];

	snprintf(why, sizeof(why), "%s; %s%s", run->cause, *missing ? "the card is not as it was: "
		: "the card is as it was", missing);
	run_next_rung(r, run, run->cause_code, why);
}

/* Send the firmware a message, once; false: there is no answer yet. */
static bool has_asked(struct reset *r, struct run *run)
{
	if (run->is_left || run->verify.is_still || run->verify.was_heard)
		return true;
	if (run->ask == ASK_NOT_YET && agent_order(&run->agent, AGENT_ASK, run_method(run->card),
		0) < 0) {
		end_ask(run, false, ASKER_ENDED);
	} else if (run->ask == ASK_NOT_YET) {
		run->ask = ASK_SENT;
		run->asked = clock_mono();
	} else if (run->ask == ASK_SENT && clock_mono() - run->asked > ASK_LIMIT +
		r->config.shared_interval) {
		end_ask(run, true, "the driver has not come back from a message to the firmware");
		run->is_stuck = true;
	}
	return run->ask == ASK_OVER;
}

/* Nothing is missing.  What was required and cannot be checked is still no recovery. */
static void conclude_well(struct reset *r, struct run *run)
{
	char unproved[320];

	if (*run->mute) {
		run_end_phase(r, run->card, CODE_FIRMWARE_DOWN, run->mute);
		run_conclude(r, run, RESET_DEGRADED, run->mute);
		return;
	}
	if (*run->unasked)
		text_join(run->verify.note, sizeof(run->verify.note), "; ",
			"the firmware was not sent a message: %s", run->unasked);
	run_name_both(run, run->verify.unproved, run->second_verify.unproved, unproved,
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
		if (has_asked(r, run))
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
	run_name_both(run, run->verify.missing, run->second_verify.missing, missing,
		sizeof(missing));
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
	/* Scans of the bus need the sampler at rest, and must not wait for slow cards. */
	if (!run_any_in(r, RESET_VERIFY) || clock_mono() < r->next_sample ||
		(run_any_in(r, RESET_REBIND) && clock_mono() >= r->next_rescan))
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
