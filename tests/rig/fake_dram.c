/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/fake_dram.h"
#include "device/kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FLIPS 1000000
#define RARE  100
#define BURST 16	/* words */
#define TOGGLE_TURN 9973	/* words that are read until other ones are changed, */
#define TOGGLE_TIME 400		/* and how long they are */

uint64_t fake_dram_draw(struct fake_dram *f)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random;
}

/* What a cell has that nobody wrote. */
static uint32_t noise(const struct fake_dram *f, unsigned place, uint64_t addr)
{
	uint64_t x = (addr / 4 + 1) * 0x9e3779b97f4a7c15 + place;

	if (!f->filled)
		return 0;
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	return (uint32_t)(x >> 32);
}

static void map(struct fake_dram *f, unsigned place)
{
	if (f->memory[place])
		return;
	f->memory[place] = mmap(NULL, kind_of(f->d.chip)->dram_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->memory[place] == MAP_FAILED)
		abort();
}

/* The tile, by the coordinates of the chips' descriptions. */
static bool find(struct fake_dram *f, struct reg_addr at, size_t n, unsigned *place,
	unsigned *port)
{
	static const uint8_t wh[6][FAKE_PORTS][2] = {
		{ { 0, 0 }, { 0, 1 }, { 0, 11 } }, { { 0, 5 }, { 0, 6 }, { 0, 7 } },
		{ { 5, 0 }, { 5, 1 }, { 5, 11 } }, { { 5, 2 }, { 5, 9 }, { 5, 10 } },
		{ { 5, 3 }, { 5, 4 }, { 5, 8 } }, { { 5, 5 }, { 5, 6 }, { 5, 7 } },
	};
	bool bh = f->d.chip == DEVICE_BLACKHOLE, found = false;

	if (bh && at.x >= 17 && at.x <= 18 && at.y >= 12 && at.y <= 23) {
		*place = (at.x - 17u) * 4 + (at.y - 12u) / 3;
		*port = (at.y - 12u) % 3;
		found = true;
	}
	for (unsigned c = 0; !bh && c < 6; c++)
		for (unsigned p = 0; p < FAKE_PORTS; p++)
			if (at.x == wh[c][p][0] && at.y == wh[c][p][1]) {
				*place = c;
				*port = p;
				found = true;
			}
	found = found && at.space == REG_NOC && at.addr + 4 * n <= kind_of(f->d.chip)->dram_size;
	f->strayed |= !found;
	if (found)
		map(f, *place);
	return found;
}

static bool is_struck(const struct fake_dram *f, enum fake_fault fault, unsigned place)
{
	return f->fault == fault && f->place == place;
}

/* The memory that an endpoint leads to. */
static unsigned memory_of(struct fake_dram *f, unsigned place, unsigned port)
{
	unsigned to = place;

	if (is_struck(f, FAKE_TWIN, place) || (is_struck(f, FAKE_STRAY, place) && port == f->port))
		to = f->other;
	if (f->fault == FAKE_CROSS && port == f->port && (place == f->place || place == f->other))
		to = f->place + f->other - place;
	if (is_struck(f, FAKE_ELSEWHERE, place) && port == f->port)
		to = FAKE_CHANNELS;
	map(f, to);
	return to;
}

/* The cell that an address leads to. */
static uint64_t cell(const struct fake_dram *f, unsigned place, unsigned port, uint64_t addr)
{
	if (place != f->place)
		return addr;
	if (f->fault == FAKE_ALIAS || (f->fault == FAKE_LINE && port == f->port))
		return addr & ~(1ULL << f->bit);
	return f->fault == FAKE_PAIR && addr == f->at ? f->of : addr;
}

static uint32_t load(struct fake_dram *f, unsigned place, unsigned port, uint64_t addr)
{
	const unsigned in = memory_of(f, place, port);
	const uint64_t at = cell(f, place, port, addr);
	uint32_t word = f->memory[in][at / 4] ^ noise(f, in, at);

	if (is_struck(f, FAKE_STUCK, place) && addr % 4096 == f->at)
		word |= 1u << f->bit;
	return word;
}

