/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_fault.c - names the faults: first each lane's from its counts, then those that lanes
 * or endpoints have in common.  Each rule rests on those before it.
 */
#include "config.h"
#include "burnin/memory/memory_fault.h"

#include "burnin/kernels/impl.h"

#include <string.h>

#define ODD	0x9e3779b1u	/* and its inverse modulo 2^32 */
#define INVERSE	0x0e8b2f51u
#define INDEX	0x3fffffffu	/* of a word in 4 GiB */

size_t memory_differ(const uint32_t *got, const uint32_t *want, size_t n)
{
	size_t differ = 0;

	for (size_t i = 0; i < n; i++)
		differ += got[i] != want[i];
	return differ;
}

struct memory_data memory_data_of(uint64_t seed, uint64_t round, unsigned channel)
{
	return (struct memory_data){ (enum memory_pattern)(round % MEMORY_PATTERNS),
		impl_mix(impl_mix(seed) + round * 64 + channel) };
}

struct memory_data memory_mark_of(uint64_t seed, unsigned channel)
{
	return (struct memory_data){ MEMORY_RANDOM, impl_mix(~impl_mix(seed) - channel) };
}

static uint32_t rotate_left(uint32_t word, unsigned by)
{
	return word << (by & 31) | word >> (-by & 31);
}

uint32_t memory_word(const struct memory_data *m, uint64_t addr)
{
	const uint32_t i = (uint32_t)(addr / 4);

	switch (m->pattern) {
	case MEMORY_ADDRESS:
		return rotate_left((i ^ ((uint32_t)m->key & INDEX)) * ODD, 16);
	case MEMORY_BURST:
		return (uint32_t)impl_mix(m->key + addr / MEMORY_BURST_BYTES);
	case MEMORY_ONES:
		return 1u << ((i + (i >> 5) + (uint32_t)m->key) & 31);
	case MEMORY_ZEROS:
		return ~(1u << ((i + (i >> 5) + (uint32_t)m->key) & 31));
	case MEMORY_RANDOM:
	case MEMORY_PATTERNS:
		break;
	}
	return (uint32_t)impl_mix(m->key + i);
}

void memory_fill(const struct memory_data *m, uint64_t addr, uint32_t *words, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		words[i] = memory_word(m, addr + 4 * i);
}

bool memory_address(const struct memory_data *m, uint32_t word, uint64_t *addr)
{
	const uint32_t i = (rotate_left(word, 16) * INVERSE) ^ ((uint32_t)m->key & INDEX);

	*addr = (uint64_t)i * 4;
	return m->pattern == MEMORY_ADDRESS && i <= INDEX;
}

#define SURE_ONE    8	/* events, all through one endpoint: not by chance */
#define SURE_BOTH   24	/* the same, read or written through it */
#define SURE_LEAST  4	/* wrong bytes of a lane, at least, to name its fault */
#define SURE_BESIDE 32	/* wrong words, at least, if an alias adds some of its own */
#define STUCK_BITS  4	/* of a lane, at most */
#define SHIFT_LEAST 16	/* wrong bytes of a lane, at least, to call it late */
#define SHIFT_MOST  70	/* percent of wrong bytes that make a lane late; at the start of a */
			/* transaction, the late byte is of another one */
#define SOME	    25	/* percent that are not chance */
#define NEARLY_ALL  90
#define HARDLY_ANY  1
#define CONSTANT    64	/* wrong words, at least, to call them all the same */

static uint32_t bits_of(const uint64_t count[32])
{
	uint32_t bits = 0;

	for (unsigned b = 0; b < 32; b++)
		bits |= (uint32_t)(count[b] > 0) << b;
	return bits;
}

/* True if `part` is at least `percent` of `of`; false if `of` is 0. */
static bool most(uint64_t part, uint64_t of, unsigned percent)
{
	return of > 0 && part * 100 >= of * percent;
}

/* The shift that explains the most wrong bytes of these chunks; 0: none. */
static unsigned best_shift(const uint64_t late[MEMORY_SHIFTS + 1])
{
	unsigned best = 0;

	for (unsigned s = 1; s <= MEMORY_SHIFTS; s++)
		if (late[s] > late[best])
			best = s;
	return best;
}

enum memory_kind memory_shift(const struct memory_shifts *v, unsigned lane, unsigned late[2])
{
	const uint64_t tried = v->tried[lane][0] + v->tried[lane][1];
	uint64_t hits = 0;

