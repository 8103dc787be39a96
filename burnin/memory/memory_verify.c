/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_verify.c - writes an area of a card's memory, reads it in transactions of
 * its size and compares it; then examines wrong words by further reads and writes.
 */
#include "config.h"
#include "burnin/memory/memory_test.h"

#include "base/clock.h"
#include "burnin/kernels/impl.h"
#include "device/kind.h"

#include <string.h>

#define FIRST_LINE  2		/* the lowest address line above the bytes of a word */
#define SLOW_CUT    256u	/* smaller transactions only for the first SLOW_BYTES of an area, */
#define SLOW_BYTES  1024u
#define REST_CUT    4096u	/* and these for the rest */

_Static_assert(SLOW_BYTES / 4 + MEMORY_BLOCK / REST_CUT <= MEMORY_PIECES &&
	MEMORY_BLOCK / SLOW_CUT <= MEMORY_PIECES, "an area has more transactions");

#define CLOSELY	    256		/* wrong words of a block that are examined closely */
#define PROBES	    8		/* of those, the ones that are read many times */
#define PROBE_READS 8
#define APART	    (MEMORY_BURST_BYTES / 4)	/* words; a larger gap separates two events */
#define DARK_WORDS  4

const uint32_t card_memory_cuts[CARD_MEMORY_CUTS] = { 4, 16, 32, 64, 256, 1024, 4096, 16384 };

unsigned memory_test_lines(const struct device_kind *k, unsigned first)
{
	unsigned n = 0;

	while (1ULL << (first + n) < k->dram_size)
		n++;
	return n;
}

struct reg_addr memory_test_at(const struct memory_test *t, unsigned port, uint64_t addr)
{
	return kind_dram(t->kind, t->plan->enabled, t->channel, port, addr);
}

/* How much of the area the next transaction takes. */
static uint32_t piece_of(const struct memory_area *a, uint32_t done)
{
	uint32_t cut = card_memory_cuts[a->cut];

	if (cut < SLOW_CUT && done >= SLOW_BYTES)
		cut = REST_CUT;
	return cut < a->bytes - done ? cut : a->bytes - done;
}

/* The transactions between the card and these words; returns how many. */
static size_t cut_area(struct memory_test *t, unsigned port, const struct memory_area *a,
	uint32_t *words)
{
	size_t pieces = 0;

	for (uint32_t done = 0, n; done < a->bytes; done += n) {
		n = piece_of(a, done);
		t->pieces[pieces++] = (struct device_piece){
			memory_test_at(t, port, a->addr + done), words + done / 4, n / 4 };
	}
	return pieces;
}

static int read_area(struct memory_test *t, unsigned port, const struct memory_area *a,
	uint32_t *words)
{
	const int64_t began = clock_steady();
	size_t failed;
	int r = device_gather(t->d, t->pieces, cut_area(t, port, a, words), &failed);

	t->m->reading += clock_steady() - began;
	t->m->read += a->bytes;
	atomic_fetch_add(&t->m->moved, a->bytes);
	return r;
}

int memory_test_write(struct memory_test *t, const struct memory_area *a)
{
	int64_t began;
	size_t failed;
	int r;

	memory_fill(&t->data, a->addr, t->want, a->bytes / 4);
	began = clock_steady();
	r = device_scatter(t->d, t->pieces, cut_area(t, t->writer, a, t->want), &failed);
	t->m->writing += clock_steady() - began;
	t->m->written += a->bytes;
	atomic_fetch_add(&t->m->moved, a->bytes);
	return r;
}

/* Read one word again and again: in the end even a late lane shows the word itself. */
static int probe(struct memory_test *t, unsigned port, struct memory_wrong *w)
{
	uint32_t word = 0;
	int r = 0;

	for (int i = 0; r == 0 && i < PROBE_READS; i++)
		r = device_read(t->d, memory_test_at(t, port, w->addr), &word, 1);
	w->probed = true;
	w->last = word;
	/* Read it after a rewrite; then put a wrong word back, so that other endpoints see it. */
	if (r == 0)
		r = device_write(t->d, memory_test_at(t, t->writer, w->addr), w->want);
	if (r == 0)
		r = device_read(t->d, memory_test_at(t, port, w->addr), &w->rewritten, 1);
	if (r == 0 && w->again == w->got && w->other == w->got && w->last == w->got)
		r = device_write(t->d, memory_test_at(t, t->writer, w->addr), w->got);
	return r;
}

/* Find another address that has this word: by the pattern's own address, or one line away. */
static bool find_alias(const struct memory_test *t, const struct memory_wrong *w, uint64_t *of)
{
	const unsigned last = FIRST_LINE + memory_test_lines(t->kind, FIRST_LINE);

	if (memory_address(&t->data, w->got, of))
		return *of < t->kind->dram_size && *of != w->addr;
	for (unsigned b = FIRST_LINE; t->data.pattern == MEMORY_RANDOM && b < last; b++) {
		*of = w->addr ^ 1ULL << b;
		if (*of < t->kind->dram_size && memory_word(&t->data, *of) == w->got)
			return true;
	}
	return false;
}

