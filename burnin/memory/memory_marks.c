/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_marks.c - the marks lie in slots whose addresses differ in one line each.
 * In a slot each endpoint has a burst of its own.  The bursts' addresses differ in two
 * lines, so that one lost line does not lead an endpoint to another's burst.  All marks
 * are written, then all are read.
 */
#include "config.h"
#include "burnin/memory/card_memory.h"

#include "base/mem.h"
#include "device/kind.h"

#include <stdlib.h>
#include <string.h>

#define SLOT	   512u		/* bytes, for the marks of three endpoints */
#define FIRST_LINE 9
#define MOST	   32		/* places of a channel, at most */
#define BYTES	   (4 * MEMORY_MARK_WORDS)

typedef uint32_t mark[MEMORY_MARK_WORDS];

struct marking {
	struct memory_test *t;
	uint32_t marked;	/* channels: the tested ones, and all others that may be touched */
	uint32_t places;
	mark before[MEMORY_CHANNELS][MEMORY_PORTS][MOST];
	mark got[MEMORY_CHANNELS][MEMORY_PORTS][MEMORY_PORTS][MOST];
	mark again[MEMORY_CHANNELS][MEMORY_PORTS][MEMORY_PORTS][MOST];	/* a second read */
	/* How marks are read: a channel, an endpoint that reads and one that wrote. */
	struct way {
		unsigned c, p, w;
	} ways[MEMORY_CHANNELS * MEMORY_PORTS * MEMORY_PORTS];
	size_t n;
};

static bool is_out(const struct memory_marks *m, unsigned c, unsigned reader, unsigned writer)
{
	return memory_kept_has(&m->kept, c, reader) || memory_kept_has(&m->kept, c, writer);
}

static uint32_t ports(const struct memory_marks *m, unsigned c)
{
	return memory_kept_rest(&m->kept, 1u << c);
}

bool memory_marks_kept(const struct memory_marks *m, unsigned channel)
{
	for (unsigned i = 0; i < MEMORY_PORTS * MEMORY_PORTS; i++)
		if (!is_out(m, channel, i / MEMORY_PORTS, i % MEMORY_PORTS) &&
			m->shows[channel][i / MEMORY_PORTS][i % MEMORY_PORTS][channel] < m->places)
			return false;
	return m->places > 0;
}

/* How many marks of `of` channel `by` shows; reader, writer: an endpoint, or MEMORY_ALL. */
static uint32_t shown(const struct memory_marks *m, unsigned by, unsigned of, int reader,
	int writer)
{
	uint32_t n = 0;

	for (int r = 0; r < MEMORY_PORTS; r++)
		for (int w = 0; w < MEMORY_PORTS; w++)
			if ((reader < 0 || r == reader) && (writer < 0 || w == writer))
				n += m->shows[by][r][w][of];
	return n;
}

/* The one endpoint that shows another channel's marks, and whose own marks the other shows. */
static int astray(const struct memory_marks *m, unsigned channel, unsigned to)
{
	for (int p = 0; p < MEMORY_PORTS; p++)
		if (shown(m, channel, to, MEMORY_ALL, MEMORY_ALL) ==
			shown(m, channel, to, p, MEMORY_ALL) &&
			shown(m, to, channel, MEMORY_ALL, MEMORY_ALL) ==
			shown(m, to, channel, MEMORY_ALL, p))
			return p;
	return MEMORY_ALL;
}

static struct memory_finding finding(const struct memory_marks *m, unsigned channel,
	enum memory_kind kind, int endpoint, uint32_t marks)
{
	return (struct memory_finding){ .channel = channel, .endpoint = endpoint,
		.other = MEMORY_ALL, .kind = kind, .wrong = (uint64_t)marks * MEMORY_MARK_WORDS,
		.words = (uint64_t)m->places * ports(m, channel) * ports(m, channel) *
			MEMORY_MARK_WORDS };
}

/* Whether an endpoint's reads or writes go astray; the other way is right in all places. */
static enum memory_path path_of(const struct memory_marks *m, unsigned c, unsigned p)
{
	const uint32_t others = m->places * (ports(m, c) - 1), own = m->shows[c][p][p][c];
	const bool writes = shown(m, c, c, MEMORY_ALL, (int)p) - own == others;
	const bool reads = shown(m, c, c, (int)p, MEMORY_ALL) - own == others;

