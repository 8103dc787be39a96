/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/diag/diag.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/burnin/run.h"
#include "src/health/judge.h"
#include "src/listed.h"
#include "src/loop.h"
#include "src/say.h"

#include <stdlib.h>

/* The stages in their order, and how much of each stage a level includes. */

#define S CLOCK_SECOND

const struct diag_stage diag_stages[DIAG_STAGES] = {
	[DIAG_HEALTH] = { "health", "host and cards by the checks of --health",
		"whatever shows under load alone", .run = diag_run_health },
	[DIAG_CHECK_MEMORY] = { "check-memory",
		"part of each memory channel read in four ways and compared; nothing is written",
		"memory that reads wrong the same each time, and all of it that was not read",
		.run = diag_run_check_memory },
	[DIAG_PCIE] = { "pcie",
		"pieces of the card's memory written, read back, compared and put back; the rates "
		"against their floors",
		"transfers that the card makes by itself, and a link that is slow but above its "
		"floor",
		.is_timed = true, .run = diag_run_pcie },
	[DIAG_BURN] = { "burn",
		"conv2d and matmul on all processors of the host that this process may use and all "
		"cores of the cards at once, every result compared",
		"faults that need longer, other operands or other temperatures; ethernet; the "
		"cards' other cores",
		.is_timed = true, .run = diag_run_burn },
	[DIAG_TEST_MEMORY] = { "test-memory",
		"part of each memory channel overwritten with patterns and compared through each "
		"endpoint; not put back",
		"cells that lose their data slowly, and all of the memory that was not written",
		.run = diag_run_test_memory },
	[DIAG_HEALTH_AFTER] = { "health-after", "the checks of --health again, after the load",
		"what a reset has hidden", .run = diag_run_health },
};

const struct diag_level diag_levels[] = {
	{ "some seconds", { [DIAG_HEALTH] = S, [DIAG_CHECK_MEMORY] = 3 * S, [DIAG_PCIE] = 2 * S },
		.reads = 1 << 20, .loads = false },
	{ "about 2 minutes", { [DIAG_HEALTH] = S, [DIAG_CHECK_MEMORY] = 10 * S,
		[DIAG_PCIE] = 5 * S, [DIAG_BURN] = 60 * S, [DIAG_TEST_MEMORY] = 30 * S,
		[DIAG_HEALTH_AFTER] = S },
		.reads = 4 << 20, .tests = 4 << 20, .loads = true },
	{ "about 15 minutes", { [DIAG_HEALTH] = S, [DIAG_CHECK_MEMORY] = 40 * S,
		[DIAG_PCIE] = 20 * S, [DIAG_BURN] = 600 * S, [DIAG_TEST_MEMORY] = 200 * S,
		[DIAG_HEALTH_AFTER] = S },
		.reads = 16 << 20, .tests = 32 << 20, .loads = true },
};

static enum exit_code diag_prepare(struct act *a)
{
	struct diag *d = (struct diag *)a;
	struct error e;

	d->level = &diag_levels[a->o->diag];
	d->checks = UINT64_MAX;
	if (a->o->checks && health_find(a->o->checks, &d->checks, &e) < 0) {
		say_as(e.word, "--checks: %s: tt-smi --health --checks help lists them all",
			e.text);
		return EXIT_USAGE;
	}
	floors_init(&d->floors);
	if (a->o->floors && floors_read(a->o->floors, &d->floors, &e) < 0)
		return session_fail_choice(&e);
	/* Accept cards that cannot be reset, and unsafe resets if no card is reset. */
	a->passes = 1u << PREFLIGHT_IMPOSSIBLE;
	if (!d->level->loads || a->o->no_reset)
		a->passes |= 1u << PREFLIGHT_UNSAFE;
	return EXIT_DONE;
}

static enum exit_code diag_choose(struct act *a)
{
	struct diag *d = (struct diag *)a;
	const struct fleet *f = sampler_fleet(a->session.sampler);

	if (a->o->devices && listed_has_moved(a->o, f, a->o->devices)) {
		say_as(CODE_MOVED_INDEX, "nothing was tested: " LISTED_HINT);
		return EXIT_REFUSED;
	}
	d->cards = mem_calloc(f->n + 1, sizeof(*d->cards));
	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && f->chips[i].local < 0 && !snapshot_is_given(&f->chips[i]))
			d->cards[d->n_cards++].index = (int)i;
	if (d->n_cards > 0)
		return EXIT_DONE;
	if (f->n == 0 || fleet_is_given(f))
		session_complain(&a->session);
	else
		say_as(CODE_NO_DEVICE, "none of these cards is here%s%s", *f->selection ? ": " : "",
			f->selection);
	return EXIT_NO_DEVICE;
}

/* A card that cannot be worked on is only looked at, and for that it is not taken. */
static enum exit_code diag_fit(struct act *a)
{
	struct diag *d = (struct diag *)a;
	const struct fleet *f = sampler_fleet(a->session.sampler);

