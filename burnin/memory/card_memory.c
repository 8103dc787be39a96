/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_memory.c - the order of the test.  First all channels are marked, to find any
 * two that lead to one memory.  Then come rounds: each writes all areas of all channels
 * through one endpoint of each, then reads them through every endpoint.  Areas are
 * blocks spread over the whole channel, each somewhere in its own part of it, and
 * pairs whose addresses differ in one line.
 *
 * The first iteration is short, so that a fault that is everywhere is found in
 * seconds, however much is to be tested.  A round reads everything through one
 * endpoint before it uses the next, so that a test which is cut short has verified
 * as much memory as it could.
 */
#include "config.h"
#include "burnin/memory/memory_test.h"

#include "base/array.h"
#include "base/mem.h"
#include "burnin/kernels/impl.h"
#include "device/kind.h"

#include <stdlib.h>
#include <string.h>

#define LINE_AREA  1024u	/* bytes of each area of an address line's pair */
#define FIRST_LINE 10		/* lower lines vary within an area */
#define BASES	   2

uint64_t card_memory_size(enum device_chip chip)
{
	return kind_of(chip)->n_dram ? kind_of(chip)->dram_size : 0;
}

uint64_t card_memory_take(enum device_chip chip, uint64_t wish)
{
	const uint64_t whole = card_memory_size(chip);

	return wish == 0 || wish > whole ? whole
		: (wish + MEMORY_BLOCK - 1) / MEMORY_BLOCK * MEMORY_BLOCK;
}

static unsigned lines(const struct memory_test *t)
{
	return memory_test_lines(t->kind, FIRST_LINE);
}

static uint64_t blocks(const struct memory_test *t)
{
	return t->size / MEMORY_BLOCK;
}

static uint64_t areas(const struct memory_test *t)
{
	return blocks(t) + BASES * (1 + lines(t));
}

/* Block i of n lies anywhere in the i-th part; the first and the last lie at the very ends. */
static uint64_t block_at(const struct memory_test *t, uint64_t i)
{
	const uint64_t n = blocks(t), places = t->kind->dram_size / MEMORY_BLOCK;
	const uint64_t from = places * i / n, to = places * (i + 1) / n;

	if (i == 0)
		return 0;
	if (i == n - 1)
		return (places - 1) * MEMORY_BLOCK;
	return (from + impl_mix(t->plan->seed + t->round * n + i) % (to - from)) * MEMORY_BLOCK;
}

/* A base, then the addresses that differ from it in one line.  The first base is always 0. */
static uint64_t line_at(const struct memory_test *t, uint64_t i)
{
	const uint64_t per_base = 1 + lines(t), places = t->kind->dram_size / LINE_AREA;
	const uint64_t base = i < per_base ? 0 :
		impl_mix(t->plan->seed + t->round) % places * LINE_AREA;
	const uint64_t addr = i % per_base == 0 ? base :
		base ^ 1ULL << (FIRST_LINE + i % per_base - 1);

	return addr + LINE_AREA <= t->kind->dram_size ? addr : base;
}

static struct memory_area area_of(const struct memory_test *t, uint64_t i)
{
	struct memory_area a = { .cut = (unsigned)((i + t->round) % CARD_MEMORY_CUTS) };

	if (i < blocks(t)) {
		a.addr = block_at(t, i);
		a.bytes = MEMORY_BLOCK;
	} else {
		a.addr = line_at(t, i - blocks(t));
		a.bytes = LINE_AREA;
	}
	while (card_memory_cuts[a.cut] > a.bytes)
		a.cut--;
	return a;
}

static bool goes_on(const struct memory_test *t)
{
	return !t->m->is_dark && t->channels && t->go_on(t->arg);
}

/* The writes have arrived once the last word was read through the same endpoint. */
static int settle(struct memory_test *t, const struct memory_area *a)
{
	uint32_t word;

	return device_read(t->d, memory_test_at(t, t->writer, a->addr + a->bytes - 4), &word, 1);
}

static int write_channel(struct memory_test *t, unsigned port)
{
	int r = 0;

	(void)port;	/* each_channel() has set t->writer */
	for (uint64_t i = 0; r == 0 && i < areas(t) && goes_on(t); i++) {
		const struct memory_area a = area_of(t, i);

		r = memory_test_write(t, &a);
		if (r == 0)
			r = settle(t, &a);
	}
	return r;
}

static int verify_channel(struct memory_test *t, unsigned port)
{
	struct card_memory *m = t->m;
	uint64_t bytes = 0, i;
	int r = 0;

	if (memory_kept_has(&t->plan->kept, t->channel, port))
		return 0;
	for (i = 0; r == 0 && i < areas(t) && goes_on(t); i++) {
		const struct memory_area a = area_of(t, i);

		r = memory_test_verify(t, port, &a);
		if (r == 0 && i < blocks(t) && !m->is_dark)
			bytes += a.bytes;
		if (bytes > m->bytes[t->channel])
			m->bytes[t->channel] = bytes;
	}
	if (r == 0 && i == areas(t) && !m->is_dark) {
		m->patterns[t->channel][port] |= 1u << t->data.pattern;
		m->writers[t->channel] |= 1u << t->writer;
	}
	return r;
}