	return writes ? MEMORY_READ : reads ? MEMORY_WRITE : MEMORY_BOTH;
}

/* The endpoint that shows most marks of another channel, if one does; whether all show as many. */
static bool is_even(const struct memory_marks *m, unsigned channel, unsigned to, int *most)
{
	uint32_t n[MEMORY_PORTS], high = 0, low = UINT32_MAX;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		n[p] = shown(m, channel, to, p, MEMORY_ALL);
		if (memory_kept_has(&m->kept, channel, (unsigned)p))
			continue;
		*most = n[p] > high ? p : n[p] == high ? MEMORY_ALL : *most;
		high = n[p] > high ? n[p] : high;
		low = n[p] < low ? n[p] : low;
	}
	return low == high;
}

/* Report a pair once: at the channel that is led astray, or else at the first. */
static size_t judge_pair(const struct memory_marks *m, unsigned channel, unsigned to,
	struct memory_finding *found)
{
	const uint32_t n = shown(m, channel, to, MEMORY_ALL, MEMORY_ALL) +
		shown(m, to, channel, MEMORY_ALL, MEMORY_ALL);
	const int mine = astray(m, channel, to), its = astray(m, to, channel);

	if (n == 0 || !((m->tested >> channel | m->tested >> to) & 1))
		return 0;
	if ((mine >= 0) == (its >= 0)) {
		int most = MEMORY_ALL, other = MEMORY_ALL;
		const bool is_shared = is_even(m, channel, to, &most) &&
			is_even(m, to, channel, &other);

		*found = finding(m, channel, is_shared ? MEMORY_SHARED : MEMORY_CROSSED, most, n);
		found->other = (int)to;
		return channel < to;
	}
	if (mine < 0)
		return 0;
	*found = finding(m, channel, MEMORY_ASTRAY, mine, n);
	found->other = (int)to;
	found->path = path_of(m, channel, (unsigned)mine);
	return 1;
}

/* Endpoint p alone reads the marks it wrote, and it reads no others; the other endpoints agree. */
static bool is_apart(const struct memory_marks *m, unsigned c, unsigned p)
{
	const uint32_t others = ports(m, c) - 1;

	return m->shows[c][p][p][c] == m->places &&
		shown(m, c, c, (int)p, MEMORY_ALL) == m->places &&
		shown(m, c, c, MEMORY_ALL, (int)p) == m->places &&
		shown(m, c, c, MEMORY_ALL, MEMORY_ALL) == m->places * (1 + others * others);
}

static size_t judge_endpoints(const struct memory_marks *m, unsigned c,
	struct memory_finding found[MEMORY_PORTS])
{
	const uint32_t of_one = m->places * ports(m, c);
	size_t n = 0;

	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		if (memory_kept_has(&m->kept, c, p))
			continue;
		if (shown(m, c, MEMORY_MARK_STALE, MEMORY_ALL, (int)p) == of_one) {
			found[n] = finding(m, c, MEMORY_LOST, (int)p, of_one);
			found[n++].path = MEMORY_WRITE;
		} else if (is_apart(m, c, p)) {
			found[n] = finding(m, c, MEMORY_ASTRAY, (int)p, of_one + m->places);
			found[n++].path = MEMORY_BOTH;
		}
	}
	if (n == ports(m, c) && found[0].kind == MEMORY_LOST) {
		found[0] = finding(m, c, MEMORY_LOST, MEMORY_ALL, of_one * ports(m, c));
		found[0].path = MEMORY_WRITE;
		n = 1;
	}
	return n;
}

size_t memory_marks_judge(const struct memory_marks *m, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS])
{
	size_t n = 0;
	bool foreign = false;

	if (m->places == 0)
		return 0;
	for (unsigned to = 0; to < MEMORY_CHANNELS; to++) {
		if (to == channel)
			continue;
		foreign = foreign || shown(m, channel, to, MEMORY_ALL, MEMORY_ALL) ||
			shown(m, to, channel, MEMORY_ALL, MEMORY_ALL);
		n += judge_pair(m, channel, to, &found[n]);
	}
	return foreign || !(m->tested >> channel & 1) ? n : judge_endpoints(m, channel, found);
}

