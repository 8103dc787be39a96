/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_transfer.c - stores are posted: they have arrived once the last word was read back, so
 * their time includes that read.
 *
 * The processor does nothing else while a load waits for the link, so what is counted is its time:
 * a process that has no processor says nothing about the card.
 */
#include "config.h"
#include "burnin/memory/card_transfer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/stopwatch.h"
#include "device/kind.h"

#include <stdlib.h>

#define PIECE CARD_TRANSFER_PIECE
#define WORDS (PIECE / 4)

struct transfer {
	struct device *d;
	struct card_transfer *t;
	uint32_t before[WORDS], want[WORDS], got[WORDS];
};

static void transfer_count(struct transfer *x, enum card_transfer_way way,
	const struct stopwatch *watch)
{
	x->t->took[way] += stopwatch_cpu(watch);
	x->t->bytes[way] += PIECE;
	atomic_fetch_add(&x->t->moved, PIECE);
}

static int transfer_from(struct transfer *x, struct reg_addr at, uint32_t *words)
{
	struct stopwatch watch;
	int r;

	stopwatch_start(&watch);
	r = device_read_block(x->d, at, words, WORDS);
	if (r == 0)
		transfer_count(x, CARD_TRANSFER_FROM, &watch);
	return r;
}

static int transfer_to(struct transfer *x, struct reg_addr at, const uint32_t *words)
{
	const struct reg_addr last = { at.space, at.x, at.y, at.addr + PIECE - 4 };
	struct stopwatch watch;
	uint32_t word;
	int r;

	stopwatch_start(&watch);
	r = device_write_block(x->d, at, words, WORDS);
	if (r == 0)
		r = device_read_block(x->d, last, &word, 1);
	if (r == 0)
		transfer_count(x, CARD_TRANSFER_TO, &watch);
	return r;
}

static void transfer_compare(struct transfer *x, unsigned channel, uint64_t addr,
	const uint32_t *want)
{
	for (uint32_t i = 0; i < WORDS; i++)
		if (x->got[i] != want[i] && x->t->wrong++ == 0)
			x->t->first = (struct card_transfer_wrong){ channel, addr + 4 * (uint64_t)i,
				x->got[i], want[i] };
}

/* Write a piece and read it back; then restore the old contents, even after an error. */
static int transfer_piece(struct transfer *x, struct reg_addr at, unsigned channel, uint64_t seed)
{
	int r = transfer_from(x, at, x->before), back;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < WORDS; i++)
		x->want[i] = (uint32_t)impl_mix(seed + i);
	r = transfer_to(x, at, x->want);
	if (r == 0)
		r = transfer_from(x, at, x->got);
	if (r == 0)
		transfer_compare(x, channel, at.addr, x->want);
	back = transfer_to(x, at, x->before);
	if (back == 0 && r == 0) {
		r = transfer_from(x, at, x->got);
		if (r == 0)
			transfer_compare(x, channel, at.addr, x->before);
	}
	return r < 0 ? r : back;
}

int card_transfer_run(struct device *d, const struct card_transfer_plan *p,
	struct card_transfer *t, bool (*go_on)(void *arg), void *arg, struct error *e)
{
	const struct device_kind *k = kind_of(d->chip);
	const uint64_t places = k->dram_size / PIECE;
	const int64_t until = clock_steady() + p->duration;
	struct transfer *x = mem_calloc(1, sizeof(*x));
	int r = 0;

	*x = (struct transfer){ .d = d, .t = t };
	for (uint64_t n = 0; r == 0 && (n < k->n_dram || clock_steady() < until); n++) {
		const unsigned channel = (unsigned)(n % k->n_dram);
		const uint64_t seed = impl_mix(p->seed + n) & ~(uint64_t)(2 * WORDS - 1);
		const unsigned port = memory_kept_near(&p->kept, channel,
			(unsigned)(n / k->n_dram % KIND_PORTS));

		if (!(p->channels >> channel & 1))
			continue;
		if (!go_on(arg))
			break;
		r = transfer_piece(x, kind_dram(k, p->enabled, channel, port,
			impl_mix(seed) % places * PIECE), channel, seed);
		if (r < 0)
			fail(e, r, "memory channel %u: %s", channel, device_strerror(r));
		else
			t->done |= 1u << channel;
	}
	free(x);
	return r;
}

double card_transfer_rate(const struct card_transfer *t, enum card_transfer_way way)
{
	return t->took[way] > 0 ? (double)t->bytes[way] * 1e9 / (double)t->took[way] : 0;
}
