/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_memory.c - what else a burn takes from a vector library: its peak, load, checks, memory.
 */
#include "config.h"

#include "burnin/kernels/simd/simd.h"

/* The peak: multiply-adds in registers alone, with enough sums to hide the latency of one. */

enum { SUMS = SIMD_PIXELS == 11 ? 24 : 12, PEAK_STEPS = 64 };

uint64_t simd_peak(unsigned rounds)
{
	volatile float seed = 0.5f;
	const simd_vec x = seed - (simd_vec){ 0 }, y = seed * 0.5f - (simd_vec){ 0 };
	simd_vec c[SUMS], all = { 0 };

#pragma GCC unroll 24
	for (int i = 0; i < SUMS; i++)
		c[i] = x * (float)i;
	for (unsigned r = 0; r < rounds * PEAK_STEPS; r++)
#pragma GCC unroll 24
		for (int i = 0; i < SUMS; i++)
			c[i] = c[i] * x + y;
#pragma GCC unroll 24
	for (int i = 0; i < SUMS; i++)
		all += c[i];
	seed = all[0];
	return (uint64_t)rounds * PEAK_STEPS * SUMS * SIMD_LANES * 2;
}

/* The load and the checks. */

enum {
	STEPS = 4,		/* terms per turn of the loop, so that it counts less often */
	FETCH = 32,		/* terms that B is prefetched ahead, from the second level */
	PIECE = 1024		/* words; got's and want's fit well in the first-level cache */
};

/* sum += a[rows] x b[cols] */
static inline __attribute__((always_inline)) void add_term(const float *a, const float *b,
	simd_vec sum[SIMD_ROWS][2])
{
	const simd_vec b0 = simd_load(b), b1 = simd_load(b + SIMD_LANES);

	__builtin_prefetch(b + FETCH * SIMD_COLS, 0, 3);
	if (SIMD_COLS * sizeof(*b) > SIMD_LINE)
		__builtin_prefetch(b + FETCH * SIMD_COLS + SIMD_LANES, 0, 3);
#pragma GCC unroll 16
	for (int r = 0; r < SIMD_ROWS; r++) {
		sum[r][0] += b0 * a[r];
		sum[r][1] += b1 * a[r];
	}
}

static void tile(const void *panel_a, const void *panel_b, int kc, float *c, size_t c_row)
{
	const float *a = panel_a, *b = panel_b;
	simd_vec sum[SIMD_ROWS][2];
	int k = 0;

#pragma GCC unroll 16
	for (int r = 0; r < SIMD_ROWS; r++)
		sum[r][0] = sum[r][1] = (simd_vec){ 0 };
	for (; k + STEPS <= kc; k += STEPS, a += STEPS * SIMD_ROWS, b += STEPS * SIMD_COLS)
#pragma GCC unroll 4
		for (int i = 0; i < STEPS; i++)
			add_term(a + i * SIMD_ROWS, b + i * SIMD_COLS, sum);
	for (; k < kc; k++, a += SIMD_ROWS, b += SIMD_COLS)
		add_term(a, b, sum);
#pragma GCC unroll 16
	for (int r = 0; r < SIMD_ROWS; r++, c += c_row) {
		simd_store(c, sum[r][0]);
		simd_store(c + SIMD_LANES, sum[r][1]);
	}
}

static void narrow(const float *from, uint16_t *to, size_t n)
{
	simd_copy_out(BURN_BFLOAT16, from, to, 0, n);
}

