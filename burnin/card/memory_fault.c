/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/card/memory_fault.h"

#include <stdio.h>
#include <string.h>

#define SURE_ONE   8	/* wrong words, all through one endpoint: no chance */
#define SHIFT_LEAST 16	/* bytes that a lane must be seen late in */

static unsigned lane_of(uint32_t word, unsigned lane)
{
	return word >> 8 * lane & 0xff;
}

void memory_tally_words(struct memory_tally *t, uint64_t words, unsigned writer)
{
	t->words += words;
	t->written[writer] += words;
}

void memory_tally_wrong(struct memory_tally *t, uint32_t want, uint32_t got, unsigned writer)
{
	uint32_t differ = want ^ got;

	t->wrong++;
	t->wrong_written[writer]++;
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		t->lane[k] += lane_of(differ, k) != 0;
	for (unsigned b = 0; differ; b++, differ >>= 1)
		if (differ & 1)
			(got >> b & 1 ? t->up : t->down)[b]++;
}

void memory_shifts_add(struct memory_shifts *v, uint64_t addr, uint32_t got, uint32_t want,
	memory_word_at *word_at, const void *arg)
{
	const unsigned odd = addr / MEMORY_CHUNK & 1;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		if (lane_of(got ^ want, k) == 0)
			continue;
		v->tried[odd]++;
		for (uint64_t s = 1; s <= MEMORY_SHIFTS && addr >= s * MEMORY_CHUNK; s++)
			v->late[odd][s] += lane_of(got, k) ==
				lane_of(word_at(arg, addr - s * MEMORY_CHUNK), k);
	}
}

static uint32_t word_of(const void *data, uint64_t addr)
{
	return memory_word(data, addr);
}

void memory_tally_closely(struct memory_tally *t, const struct memory_data *m,
	const struct memory_wrong *w)
{
	t->seen++;
	t->again_right += w->again == w->want;
	t->again_same += w->again == w->got;
	t->other_right += w->other == w->want;
	t->probed += w->probed;
	t->probe_right += w->probed && w->probe_right;
	/* Other data have too many bytes that are the same. */
	if (m->pattern == MEMORY_RANDOM && w->cut >= MEMORY_WIDE)
		memory_shifts_add(&t->shifts, w->addr, w->got, w->want, word_of, m);
}

static uint32_t bits_of(const uint64_t count[32])
{
	uint32_t bits = 0;

	for (unsigned b = 0; b < 32; b++)
		bits |= (uint32_t)(count[b] > 0) << b;
	return bits;
}

/* At least `percent` of them; none is not enough. */
static bool most(uint64_t part, uint64_t of, unsigned percent)
{
	return of > 0 && part * 100 >= of * percent;
}

/* The shift that most wrong bytes of these chunks have; 0: none is known. */
static unsigned best_shift(const uint64_t late[MEMORY_SHIFTS + 1])
{
	unsigned best = 0;

	for (unsigned s = 1; s <= MEMORY_SHIFTS; s++)
		if (late[s] > late[best])
			best = s;
	return best;
}

bool memory_shift(const struct memory_shifts *v, unsigned late[2])
{
	uint64_t hits = 0;

	for (unsigned odd = 0; odd < 2; odd++) {
		const unsigned s = best_shift(v->late[odd]);

		late[odd] = s * MEMORY_CHUNK;
		hits += v->late[odd][s];
	}
	return v->tried[0] + v->tried[1] >= SHIFT_LEAST &&
		most(hits, v->tried[0] + v->tried[1], 70);
}

/* One bit that never differs in the other direction, and is wrong again each time. */
static bool is_stuck(const struct memory_tally *t)
{
	const uint32_t up = bits_of(t->up), down = bits_of(t->down), bits = up | down;

	return (bits & (bits - 1)) == 0 && !(up & down) && most(t->again_same, t->seen, 90);
}

static enum memory_kind kind_of_wrong(const struct memory_tally *t, unsigned late[2])
{
	if (t->wrong == 0)
		return MEMORY_FINE;
	if (t->alias_proven > 0 && 2 * t->alias_proven >= t->alias_tried)
		return MEMORY_ALIASED;
	if (memory_shift(&t->shifts, late))
		return MEMORY_SHIFTED;
	if (is_stuck(t))
		return MEMORY_STUCK;
	return most(t->again_right, t->seen, 90) ? MEMORY_TRANSIENT : MEMORY_RANDOMLY;
}

/*
 * Where another read is right, the memory has the right word: it was the way
 * out.  Where every read agrees on the wrong one it was the way in, or the cell:
 * for a bit that is stuck and for an alias that stays open.
 */
static enum memory_path path_of(const struct memory_tally *t, enum memory_kind kind)
{
	if (kind == MEMORY_ALIASED)
		return MEMORY_UNKNOWN;
	if (most(t->other_right, t->seen, 90) || most(t->again_right, t->seen, 50) ||
		most(t->probe_right, t->probed, 50))
		return MEMORY_READ;
	return kind == MEMORY_STUCK ? MEMORY_UNKNOWN : MEMORY_WRITE;
}

static struct memory_finding judge_one(unsigned channel, int endpoint,
	const struct memory_tally *t)
{
	struct memory_finding f = { .channel = channel, .endpoint = endpoint, .words = t->words,
		.wrong = t->wrong, .bits = bits_of(t->up) | bits_of(t->down),
		.alias_at = t->alias_at, .alias_of = t->alias_of };

	f.kind = kind_of_wrong(t, f.late);
	f.path = path_of(t, f.kind);
	memcpy(f.lane, t->lane, sizeof(f.lane));
	return f;
}