	for (size_t i = 0; i < d->n_cards; i++) {
		const int index = d->cards[i].index;
		const struct device *device = &a->session.bus->dev[index];

		if (device->trouble != DEVICE_FINE)
			diag_leave_out(d, index, "%s", device->reason);
		else if (!snapshot_is_live(&f->chips[index]))
			diag_leave_out(d, index, "it cannot be read: %s", f->chips[index].reason);
		else if (snapshot_trouble(&f->chips[index]))
			diag_leave_out(d, index, "%s", snapshot_trouble(&f->chips[index]));
		else
			a->wanted[index] = true;
	}
	return EXIT_DONE;
}

static enum exit_code diag_start(struct act *a)
{
	struct diag *d = (struct diag *)a;
	struct error e;

	d->begun = clock_mono();
	d->real = clock_real();
	stop_take_keys(&a->stop);
	outlet_open(&d->out);
	for (int i = 0; i < DIAG_STAGES; i++) {
		const struct diag_stage *s = &diag_stages[i];

		if (d->level->times[i] > 0)
			d->parts[d->n_parts++] = (struct diag_part){ .stage = s,
				.time = s->is_timed && a->o->duration > 0 ? a->o->duration
					: d->level->times[i] };
	}
	/* The report that remains if we are killed. */
	d->worst = VERDICT_INCOMPLETE;
	d->code = EXIT_PARTIAL;
	if (a->reports && diag_write(d, true, &e) < 0) {
		a->reports = false;
		say_error(&e);
		return EXIT_FAILED;
	}
	diag_put_plan(d);
	return EXIT_DONE;
}

/* A card that died fails the stage that was the last to see it, also one that left it alone. */
static void note_deaths(struct diag *d, struct diag_part *p)
{
	struct error why;

	act_sample_last(&d->act);
	for (size_t i = 0; i < d->n_cards; i++)
		if (!*d->cards[i].out && act_card_died(&d->act, d->cards[i].index, &why))
			act_take_step(&d->act, d->cards[i].index, why.word, &diag_add(d, p,
				d->cards[i].index, VERDICT_FAIL, "%s", why.text)->next);
}

static enum exit_code diag_watch(struct act *a)
{
	struct diag *d = (struct diag *)a;

	for (size_t i = 0; i < d->n_parts; i++) {
		struct diag_part *p = &d->parts[i];
		const int64_t began = clock_mono();

		if (!a->was_stopped && !a->stop.asked)
			diag_look(d);
		if (a->was_stopped || a->stop.asked) {
			diag_add(d, p, DIAG_ALL, VERDICT_INCOMPLETE, "stopped before it began");
		} else {
			strbuf_printf(&d->out.text, "%s ...\n", p->stage->id);
			outlet_push(&d->out);
			p->stage->run(d, p);
			note_deaths(d, p);
		}
		p->took = clock_mono() - began;
		diag_put_part(d, p);
	}
	return EXIT_DONE;
}

static enum exit_code diag_judge(struct act *a)
{
	struct diag *d = (struct diag *)a;
	bool has_warned = false;

	d->worst = VERDICT_NONE;
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct diag_part *p = &d->parts[i];

		if (diag_result(p) > d->worst)
			d->worst = diag_result(p);
		for (size_t k = 0; k < p->n; k++)
			has_warned = has_warned || p->items[k].has_warned;
	}
	d->code = exit_of_verdict(a->o->strict && has_warned ? VERDICT_FAIL : d->worst);
	return EXIT_DONE;
}

/* Write the report before printing the verdict; if it cannot be written, that is a failure. */
static enum exit_code diag_report(struct act *a)
{
	struct diag *d = (struct diag *)a;
	struct error e;

	if (a->reports && diag_write(d, false, &e) < 0) {
		say_error(&e);
		d->code = exit_unwritten(d->code);
	}
	a->reports = false;
	diag_put_end(d);
	turn_end(&a->stop, &d->out);
	return d->code;
}

static void diag_leave(struct act *a)
{
	struct diag *d = (struct diag *)a;
	struct error e;

	d->begun = d->begun ? d->begun : clock_mono();
	d->real = d->real ? d->real : clock_real();
	d->worst = VERDICT_INCOMPLETE;
	d->code = a->code;
	if (diag_write(d, false, &e) < 0)
		say_error(&e);
	a->reports = false;
}

static void diag_end(struct act *a)
{
	struct diag *d = (struct diag *)a;

	for (size_t i = 0; i < d->n_parts; i++) {
		free(d->parts[i].items);
		figures_clear(&d->parts[i].figures);
	}
	free(d->cards);
	strbuf_clear(&d->request_cards);
}

/* Every level writes to the cards' memory, so none may run while another program has a card. */
static const struct act_taking taking = {
	.awaits_rest = true,
	.blocks = 1u << PREFLIGHT_BUSY | 1u << PREFLIGHT_UNSAFE | 1u << PREFLIGHT_IMPOSSIBLE,
	.hints = { [PREFLIGHT_UNSAFE] = BURNIN_NO_RESET },
};

static const struct act_steps steps = {
	.prepare = diag_prepare,
	.choose = diag_choose,
	.prove = act_prove_report,
	.fit = diag_fit,
	.start = diag_start,
	.watch = diag_watch,
	.judge = diag_judge,
	.report = diag_report,
	.leave = diag_leave,
	.end = diag_end,
};

const struct act_ops act_diag = {
	.kind = ACT_DIAG,
	.modes = 1ull << MODE_DIAG,
	.size = sizeof(struct diag),
	.taking = &taking,
	.steps = &steps,
};
