/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_kind.h"

#include "base/array.h"

/* A row that lacks a column is an error, whatever warnings the compiler is set to. */
#pragma GCC diagnostic error "-Wmissing-field-initializers"

static void card_kind_make_conv(struct card_work *w)
{
	w->taps = 3;
}

static void card_kind_make_matmul(struct card_work *w)
{
	w->taps = 1;
}

static uint64_t card_kind_cover_blocks(const struct card_core *c, enum card_kind k)
{
	return atomic_load(&c->blocks[k]);
}

const struct card_kind_ops card_kinds[] = {
	/* In the order of enum card_kind. */
	{ "conv2d", card_kind_make_conv, card_kind_cover_blocks, card_judge_blocks },
	{ "matmul", card_kind_make_matmul, card_kind_cover_blocks, card_judge_blocks },
};
_Static_assert(ARRAY_LEN(card_kinds) == CARD_KINDS, "each kind of work has a row");

const char *card_kind_name(enum card_kind k)
{
	return (size_t)k < CARD_KINDS ? card_kinds[k].name : "?";
}

size_t card_kinds_count(const struct card_burn_config *c)
{
	size_t n = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		n += c->kinds[k];
	return n;
}

bool card_kinds_compute(const struct card_burn_config *c)
{
	return c->reference || card_kinds_count(c) > 0;
}

void card_kinds_judge(const struct card_burn *b, struct card_result *r)
{
	if (b->config.reference)
		card_judge_blocks(b, r);
	for (int k = 0; k < CARD_KINDS; k++) {
		bool was_asked = false;

		for (int i = 0; i < k; i++)
			was_asked |= b->config.kinds[i] &&
				card_kinds[i].judge == card_kinds[k].judge;
		if (b->config.kinds[k] && !was_asked)
			card_kinds[k].judge(b, r);
	}
}
