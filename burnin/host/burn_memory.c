/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/burn_work.h"

#include "base/mem.h"
#include "burnin/kernels/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WORDS = IMPL_BURST / 8,
	BLOCK = 4096,			/* bursts compared before the result is examined */
	RANDOM_BLOCK = 1024,		/* the same in random order */
	PIECE = 2 << 20,		/* bytes: a share, and a step, are multiples of it */
	RANDOM_PART = 4			/* of a step, in random order */
};

static const struct {
	const char *name;
	enum impl_key kind;
} patterns[BURN_MEMORY_PATTERNS] = {
	{ "random", IMPL_KEY_RANDOM }, { "address", IMPL_KEY_ADDRESS },
	{ "walking bits", IMPL_KEY_NONE }, { "burst identity", IMPL_KEY_MARK },
};

bool burn_memory_streams(uint64_t pass)
{
	return pass / BURN_MEMORY_PATTERNS % BURN_MEMORY_ORDERS == 0;
}

const char *burn_memory_pattern(uint64_t pass)
{
	return patterns[pass % BURN_MEMORY_PATTERNS].name;
}

/* Word i of row r, before an odd round inverts all bits. */
static uint64_t table_word(enum impl_key kind, uint64_t seed, unsigned r, unsigned i)
{
	switch (kind) {
	case IMPL_KEY_NONE:
		return 1ULL << (r + i * 8) % 64 ^ (r & 1 ? ~0ULL : 0);
	case IMPL_KEY_RANDOM:
		return impl_mix(~seed + r * WORDS + i);
	case IMPL_KEY_ADDRESS:
		return i * 8;		/* the bits below those of the burst's address */
	case IMPL_KEY_MARK:
		return i * 0x2020202020202020ULL;
	}
	return 0;
}

void burn_memory_begin(struct burn_memory *m, uint64_t pass)
{
	const bool inverted = pass / (BURN_MEMORY_PATTERNS * BURN_MEMORY_ORDERS) & 1;

	m->pass = pass;
	m->bursts.kind = patterns[m->pass % BURN_MEMORY_PATTERNS].kind;
	m->bursts.seed = impl_mix(m->seed + m->pass);
	for (unsigned r = 0; r < IMPL_TABLE; r++)
		for (unsigned i = 0; i < WORDS; i++)
			m->table[r * WORDS + i] = table_word(m->bursts.kind, m->bursts.seed, r, i)
				^ (inverted ? ~0ULL : 0);
	m->comparing = false;
	m->done = 0;
	m->place = 0;
}

uint64_t burn_memory_whole(uint64_t bytes)
{
	return bytes / PIECE * PIECE;
}

int burn_memory_open(struct burn_memory *m, uint64_t bytes, uint64_t seed, const struct impl *impl,
	struct error *e)
{
	bytes = burn_memory_whole(bytes);
	*m = (struct burn_memory){ .impl = impl, .n = bytes / IMPL_BURST, .seed = seed };
	if (m->n == 0)
		return fail(e, -EINVAL, "memory: less than 2 MiB for a thread");
	if (!impl->memory)
		return fail(e, -EOPNOTSUPP, "%s: this implementation tests no memory", impl->name);
	m->bursts.at = pages_alloc(bytes);
	/* In one page: across two of them, comparing was slower by 5 %. */
	m->table = aligned_alloc(IMPL_TABLE * IMPL_BURST, IMPL_TABLE * IMPL_BURST);
	if (!m->bursts.at || !m->table) {
		burn_memory_close(m);
		return fail(e, -ENOMEM, "memory: %llu MiB for a thread are not available",
			(unsigned long long)(bytes >> 20));
	}
	m->bursts.table = m->table;
	burn_memory_begin(m, 0);
	return 0;
}

uint64_t burn_memory_bytes(const struct burn_memory *m)
{
	return m->n * IMPL_BURST;
}

void burn_memory_close(struct burn_memory *m)
{
	pages_free(m->bursts.at, burn_memory_bytes(m));
	free(m->table);
	memset(m, 0, sizeof(*m));
}

int burn_memory_settle(struct burn_memory *m)
{
	const uint64_t left = burn_memory_bytes(m) - m->settled;
	const uint64_t n = left < BURN_MEMORY_STEP ? left : BURN_MEMORY_STEP;
	char *at = (char *)m->bursts.at + m->settled;
	int r;

	if (left == 0)
		return 0;
	m->settled += n;
	r = mlock(at, n) == 0 ? 1 : -errno;
	if (r < 0)
		memset(at, 0, n);
	return r;
}

static uint64_t step_of(const struct burn_memory *m)
{
	const uint64_t left = m->n - m->done;
	const uint64_t most = BURN_MEMORY_STEP / IMPL_BURST /
		(burn_memory_streams(m->pass) ? 1 : RANDOM_PART);

	return left < most ? left : most;
}

uint64_t burn_memory_next(const struct burn_memory *m)
{
	return step_of(m) * IMPL_BURST;
}

