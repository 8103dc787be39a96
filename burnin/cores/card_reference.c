/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_reference.h"

#include "base/mem.h"
#include "burnin/cores/card_make.h"
#include "burnin/kernels/bf16.h"
#include "burnin/reference/golden.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SUMS = 1024 * CARD_BLOCK_COLUMNS,	/* of an operation */
	FILTER = 3
};

/* An operation of a case on the cores. */
struct work {
	struct card_round *w;
	const struct data *d;
	enum burn_op op;
	double *sums;				/* m x n */
	struct card_factors of;
	struct card_block blocks[CARD_TILES / 2];	/* each for two cores */
	size_t n, first;			/* blocks; the first of their cores */
	uint32_t *words;			/* CARD_BLOCK_WORDS of each core */
};

unsigned card_reference_phases(enum device_chip chip)
{
	return chip == DEVICE_WORMHOLE ? 3 : 4;
}

size_t card_reference_size(void)
{
	return sizeof(double) * SUMS * BURN_OPS * BURN_CASES;
}

static double *sums_of(const struct card_reference *r, const struct burn_case *c, enum burn_op op)
{
	return r->sums + ((size_t)(c - burn_cases) * BURN_OPS + op) * SUMS;
}

/* The input under a pixel's filter for this term; 0 on the padding. */
static uint16_t surroundings(const struct work *k, size_t pixel, size_t term)
{
	const struct burn_shape *s = &k->d->shapes[BURN_CONV2D];
	const size_t width = (size_t)s->width, height = (size_t)s->height;
	const size_t tap = term % BURN_TAPS;
	/* One more than the coordinate, since padding begins before 0. */
	const size_t y = pixel / width + tap / FILTER, x = pixel % width + tap % FILTER;

	if (y < 1 || y > height || x < 1 || x > width)
		return 0;
	return k->d->narrow[BURN_CONV2D][BURN_INPUT][(term / BURN_TAPS * height + y - 1) * width +
		x - 1];
}

static uint16_t left(const void *arg, size_t row, size_t term)
{
	const struct work *k = arg;
	const size_t terms = (size_t)k->d->shapes[k->op].k;

	if (k->op == BURN_MATMUL)
		return k->d->narrow[BURN_MATMUL][BURN_INPUT][row * terms + term];
	return term == terms ? CARD_BLOCK_ONE : surroundings(k, row, term);
}

static uint16_t right(const void *arg, size_t term, size_t column)
{
	const struct work *k = arg;
	const struct burn_shape *s = &k->d->shapes[k->op];
	const size_t terms = (size_t)s->k;

	if (k->op == BURN_MATMUL)
		return k->d->narrow[BURN_MATMUL][BURN_WEIGHT][term * (size_t)s->n + column];
	return term == terms ? k->d->narrow[BURN_CONV2D][BURN_BIAS][column] :
		k->d->narrow[BURN_CONV2D][BURN_WEIGHT][column * terms + term];
}

static const struct card_tile *tile(const struct work *k, size_t core)
{
	return &k->w->tiles[core];
}

static uint32_t *words_of(const struct work *k, size_t core)
{
	return k->words + core * CARD_BLOCK_WORDS;
}

static int put_block(struct work *k, const struct card_block *b, size_t first, size_t n,
	struct error *e)
{
	card_block_make(b, &k->w->data);
	card_make_orders(k->w);
	return card_round_put(k->w, first, n, e);
}

static int read_blocks(struct work *k, size_t first, size_t n, struct error *e)
{
	int r = 0;

	for (size_t i = first; r == 0 && i < first + n; i++) {
		atomic_fetch_add(&k->w->s->beats, 1);
		for (uint32_t block = 0; r == 0 && block < 2; block++)
			r = card_read_block(k->w->d, tile(k, i), &k->w->data, block,
				words_of(k, i) + block * KERNEL_BLOCK_WORDS);
		if (r < 0)
			fail(e, r, "core %u-%u cannot be read: %s", tile(k, i)->x, tile(k, i)->y,
				device_strerror(r));
	}
	return r;
}

/* -ECANCELED: the end has come first, or a core did not do it, as its counters say. */
static int compute_on_cores(struct work *k, size_t first, size_t n, struct error *e)
{
	const struct card_stage stage = { .first = first, .n = n, .passes = 1,
		.kind = k->op == BURN_CONV2D ? CARD_CONV : CARD_MATMUL };
	int r = card_round_compute(k->w, &stage, e);

	/* If the end was asked for, some cores may not have been started. */
	if (r == 0 && (!k->w->is_whole || card_round_must_end(k->w) || card_round_is_bad(k->w)))
		return -ECANCELED;
	return r ? r : read_blocks(k, first, n, e);
}