static void store(struct fake_dram *f, unsigned place, unsigned port, uint64_t addr, uint32_t word)
{
	const unsigned in = memory_of(f, place, port);
	const uint64_t at = cell(f, place, port, addr);

	f->memory[in][at / 4] = word ^ noise(f, in, at);
}

/* Each chunk of a transaction passes once; the lane shows the one two or four before. */
static void pass_late(struct fake_dram *f, uint64_t addr, uint32_t *words, size_t n)
{
	for (size_t i = 0, m; i < n; i += m) {
		const uint64_t from = (addr + 4 * i) / FAKE_CHUNK * FAKE_CHUNK;
		const unsigned late = (from / FAKE_CHUNK + f->phase) & 1 ? 4 : 2;
		const uint8_t *old = f->history[(f->chunks - late) % FAKE_HISTORY];
		const size_t offset = (addr + 4 * i - from) / 4;
		uint32_t whole[FAKE_CHUNK / 4];

		m = FAKE_CHUNK / 4 - offset < n - i ? FAKE_CHUNK / 4 - offset : n - i;
		for (unsigned k = 0; k < FAKE_CHUNK / 4; k++)
			whole[k] = load(f, f->place, 0, from + 4 * k);
		for (size_t k = 0; k < m; k++)
			((uint8_t *)&words[i + k])[f->lane] = old[4 * (offset + k) + f->lane];
		memcpy(f->history[f->chunks++ % FAKE_HISTORY], whole, FAKE_CHUNK);
	}
}

static void flip_now_and_then(struct fake_dram *f, uint32_t *words, size_t n)
{
	for (; f->next_flip < n; f->next_flip += 1 + fake_dram_draw(f) % (2 * FLIPS))
		words[f->next_flip] ^= 1u << f->bit;
	f->next_flip -= n;
}

static void spoil(struct fake_dram *f, uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fake_dram_draw(f) % RARE == 0)
			words[i] ^= 1u << fake_dram_draw(f) % 32;
}

/* Words that a program changes and puts back, in a moment of the time that reads take. */
static void toggle(struct fake_dram *f, uint64_t addr, uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((f->read_words + i) % TOGGLE_TURN < TOGGLE_TIME && (addr / 4 + i) % 8 == 0)
			words[i] ^= (uint32_t)((addr / 4 + i) * 0x9e3779b97f4a7c15 >> 32) | 1;
}

static bool is_dumb(const struct fake_dram *f, unsigned place)
{
	return f->read_words > f->after && (f->fault == FAKE_DARK ||
		is_struck(f, FAKE_DUMB, place));
}

/* What is written through one endpoint is on its way to be seen through the others. */
static void post(struct fake_dram *f, unsigned place, unsigned port, uint64_t addr)
{
	for (unsigned p = 0; f->posts && p < FAKE_PORTS; p++) {
		const size_t n = f->posted[place][p].n;

		if (p == port || n == FAKE_POSTED)
			continue;
		f->posted[place][p].words[n].addr = addr;
		f->posted[place][p].words[n].before = load(f, place, p, addr);
		f->posted[place][p].n++;
	}
}

/* The first read through an endpoint shows what was there before, all later ones do not. */
static void arrive(struct fake_dram *f, unsigned place, unsigned port, uint64_t addr,
	uint32_t *words, size_t n)
{
	for (size_t i = f->posted[place][port].n; i-- > 0;) {
		const uint64_t at = f->posted[place][port].words[i].addr;

		if (at >= addr && at < addr + 4 * n)
			words[(at - addr) / 4] = f->posted[place][port].words[i].before;
	}
	f->posted[place][port].n = 0;
}

