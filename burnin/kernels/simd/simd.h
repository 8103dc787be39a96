/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd.h - one source for all vector kernels: they are written in vectors of
 * SIMD_LANES floats, which gcc and clang compile to the instructions that this
 * library's flags (Makefile.am) allow.  So each instruction set is the same code
 * with another width, another number of registers and another name.
 */
#pragma once

#include "burnin/kernels/impl.h"

#include <stdint.h>
#include <string.h>

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
#include <immintrin.h>
#endif

#if defined(SIMD_AVX512)
#define simd_impl impl_avx512
#define simd_conv_kernel simd_conv_kernel_avx512
#define simd_gemm_kernel simd_gemm_kernel_avx512
#define simd_double_conv simd_double_conv_avx512
#define simd_double_gemm simd_double_gemm_avx512
#define simd_peak simd_peak_avx512
#define simd_stress simd_stress_avx512
#define simd_check simd_check_avx512
#define simd_memory simd_memory_avx512
#define SIMD_NAME "avx512"
#define SIMD_HELP "AVX-512; bfloat16 is widened to float on the way in"
#define SIMD_VERSION "v3"
#define SIMD_NEEDS CPU_AVX512
enum { SIMD_LANES = 16, SIMD_ROWS = 14, SIMD_FEW = 8, SIMD_PIXELS = 11, SIMD_TAPS = 3 };
enum { SIMD_WIDE = 2, SIMD_THIN = 8, SIMD_SPAN = 2 };
#elif defined(SIMD_AVX2)
#define simd_impl impl_avx2
#define simd_conv_kernel simd_conv_kernel_avx2
#define simd_gemm_kernel simd_gemm_kernel_avx2
#define simd_double_conv simd_double_conv_avx2
#define simd_double_gemm simd_double_gemm_avx2
#define simd_peak simd_peak_avx2
#define simd_stress simd_stress_avx2
#define simd_check simd_check_avx2
#define simd_memory simd_memory_avx2
#define SIMD_NAME "avx2"
#define SIMD_HELP "AVX2 and FMA; bfloat16 is widened to float on the way in"
#define SIMD_VERSION "v3"
#define SIMD_NEEDS CPU_AVX2_FMA
enum { SIMD_LANES = 8, SIMD_ROWS = 6, SIMD_FEW = 4, SIMD_PIXELS = 6, SIMD_TAPS = 1 };
enum { SIMD_WIDE = 3, SIMD_THIN = 3, SIMD_SPAN = 4 };
#elif defined(SIMD_NEON)
#define simd_impl impl_neon
#define simd_conv_kernel simd_conv_kernel_neon
#define simd_gemm_kernel simd_gemm_kernel_neon
#define simd_double_conv simd_double_conv_neon
#define simd_double_gemm simd_double_gemm_neon
#define simd_peak simd_peak_neon
#define simd_stress simd_stress_neon
#define simd_check simd_check_neon
#define simd_memory simd_memory_neon
#define SIMD_NAME "neon"
#define SIMD_HELP "NEON; bfloat16 is widened to float on the way in"
#define SIMD_VERSION "v3"
#define SIMD_NEEDS CPU_NEON
enum { SIMD_LANES = 4, SIMD_ROWS = 12, SIMD_FEW = 8, SIMD_PIXELS = 11, SIMD_TAPS = 1 };
enum { SIMD_WIDE = 2, SIMD_THIN = 8, SIMD_SPAN = 2 };
#else
#define simd_impl impl_portable
#define simd_conv_kernel simd_conv_kernel_portable
#define simd_gemm_kernel simd_gemm_kernel_portable
#define simd_double_conv simd_double_conv_portable
#define simd_double_gemm simd_double_gemm_portable
#define simd_peak simd_peak_portable
#define simd_stress simd_stress_portable
#define simd_check simd_check_portable
#define simd_memory simd_memory_portable
#define SIMD_NAME "portable"
#define SIMD_HELP "blocked C for any processor"
#define SIMD_VERSION "v2"
#define SIMD_NEEDS 0
enum { SIMD_LANES = 4, SIMD_ROWS = 4, SIMD_FEW = 4, SIMD_PIXELS = 6, SIMD_TAPS = 1 };
enum { SIMD_WIDE = 2, SIMD_THIN = 4, SIMD_SPAN = 2 };
#endif