static int each_channel(struct memory_test *t, int (*work)(struct memory_test *, unsigned),
	unsigned port, struct error *e)
{
	for (t->channel = 0; t->channel < t->kind->n_dram && goes_on(t); t->channel++) {
		int r;

		if (!(t->channels >> t->channel & 1))
			continue;
		t->data = memory_data_of(t->seed, t->round, t->channel);
		t->writer = memory_kept_near(&t->plan->kept, t->channel,
			(unsigned)(t->round % MEMORY_PORTS));
		r = work(t, port);
		if (r < 0)
			return fail(e, r, "memory channel %u: %s", t->channel, device_strerror(r));
	}
	return 0;
}

/* Write everything before reading any of it, so that memory shared by two channels shows. */
static int test_round(struct memory_test *t, struct error *e)
{
	const unsigned first = (unsigned)(t->round % MEMORY_PORTS);
	int r = each_channel(t, write_channel, first, e);

	for (unsigned k = 0; r == 0 && k < MEMORY_PORTS; k++)
		r = each_channel(t, verify_channel, (first + k) % MEMORY_PORTS, e);
	if (r == 0 && goes_on(t))
		t->m->rounds = ++t->round;
	return r;
}

static int card_memory_test_run(struct memory_test *t, struct error *e)
{
	const uint64_t whole = t->size;
	int r = memory_test_marks(t, e);

	for (uint64_t i = 0; r == 0 && goes_on(t); i++) {
		t->size = i == 0 && whole > CARD_MEMORY_SHORT ? CARD_MEMORY_SHORT : whole;
		for (int k = 0; r == 0 && k < MEMORY_PATTERNS && goes_on(t); k++)
			r = test_round(t, e);
		if (r < 0 || !goes_on(t))
			break;
		t->m->iterations += t->size == whole;
		if (t->plan->iterations && t->m->iterations >= t->plan->iterations)
			break;
	}
	return r;
}

int card_memory_run(struct device *d, const struct card_memory_plan *p, struct card_memory *m,
	bool (*go_on)(void *), void *arg, struct error *e)
{
	struct memory_test *t = mem_calloc(1, sizeof(*t));
	int r;

	t->d = d;
	t->kind = kind_of(d->chip);
	t->plan = p;
	t->m = m;
	t->go_on = go_on;
	t->arg = arg;
	t->channels = p->channels & p->enabled;
	t->seed = p->seed ^ p->salt;
	t->size = card_memory_take(d->chip, p->size);
	r = card_memory_test_run(t, e);
	free(t);
	return r;
}

static uint64_t bits(uint32_t set)
{
	return (uint64_t)__builtin_popcount(set);
}

void card_memory_ask(const struct card_memory_plan *p, uint32_t left, struct ledger *l)
{
	const uint64_t n = bits(p->channels | left);
	const uint64_t ports = memory_kept_rest(&p->kept, p->channels | left);

	ledger_ask(l, LEDGER_CHANNELS, n);
	ledger_ask(l, LEDGER_MARKS, n);
	ledger_ask(l, LEDGER_ENDPOINTS, ports);
	ledger_ask(l, LEDGER_PATTERNS, ports * MEMORY_PATTERNS);
	ledger_ask(l, LEDGER_BYTES, n * p->size);
}

void card_memory_count(const struct card_memory_plan *p, const struct card_memory *m,
	struct ledger *l)
{
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++) {
		/* Extra bytes of one channel do not make up for those missing in another. */
		const uint64_t bytes = m->bytes[c] < p->size ? m->bytes[c] : p->size;

		if (!(p->channels >> c & 1))
			continue;
		ledger_count(l, LEDGER_CHANNELS, bytes == p->size && bytes > 0);
		ledger_count(l, LEDGER_MARKS, memory_marks_kept(&m->marks, c));
		for (unsigned k = 0; k < MEMORY_PORTS; k++) {
			ledger_count(l, LEDGER_ENDPOINTS, m->patterns[c][k] &&
				(m->writers[c] >> k & 1));
			ledger_count(l, LEDGER_PATTERNS, bits(m->patterns[c][k]));
		}
		ledger_count(l, LEDGER_BYTES, bytes);
	}
}

size_t card_memory_judge(const struct card_memory *m,
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS])
{
	size_t n = 0;

	if (m->is_dark)
		found[n++] = (struct memory_finding){ .kind = MEMORY_DARK,
			.endpoint = MEMORY_ALL, .other = MEMORY_ALL };
	for (unsigned c = 0; c < MEMORY_CHANNELS && !m->is_dark; c++) {
		const size_t marks = memory_marks_judge(&m->marks, c, found + n);

		n += marks ? marks : memory_judge(c, m->marks.kept.ports[c],
			m->tally[c], found + n);
	}
	return n;
}

struct card_memory_sum card_memory_sum(const struct card_memory *m, unsigned channel)
{
	struct card_memory_sum sum = { 0 };

	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		const struct memory_tally *t = &m->tally[channel][p];

		sum.words += t->words;
		sum.wrong += t->wrong;
		for (unsigned w = 0; w < MEMORY_PORTS; w++)
			sum.events += t->fresh[w];
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			sum.lane[k] += t->lane[k];
	}
	return sum;
}