	for (unsigned odd = 0; odd < 2; odd++) {
		const unsigned s = best_shift(v->late[lane][odd]);

		late[odd] = s * MEMORY_CHUNK;
		hits += v->late[lane][odd][s];
	}
	if (tried < SHIFT_LEAST || !most(hits, tried, SOME))
		return MEMORY_RANDOMLY;
	if (most(hits, tried, SHIFT_MOST))
		return MEMORY_SHIFTED;
	/* A byte that was written wrongly is counted through each endpoint: few may be chance. */
	return tried < MEMORY_PORTS * SHIFT_LEAST ? MEMORY_RANDOMLY : MEMORY_UNNAMED;
}

/* A few bits, wrong in one direction only, and in every read, also after the word's rewrite. */
static bool is_stuck(const struct memory_tally *t, unsigned lane)
{
	const struct memory_close *c = &t->close[lane];
	const unsigned up = memory_lane(bits_of(t->up), lane);
	const unsigned down = memory_lane(bits_of(t->down), lane);
	unsigned n = 0;

	for (unsigned bits = up | down; bits; bits &= bits - 1)
		n++;
	return n <= STUCK_BITS && !(up & down) && most(c->again_same, c->seen, NEARLY_ALL) &&
		most(c->rewritten_same, c->probed, NEARLY_ALL);
}

/* Right when read again.  Bytes that stay wrong in the same way have another fault. */
static bool is_transient(const struct memory_close *c)
{
	return most(c->again_right, c->seen, NEARLY_ALL) &&
		c->again_same * 100 <= c->seen * HARDLY_ANY;
}

/* One byte of words that are wrong as a whole, as those of another channel, may look late. */
static bool is_late_by_chance(const struct memory_tally *t)
{
	unsigned late[2], lanes = 0;

	for (unsigned k = 0; k < MEMORY_LANES; k++)
		lanes += memory_shift(&t->shifts, k, late) == MEMORY_SHIFTED;
	return lanes < MEMORY_LANES && most(t->lanes[(1 << MEMORY_LANES) - 1],
		t->wrong + t->misread, NEARLY_ALL);
}

static enum memory_kind kind_of_lane(const struct memory_tally *t, unsigned lane, unsigned late[2])
{
	const struct memory_close *c = &t->close[lane];
	const enum memory_kind shift = memory_shift(&t->shifts, lane, late);

	if (shift == MEMORY_SHIFTED && !is_late_by_chance(t))
		return shift;
	if (t->wrong > 0 && (shift == MEMORY_UNNAMED || c->seen == 0))
		return MEMORY_UNNAMED;
	if (t->wrong == 0 || is_transient(c))
		return MEMORY_TRANSIENT;
	if (most(c->again_right, c->seen, SOME) || t->lane[lane] < SURE_LEAST)
		return MEMORY_UNNAMED;
	return is_stuck(t, lane) ? MEMORY_STUCK : MEMORY_RANDOMLY;
}

/*
 * If another read is right, the memory holds the right byte, so the read failed.  If
 * every read agrees on the wrong byte, the write or the cell failed; for a stuck bit
 * and for an alias the path stays unknown.  In all other cases it is unknown too.
 */
static enum memory_path path_of(const struct memory_close *c, enum memory_kind kind)
{
	if (kind == MEMORY_TRANSIENT || most(c->other_right, c->seen, NEARLY_ALL) ||
		most(c->again_right, c->seen, NEARLY_ALL) || most(c->probe_right, c->probed, 50))
		return MEMORY_READ;
	if ((kind == MEMORY_SHIFTED || kind == MEMORY_RANDOMLY) &&
		most(c->again_same, c->seen, NEARLY_ALL) &&
		most(c->other_same, c->seen, NEARLY_ALL))
		return MEMORY_WRITE;
	return MEMORY_UNKNOWN;
}

/* The same fault in two lanes is one finding; stuck bits are one finding per lane. */
static bool memory_finding_is_same(const struct memory_finding *a, const struct memory_finding *b)
{
	return a->kind == b->kind && a->path == b->path && a->kind != MEMORY_STUCK &&
		memcmp(a->late, b->late, sizeof(a->late)) == 0;
}

/* Wrong words in which one of the finding's lanes was wrong. */
static uint64_t count_words(const struct memory_tally *t, const struct memory_finding *f)
{
	uint64_t n = 0;

	for (unsigned set = 1; set < 1 << MEMORY_LANES; set++)
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			if (set >> k & 1 && f->lane[k] > 0) {
				n += t->lanes[set];
				break;
			}
	return n;
}

static struct memory_finding judge_lane(const struct memory_tally *t, unsigned lane)
{
	const uint32_t bits = bits_of(t->up) | bits_of(t->down);
	struct memory_finding f = { .bits = bits & 0xffu << 8 * lane };

	f.kind = kind_of_lane(t, lane, f.late);
	f.path = path_of(&t->close[lane], f.kind);
	f.lane[lane] = t->lane[lane];
	if (f.kind != MEMORY_SHIFTED)
		memset(f.late, 0, sizeof(f.late));
	return f;
}