/* The bursts of a page: i times an odd number is a full cycle, and i ^ i >> 3 undoes itself. */
static void draw_page(const struct burn_memory *m, uint64_t page, uint64_t *which)
{
	const uint64_t drawn = impl_mix(m->bursts.seed + page);
	const uint64_t first = drawn >> 16 | 1, second = drawn >> 32 | 1;

	for (uint64_t i = 0; i < IMPL_PAGE; i++) {
		const uint64_t there = (i * first + drawn) % IMPL_PAGE;

		which[i] = page * IMPL_PAGE + (there ^ there >> 3) * second % IMPL_PAGE;
	}
}

/* Draw n bursts after page `place`: whole pages, in a full cycle over the next power of two. */
static void draw_order(const struct burn_memory *m, uint64_t place, uint64_t *which, size_t n)
{
	const uint64_t pages = m->n / IMPL_PAGE;
	uint64_t mask = 1;

	while (mask < pages)
		mask *= 2;
	mask--;
	for (size_t i = 0; i < n; i += IMPL_PAGE) {
		do
			place = (place * 6364136223846793005 + (m->bursts.seed | 1)) & mask;
		while (place >= pages);
		draw_page(m, place, which + i);
	}
}

static uint64_t word_of(const struct burn_memory *m, uint64_t burst, int i)
{
	return m->table[burst % IMPL_TABLE * WORDS + (uint64_t)i]
		^ impl_key(&m->bursts, m->bursts.kind, burst);
}

/* Compare again, word by word.  A bit that was wrong before but is right now was misread once. */
static void burn_memory_tell(const struct burn_memory *m, const uint64_t *which, size_t n,
	uint64_t wrong[WORDS], burn_memory_found *found, void *arg)
{
	for (size_t k = 0; k < n; k++)
		for (int i = 0; i < WORDS; i++) {
			const uint64_t burst = which ? which[k] : m->done + k;
			const uint64_t got = m->bursts.at[burst * WORDS + (uint64_t)i];
			const uint64_t want = word_of(m, burst, i);

			if (got == want)
				continue;
			wrong[i] &= ~(got ^ want);
			found(arg, burst * WORDS + (uint64_t)i, got, want, false);
		}
	for (int i = 0; i < WORDS; i++)
		if (wrong[i]) {
			const uint64_t burst = which ? which[0] : m->done;
			const uint64_t want = word_of(m, burst, i);

			found(arg, burst * WORDS + (uint64_t)i, want ^ wrong[i], want, true);
		}
}

bool burn_memory_step(struct burn_memory *m, burn_memory_found *found, void *arg)
{
	const struct impl_memory *x = m->impl->memory;
	const bool streams = burn_memory_streams(m->pass);
	const uint64_t end = m->done + step_of(m);
	const size_t block = streams ? BLOCK : RANDOM_BLOCK;
	uint64_t order[RANDOM_BLOCK + IMPL_LISTED], wrong[WORDS], *which = streams ? NULL : order;

	if (!streams)
		draw_order(m, m->place, order, IMPL_LISTED);
	while (m->done < end) {
		const size_t n = end - m->done < block ? (size_t)(end - m->done) : block;

		if (!streams)
			draw_order(m, order[IMPL_LISTED - 1] / IMPL_PAGE, order + IMPL_LISTED, n);
		if (!m->comparing)
			x->fill(&m->bursts, m->done, which, n);
		else if (!x->compare(&m->bursts, m->done, which, n, wrong))
			burn_memory_tell(m, which, n, wrong, found, arg);
		m->done += n;
		if (!streams) {
			m->place = order[n - 1] / IMPL_PAGE;
			memmove(order, order + n, IMPL_LISTED * sizeof(*order));
		}
	}
	if (m->done < m->n)
		return false;
	m->done = 0;
	m->place = 0;
	m->comparing = !m->comparing;
	if (m->comparing)
		return false;
	burn_memory_begin(m, m->pass + 1);
	return true;
}

uint64_t burn_memory_plain(const struct burn_memory *m)
{
	const struct impl_memory *x = m->impl->memory;
	/* What is read next must not be in a cache when it is compared. */
	const uint64_t from = m->comparing ? (m->done + m->n / 2) % m->n : m->done;
	const uint64_t step = step_of(m), left = m->n - from, bursts = step < left ? step : left;
	uint64_t *at = m->bursts.at + from * WORDS;

	if (!burn_memory_streams(m->pass))
		return 0;
	if (m->comparing)
		x->plain_read(at, bursts);
	else
		x->plain_fill(at, bursts, m->bursts.seed);
	return bursts * IMPL_BURST;
}

uint64_t burn_memory_physical(const void *at)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), here = (uint64_t)(uintptr_t)at;
	const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0, frame;

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry), (off_t)(here / page * sizeof(entry)))
		!= (ssize_t)sizeof(entry))
		entry = 0;
	close(fd);
	frame = entry & ((1ULL << 55) - 1);
	return entry >> 63 && frame ? frame * page + here % page : 0;
}
