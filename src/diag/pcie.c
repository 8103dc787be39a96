/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcie.c - the stage that moves data between host and cards: all cards at once, each in a
 * process of its own.
 */
#include "config.h"
#include "src/diag/diag.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/memory/card_memory.h"
#include "src/burnin/cards.h"
#include "src/card_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS 50

struct pcie_shared {
	struct card_transfer transfer;
	_Atomic uint8_t stop;
	_Atomic uint8_t over;
	int result;			/* 0 or -errno, when it is over */
	struct error error;
};

struct pcie_card {
	struct device *d;
	struct card_transfer_plan plan;
	struct pcie_shared *shared;
	struct card_process process;
	struct error why;		/* why it cannot be judged; text "": it can */
};

struct diag_pcie {
	size_t n;
	struct pcie_card *cards;
};

static bool pcie_goes_on(void *arg)
{
	const struct pcie_card *c = arg;

	return !atomic_load(&c->shared->stop);
}

static int pcie_work(void *arg, int fd)
{
	struct pcie_card *c = arg;
	struct pcie_shared *s = c->shared;
	int r = device_acquire_for(c->d, ACCESS_BURN, DEVICE_ACTIVE, &s->error);

	(void)fd;
	if (r == 0) {
		r = card_transfer_run(c->d, &c->plan, &s->transfer, pcie_goes_on, c, &s->error);
		device_release(c->d);
	}
	s->result = r;
	atomic_store(&s->over, true);
	return 0;
}

static void pcie_start(struct diag *d, const struct diag_part *p, struct pcie_card *c, int index)
{
	const struct session *s = &d->act.session;
	struct memory_channels known = { 0 };

	c->d = &s->bus->dev[index];
	c->shared = mem_share(sizeof(*c->shared));
	if (strcmp(bus_source(s->bus), "sim") == 0)
		fail_as(&c->why, CODE_SIMULATED, -EOPNOTSUPP, "the card is simulated: its memory "
			"cannot be written to");
	else if (memory_channels(&sampler_fleet(s->sampler)->chips[index], &known, &c->why) == 0)
		memory_channels_choose(&known, UINT32_MAX, false, &c->why);
	c->plan = (struct card_transfer_plan){ .enabled = known.enabled, .channels = known.usable,
		.kept = known.kept, .seed = (uint64_t)clock_real(), .duration = p->time };
	if (!*c->why.text)
		card_process_start(&c->process, s->bus, pcie_work, c, &c->why);
}

static bool pcie_turn(struct act *a)
{
	const struct diag_pcie *x = ((const struct diag *)a)->pcie;
	bool goes_on = false;

	for (size_t i = 0; i < x->n; i++) {
		struct pcie_card *c = &x->cards[i];

		goes_on = card_process_beat(&c->process, atomic_load(&c->shared->transfer.moved),
			&c->why) || goes_on;
	}
	return goes_on;
}

/* The first direction that is slower than its floor; NULL: both are fast enough, or have none. */
static const char *find_slow(const struct diag *d, const struct pcie_card *c, double rates[],
	uint32_t *floor)
{
	static const char *const ways[] = { "to", "from" };

	for (int way = 0; way < FLOORS_WAYS; way++)
		rates[way] = card_transfer_rate(&c->shared->transfer, (enum card_transfer_way)way) /
			1e6;
	for (int way = 0; way < FLOORS_WAYS; way++) {
		*floor = d->floors.pcie[c->d->chip][way];
		if (rates[way] < *floor)
			return ways[way];
	}
	return NULL;
}

static void pcie_judge_rates(struct diag *d, struct diag_part *p, const struct pcie_card *c)
{
	const struct card_transfer *t = &c->shared->transfer;
	const double mib = (double)(t->bytes[0] + t->bytes[1]) / (1 << 20);
	double rates[CARD_TRANSFER_WAYS];
	uint32_t floor;
	const char *slow = find_slow(d, c, rates, &floor);
	char rate[80];

	snprintf(rate, sizeof(rate), "%.1f MB/s to the card, %.1f MB/s from it", rates[0],
		rates[1]);
	if (burnin_is_timeless(d->act.session.bus))
		diag_add(d, p, c->d->index, HEALTH_SKIP, "no rate: the simulator has no real "
			"clock; %.1f MiB moved, every word compared", mib);
	else if (slow)
		diag_add(d, p, c->d->index, HEALTH_FAIL, "%s: the floor %s it is %u", rate, slow,
			floor);
	else
		diag_add(d, p, c->d->index, HEALTH_PASS, "%s; %.1f MiB through %d channels, "
			"every word compared", rate, mib, __builtin_popcount(t->done));
}