/* `one` has too few wrong bytes for a name, and they do not contradict the kind of `to`. */
static bool may_join(const struct memory_tally *t, const struct memory_finding *one,
	const struct memory_finding *to)
{
	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		const struct memory_close *c = &t->close[k];

		if (one->lane[k] == 0)
			continue;
		if (one->lane[k] >= SURE_LEAST || (to->kind == MEMORY_TRANSIENT &&
			c->again_right < c->seen))
			return false;
	}
	return one->kind == MEMORY_UNNAMED && (to->kind == MEMORY_RANDOMLY ||
		to->kind == MEMORY_TRANSIENT);
}

/* Merge a lane with too few wrong bytes into others that go wrong without a rule. */
static size_t join_unnamed(const struct memory_tally *t, struct memory_finding found[MEMORY_LANES],
	size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			if (!may_join(t, &found[i], &found[k]))
				continue;
			found[k].bits |= found[i].bits;
			for (unsigned j = 0; j < MEMORY_LANES; j++)
				found[k].lane[j] += found[i].lane[j];
			found[i] = found[--n];
			i = SIZE_MAX;
			break;
		}
	return n;
}

static size_t judge_lanes(const struct memory_tally *t, struct memory_finding found[MEMORY_LANES])
{
	size_t n = 0, i;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		const struct memory_finding f = judge_lane(t, k);

		if (t->lane[k] == 0)
			continue;
		for (i = 0; i < n && !memory_finding_is_same(&found[i], &f); i++)
			;
		if (i == n) {
			found[n++] = f;
			continue;
		}
		found[i].bits |= f.bits;
		found[i].lane[k] = f.lane[k];
	}
	return join_unnamed(t, found, n);
}

/* The faults that are certain beside an alias, which makes words wrong in any lane. */
static size_t judge_beside(const struct memory_tally *t, struct memory_finding found[MEMORY_LANES])
{
	const uint64_t distance = t->alias_at ^ t->alias_of;
	const size_t all = judge_lanes(t, found);
	size_t n = 0;

	/* The alias itself may look like a lane that is late by its distance. */
	for (size_t i = 0; i < all; i++)
		if ((found[i].kind == MEMORY_SHIFTED && found[i].late[0] != distance &&
			found[i].late[1] != distance) || (found[i].kind == MEMORY_STUCK &&
			count_words(t, &found[i]) >= SURE_BESIDE))
			found[n++] = found[i];
	return n;
}

/* Reads give the same word everywhere, even where another word was just written. */
static bool is_constant(const struct memory_tally *t)
{
	uint64_t probed = 0, same = 0;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		probed += t->close[k].probed;
		same += t->close[k].rewritten_same;
	}
	return t->wrong >= CONSTANT && most(t->constant, t->wrong, NEARLY_ALL) &&
		most(same, probed, NEARLY_ALL);
}

static uint64_t sum_of(const uint64_t count[MEMORY_PORTS])
{
	return count[0] + count[1] + count[2];
}

static size_t judge_one(unsigned channel, int endpoint, const struct memory_tally *t,
	struct memory_finding found[MEMORY_LANES + 1])
{
	size_t n;

	found[0] = (struct memory_finding){ .kind = MEMORY_CONSTANT,
		.bits = bits_of(t->up) | bits_of(t->down), .constant = (uint32_t)t->constant_is,
		.alias_at = t->alias_at, .alias_of = t->alias_of };
	memcpy(found[0].lane, t->lane, sizeof(found[0].lane));
	if (is_constant(t)) {
		n = 1;
	} else if (most(t->alias_proven, t->alias_tried, SOME)) {
		found[0].kind = MEMORY_ALIASED;
		n = 1 + judge_beside(t, found + 1);
	} else {
		n = judge_lanes(t, found);
	}
	for (size_t i = 0; i < n; i++) {
		found[i].channel = channel;
		found[i].endpoint = endpoint;
		found[i].other = MEMORY_ALL;
		found[i].words = t->words;
		found[i].wrong = count_words(t, &found[i]);
		if (n == 1)
			found[i].events = sum_of(endpoint < 0 ? t->fresh : t->events);
	}
	return n;
}

static void memory_tally_add(struct memory_tally *to, const struct memory_tally *t)
{
	const struct memory_tally *named = to->alias_proven ? to : t;
	const struct memory_tally first = to->wrong ? *to : *t;
	const uint64_t at = named->alias_at, of = named->alias_of;
	const uint64_t *from = (const uint64_t *)t;
	uint64_t *into = (uint64_t *)to;

	/* All fields are counts, except those set below. */
	for (size_t i = 0; i < sizeof(*t) / sizeof(*from); i++)
		into[i] += from[i];
	to->alias_at = at;
	to->alias_of = of;
	to->constant_is = first.constant_is;
	if (t->constant_is != first.constant_is)
		to->constant = first.constant;
}

