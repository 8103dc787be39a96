/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/memory/memory_fault.h"

void memory_tally_words(struct memory_tally *t, uint64_t words, unsigned writer)
{
	t->words += words;
	t->written[writer] += words;
}

void memory_tally_event(struct memory_tally *t, unsigned writer, bool fresh)
{
	t->events[writer]++;
	t->fresh[writer] += fresh;
}

void memory_tally_wrong(struct memory_tally *t, uint32_t want, uint32_t got)
{
	uint32_t differ = want ^ got;
	unsigned set = 0;

	if (t->wrong++ == 0)
		t->constant_is = got;
	t->constant += got == t->constant_is;
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		set |= (unsigned)(memory_lane(differ, k) != 0) << k;
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		t->lane[k] += set >> k & 1;
	t->lanes[set]++;
	for (unsigned b = 0; differ; b++, differ >>= 1)
		if (differ & 1)
			(got >> b & 1 ? t->up : t->down)[b]++;
}

void memory_shifts_add(struct memory_shifts *v, uint64_t addr, uint32_t got, uint32_t want,
	memory_word_at *word_at, const void *arg)
{
	const unsigned odd = addr / MEMORY_CHUNK & 1;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		if (memory_lane(got ^ want, k) == 0)
			continue;
		v->tried[k][odd]++;
		for (uint64_t s = 1; s <= MEMORY_SHIFTS && addr >= s * MEMORY_CHUNK; s++)
			v->late[k][odd][s] += memory_lane(got, k) ==
				memory_lane(word_at(arg, addr - s * MEMORY_CHUNK), k);
	}
}

void memory_tally_closely(struct memory_tally *t, const struct memory_wrong *w,
	memory_word_at *word_at, const void *arg)
{
	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		const unsigned want = memory_lane(w->want, k), got = memory_lane(w->got, k);
		struct memory_close *c = &t->close[k];

		if (got == want)
			continue;
		c->seen++;
		c->again_right += memory_lane(w->again, k) == want;
		c->again_same += memory_lane(w->again, k) == got;
		c->other_right += memory_lane(w->other, k) == want;
		c->other_same += memory_lane(w->other, k) == got;
		c->probed += w->probed;
		c->probe_right += w->probed && memory_lane(w->last, k) == want;
		c->rewritten_same += w->probed && memory_lane(w->rewritten, k) == got;
	}
	if (word_at && w->cut >= MEMORY_WIDE)
		memory_shifts_add(&t->shifts, w->addr, w->got, w->want, word_at, arg);
}
