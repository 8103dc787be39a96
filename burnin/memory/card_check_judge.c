/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_check_judge.c - judges the counts of a check: how much was compared, whether a
 * difference is proof of a fault, and of which kind it is.
 */
#include "config.h"
#include "burnin/memory/card_check.h"

#include "device/kind.h"

#include <string.h>

#define VALUES_LEAST 16		/* different wrong bytes: more than a program writes by chance */

uint64_t card_check_blocks(enum device_chip chip, uint64_t size)
{
	const uint64_t whole = kind_of(chip)->dram_size;

	return (size && size < whole ? size + CARD_CHECK_BLOCK - 1 : whole) / CARD_CHECK_BLOCK;
}

void card_check_ask(const struct card_check_plan *p, enum device_chip chip, uint32_t left,
	struct ledger *l)
{
	const uint64_t n = (uint64_t)__builtin_popcount(p->channels | left);

	ledger_ask(l, LEDGER_CHANNELS, n);
	ledger_ask(l, LEDGER_ENDPOINTS, memory_kept_rest(&p->kept, p->channels | left));
	ledger_ask(l, LEDGER_BYTES, n * card_check_blocks(chip, p->size) *
		CARD_CHECK_BLOCK);
}

void card_check_count(const struct card_check_plan *p, const struct card_check *c,
	struct ledger *l)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_check_channel *m = &c->channel[i];

		if (!(p->channels >> i & 1))
			continue;
		ledger_count(l, LEDGER_CHANNELS, m->tested);
		ledger_count(l, LEDGER_ENDPOINTS, m->words ? memory_kept_rest(&p->kept,
			1u << i) : 0);
		ledger_count(l, LEDGER_BYTES, 4 * m->words);
	}
}

/* A late lane, with too many different wrong bytes for a program to have written them. */
static bool is_shown(const struct card_check_channel *c)
{
	unsigned late[2], most = 0;

	for (unsigned lane = 0; lane < MEMORY_LANES; lane++) {
		unsigned n = 0;

		for (unsigned i = 0; i < 4; i++)
			n += (unsigned)__builtin_popcountll(c->values[lane][i]);
		most = n > most ? n : most;
	}
	return most >= VALUES_LEAST && card_check_kind(c, late) == MEMORY_SHIFTED;
}

enum card_check_verdict card_check_judge(const struct card_check_channel *c, bool held)
{
	if (c->differ > 0)
		return c->confirmed && (!held || is_shown(c)) ? CARD_CHECK_DISAGREES
			: CARD_CHECK_CHANGED;
	return c->tested ? CARD_CHECK_AGREES : CARD_CHECK_UNTESTED;
}

/* The kind that all wrong lanes share; MEMORY_UNNAMED if they do not agree. */
enum memory_kind card_check_kind(const struct card_check_channel *c, unsigned late[2])
{
	enum memory_kind kind = MEMORY_FINE;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		unsigned one[2];
		const enum memory_kind is = memory_shift(&c->shifts, k, one);

		if (c->shifts.tried[k][0] + c->shifts.tried[k][1] == 0)
			continue;
		if (kind == MEMORY_FINE)
			memcpy(late, one, sizeof(one));
		kind = kind == MEMORY_FINE || (kind == is && (kind != MEMORY_SHIFTED ||
			memcmp(late, one, sizeof(one)) == 0)) ? is : MEMORY_UNNAMED;
	}
	return c->differ > 0 && kind == MEMORY_FINE ? MEMORY_UNNAMED : kind;
}

int card_check_endpoint(const struct card_check_channel *c)
{
	int one = -1;

	for (int p = 0; p < MEMORY_PORTS; p++)
		if (c->alone[p] > 0) {
			if (one >= 0)
				return -1;
			one = p;
		}
	return one >= 0 && c->alone[one] == c->differ ? one : -1;
}