/* The first word where two cores differ; CARD_BLOCK_WORDS: none. */
static size_t first_difference(const struct work *k, size_t a, size_t b)
{
	size_t i = 0;

	while (i < CARD_BLOCK_WORDS && words_of(k, a)[i] == words_of(k, b)[i])
		i++;
	return i;
}

static void name_word(const struct work *k, const struct card_block *b, size_t word, char text[80])
{
	size_t row, column;

	card_block_place(word, &row, &column);
	snprintf(text, 80, "%s of %d channels, terms from %zu on, row %zu, column %zu",
		burn_op_name(k->op), k->d->c->channels, b->term, b->row + row, column);
}

static int fail_odd(const struct work *k, const struct card_block *b, size_t odd, size_t other,
	size_t third, struct error *e)
{
	const size_t at = first_difference(k, odd, other);
	char where[80];

	name_word(k, b, at, where);
	return fail(e, -EILSEQ, "core %u-%u does not compute what cores %u-%u and %u-%u do: %s is "
		"0x%08x, not 0x%08x", tile(k, odd)->x, tile(k, odd)->y, tile(k, other)->x,
		tile(k, other)->y, tile(k, third)->x, tile(k, third)->y, where,
		words_of(k, odd)[at], words_of(k, other)[at]);
}

/* Let a third core compute the block, too: two of the three that agree are right. */
static int find_odd(struct work *k, const struct card_block *b, size_t a, size_t at,
	struct error *e)
{
	const size_t third = a + 2 < k->w->n ? a + 2 : 0;
	char where[80];
	int r;

	k->w->loads++;
	r = put_block(k, b, third, 1, e);
	r = r ? r : compute_on_cores(k, third, 1, e);
	if (r < 0 && r != -ECANCELED)
		return r;
	if (r == 0 && first_difference(k, a, third) == CARD_BLOCK_WORDS)
		return fail_odd(k, b, a + 1, a, third, e);
	if (r == 0 && first_difference(k, a + 1, third) == CARD_BLOCK_WORDS)
		return fail_odd(k, b, a, a + 1, third, e);
	name_word(k, b, at, where);
	return fail(e, -EILSEQ, "cores %u-%u and %u-%u differ, and no third one agrees with "
		"either: %s is 0x%08x and 0x%08x", tile(k, a)->x, tile(k, a)->y, tile(k, a + 1)->x,
		tile(k, a + 1)->y, where, words_of(k, a)[at], words_of(k, a + 1)[at]);
}

static int check_witnesses(const struct work *k, const struct card_block *b, size_t core,
	struct error *e)
{
	const struct card_tile *t = tile(k, core);
	char where[80];

	for (size_t row = 0; row < CARD_BLOCK_ROWS; row++)
		for (size_t c = CARD_BLOCK_COLUMNS; c < KERNEL_CHANNELS; c++) {
			const size_t at = card_block_word(row, c);
			const uint32_t got = words_of(k, core)[at];
			const uint32_t want = card_block_witness(b, row, c);

			/* -0 equals 0. */
			if (got == want || (got | want) << 1 == 0)
				continue;
			name_word(k, b, at, where);
			return fail(e, -EILSEQ, "cores %u-%u and %u-%u give a known term back "
				"wrong: %s is 0x%08x, not 0x%08x", t[0].x, t[0].y, t[1].x, t[1].y,
				where, got, want);
		}
	return 0;
}

static void add_block(struct work *k, const struct card_block *b, const uint32_t *words)
{
	for (size_t row = 0; row < CARD_BLOCK_ROWS; row++)
		for (size_t c = 0; c < CARD_BLOCK_COLUMNS; c++) {
			float sum;

			memcpy(&sum, &words[card_block_word(row, c)], sizeof(sum));
			k->sums[(b->row + row) * CARD_BLOCK_COLUMNS + c] += (double)sum;
		}
}

