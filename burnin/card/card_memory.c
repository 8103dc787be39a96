/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_memory.c - a round writes all areas of a channel, then reads them through
 * each endpoint.  Areas are blocks in the whole of the channel, each somewhere
 * in its part of it, and pairs whose addresses differ in one line.
 *
 * The first iteration is a short one: a fault that is everywhere is found in
 * seconds, however much is to be tested.
 */
#include "config.h"
#include "burnin/card/card_memory.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/impl.h"
#include "device/kind.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK	  (16u << 10)
#define LINE_AREA 1024u		/* of an address line's pair */
#define FIRST_LINE 10		/* below it all addresses of a block differ */
#define BASES	  2
#define SLOW_CUT  256u		/* smaller transactions for the first bytes of an area alone: */
#define SLOW_BYTES 1024u
#define REST_CUT  4096u
#define CLOSELY	  256		/* wrong words of a block that are looked at closely */
#define PROBES	  8		/* of those, the ones that are read many times */
#define PROBE_READS 8

const uint32_t card_memory_cuts[CARD_MEMORY_CUTS] = { 4, 16, 32, 64, 256, 1024, 4096, 16384 };

struct area {
	uint64_t addr;
	uint32_t bytes;
	unsigned cut;		/* place in card_memory_cuts[] */
};

struct test {
	struct device *d;
	const struct device_kind *kind;
	const struct card_memory_plan *plan;
	struct card_memory *m;
	bool (*go_on)(void *arg);
	void *arg;
	uint64_t size;		/* of this iteration */
	uint64_t round;
	unsigned channel, writer;
	struct memory_data data;
	uint32_t want[BLOCK / 4], got[BLOCK / 4], again[BLOCK / 4], other[BLOCK / 4];
};

uint64_t card_memory_size(enum device_chip chip)
{
	return kind_of(chip)->n_dram ? kind_of(chip)->dram_size : 0;
}

static unsigned lines(const struct test *t)
{
	unsigned n = 0;

	while (1ULL << (FIRST_LINE + n) < t->kind->dram_size)
		n++;
	return n;
}

static uint64_t blocks(const struct test *t)
{
	return t->size / BLOCK;
}

static uint64_t areas(const struct test *t)
{
	return blocks(t) + BASES * (1 + lines(t));
}

/* Block i of n lies anywhere in the i-th part; the first and the last at the very ends. */
static uint64_t block_at(const struct test *t, uint64_t i)
{
	const uint64_t n = blocks(t), places = t->kind->dram_size / BLOCK;
	const uint64_t from = places * i / n, to = places * (i + 1) / n;

	if (i == 0)
		return 0;
	if (i == n - 1)
		return (places - 1) * BLOCK;
	return (from + impl_mix(t->plan->seed + t->round * n + i) % (to - from)) * BLOCK;
}

/* A base, and the addresses that differ from it in one line; the pairs of the first stand still. */
static uint64_t line_at(const struct test *t, uint64_t i)
{
	const uint64_t per_base = 1 + lines(t), places = t->kind->dram_size / LINE_AREA;
	const uint64_t base = i < per_base ? 0 :
		impl_mix(t->plan->seed + t->round) % places * LINE_AREA;
	const uint64_t addr = i % per_base == 0 ? base :
		base ^ 1ULL << (FIRST_LINE + i % per_base - 1);

	return addr + LINE_AREA <= t->kind->dram_size ? addr : base;
}

static struct area area_of(const struct test *t, uint64_t i)
{
	struct area a = { .cut = (unsigned)((i + t->round) % CARD_MEMORY_CUTS) };

	if (i < blocks(t)) {
		a.addr = block_at(t, i);
		a.bytes = BLOCK;
	} else {
		a.addr = line_at(t, i - blocks(t));
		a.bytes = LINE_AREA;
	}
	while (card_memory_cuts[a.cut] > a.bytes)
		a.cut--;
	return a;
}

static struct reg_addr at(const struct test *t, unsigned port, uint64_t addr)
{
	return kind_dram(t->kind, t->plan->enabled, t->channel, port, addr);
}

/* How much of the area the next transaction takes. */
static uint32_t piece_of(const struct area *a, uint32_t done)
{
	uint32_t cut = card_memory_cuts[a->cut];

	if (cut < SLOW_CUT && done >= SLOW_BYTES)
		cut = REST_CUT;
	return cut < a->bytes - done ? cut : a->bytes - done;
}