/*
 * SIMD_ROWS: rows of a tile of matmul; SIMD_FEW: rows of a smaller one; SIMD_PIXELS:
 * pixels of a tile of conv2d; SIMD_TAPS: taps of a row whose weights stay in
 * registers, so that a pixel is loaded once for them (1 or 3).  These tiles are two
 * vectors wide.  SIMD_WIDE: vectors of the widest tile of SIMD_FEW rows; SIMD_THIN
 * rows of SIMD_SPAN vectors are the tile of a narrow matmul.
 *
 * The floor of AVX2, with 16 registers, two multiply-adds and two loads per cycle: tiles
 * of 6 x 2, 4 x 3 and 3 x 4 vectors have 12 sums, 6 cycles per term, and load 8, 7 and 7
 * values, 3.5 to 4 cycles.  A tile of 4 x 2 has 8 sums, as many as just hide the latency
 * of 4 cycles, and reached 70 % of the peak.
 */
/* What the files of one vector library share. */
extern const struct impl_kernel simd_conv_kernel;
extern const struct impl_kernel simd_gemm_kernel;
extern const struct impl_kernel simd_double_conv;
extern const struct impl_kernel simd_double_gemm;
extern const struct impl_stress simd_stress;
extern const struct impl_check simd_check;
extern const struct impl_memory simd_memory;
uint64_t simd_peak(unsigned rounds);

enum { SIMD_COLS = 2 * SIMD_LANES, SIMD_LINE = 64 };

typedef float simd_vec __attribute__((vector_size(SIMD_LANES * 4)));
typedef uint32_t simd_bits __attribute__((vector_size(SIMD_LANES * 4)));
typedef uint16_t simd_half __attribute__((vector_size(SIMD_LANES * 2)));

static inline simd_vec simd_load(const float *p)
{
	simd_vec v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void simd_store(float *p, simd_vec v)
{
	memcpy(p, &v, sizeof(v));
}

/* Widen SIMD_LANES values of bfloat16, exactly. */
#if defined(SIMD_AVX512)
static inline simd_vec simd_widen(const uint16_t *p)
{
	/* One shuffle; gcc 12 makes four of the conversion of a vector this wide. */
	const __m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);

	return (simd_vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16);
}
#elif defined(SIMD_AVX2)
static inline simd_vec simd_widen(const uint16_t *p)
{
	const __m128i h = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (simd_vec)_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16);
}
#else
static inline simd_vec simd_widen(const uint16_t *p)
{
	simd_half h;

	memcpy(&h, p, sizeof(h));
	return (simd_vec)(__builtin_convertvector(h, simd_bits) << 16);
}
#endif

/*
 * bf16_round() of each sum of products of bfloat16, in the upper half of its bits; the lower half
 * is left over.  Such a sum that is NaN has nothing in the lower half: it is an operand, made
 * quiet, or the processor's own.
 */
static inline simd_bits simd_round(simd_vec sum)
{
	const simd_bits bits = (simd_bits)sum;

	return bits + 0x7fff + (bits >> 16 & 1);
}

static inline void simd_store_rounded(uint16_t *p, simd_vec v)
{
	const simd_half h = __builtin_convertvector(simd_round(v) >> 16, simd_half);

	memcpy(p, &h, sizeof(h));
}

/* Of AVX2 one instruction packs both; gcc makes two of two conversions. */
#if defined(SIMD_AVX2)
static inline void simd_store_pair(uint16_t *p, simd_vec a, simd_vec b)
{
	const __m256i both = _mm256_packus_epi32((__m256i)(simd_round(a) >> 16),
		(__m256i)(simd_round(b) >> 16));

	_mm256_storeu_si256((__m256i *)(void *)p, _mm256_permute4x64_epi64(both, 0xd8));
}
#else
static inline void simd_store_pair(uint16_t *p, simd_vec a, simd_vec b)
{
	simd_store_rounded(p, a);
	simd_store_rounded(p + SIMD_LANES, b);
}
#endif

#if defined(SIMD_AVX512)
#define SIMD_ZIP_LOW  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define SIMD_ZIP_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(SIMD_AVX2)
#define SIMD_ZIP_LOW  0, 8, 1, 9, 2, 10, 3, 11
#define SIMD_ZIP_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define SIMD_ZIP_LOW  0, 4, 1, 5
#define SIMD_ZIP_HIGH 2, 6, 3, 7
#endif

/* clang, and gcc from 12 on, have the first builtin; gcc 11 has the second. */
#if __has_builtin(__builtin_shufflevector)
static inline simd_vec simd_zip_low(simd_vec a, simd_vec b)
{
	return __builtin_shufflevector(a, b, SIMD_ZIP_LOW);
}

static inline simd_vec simd_zip_high(simd_vec a, simd_vec b)
{
	return __builtin_shufflevector(a, b, SIMD_ZIP_HIGH);
}
#else
static inline simd_vec simd_zip_low(simd_vec a, simd_vec b)
{
	return __builtin_shuffle(a, b, (simd_bits){ SIMD_ZIP_LOW });
}

