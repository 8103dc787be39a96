/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_io.c - loads and stores on a simulated chip, as messages to its process.
 *
 * A message takes the host as long as ten thousand loads over PCIe, so each one
 * carries as many words as possible.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"
#include "device/access.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int ttsim_usable(const struct ttsim_card *c)
{
	if (c->pid != getpid() || !c->is_open)
		return -EBADF;
	if (c->open_resets != atomic_load(&c->shared->resets))
		return -ENODEV;
	return atomic_load(&c->shared->is_shut) && c->purpose != ACCESS_RESET ? -ENODEV : 0;
}

/* Called rarely: keep its large messages off the callers' stacks. */
__attribute__((noinline)) int ttsim_run_clock(struct ttsim_card *c, bool on)
{
	const struct ttsim_request q = { .op = TTSIM_OP_RUN, .n = on };
	struct ttsim_answer a;
	int r = ttsim_call(c, &q, &a);

	c->runs = r == 0 && on;
	return r;
}

/* A closed handle has no purpose; assume the one that allows least. */
static enum access_purpose purpose_of(const struct ttsim_card *c)
{
	return ttsim_usable(c) == -EBADF ? ACCESS_TELEMETRY : c->purpose;
}

static int reach(const struct device *d, const struct ttsim_card *c, struct reg_addr at, size_t n,
	bool store)
{
	return access_allowed(d->chip, purpose_of(c), at, n, store) ? ttsim_usable(c) : -EPERM;
}

/*
 * While the clock runs, accesses wait between clocks and take a thousand times as long, so do not
 * start it for memory, which needs none.
 */
static int start_clock(struct device *d, struct reg_addr at)
{
	struct ttsim_card *c = d->priv;

	if (c->purpose != ACCESS_BURN || c->runs ||
		access_allowed(d->chip, ACCESS_MEMORY, at, 1, false))
		return 0;
	return ttsim_run_clock(c, true);
}

/* Read words to `to`, or write them from `from`, in as many messages as needed. */
static int transfer(struct device *d, struct ttsim_request *q, const uint32_t *from,
	uint32_t *to, size_t n)
{
	struct ttsim_card *c = d->priv;
	struct ttsim_answer a;
	int r = start_clock(d, q->at);

	while (r == 0 && n > 0) {
		q->n = n < TTSIM_WORDS ? (uint32_t)n : TTSIM_WORDS;
		if (from)
			memcpy(q->words, from, 4 * (size_t)q->n);
		r = ttsim_call(c, q, &a);
		if (r == 0 && a.n != (to ? q->n : 0))
			r = -EPROTO;
		if (r < 0)
			break;
		if (to)
			memcpy(to, a.words, 4 * (size_t)q->n);
		to = to ? to + q->n : NULL;
		from = from ? from + q->n : NULL;
		n -= q->n;
		q->at.addr += 4 * (uint64_t)q->n;
	}
	return r;
}

int ttsim_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct ttsim_request q = { .op = TTSIM_OP_READ, .at = at };
	int r = reach(d, d->priv, at, n, false);

	return r < 0 ? r : transfer(d, &q, NULL, words, n);
}

/* How many of the pieces fit into one message and its answer; *words is the size of their data. */
static size_t count_fitting(enum ttsim_op op, const struct device_piece *pieces, size_t n,
	size_t *words)
{
	size_t k = 0;

	for (*words = 0; k < n; k++) {
		const size_t data = *words + pieces[k].n, heads = (k + 1) * TTSIM_PIECE;

		if (data > TTSIM_WORDS || heads > TTSIM_WORDS ||
			(op == TTSIM_OP_SCATTER && heads + data > TTSIM_WORDS))
			break;
		*words = data;
	}
	return k;
}

static void put_piece(struct ttsim_request *q, const struct device_piece *piece)
{
	const struct ttsim_piece p = { .addr = piece->at.addr, .n = (uint32_t)piece->n,
		.x = piece->at.x, .y = piece->at.y, .space = (uint16_t)piece->at.space };

	memcpy(q->words + q->n, &p, sizeof(p));
	q->n += TTSIM_PIECE;
	if (q->op != TTSIM_OP_SCATTER)
		return;
	memcpy(q->words + q->n, piece->words, 4 * piece->n);
	q->n += p.n;
}

static int send_pieces(struct ttsim_card *c, enum ttsim_op op, const struct device_piece *pieces,
	size_t n, size_t words)
{
	struct ttsim_request q = { .op = op };
	struct ttsim_answer a;
	const uint32_t *from = a.words;
	int r;

	for (size_t i = 0; i < n; i++)
		put_piece(&q, &pieces[i]);
	r = ttsim_call(c, &q, &a);
	if (r == 0 && a.n != (op == TTSIM_OP_GATHER ? words : 0))
		r = -EPROTO;
	for (size_t i = 0; r == 0 && op == TTSIM_OP_GATHER && i < n; from += pieces[i++].n)
		memcpy(pieces[i].words, from, 4 * pieces[i].n);
	return r;
}

static int move_pieces(struct device *d, enum ttsim_op op, const struct device_piece *pieces,
	size_t n, size_t *failed)
{
	struct ttsim_card *c = d->priv;
	const enum access_purpose purpose = purpose_of(c);
	const bool stores = op == TTSIM_OP_SCATTER;
	int r = ttsim_usable(c);

	for (*failed = 0; *failed < n; ++*failed)
		if (!access_allowed(d->chip, purpose, pieces[*failed].at, pieces[*failed].n,
			stores))
			return -EPERM;
	for (size_t i = 0, some, words; r == 0 && i < n; i += some ? some : 1) {
		*failed = i;
		some = count_fitting(op, pieces + i, n - i, &words);
		r = start_clock(d, pieces[i].at);
		if (r == 0 && some > 0)
			r = send_pieces(c, op, pieces + i, some, words);
		else if (r == 0 && stores)
			r = ttsim_write_block(d, pieces[i].at, pieces[i].words, pieces[i].n);
		else if (r == 0)
			r = ttsim_read(d, pieces[i].at, pieces[i].words, pieces[i].n);
	}
	return r;
}

int ttsim_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	return move_pieces(d, TTSIM_OP_GATHER, pieces, n, failed);
}

int ttsim_scatter(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	return move_pieces(d, TTSIM_OP_SCATTER, pieces, n, failed);
}

int ttsim_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	struct ttsim_request q = { .op = TTSIM_OP_WRITE, .at = at };
	int r = reach(d, d->priv, at, n, true);

	return r < 0 ? r : transfer(d, &q, words, NULL, n);
}

int ttsim_write(struct device *d, struct reg_addr at, uint32_t word)
{
	return ttsim_write_block(d, at, &word, 1);
}

int ttsim_multicast(struct device *d, struct reg_rect to, uint64_t addr,
	const uint32_t *words, size_t n)
{
	struct ttsim_request q = { .op = TTSIM_OP_MULTICAST, .to = to,
		.at = { REG_NOC, to.x1, to.y1, addr } };
	struct ttsim_card *c = d->priv;
	int r = ttsim_usable(c);

	if (r < 0)
		return r;
	if (!access_multicast_allowed(d->chip, c->purpose, to, addr, n))
		return -EPERM;
	return transfer(d, &q, words, NULL, n);
}