static int read_area(struct test *t, unsigned port, const struct area *a, uint32_t *words)
{
	const int64_t began = clock_steady();
	int r = 0;

	for (uint32_t done = 0, n; r == 0 && done < a->bytes; done += n) {
		n = piece_of(a, done);
		r = n == 4 ? device_read(t->d, at(t, port, a->addr + done), words + done / 4, 1)
			: device_read_block(t->d, at(t, port, a->addr + done), words + done / 4,
				n / 4);
	}
	t->m->reading += clock_steady() - began;
	t->m->read += a->bytes;
	atomic_fetch_add(&t->m->moved, a->bytes);
	return r;
}

static int write_area(struct test *t, const struct area *a)
{
	int64_t began;
	int r = 0;

	memory_fill(&t->data, a->addr, t->want, a->bytes / 4);
	began = clock_steady();
	for (uint32_t done = 0, n; r == 0 && done < a->bytes; done += n) {
		const struct reg_addr to = at(t, t->writer, a->addr + done);

		n = piece_of(a, done);
		r = n == 4 ? device_write(t->d, to, t->want[done / 4])
			: device_write_block(t->d, to, t->want + done / 4, n / 4);
	}
	t->m->writing += clock_steady() - began;
	t->m->written += a->bytes;
	atomic_fetch_add(&t->m->moved, a->bytes);
	return r;
}

/* One word again and again: what a lane shows that is late is this very word in the end. */
static int probe(struct test *t, unsigned port, struct memory_wrong *w)
{
	uint32_t word = 0;
	int r = 0;

	for (int i = 0; r == 0 && i < PROBE_READS; i++)
		r = device_read(t->d, at(t, port, w->addr), &word, 1);
	w->probed = true;
	w->last = word;
	/* Once more, to the same end; then others see again what is wrong. */
	if (r == 0)
		r = device_write(t->d, at(t, t->writer, w->addr), w->want);
	if (r == 0)
		r = device_read(t->d, at(t, port, w->addr), &w->rewritten, 1);
	if (r == 0 && w->again == w->got && w->other == w->got && w->last == w->got)
		r = device_write(t->d, at(t, t->writer, w->addr), w->got);
	return r;
}

/* The address that this word belongs to, if it is one: as pattern, or one line away. */
static bool find_alias(const struct test *t, const struct memory_wrong *w, uint64_t *of)
{
	if (memory_address(&t->data, w->got, of))
		return *of < t->kind->dram_size && *of != w->addr;
	for (unsigned b = 2; t->data.pattern == MEMORY_RANDOM && b < FIRST_LINE + lines(t); b++) {
		*of = w->addr ^ 1ULL << b;
		if (*of < t->kind->dram_size && memory_word(&t->data, *of) == w->got)
			return true;
	}
	return false;
}

/* What is written at the one address is read at the other: that proves it. */
static int try_alias(struct test *t, unsigned port, const struct memory_wrong *w,
	struct memory_tally *tally)
{
	const uint32_t mark = (uint32_t)impl_mix(w->addr + t->round + tally->alias_tried);
	uint32_t word = ~mark;
	uint64_t of;
	int r;

	if (!find_alias(t, w, &of))
		return 0;
	r = device_write(t->d, at(t, t->writer, of), mark);
	for (int i = 0; r == 0 && i < PROBE_READS; i++)
		r = device_read(t->d, at(t, port, w->addr), &word, 1);
	if (r == 0)
		r = device_write(t->d, at(t, t->writer, of), memory_word(&t->data, of));
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

static int look_closely(struct test *t, unsigned port, const struct area *a,
	struct memory_tally *tally)
{
	unsigned seen = 0;
	int r = read_area(t, port, a, t->again);

	if (r == 0)
		r = read_area(t, (port + 1) % MEMORY_PORTS, a, t->other);
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
		/* Other data have too many bytes that are the same. */
		memory_tally_closely(tally, &w, t->data.pattern == MEMORY_RANDOM ? word_at : NULL,
			&t->data);
		seen++;
	}
	return r;
}

