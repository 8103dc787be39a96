/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_ledger.c - each item of work on a card's cores is requested from every live core, and
 * counts as done by a core only if its own counters show it.
 *
 * Time is counted by the caller's clock, from when all loads have begun until the caller ends
 * them: a child that wrongly believes it was told to stop has not done its time.
 */
#include "config.h"
#include "burnin/cores/card_ledger.h"

#include "burnin/cores/card_kind.h"
#include "burnin/cores/card_reference.h"

bool card_ledger_has_kind(const struct card_burn_config *c, int kind)
{
	for (int k = 0; c->first_light && k < kind; k++)
		if (c->kinds[k])
			return false;
	return c->kinds[kind];
}

static bool reloads(const struct card_burn_config *c)
{
	/* Operands that stay in the source registers cannot be reloaded. */
	return c->reload && c->channels && !c->held;
}

static uint64_t bits(uint32_t mask)
{
	return (uint64_t)__builtin_popcount(mask);
}

static void ask_end(const struct card_burn_config *c, struct ledger *l)
{
	if (c->first_light)
		ledger_ask(l, LEDGER_ROUNDS, CARD_LIGHT_STAGES);
	else
		ledger_ask(l, LEDGER_ROUNDS, c->iterations);
	ledger_ask(l, LEDGER_TIME, (uint64_t)c->duration);
}

static void ask_cores(const struct card_burn_config *c, uint64_t n, struct ledger *l)
{
	ledger_ask(l, LEDGER_CORES, n);
	ledger_ask(l, LEDGER_IDENTITIES, n);
	ledger_ask(l, LEDGER_KINDS, n * (c->first_light ? 1 : card_kinds_count(c)));
	if (c->bursts || reloads(c))
		ledger_ask(l, LEDGER_MOVERS, n);
	if (c->vector)
		ledger_ask(l, LEDGER_VECTORS, n);
	if (reloads(c))
		ledger_ask(l, LEDGER_RELOADS, n);
	if (!c->bursts)
		return;
	ledger_ask(l, LEDGER_CHANNELS, bits(c->channels | c->memory_left));
	ledger_ask(l, LEDGER_ENDPOINTS, memory_kept_rest(&c->kept, c->channels | c->memory_left));
}

void card_ledger_ask(const struct card_burn_config *c, struct ledger *l)
{
	struct card_tile tiles[CARD_TILES];

	if (c->reference)
		ledger_ask(l, LEDGER_WORDS, card_reference_words(c->reference));
	if (card_kinds_count(c) == 0 && c->memory.channels == 0)
		return;
	ask_end(c, l);
	/* If the firmware has to be asked which rows are off, card_ledger_count() does this. */
	if (card_kinds_count(c) > 0 && !c->asks_off)
		ask_cores(c, card_tiles(c->device->chip, c->off, tiles), l);
	if (card_kinds_count(c) == 0)
		card_memory_ask(&c->memory, c->memory_left, l);
}

static void count_core(const struct card_burn_config *c, const struct card_core *core,
	struct ledger *l)
{
	const uint64_t starts = atomic_load(&core->starts);
	bool compared = false;
	uint64_t blocks = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		blocks += atomic_load(&core->blocks[k]);
	for (int k = 0; k < CARD_KINDS; k++) {
		if (!card_ledger_has_kind(c, k) ||
			card_kinds[k].cover(core, (enum card_kind)k) == 0)
			continue;
		ledger_count(l, LEDGER_KINDS, 1);
		compared = atomic_load(&core->rechecked) > 0;
	}
	ledger_count(l, LEDGER_CORES, compared);
	ledger_count(l, LEDGER_IDENTITIES, starts > 0 && atomic_load(&core->named) == starts);
	if (c->bursts || reloads(c))
		ledger_count(l, LEDGER_MOVERS, atomic_load(&core->moved) > 0 &&
			atomic_load(&core->lame) == 0);
	if (c->vector)
		ledger_count(l, LEDGER_VECTORS, blocks > 0 &&
			atomic_load(&core->vectors) >= c->vector * blocks);
	if (reloads(c))
		ledger_count(l, LEDGER_RELOADS, atomic_load(&core->brought) > 0 &&
			atomic_load(&core->dry) == 0);
}

static void count_channels(const struct card_shared *s, struct ledger *l)
{
	for (size_t n = 0; n < KERNEL_CHANNELS_MAX; n++) {
		ledger_count(l, LEDGER_CHANNELS, atomic_load(&s->channels[n].words) > 0 &&
			atomic_load(&s->channels[n].missed) == 0);
		for (int p = 0; p < MEMORY_PORTS; p++)
			ledger_count(l, LEDGER_ENDPOINTS, atomic_load(&s->ports[n][p].words) > 0);
	}
}

/* A round of --iterations covers all kinds, so the slowest kind decides. */
static void count_end(const struct card_burn *b, struct ledger *l)
{
	const uint64_t kinds = card_kinds_count(&b->config);
	const uint64_t rounds = atomic_load(&b->shared->rounds);

	if (kinds == 0)
		ledger_count(l, LEDGER_ROUNDS, b->shared->memory.iterations);
	else
		ledger_count(l, LEDGER_ROUNDS, b->config.first_light ? rounds : rounds / kinds);
	ledger_count(l, LEDGER_TIME, (uint64_t)b->lasted);
	ledger_choose_end(l);
}

void card_ledger_count(const struct card_burn *b, struct ledger *l)
{
	const struct card_burn_config *c = &b->config;
	struct card_tile tiles[CARD_TILES];
	const size_t n = card_cores(b->shared);

	*l = b->asked;
	if (c->computes_nothing)
		return;
	if (c->reference) {
		ledger_count(l, LEDGER_WORDS, atomic_load(&b->shared->agreed));
		return;
	}
	if (card_kinds_count(c) > 0 && c->asks_off)
		ask_cores(c, card_tiles(c->device->chip, atomic_load(&b->shared->off), tiles), l);
	count_end(b, l);
	for (size_t i = 0; i < n; i++)
		count_core(c, &b->shared->cores[i], l);
	if (c->bursts)
		count_channels(b->shared, l);
	if (card_kinds_count(c) == 0)
		card_memory_count(&c->memory, &b->shared->memory, l);
}
