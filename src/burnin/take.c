/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take.c - cards are taken before anything is burnt: what cannot be had
 * of one of them ends the program while nothing has happened yet.
 */
#include "config.h"
#include "src/burnin/cards.h"

#include "base/clock.h"
#include "base/mem.h"
#include "reset/reset.h"
#include "src/burnin/reset.h"
#include "src/say.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define HOLDERS (5 * CLOCK_SECOND)	/* until it is known who holds a card */
#define FRESH	(5 * CLOCK_SECOND)	/* until a sample of all cards is there */
#define TURN_MS 50

/* Their list is made beside the first sample, and may come after it. */
static void await_holders(const struct burnin_run *r)
{
	const int64_t until = clock_steady() + HOLDERS;

	while (*sampler_fleet(r->session.sampler)->processes_unknown && clock_steady() < until) {
		poll(NULL, 0, TURN_MS);
		sampler_tick(r->session.sampler, NULL);
	}
}

/* A sample that a busy machine did not get in time leaves values of the one before it. */
void burnin_await_fresh(const struct burnin_run *r)
{
	const int64_t until = clock_steady() + FRESH;
	bool is_stale = true;

	while (is_stale && clock_steady() < until) {
		const struct fleet *f = sampler_fleet(r->session.sampler);
		const struct burnin_target *t;

		is_stale = false;
		for (size_t i = 0; (t = burnin_next_card(r, &i));)
			is_stale = is_stale || f->chips[t->card->index].r[FIELD_DRAM_TRAINED].
				state == READING_STALE;
		if (!is_stale)
			break;
		poll(NULL, 0, TURN_MS);
		sampler_tick(r->session.sampler, NULL);
	}
}

/* Processes that hold a card, and what makes its reset unsafe; false: it is not burnt. */
static bool check_use(const struct burnin_run *r)
{
	struct preflight *p = mem_calloc(1, sizeof(*p));
	struct plan *plan = mem_calloc(1, sizeof(*plan));
	const struct burnin_target *t;
	bool ok;

	await_holders(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		plan->cards[plan->n++].index = t->card->index;
	preflight_check(p, plan, r->session.bus, sampler_fleet(r->session.sampler),
		&r->session.host);
	ok = p->count[PREFLIGHT_BUSY] == 0 && p->count[PREFLIGHT_IMPOSSIBLE] == 0 &&
		(!r->resets || p->count[PREFLIGHT_UNSAFE] == 0);
	for (size_t i = 0; !ok && i < p->n; i++) {
		const struct preflight_note *n = &p->notes[i];

		if (n->weight >= PREFLIGHT_BUSY && n->index >= 0)
			say("%d %s: %s", n->index, r->session.bus->dev[n->index].bdf, n->text);
		else if (n->weight >= PREFLIGHT_BUSY)
			say("%s", n->text);
	}
	if (!ok)
		say("nothing was burnt%s", p->count[PREFLIGHT_BUSY] ? "" :
			" (--no-reset burns without a reset before and after)");
	free(p);
	free(plan);
	return ok;
}

static bool take_all(struct burnin_run *r)
{
	bool wanted[DEVICE_MAX] = { false };
	const struct burnin_target *t;
	struct error e = { 0 };

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		wanted[t->card->index] = true;
	if (hold_take(&r->hold, r->session.bus, wanted, &e) == 0 &&
		hold_ask_driver(&r->hold, &e) == 0)
		return true;
	say("%s; nothing was burnt", e.text);
	return false;
}

void burnin_judge_resets(struct burnin_run *r, int when)
{
	struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		const struct burnin_reset *x = &t->card->reset[when];
		const bool acted = x->verdict == RESET_DEGRADED || x->verdict == RESET_LOST;
		char before[sizeof(t->result.reason)];

		if (!x->done || x->verdict == RESET_RECOVERED)
			continue;
		mem_copy_text(before, sizeof(before), t->result.reason);
		burnin_leave_out(t, acted || t->result.verdict == BURN_FAIL ? BURN_FAIL :
			BURN_INCOMPLETE, "%.150s%sthe reset %s the burn: %s%s%.120s", before,
			*before ? "; " : "", when == BURNIN_BEFORE ? "before" : "after",
			reset_verdict_name((enum reset_verdict)x->verdict),
			*x->reason ? ": " : "", x->reason);
		t->card->is_unfit = true;
	}
}

static void keep_before(struct burnin_run *r)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);

	r->before = mem_calloc(DEVICE_MAX, sizeof(*r->before));
	memcpy(r->before, f->chips, f->n * sizeof(*r->before));
}

enum exit_code burnin_take_cards(struct burnin_run *r)
{
	size_t i = 0;

	if (!burnin_next_card(r, &i))
		return EXIT_DONE;
	if (!take_all(r) || !check_use(r) || (r->resets && !burnin_may_reset(r)))
		return EXIT_REFUSED;
	if (!r->resets)
		return EXIT_DONE;
	if (burnin_reset(r, BURNIN_BEFORE) < 0)
		return EXIT_REFUSED;
	burnin_judge_resets(r, BURNIN_BEFORE);
	keep_before(r);
	return EXIT_DONE;
}