/* The endpoint without which nothing would be wrong; MEMORY_ALL if that is not certain. */
static int only_one(const uint64_t words[MEMORY_PORTS], const uint64_t wrong[MEMORY_PORTS],
	const uint64_t events[MEMORY_PORTS], unsigned kept)
{
	int one = MEMORY_ALL;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		if (kept >> p & 1)
			continue;
		if (words[p] == 0 || (wrong[p] > 0 && one >= 0))
			return MEMORY_ALL;
		if (wrong[p] > 0)
			one = p;
	}
	return one >= 0 && events[one] >= SURE_ONE ? one : MEMORY_ALL;
}

/* The endpoint that read or wrote every wrong word; those between the others are right. */
static int only_between(const struct memory_tally t[MEMORY_PORTS], const struct memory_tally *sum)
{
	int one = MEMORY_ALL;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		uint64_t words = 0, events = 0;

		for (int r = 0; r < MEMORY_PORTS; r++)
			for (int w = 0; w < MEMORY_PORTS; w++) {
				if (r == p || w == p)
					continue;
				words += t[r].written[w];
				events += t[r].events[w];
			}
		if (words == 0 || events > 0)
			continue;
		if (one >= 0)
			return MEMORY_ALL;
		one = p;
	}
	return sum_of(sum->fresh) >= SURE_BOTH ? one : MEMORY_ALL;
}

/* The endpoint of a fault: the only one through which any lane of the fault was wrong. */
static int endpoint_of(const struct memory_tally t[MEMORY_PORTS], const struct memory_tally *sum,
	const struct memory_finding *f, unsigned kept)
{
	uint64_t words[MEMORY_PORTS], wrong[MEMORY_PORTS] = { 0 }, events[MEMORY_PORTS];

	if (f->path == MEMORY_WRITE)
		return only_one(sum->written, sum->fresh, sum->fresh, kept);
	for (int p = 0; p < MEMORY_PORTS; p++) {
		words[p] = t[p].words;
		events[p] = sum_of(t[p].events);
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			wrong[p] += f->lane[k] > 0 ? t[p].lane[k] : 0;
	}
	return only_one(words, wrong, events, kept);
}

/* Set the endpoint and its path: does it misread others' words, or do others misread its own? */
static void blame_endpoint(const struct memory_tally t[MEMORY_PORTS],
	const struct memory_tally *sum, struct memory_finding *f, bool is_only, unsigned kept)
{
	uint64_t read = 0, written = 0;

	f->endpoint = endpoint_of(t, sum, f, kept);
	if (f->endpoint < 0 && is_only && f->path != MEMORY_WRITE)
		f->endpoint = only_between(t, sum);
	if (f->endpoint < 0 || f->path != MEMORY_UNKNOWN || f->kind == MEMORY_STUCK)
		return;
	for (int p = 0; p < MEMORY_PORTS; p++) {
		read += p != f->endpoint ? t[f->endpoint].events[p] : 0;
		written += p != f->endpoint ? t[p].events[f->endpoint] : 0;
	}
	if (read || written)
		f->path = !read ? MEMORY_WRITE : !written ? MEMORY_READ : MEMORY_BOTH;
}

/* Each endpoint that is wrong has exactly one fault, and no two have the same. */
static bool differ(const struct memory_finding *found, size_t n, unsigned ports)
{
	for (size_t i = 0; i < n; i++) {
		if (found[i].kind == MEMORY_UNNAMED)
			return false;
		for (size_t k = 0; k < i; k++)
			if (found[i].kind == found[k].kind && (found[i].kind != MEMORY_STUCK ||
				found[i].bits == found[k].bits))
				return false;
	}
	return ports > 1 && n == ports;
}

size_t memory_judge(unsigned channel, unsigned kept, const struct memory_tally t[MEMORY_PORTS],
	struct memory_finding found[MEMORY_FINDINGS])
{
	struct memory_tally sum = { 0 };
	unsigned ports = 0;
	size_t n = 0;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		if (t[p].wrong + t[p].misread > 0) {
			n += judge_one(channel, p, &t[p], found + n);
			ports++;
		}
		memory_tally_add(&sum, &t[p]);
	}
	if (n == 0 || differ(found, n, ports))
		return n;
	n = judge_one(channel, -1, &sum, found);
	for (size_t i = 0; i < n; i++)
		blame_endpoint(t, &sum, &found[i], n == 1, kept);
	return n;
}