/* A mark that is written at one address and read at the other proves the alias. */
static int try_alias(struct memory_test *t, unsigned port, const struct memory_wrong *w,
	struct memory_tally *tally)
{
	const uint32_t mark = (uint32_t)impl_mix(w->addr + t->round + tally->alias_tried);
	uint32_t word = ~mark;
	uint64_t of;
	int r;

	if (!find_alias(t, w, &of))
		return 0;
	r = device_write(t->d, memory_test_at(t, t->writer, of), mark);
	for (int i = 0; r == 0 && i < PROBE_READS; i++)
		r = device_read(t->d, memory_test_at(t, port, w->addr), &word, 1);
	if (r == 0)
		r = device_write(t->d, memory_test_at(t, t->writer, of), memory_word(&t->data, of));
	if (r < 0)
		return r;
	tally->alias_tried++;
	if (word == mark && tally->alias_proven++ == 0) {
		tally->alias_at = w->addr;
		tally->alias_of = of;
	}
	return 0;
}

static uint32_t word_at(const void *data, uint64_t addr)
{
	return memory_word(data, addr);
}

static int look_closely(struct memory_test *t, unsigned port, const struct memory_area *a,
	struct memory_tally *tally)
{
	unsigned seen = 0;
	int r = read_area(t, port, a, t->again);

	if (r == 0)
		r = read_area(t, memory_kept_near(&t->plan->kept, t->channel, port + 1), a,
			t->other);
	for (uint32_t i = 0; r == 0 && i < a->bytes / 4 && seen < CLOSELY; i++) {
		struct memory_wrong w = { .addr = a->addr + 4 * i, .want = t->want[i],
			.got = t->got[i], .again = t->again[i], .other = t->other[i],
			.writer = t->writer, .cut = card_memory_cuts[a->cut] };

		if (w.got == w.want)
			continue;
		if (seen < PROBES)
			r = probe(t, port, &w);
		if (r == 0 && seen < PROBES)
			r = try_alias(t, port, &w, tally);
		/* The other patterns have too many equal bytes. */
		memory_tally_closely(tally, &w, t->data.pattern == MEMORY_RANDOM ? word_at : NULL,
			&t->data);
		seen++;
	}
	return r;
}

/* False if another endpoint showed the same event before. */
static bool is_fresh(struct memory_test *t, uint64_t addr, uint32_t got)
{
	const uint64_t key = impl_mix(impl_mix(addr) + got) + t->round + 1;
	uint64_t *seen = &t->seen[t->channel][key % MEMORY_SEEN];

	if (*seen == key)
		return false;
	*seen = key;
	return true;
}

void memory_test_count(struct memory_test *t, unsigned port, const struct memory_area *a)
{
	struct memory_tally *tally = &t->m->tally[t->channel][port];
	uint32_t end = 0, last = 0;
	bool in_event = false;

	for (uint32_t i = 0; i < a->bytes / 4; i++) {
		if (4 * i >= end) {
			end += piece_of(a, end);
			in_event = false;
		}
		if (t->got[i] == t->want[i])
			continue;
		memory_tally_wrong(tally, t->want[i], t->got[i]);
		t->m->wrong++;
		if (!in_event || i - last > APART)
			memory_tally_event(tally, t->writer, is_fresh(t, a->addr + 4 * i,
				t->got[i]));
		in_event = true;
		last = i;
	}
}

/* Check whether all channels read as ones, which is not a memory fault. */
static int look_for_dark(struct memory_test *t, const struct memory_area *a)
{
	const unsigned mine = t->channel;
	uint32_t words[DARK_WORDS] = { UINT32_MAX };
	bool dark = __builtin_popcount(t->channels) > 1;
	int r = 0;

	for (t->channel = 0; r == 0 && dark && t->channel < t->kind->n_dram; t->channel++)
		for (unsigned p = 0; r == 0 && dark && p < MEMORY_PORTS; p++) {
			if (!(t->channels >> t->channel & 1) ||
				memory_kept_has(&t->plan->kept, t->channel, p))
				continue;
			r = device_read(t->d, memory_test_at(t, p, a->addr), words, DARK_WORDS);
			for (unsigned i = 0; i < DARK_WORDS; i++)
				dark = dark && words[i] == UINT32_MAX;
		}
	t->channel = mine;
	t->m->is_dark = r == 0 && dark;
	return r;
}

int memory_test_verify(struct memory_test *t, unsigned port, const struct memory_area *a)
{
	struct memory_tally *tally = &t->m->tally[t->channel][port];
	const uint32_t last = a->bytes / 4 - 1;
	int r = read_area(t, port, a, t->got);

	if (r < 0)
		return r;
	memory_fill(&t->data, a->addr, t->want, a->bytes / 4);
	if (t->got[last] == UINT32_MAX && t->want[last] != UINT32_MAX)
		r = look_for_dark(t, a);
	if (t->m->is_dark)
		t->m->wrong++;
	if (r < 0 || t->m->is_dark)
		return r;
	memory_tally_words(tally, a->bytes / 4, t->writer);
	t->m->cut_words[a->cut] += (card_memory_cuts[a->cut] < SLOW_CUT ? SLOW_BYTES : a->bytes)
		/ 4;
	if (memcmp(t->got, t->want, a->bytes) == 0)
		return 0;
	memory_test_count(t, port, a);
	return look_closely(t, port, a, tally);
}