/* Place n of a channel: first its beginning, last its end; the rest differ from 0 in one line. */
static uint64_t place_of(const struct marking *k, uint32_t n, unsigned writer)
{
	static const uint64_t bursts[MEMORY_PORTS] = { 0, 0xc0, 0x140 };
	const uint64_t at = n == 0 ? 0 : n == k->places - 1 ? k->t->kind->dram_size - SLOT
		: 1ULL << (FIRST_LINE + n - 1);

	return at + bursts[writer];
}

static void make_mark(const struct marking *k, unsigned channel, uint64_t addr, mark words)
{
	const struct memory_data data = memory_mark_of(k->t->seed, channel);

	memory_fill(&data, addr, words, MEMORY_MARK_WORDS);
}

static int read_mark(struct marking *k, unsigned port, uint64_t addr, mark words)
{
	atomic_fetch_add(&k->t->m->moved, BYTES);
	return device_read_block(k->t->d, memory_test_at(k->t, port, addr), words,
		MEMORY_MARK_WORDS);
}

static int put_words(struct marking *k, unsigned port, uint64_t addr, const uint32_t *words)
{
	const struct memory_test *t = k->t;
	int r = device_write_block(t->d, memory_test_at(t, port, addr), words, MEMORY_MARK_WORDS);

	atomic_fetch_add(&t->m->moved, BYTES);
	return r ? r : memory_settle(t->d, t->plan->enabled, &t->plan->kept, t->channel,
		addr + BYTES - 4);
}

enum { BEFORE, WRITE, READ, PUT_BACK };

static int do_place(struct marking *k, int what, uint32_t i)
{
	const unsigned c = k->t->channel;
	mark words;
	int r = 0;

	for (unsigned w = 0; r == 0 && w < MEMORY_PORTS; w++) {
		const uint64_t addr = place_of(k, i, w);

		if (memory_kept_has(&k->t->plan->kept, c, w))
			continue;
		if (what == WRITE) {
			make_mark(k, c, addr, words);
			r = put_words(k, w, addr, words);
		}
		if (what == BEFORE)
			r = read_mark(k, w, addr, k->before[c][w][i]);
		/* A channel that is tested does not get its old contents back. */
		if (what == PUT_BACK && !(k->t->channels >> c & 1))
			r = put_words(k, w, addr, k->before[c][w][i]);
		for (unsigned n = 0; what == READ && r == 0 && n < 2 * MEMORY_PORTS; n++)
			if (!memory_kept_has(&k->t->plan->kept, c, n % MEMORY_PORTS))
				r = read_mark(k, n % MEMORY_PORTS, addr, n < MEMORY_PORTS
					? k->got[c][n][w][i] : k->again[c][n - MEMORY_PORTS][w][i]);
	}
	return r;
}

static int do_all(struct marking *k, int what, struct error *e)
{
	struct memory_test *t = k->t;
	int r = 0;

	for (t->channel = 0; t->channel < t->kind->n_dram; t->channel++)
		for (uint32_t i = 0; k->marked >> t->channel & 1 && i < k->places; i++) {
			/* Restore the old contents even if the test is to stop. */
			if (!t->go_on(t->arg) && what != PUT_BACK)
				return 1;
			r = do_place(k, what, i);
			if (r < 0)
				return memory_fail(e, r, t->channel);
		}
	return 0;
}

/* The channel whose mark was read at a place; else STALE or OTHER. */
static unsigned whose(const struct marking *k, const struct way *x, uint32_t i)
{
	const uint32_t *got = k->again[x->c][x->p][x->w][i];
	mark want;

	for (unsigned n = 0; n < MEMORY_CHANNELS; n++) {
		const unsigned one = (x->c + n) % MEMORY_CHANNELS;

		make_mark(k, one, place_of(k, i, x->w), want);
		if (k->marked >> one & 1 && memory_differ(got, want, MEMORY_MARK_WORDS) == 0)
			return one;
	}
	return memory_differ(got, k->before[x->c][x->w][i], MEMORY_MARK_WORDS) == 0
		? MEMORY_MARK_STALE : MEMORY_MARK_OTHER;
}