static int dram_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct fake_dram *f = d->priv;
	unsigned place = 0, port = 0;

	if (!find(f, at, n, &place, &port))
		return -EFAULT;
	f->reads[place][port]++;
	f->read_sizes |= 4 * n;
	for (size_t i = 0; i < n; i++)
		words[i] = load(f, place, port, at.addr + 4 * i);
	arrive(f, place, port, at.addr, words, n);
	if (f->busy && place == f->place)
		store(f, place, 0, f->busy_at, load(f, place, 0, f->busy_at) + 1);
	if (f->toggles && place == f->place)
		toggle(f, at.addr, words, n);
	f->read_words += n;
	if (is_struck(f, FAKE_LANE, place))
		pass_late(f, at.addr, words, n);
	if (is_struck(f, FAKE_FLIP, place))
		flip_now_and_then(f, words, n);
	if (is_struck(f, FAKE_ENDPOINT, place) && port == f->port)
		spoil(f, words, n);
	if (is_dumb(f, place))
		memset(words, 0xff, 4 * n);
	return 0;
}

/* The first burst after so many words. */
static bool is_lost(struct fake_dram *f, uint64_t addr, size_t n, size_t i)
{
	/* The beginning is written twice. */
	if (f->fault != FAKE_BURST || addr < 0x10000 || n < BURST || i >= BURST)
		return false;
	if (f->written_words < f->after || (f->lost > 0 && i != f->lost))
		return false;
	f->lost++;
	return true;
}

static void disturb(struct fake_dram *f, unsigned port, uint64_t addr)
{
	const uint64_t at = addr + (uint64_t)f->off;

	if (at < kind_of(f->d.chip)->dram_size)
		store(f, f->place, port, at, load(f, f->place, port, at) ^ 1u << f->bit);
}

static int dram_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	struct fake_dram *f = d->priv;
	unsigned place = 0, port = 0;

	if (!find(f, at, n, &place, &port))
		return -EFAULT;
	f->writes[place][port]++;
	f->write_sizes |= 4 * n;
	for (size_t i = 0; i < n; i++) {
		uint32_t word = words[i];

		if (is_struck(f, FAKE_WRITE, place) ||
			(is_struck(f, FAKE_WRITER, place) && port == f->port))
			spoil(f, &word, 1);
		if ((is_struck(f, FAKE_DEAF, place) && port == f->port) ||
			(place == f->place && is_lost(f, at.addr, n, i)))
			continue;
		post(f, place, port, at.addr + 4 * i);
		store(f, place, port, at.addr + 4 * i, word);
		if (is_struck(f, FAKE_ECHO, place)) {
			map(f, f->other);
			store(f, f->other, port, at.addr + 4 * i, word);
		}
		if (is_struck(f, FAKE_DISTURB, place))
			disturb(f, port, at.addr + 4 * i);
	}
	/* What is lost is of one transaction. */
	if (f->lost > 0)
		f->after = UINT64_MAX;
	f->written_words += place == f->place ? n : 0;
	return 0;
}

static int dram_write(struct device *d, struct reg_addr at, uint32_t word)
{
	return dram_write_block(d, at, &word, 1);
}

static const struct transport_ops ops = {
	.name = "fake",
	.read = dram_read,
	.write = dram_write,
	.write_block = dram_write_block,
};

void fake_dram_close(struct fake_dram *f)
{
	for (unsigned c = 0; c < FAKE_PLACES; c++)
		if (f->memory[c])
			munmap(f->memory[c], kind_of(f->d.chip)->dram_size);
	memset(f->memory, 0, sizeof(f->memory));
}

void fake_dram_open(struct fake_dram *f, enum device_chip chip)
{
	memset(f, 0, sizeof(*f));
	f->d = (struct device){ .ops = &ops, .bus = &f->bus, .priv = f, .chip = chip };
	f->bus.own = &f->own;
	f->random = 1;
}

void fake_dram_reset(struct fake_dram *f, uint64_t seed)
{
	const enum device_chip chip = f->d.chip;

	fake_dram_close(f);
	fake_dram_open(f, chip);
	f->random = (seed + 1) * 0x9e3779b97f4a7c15;
	for (int i = 0; i < 4; i++)
		fake_dram_draw(f);
	f->next_flip = fake_dram_draw(f) % FLIPS;
}