static inline simd_vec simd_zip_high(simd_vec a, simd_vec b)
{
	return __builtin_shuffle(a, b, (simd_bits){ SIMD_ZIP_HIGH });
}
#endif

/* Turn rows into columns: log2(LANES) times, zip the first half with the second. */
static inline void simd_transpose(simd_vec v[static SIMD_LANES])
{
	simd_vec w[SIMD_LANES];

#pragma GCC unroll 4
	for (int round = 1; round < SIMD_LANES; round *= 2) {
#pragma GCC unroll 16
		for (int i = 0; i < SIMD_LANES; i++)
			w[i] = v[i];
#pragma GCC unroll 8
		for (int i = 0; i < SIMD_LANES / 2; i++) {
			const simd_vec a = w[i], b = w[i + SIMD_LANES / 2];

			v[2 * i] = simd_zip_low(a, b);
			v[2 * i + 1] = simd_zip_high(a, b);
		}
	}
}

/*
 * Turn pixels, SIMD_COLS apart, into rows of LANES filters, of which `filters` exist: LANES
 * pixels or, if narrow, twice as many, rounded.  The rows lie `stride` bytes apart.
 */
static inline __attribute__((always_inline)) void simd_put_square(const bool narrow,
	const float *from, int filters, char *to, size_t stride)
{
	simd_vec v[SIMD_LANES];

#pragma GCC unroll 16
	for (int i = 0; i < SIMD_LANES; i++, from += (1 + narrow) * SIMD_COLS) {
		v[i] = simd_load(from);
		if (narrow)
			v[i] = (simd_vec)(simd_round(v[i]) >> 16
				| (simd_round(simd_load(from + SIMD_COLS)) & 0xffff0000));
	}
	simd_transpose(v);
#pragma GCC unroll 16
	for (int i = 0; i < SIMD_LANES; i++)
		if (i < filters)
			memcpy(to + (size_t)i * stride, &v[i], sizeof(v[i]));
}

/*
 * [width][SIMD_COLS] to [filters][width], whose rows lie `stride` elements apart;
 * filters: SIMD_COLS at most; width: a multiple of 2 * SIMD_LANES.
 */
static inline void simd_put_row(enum burn_dtype t, const float *sum, int width, int filters,
	void *to, size_t stride)
{
	const size_t element = burn_dtype_size(t);
	const int step = (int)(sizeof(simd_vec) / element);

	for (int half = 0; half < SIMD_COLS; half += SIMD_LANES)
		for (int x = 0; x < width; x += step) {
			const float *from = sum + x * SIMD_COLS + half;
			char *at = (char *)to + ((size_t)half * stride + (size_t)x) * element;

			if (t == BURN_FLOAT32)
				simd_put_square(false, from, filters - half, at, stride * element);
			else
				simd_put_square(true, from, filters - half, at, stride * element);
		}
}

/* n floats from a tensor of either type. */
static inline void simd_copy_in(enum burn_dtype t, const void *from, size_t at, float *to, size_t n)
{
	const uint16_t *half = (const uint16_t *)from + at;
	size_t i = 0;

	if (t == BURN_FLOAT32) {
		memcpy(to, (const float *)from + at, n * sizeof(float));
		return;
	}
	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		simd_store(to + i, simd_widen(half + i));
	/* The rest by a last whole vector, which overlaps the one before it. */
	if (i < n && n >= SIMD_LANES)
		simd_store(to + n - SIMD_LANES, simd_widen(half + n - SIMD_LANES));
	if (n >= SIMD_LANES)
		return;
	/* The second limit is redundant, but the compiler does not know that. */
	for (i = 0; i < n && i < SIMD_LANES; i++) {
		const uint32_t bits = (uint32_t)half[i] << 16;

		memcpy(to + i, &bits, sizeof(bits));
	}
}

/* n sums into a tensor of either type; bfloat16's as simd_round() takes them. */
static inline void simd_copy_out(enum burn_dtype t, const float *from, void *to, size_t at,
	size_t n)
{
	uint16_t *half = (uint16_t *)to + at;
	float last[SIMD_LANES] = { 0 };
	uint16_t narrow[SIMD_LANES];
	size_t i = 0;

	if (t == BURN_FLOAT32) {
		memcpy((float *)to + at, from, n * sizeof(float));
		return;
	}
	for (; i + SIMD_LANES <= n; i += SIMD_LANES)
		simd_store_rounded(half + i, simd_load(from + i));
	if (i == n)
		return;
	memcpy(last, from + i, (n - i) * sizeof(float));
	simd_store_rounded(narrow, simd_load(last));
	memcpy(half + i, narrow, (n - i) * sizeof(*narrow));
}