static int take_blocks(struct work *k, struct error *e)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct card_block *b = &k->blocks[i];
		const size_t core = k->first + 2 * i, at = first_difference(k, core, core + 1);
		int r = at < CARD_BLOCK_WORDS ? read_blocks(k, core, 2, e) : 0;

		if (r < 0)
			return r;
		if (at < CARD_BLOCK_WORDS && first_difference(k, core, core + 1) == at)
			return find_odd(k, b, core, at, e);
		if (at < CARD_BLOCK_WORDS)
			return fail_as(e, CODE_MISREAD, -EILSEQ, "the blocks of cores %u-%u and "
				"%u-%u differ otherwise when they are read again", tile(k, core)->x,
				tile(k, core)->y, tile(k, core + 1)->x, tile(k, core + 1)->y);
		r = check_witnesses(k, b, core, e);
		if (r < 0)
			return r;
		add_block(k, b, words_of(k, core));
		atomic_fetch_add(&k->w->s->agreed, CARD_BLOCK_WORDS);
	}
	k->first += 2 * k->n;
	k->n = 0;
	return 0;
}

/* Run the blocks; again from the load on, if the caller stopped watching meanwhile. */
static int run_blocks(struct work *k, struct error *e)
{
	int r;

	/* Take cores in turn, so that all take part if there is enough work. */
	if (k->first + 2 * k->n > k->w->n)
		k->first = 0;
	do {
		if (!card_round_await_watched(k->w))
			return -ECANCELED;
		r = 0;
		k->w->loads++;
		for (size_t i = 0; r == 0 && i < k->n; i++)
			r = card_round_must_end(k->w) ? -ECANCELED :
				put_block(k, &k->blocks[i], k->first + 2 * i, 2, e);
		r = r ? r : compute_on_cores(k, k->first, 2 * k->n, e);
	} while (r == -ECANCELED && !card_round_is_bad(k->w));
	return r ? r : take_blocks(k, e);
}

/* Run as many blocks at a time as the card has pairs of cores. */
static int run_operation(struct work *k, struct error *e)
{
	const struct burn_shape *s = &k->d->shapes[k->op];
	const size_t terms = card_reference_terms(s), most = k->w->n / 2;
	int r = 0;

	k->sums = sums_of(k->w->c->reference, k->d->c, k->op);
	for (size_t term = 0; r == 0 && term < terms; term += CARD_BLOCK_TERMS)
		for (size_t row = 0; r == 0 && row < (size_t)s->m; row += CARD_BLOCK_ROWS) {
			k->blocks[k->n++] = (struct card_block){ &k->of, row, term,
				terms - term < CARD_BLOCK_TERMS ? terms - term : CARD_BLOCK_TERMS,
				card_reference_phases(k->w->d->chip) };
			if (k->n == most)
				r = run_blocks(k, e);
		}
	return r == 0 && k->n > 0 ? run_blocks(k, e) : r;
}

static int run_case(struct work *k, const struct burn_case *c, struct error *e)
{
	struct data d;
	int r = 0;

	data_init(&d, c, BURN_BFLOAT16);
	data_draw(&d);
	k->d = &d;
	for (int op = 0; r == 0 && op < BURN_OPS; op++) {
		k->op = (enum burn_op)op;
		r = run_operation(k, e);
	}
	data_clear(&d);
	return r;
}

int card_reference_run(struct card_round *w, struct error *e)
{
	struct work k = { .w = w, .of = { left, right, &k } };
	int r = w->n >= 2 ? 0 : fail_as(e, CODE_NOT_COVERED, -ENODEV, "a block needs two cores");

	k.words = mem_calloc(w->n * CARD_BLOCK_WORDS, sizeof(*k.words));
	for (int i = 0; r == 0 && i < BURN_CASES; i++)
		if (w->c->reference->cases & 1u << i)
			r = run_case(&k, &burn_cases[i], e);
	free(k.words);
	return r == -ECANCELED ? 0 : r;
}

/* conv2d's results are stored filter by filter. */
void card_reference_take(const struct card_reference *r, struct data *d)
{
	for (int op = 0; op < BURN_OPS; op++) {
		const double *sums = sums_of(r, d->c, (enum burn_op)op);
		const size_t m = (size_t)d->shapes[op].m, n = (size_t)d->shapes[op].n;
		float *out = mem_calloc(m * n, sizeof(*out));

		for (size_t i = 0; i < m * n; i++)
			out[op == BURN_CONV2D ? i % n * m + i / n : i] =
				bf16_widen(golden_round_bfloat16(sums[i]));
		free(d->values[op][BURN_OUTPUT]);
		d->values[op][BURN_OUTPUT] = out;
	}
}