static void add(struct memory_tally *to, const struct memory_tally *t)
{
	const uint64_t at = to->alias_proven ? to->alias_at : t->alias_at;
	const uint64_t of = to->alias_proven ? to->alias_of : t->alias_of;
	const uint64_t *from = (const uint64_t *)t;
	uint64_t *into = (uint64_t *)to;

	/* Nothing but counts, and these two. */
	for (size_t i = 0; i < sizeof(*t) / sizeof(*from); i++)
		into[i] += from[i];
	to->alias_at = at;
	to->alias_of = of;
}

/* The endpoint without which nothing would be wrong; -1 where that is not certain. */
static int only_one(const uint64_t words[MEMORY_PORTS], const uint64_t wrong[MEMORY_PORTS])
{
	int one = -1;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		if (words[p] == 0 || (wrong[p] > 0 && one >= 0))
			return -1;
		if (wrong[p] > 0)
			one = p;
	}
	return one >= 0 && wrong[one] >= SURE_ONE ? one : -1;
}

/* One name for all endpoints, where they agree on it. */
static size_t judge_together(unsigned channel, const struct memory_tally t[MEMORY_PORTS],
	struct memory_finding *f)
{
	uint64_t words[MEMORY_PORTS], wrong[MEMORY_PORTS];
	struct memory_tally sum = { 0 };

	for (int p = 0; p < MEMORY_PORTS; p++) {
		words[p] = t[p].words;
		wrong[p] = t[p].wrong;
		add(&sum, &t[p]);
	}
	*f = judge_one(channel, -1, &sum);
	f->endpoint = f->path == MEMORY_WRITE ? only_one(sum.written, sum.wrong_written)
		: only_one(words, wrong);
	return f->kind != MEMORY_FINE;
}

size_t memory_judge(unsigned channel, const struct memory_tally t[MEMORY_PORTS],
	struct memory_finding found[MEMORY_PORTS])
{
	size_t n = 0;
	bool same = true;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		if (t[p].wrong == 0)
			continue;
		found[n++] = judge_one(channel, p, &t[p]);
		same = same && found[n - 1].kind == found[0].kind &&
			(found[0].kind != MEMORY_STUCK || found[n - 1].bits == found[0].bits);
	}
	return n == 0 || !same ? n : judge_together(channel, t, &found[0]);
}

const char *memory_kind_name(enum memory_kind k)
{
	static const char *const names[] = { "fine", "stuck", "shifted", "aliased", "transient",
		"random" };

	return names[k];
}

const char *memory_path_name(enum memory_path p)
{
	return p == MEMORY_READ ? "read" : p == MEMORY_WRITE ? "write" : NULL;
}

static void put_kind(const struct memory_finding *f, char *text, size_t size)
{
	switch (f->kind) {
	case MEMORY_STUCK:
		snprintf(text, size, "a bit is stuck");
		break;
	case MEMORY_SHIFTED:
		if (f->late[0] == f->late[1])
			snprintf(text, size, "late by %u bytes", f->late[0]);
		else
			snprintf(text, size, "late by %u and %u bytes in alternating chunks",
				f->late[0], f->late[1]);
		break;
	case MEMORY_ALIASED:
		snprintf(text, size, "0x%llx and 0x%llx are one cell",
			(unsigned long long)f->alias_at, (unsigned long long)f->alias_of);
		break;
	case MEMORY_TRANSIENT:
		snprintf(text, size, "wrong once, right when read again");
		break;
	case MEMORY_RANDOMLY:
		snprintf(text, size, "wrong without a rule");
		break;
	case MEMORY_FINE:
		snprintf(text, size, "right");
		break;
	}
}

/* "byte lane 2", "byte lanes 0, 3", "bit 13" */
static void put_place(const struct memory_finding *f, char *text, size_t size)
{
	unsigned n = 0, len;

	if (f->bits && !(f->bits & (f->bits - 1))) {
		while (f->bits >> n > 1)
			n++;
		snprintf(text, size, "byte lane %u, bit %u", n / 8, n);
		return;
	}
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		n += f->lane[k] > 0;
	len = (unsigned)snprintf(text, size, n == MEMORY_LANES ? "all byte lanes"
		: n == 1 ? "byte lane" : "byte lanes");
	for (unsigned k = 0, done = 0; n < MEMORY_LANES && k < MEMORY_LANES; k++)
		if (f->lane[k] > 0)
			len += (unsigned)snprintf(text + len, size - len, "%s %u",
				done++ ? "," : "", k);
}

char *memory_finding_text(const struct memory_finding *f, char *text, size_t size)
{
	char kind[80], place[48], end[32] = "";

	put_kind(f, kind, sizeof(kind));
	put_place(f, place, sizeof(place));
	if (f->endpoint >= 0)
		snprintf(end, sizeof(end), ", endpoint %d alone", f->endpoint);
	snprintf(text, size, "channel %u%s: %s: %s%s: %llu of %llu words", f->channel, end, place,
		kind, f->path == MEMORY_READ ? " (when read)"
		: f->path == MEMORY_WRITE ? " (when written)" : "",
		(unsigned long long)f->wrong, (unsigned long long)f->words);
	return text;
}