static simd_bits bits_at(const uint32_t *p)
{
	simd_bits v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool same(const uint32_t *a, const uint32_t *b, size_t n)
{
	simd_bits different = { 0 };
	uint32_t any = 0;
	size_t i = 0;

	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		different |= bits_at(a + i) ^ bits_at(b + i);
	for (; i < n; i++)
		any |= a[i] ^ b[i];
	for (int lane = 0; lane < SIMD_LANES; lane++)
		any |= different[lane];
	return !any;
}

/*
 * Compare and invert one piece at a time, while it is in a near cache.  On a difference, restore
 * the pieces before it, which were equal.
 */
static bool equal(uint32_t *got, const uint32_t *want, size_t n)
{
	for (size_t at = 0; at < n; at += PIECE) {
		const size_t left = n - at < PIECE ? n - at : PIECE;
		size_t i = at;

		if (!same(got + at, want + at, left)) {
			memcpy(got, want, at * sizeof(*got));
			return false;
		}
		for (; i + SIMD_LANES <= at + left; i += SIMD_LANES) {
			const simd_bits wrong = ~bits_at(want + i);

			memcpy(got + i, &wrong, sizeof(wrong));
		}
		for (; i < at + left; i++)
			got[i] = ~want[i];
	}
	return true;
}

/* Each lane is rotated by a bit before a word is added, so the words' order counts too. */
static uint64_t sum(const uint32_t *at, size_t n)
{
	simd_bits s = { 0 };
	uint64_t all = 0;
	size_t i = 0;

	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		s = (s << 1 | s >> 31) + bits_at(at + i);
	for (; i < n; i++)
		all = all * 31 + at[i];
	for (int lane = 0; lane < SIMD_LANES; lane++)
		all = all * 31 + s[lane];
	return all;
}

const struct impl_check simd_check = { .narrow = narrow, .equal = equal, .sum = sum };

const struct impl_stress simd_stress = {
	.rows = SIMD_ROWS, .cols = SIMD_COLS, .run_a = 1, .run_b = 1, .tile = tile,
	.check = &simd_check,
};

/* Host memory in bursts of 64 bytes, written past the caches where the processor can do that. */

enum { PARTS = IMPL_BURST / (SIMD_LANES * 4) };	/* vectors of a burst */

typedef uint64_t simd_words __attribute__((vector_size(SIMD_LANES * 4)));

typedef long long simd_wide __attribute__((vector_size(SIMD_LANES * 4)));

/* Store past the caches.  Loads of the same thread see it in order; others need a fence. */
#if defined(__clang__)
static inline void store_past(uint64_t *to, simd_words v)
{
	__builtin_nontemporal_store((simd_wide)v, (simd_wide *)(void *)to);
}
#elif defined(SIMD_AVX512)
static inline void store_past(uint64_t *to, simd_words v)
{
	__builtin_ia32_movntdq512((simd_wide *)(void *)to, (simd_wide)v);
}
#elif defined(SIMD_AVX2)
static inline void store_past(uint64_t *to, simd_words v)
{
	__builtin_ia32_movntdq256((simd_wide *)(void *)to, (simd_wide)v);
}
#elif defined(__x86_64__)
static inline void store_past(uint64_t *to, simd_words v)
{
	__builtin_ia32_movntdq((simd_wide *)(void *)to, (simd_wide)v);
}
#else
static inline void store_past(uint64_t *to, simd_words v)
{
	memcpy(to, &v, sizeof(v));
}
#endif

/* Aligned, SSE reads it with the instruction that takes it. */
static inline simd_words words_at(const uint64_t *from)
{
	simd_words v;

	memcpy(&v, __builtin_assume_aligned(from, sizeof(v)), sizeof(v));
	return v;
}

static inline uint64_t burst_of(uint64_t from, const uint64_t *which, size_t i)
{
	return which ? which[i] : from + i;
}

/*
 * The burst that is fetched while burst i is read.  In order the processor fetches by itself, and
 * a fetch beyond its own is in its way: 32 to 64 bursts ahead, Zen 4 read 22 GB/s instead of 32.
 */
static inline uint64_t burst_ahead(uint64_t from, const uint64_t *which, size_t i)
{
	return burst_of(from, which, i + (which ? IMPL_AHEAD : IMPL_NEAR));
}

/*
 * Before page i, fetch the first burst of the page after next: the processor does not look beyond a
 * page itself, and a store that waits for a translation keeps all others waiting.
 */
static inline void look_ahead(const uint64_t *memory, uint64_t from, const uint64_t *which,
	size_t i)
{
	const uint64_t then = burst_of(from, which, i + 2 * IMPL_PAGE);

	__builtin_prefetch(memory + then * (IMPL_BURST / 8), 0, 2);
}

/* The table's row of burst i of a page; in order it is row i, which costs nothing. */
static inline const uint64_t *row_of(const uint64_t *table, const uint64_t *which, uint64_t burst,
	size_t i)
{
	return table + (which ? burst % IMPL_TABLE : i) * (IMPL_BURST / 8);
}

static inline simd_words wanted(const uint64_t *row, uint64_t key, int part)
{
	return words_at(row + part * (SIMD_LANES / 2)) ^ ((simd_words){ 0 } + key);
}

/*
 * kind is a constant in every caller.  m is a copy, which no store can change: read again for each
 * burst, its members cost the stores past the caches a tenth of their rate.
 */
static inline __attribute__((always_inline)) void fill_as(const struct impl_bursts m,
	const enum impl_key kind, uint64_t from, const uint64_t *which, size_t n)
{
	for (size_t page = 0; page < n; page += IMPL_PAGE) {
		look_ahead(m.at, from, which, page);
		for (size_t i = 0; i < IMPL_PAGE; i++) {
			const uint64_t burst = burst_of(from, which, page + i);
			const uint64_t *row = row_of(m.table, which, burst, i);
			const uint64_t key = impl_key(&m, kind, burst);
			uint64_t *to = m.at + burst * (IMPL_BURST / 8);

#pragma GCC unroll 4
			for (int part = 0; part < PARTS; part++)
				store_past(to + part * (SIMD_LANES / 2), wanted(row, key, part));
		}
	}
}

/*
 * The floor is the memory: one thread of Zen 4 reads 32 GB/s, 7 cycles a burst, of which 22
 * instructions with AVX2 take 4.  The fewer they are, the more bursts are on their way at once.
 */
static inline __attribute__((always_inline)) void compare_as(const struct impl_bursts m,
	const enum impl_key kind, uint64_t from, const uint64_t *which, size_t n,
	uint64_t wrong[IMPL_BURST / 8])
{
	simd_words different[PARTS] = { 0 };

	for (size_t page = 0; page < n; page += IMPL_PAGE) {
		look_ahead(m.at, from, which, page);
		for (size_t i = 0; i < IMPL_PAGE; i++) {
			const uint64_t burst = burst_of(from, which, page + i);
			const uint64_t *row = row_of(m.table, which, burst, i);
			const uint64_t key = impl_key(&m, kind, burst);
			const uint64_t *at = m.at + burst * (IMPL_BURST / 8);
			const uint64_t then = burst_ahead(from, which, page + i);

			__builtin_prefetch(m.at + then * (IMPL_BURST / 8), 0, 2);
#pragma GCC unroll 4
			for (int part = 0; part < PARTS; part++)
				different[part] |= words_at(at + part * (SIMD_LANES / 2))
					^ wanted(row, key, part);
		}
	}
	memcpy(wrong, different, IMPL_BURST);
}

/* Bursts in sequence and listed bursts get a loop each, to fill and to compare. */
static inline __attribute__((always_inline)) void run_kind(const bool compares,
	const struct impl_bursts *m, const enum impl_key kind, uint64_t from, const uint64_t *which,
	size_t n, uint64_t *wrong)
{
	if (compares && which)
		compare_as(*m, kind, from, which, n, wrong);
	else if (compares)
		compare_as(*m, kind, from, NULL, n, wrong);
	else if (which)
		fill_as(*m, kind, from, which, n);
	else
		fill_as(*m, kind, from, NULL, n);
}

static inline __attribute__((always_inline)) void run_bursts(const bool compares,
	const struct impl_bursts *m, uint64_t from, const uint64_t *which, size_t n,
	uint64_t *wrong)
{
	switch (m->kind) {
	case IMPL_KEY_NONE:
		run_kind(compares, m, IMPL_KEY_NONE, from, which, n, wrong);
		break;
	case IMPL_KEY_RANDOM:
		run_kind(compares, m, IMPL_KEY_RANDOM, from, which, n, wrong);
		break;
	case IMPL_KEY_ADDRESS:
		run_kind(compares, m, IMPL_KEY_ADDRESS, from, which, n, wrong);
		break;
	case IMPL_KEY_MARK:
		run_kind(compares, m, IMPL_KEY_MARK, from, which, n, wrong);
		break;
	}
}

static void fill_bursts(const struct impl_bursts *m, uint64_t from, const uint64_t *which, size_t n)
{
	run_bursts(false, m, from, which, n, NULL);
}

static bool compare_bursts(const struct impl_bursts *m, uint64_t from, const uint64_t *which,
	size_t n, uint64_t wrong[IMPL_BURST / 8])
{
	uint64_t any = 0;

	run_bursts(true, m, from, which, n, wrong);
	for (int i = 0; i < IMPL_BURST / 8; i++)
		any |= wrong[i];
	return any == 0;
}

/* The same traffic alone: one value is written, and what is read is compared with nothing. */
static void plain_fill(uint64_t *at, size_t bursts, uint64_t value)
{
	const simd_words v = (simd_words){ 0 } + value;

	for (size_t i = 0; i < bursts; i++) {
		if (i % IMPL_PAGE == 0)
			look_ahead(at, 0, NULL, i);
#pragma GCC unroll 4
		for (int part = 0; part < PARTS; part++)
			store_past(at + i * (IMPL_BURST / 8) + part * (SIMD_LANES / 2), v);
	}
}

static uint64_t plain_read(const uint64_t *at, size_t bursts)
{
	simd_words all = { 0 };
	uint64_t any = 0;

	for (size_t i = 0; i < bursts; i++) {
		const uint64_t *here = at + i * (IMPL_BURST / 8);

		if (i % IMPL_PAGE == 0)
			look_ahead(at, 0, NULL, i);
		__builtin_prefetch(here + IMPL_NEAR * (IMPL_BURST / 8), 0, 2);
#pragma GCC unroll 4
		for (int part = 0; part < PARTS; part++)
			all |= words_at(here + part * (SIMD_LANES / 2));
	}
	for (int lane = 0; lane < SIMD_LANES / 2; lane++)
		any |= all[lane];
	return any;
}

const struct impl_memory simd_memory = {
	.fill = fill_bursts, .compare = compare_bursts,
	.plain_fill = plain_fill, .plain_read = plain_read,
};