static int verify_area(struct test *t, unsigned port, const struct area *a)
{
	struct memory_tally *tally = &t->m->tally[t->channel][port];
	int r = read_area(t, port, a, t->got);

	if (r < 0)
		return r;
	memory_fill(&t->data, a->addr, t->want, a->bytes / 4);
	memory_tally_words(tally, a->bytes / 4, t->writer);
	t->m->cut_words[a->cut] += (card_memory_cuts[a->cut] < SLOW_CUT ? SLOW_BYTES : a->bytes)
		/ 4;
	if (memcmp(t->got, t->want, a->bytes) == 0)
		return 0;
	for (uint32_t i = 0; i < a->bytes / 4; i++)
		if (t->got[i] != t->want[i]) {
			memory_tally_wrong(tally, t->want[i], t->got[i], t->writer);
			t->m->wrong++;
		}
	return look_closely(t, port, a, tally);
}

static bool goes_on(const struct test *t)
{
	return t->go_on(t->arg);
}

/* What was written has arrived once it can be read on the same way. */
static int settle(struct test *t, const struct area *a)
{
	uint32_t word;

	return device_read(t->d, at(t, t->writer, a->addr + a->bytes - 4), &word, 1);
}

static int test_channel(struct test *t)
{
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < areas(t) && goes_on(t); i++) {
		const struct area a = area_of(t, i);

		r = write_area(t, &a);
		if (r == 0)
			r = settle(t, &a);
	}
	for (unsigned k = 0; k < MEMORY_PORTS; k++)
		for (uint64_t i = 0; r == 0 && i < areas(t) && goes_on(t); i++) {
			const struct area a = area_of(t, i);

			r = verify_area(t, (t->writer + k) % MEMORY_PORTS, &a);
		}
	return r;
}

static int test_round(struct test *t, struct error *e)
{
	for (t->channel = 0; t->channel < t->kind->n_dram && goes_on(t); t->channel++) {
		int r;

		if (!((t->plan->channels & t->plan->enabled) >> t->channel & 1))
			continue;
		t->data = memory_data_of(t->plan->seed, t->round, t->channel);
		t->writer = (unsigned)(t->round % MEMORY_PORTS);
		r = test_channel(t);
		if (r < 0)
			return fail(e, r, "memory channel %u: %s", t->channel, device_strerror(r));
	}
	if (goes_on(t))
		t->m->rounds = ++t->round;
	return 0;
}

static int run(struct test *t, struct error *e)
{
	const uint64_t whole = t->size;
	int r = 0;

	for (uint64_t i = 0; r == 0 && goes_on(t); i++) {
		t->size = i == 0 && whole > CARD_MEMORY_SHORT ? CARD_MEMORY_SHORT : whole;
		for (int k = 0; r == 0 && k < MEMORY_PATTERNS && goes_on(t); k++)
			r = test_round(t, e);
		if (r < 0 || !goes_on(t))
			break;
		t->m->every_way = true;
		t->m->iterations += t->size == whole;
		if (t->plan->iterations && t->m->iterations >= t->plan->iterations)
			break;
	}
	return r;
}

int card_memory_run(struct device *d, const struct card_memory_plan *p, struct card_memory *m,
	bool (*go_on)(void *), void *arg, struct error *e)
{
	struct test *t = mem_calloc(1, sizeof(*t));
	int r;

	t->d = d;
	t->kind = kind_of(d->chip);
	t->plan = p;
	t->m = m;
	t->go_on = go_on;
	t->arg = arg;
	t->size = p->size && p->size < t->kind->dram_size ? p->size : t->kind->dram_size;
	t->size -= t->size % BLOCK;
	r = run(t, e);
	free(t);
	return r;
}

size_t card_memory_judge(const struct card_memory *m,
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS])
{
	size_t n = 0;

	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		n += memory_judge(c, m->tally[c], found + n);
	return n;
}

struct card_memory_sum card_memory_sum(const struct card_memory *m, unsigned channel)
{
	struct card_memory_sum sum = { 0 };

	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		const struct memory_tally *t = &m->tally[channel][p];

		sum.words += t->words;
		sum.wrong += t->wrong;
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			sum.lane[k] += t->lane[k];
	}
	return sum;
}

void card_memory_ask(const struct card_memory_plan *p, uint32_t left, struct ledger *l)
{
	ledger_ask(l, LEDGER_CHANNELS, (uint64_t)__builtin_popcount(p->channels | left));
}

void card_memory_count(const struct card_memory_plan *p, const struct card_memory *m,
	struct ledger *l)
{
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		if (p->channels >> c & 1)
			ledger_count(l, LEDGER_CHANNELS, card_memory_sum(m, c).words > 0);
}