static void pcie_judge(struct diag *d, struct diag_part *p, const struct pcie_card *c)
{
	const struct card_transfer *t = &c->shared->transfer;
	const struct card_transfer_wrong *w = &t->first;
	const bool over = atomic_load(&c->shared->over);

	if (t->wrong > 0)
		diag_add(d, p, c->d->index, HEALTH_FAIL, "memory channel %u, 0x%llx: %08x came "
			"back, not %08x; %llu word%s wrong", w->channel,
			(unsigned long long)w->addr, w->got, w->want, (unsigned long long)t->wrong,
			t->wrong == 1 ? "" : "s");
	else if (*c->why.text || (over && c->shared->result < 0))
		diag_add(d, p, c->d->index, HEALTH_SKIP, "%s", *c->why.text ? c->why.text
			: c->shared->error.text);
	else if (d->act.was_stopped || !over)
		diag_add(d, p, c->d->index, HEALTH_SKIP, "%s", d->act.was_stopped ?
			"stopped before its end" : "it did not come to its end");
	else if (t->done != c->plan.channels)
		diag_add(d, p, c->d->index, HEALTH_SKIP, "%d of %d memory channels were reached",
			__builtin_popcount(t->done), __builtin_popcount(c->plan.channels));
	else
		pcie_judge_rates(d, p, c);
}

#define CARD_FIGURES(F) \
	F(INT, index, (), c->d->index) \
	F(TEXT, bus_id, (), c->d->bdf) \
	F(INT, bytes_to_card, (), t->bytes[CARD_TRANSFER_TO]) \
	F(INT, bytes_from_card, (), t->bytes[CARD_TRANSFER_FROM]) \
	F(RATE, mb_per_s_to_card, (), is_timeless ? 0 \
		: card_transfer_rate(t, CARD_TRANSFER_TO) / 1e6) \
	F(RATE, mb_per_s_from_card, (), is_timeless ? 0 \
		: card_transfer_rate(t, CARD_TRANSFER_FROM) / 1e6) \
	F(INT, floor_to_card, (.some = true), floor[FLOORS_TO_CARD]) \
	F(INT, floor_from_card, (.some = true), floor[FLOORS_FROM_CARD]) \
	F(INT, channels, (), __builtin_popcount(t->done)) \
	F(INT, wrong_words, (), t->wrong)
FIGURES(card, CARD_FIGURES, const struct pcie_card *c, const struct card_transfer *t,
	const uint32_t *floor, bool is_timeless)

#define PCIE_FIGURES(F) \
	F(LIST, cards, (.group = &card_figures), \
		for (size_t i = 0; i < x->n; i++) \
			card_add(v, &x->cards[i], &x->cards[i].shared->transfer, \
				d->floors.pcie[x->cards[i].d->chip], \
				burnin_is_timeless(d->act.session.bus)))
FIGURES(pcie, PCIE_FIGURES, const struct diag *d, const struct diag_pcie *x)

static void pcie_end(struct diag *d, struct diag_pcie *x)
{
	for (size_t i = 0; i < x->n; i++)
		atomic_store(&x->cards[i].shared->stop, true);
	for (size_t i = 0; i < x->n; i++)
		card_process_end(&x->cards[i].process, *x->cards[i].why.text);
	d->pcie = NULL;
}

void diag_run_pcie(struct diag *d, struct diag_part *p)
{
	struct diag_pcie x = { .cards = mem_calloc(d->n_cards, sizeof(*x.cards)) };
	struct figure_value value = { .nodes = NULL };

	diag_skip_out(d, p);
	d->pcie = &x;
	for (size_t i = 0; i < d->n_cards; i++)
		if (!*d->cards[i].out)
			pcie_start(d, p, &x.cards[x.n++], d->cards[i].index);
	act_turns(&d->act, pcie_turn, TURN_MS);
	pcie_end(d, &x);
	pcie_add(&value, d, &x);
	p->figures = figures_take(&value);
	for (size_t i = 0; i < x.n; i++) {
		pcie_judge(d, p, &x.cards[i]);
		mem_unshare(x.cards[i].shared, sizeof(*x.cards[i].shared));
	}
	free(x.cards);
}