static bool is_dark(const struct marking *k)
{
	if (__builtin_popcount(k->marked) < 2)
		return false;
	for (const struct way *x = k->ways; x < k->ways + k->n; x++)
		if (k->got[x->c][x->p][x->w][0][0] != UINT32_MAX)
			return false;
	return true;
}

/* Count marks as wrong words if they are wrong but no fault was named. */
static void count_wrong(struct marking *k, unsigned c)
{
	struct memory_test *t = k->t;
	struct memory_area a = { .bytes = BYTES, .cut = 3 };

	t->channel = c;
	for (const struct way *x = k->ways; x < k->ways + k->n; x++) {
		if (x->c != c)
			continue;
		t->writer = x->w;
		memory_tally_words(&t->m->tally[c][x->p], (uint64_t)k->places * MEMORY_MARK_WORDS,
			x->w);
		for (uint32_t i = 0; i < k->places; i++) {
			a.addr = place_of(k, i, x->w);
			make_mark(k, c, a.addr, t->want);
			memcpy(t->got, k->got[c][x->p][x->w][i], BYTES);
			memcpy(t->again, k->again[c][x->p][x->w][i], BYTES);
			/* Right at first, wrong when read again. */
			if (memcmp(t->got, t->want, BYTES) == 0) {
				memcpy(t->got, t->again, BYTES);
				memcpy(t->again, t->want, BYTES);
			}
			memcpy(t->other, k->again[c][memory_kept_near(&t->plan->kept, c,
				x->p + 1)][x->w][i], BYTES);
			memory_test_count(t, x->p, &a);
		}
	}
}

/* Judge the marks.  A channel without a memory of its own cannot be tested. */
static void judge_marks(struct marking *k)
{
	struct memory_test *t = k->t;
	struct memory_finding found[MEMORY_FINDINGS];
	const uint32_t channels = t->channels;
	uint32_t named = 0;

	for (const struct way *x = k->ways; x < k->ways + k->n; x++)
		for (uint32_t i = 0; i < k->places; i++)
			t->m->marks.shows[x->c][x->p][x->w][whose(k, x, i)]++;
	t->m->marks.places = k->places;
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++) {
		const size_t n = memory_marks_judge(&t->m->marks, c, found);

		for (size_t i = 0; i < n; i++) {
			t->m->wrong += found[i].wrong;
			named |= 1u << c | (found[i].other >= 0 ? 1u << found[i].other : 0);
			if (found[i].kind == MEMORY_CROSSED)
				t->channels &= ~(1u << found[i].other);
		}
		if (n > 0)
			t->channels &= ~(1u << c);
	}
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		if ((channels & ~named) >> c & 1)
			count_wrong(k, c);
}

static void list_ways(struct marking *k)
{
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		for (unsigned i = 0; k->marked >> c & 1 && i < MEMORY_PORTS * MEMORY_PORTS; i++)
			if (!is_out(&k->t->m->marks, c, i / MEMORY_PORTS, i % MEMORY_PORTS))
				k->ways[k->n++] = (struct way){ c, i / MEMORY_PORTS,
					i % MEMORY_PORTS };
}

int memory_test_marks(struct memory_test *t, struct error *e)
{
	struct marking *k = mem_calloc(1, sizeof(*k));
	struct error ignored;
	int r, back;

	k->t = t;
	k->marked = (t->plan->live & t->plan->enabled) | t->channels;
	t->m->marks.kept = t->plan->kept;
	t->m->marks.tested = t->channels;
	list_ways(k);
	k->places = 2 + memory_test_lines(t->kind, FIRST_LINE);
	r = do_all(k, BEFORE, e);
	if (r == 0) {
		for (int what = WRITE; r == 0 && what <= READ; what++)
			r = do_all(k, what, e);
		back = do_all(k, PUT_BACK, r < 0 ? &ignored : e);
		r = r ? r : back;
	}
	t->m->is_dark = r == 0 && is_dark(k);
	if (t->m->is_dark)
		t->m->wrong++;
	else if (r == 0)
		judge_marks(k);
	free(k);
	return r < 0 ? r : 0;
}
