/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint32_t rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* One round; the caller rotates the eight variables by one instead of moving them. */
static inline __attribute__((always_inline)) void turn(uint32_t a, uint32_t b, uint32_t c,
	uint32_t *d, uint32_t e, uint32_t f, uint32_t g, uint32_t *h, uint32_t word)
{
	*h += (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g))) + word;
	*d += *h;
	*h += (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (c & (a | b)));
}

static void add_block(uint32_t state[static 8], const unsigned char *p)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4],
		 f = state[5], g = state[6], h = state[7], w[64];

	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
	for (int i = 0; i < 64; i += 8) {
		turn(a, b, c, &d, e, f, g, &h, rounds[i] + w[i]);
		turn(h, a, b, &c, d, e, f, &g, rounds[i + 1] + w[i + 1]);
		turn(g, h, a, &b, c, d, e, &f, rounds[i + 2] + w[i + 2]);
		turn(f, g, h, &a, b, c, d, &e, rounds[i + 3] + w[i + 3]);
		turn(e, f, g, &h, a, b, c, &d, rounds[i + 4] + w[i + 4]);
		turn(d, e, f, &g, h, a, b, &c, rounds[i + 5] + w[i + 5]);
		turn(c, d, e, &f, g, h, a, &b, rounds[i + 6] + w[i + 6]);
		turn(b, c, d, &e, f, g, h, &a, rounds[i + 7] + w[i + 7]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_text(const void *data, size_t len, char out[static SHA256_TEXT])
{
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
		0x1f83d9ab, 0x5be0cd19 };
	const unsigned char *p = data;
	unsigned char last[128] = { 0 };
	size_t rest = len % 64, size = rest < 56 ? 64 : 128;

	for (size_t i = 0; i < len / 64; i++)
		add_block(h, p + i * 64);
	if (rest > 0)
		memcpy(last, p + len - rest, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[size - 1 - i] = (unsigned char)((uint64_t)len * 8 >> 8 * i);
	for (size_t i = 0; i < size; i += 64)
		add_block(h, last + i);
	for (size_t i = 0; i < 8; i++)
		snprintf(out + 8 * i, SHA256_TEXT - 8 * i, "%08x", h[i]);
}
