/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_verify.c - writes an area of a card's memory, reads it in transactions of
 * its size and compares it; then examines wrong words by further reads and writes.
 */
#include "config.h"

#include "base/clock.h"
#include "base/text.h"
#include "burnin/kernels/impl.h"
#include "burnin/memory/card_memory.h"
#include "burnin/memory/memory_fault.h"
#include "device/kind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The counts of wrong words. */

void memory_tally_words(struct memory_tally *t, uint64_t words, unsigned writer)
{
	t->words += words;
	t->written[writer] += words;
}

void memory_tally_event(struct memory_tally *t, unsigned writer, bool fresh)
{
	t->events[writer]++;
	t->fresh[writer] += fresh;
}

void memory_tally_wrong(struct memory_tally *t, const struct memory_wrong *w)
{
	uint32_t differ = w->want ^ w->got;
	unsigned set = 0;

	if (memory_is_misread(w)) {
		t->misread++;
	} else {
		if (t->wrong++ == 0)
			t->constant_is = w->got;
		t->constant += w->got == t->constant_is;
	}
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		set |= (unsigned)(memory_lane(differ, k) != 0) << k;
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		t->lane[k] += set >> k & 1;
	t->lanes[set]++;
	for (unsigned b = 0; differ; b++, differ >>= 1)
		if (differ & 1)
			(w->got >> b & 1 ? t->up : t->down)[b]++;
}

void memory_shifts_add(struct memory_shifts *v, uint64_t addr, uint32_t got, uint32_t want,
	memory_word_at *word_at, const void *arg)
{
	const unsigned odd = addr / MEMORY_CHUNK & 1;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		if (memory_lane(got ^ want, k) == 0)
			continue;
		v->tried[k][odd]++;
		for (uint64_t s = 1; s <= MEMORY_SHIFTS && addr >= s * MEMORY_CHUNK; s++)
			v->late[k][odd][s] += memory_lane(got, k) ==
				memory_lane(word_at(arg, addr - s * MEMORY_CHUNK), k);
	}
}

void memory_tally_closely(struct memory_tally *t, const struct memory_wrong *w,
	memory_word_at *word_at, const void *arg)
{
	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		const unsigned want = memory_lane(w->want, k), got = memory_lane(w->got, k);
		struct memory_close *c = &t->close[k];

		if (got == want)
			continue;
		c->seen++;
		c->again_right += memory_lane(w->again, k) == want;
		c->again_same += memory_lane(w->again, k) == got;
		c->other_right += memory_lane(w->other, k) == want;
		c->other_same += memory_lane(w->other, k) == got;
		c->probed += w->probed;
		c->probe_right += w->probed && memory_lane(w->last, k) == want;
		c->rewritten_same += w->probed && memory_lane(w->rewritten, k) == got;
	}
	if (word_at && w->cut >= MEMORY_WIDE)
		memory_shifts_add(&t->shifts, w->addr, w->got, w->want, word_at, arg);
}

/* A fault in words. */

/* text: "" if it depends on the finding. */
static const struct {
	const char *name, *text;
} kinds[] = {
	[MEMORY_FINE] = { "fine", "right" },
	[MEMORY_STUCK] = { "stuck", "" },
	[MEMORY_SHIFTED] = { "shifted", "" },
	[MEMORY_ALIASED] = { "aliased", "" },
	[MEMORY_TRANSIENT] = { "transient", "read wrong once, right when read again" },
	[MEMORY_RANDOMLY] = { "random", "wrong without a rule" },
	[MEMORY_UNNAMED] = { "unknown", "wrong, of an unknown kind" },
	[MEMORY_CONSTANT] = { "constant", "" },
	[MEMORY_LOST] = { "lost", "what is written does not arrive" },
	[MEMORY_SHARED] = { "shared", "" },
	[MEMORY_CROSSED] = { "crossed", "" },
	[MEMORY_ASTRAY] = { "astray", "leads to other memory than the others" },
	[MEMORY_DARK] = { "dark", "does not answer: every channel reads as all ones" },
};

const char *memory_kind_name(enum memory_kind k)
{
	return kinds[k].name;
}

const char *const memory_path_names[] = { NULL, "read", "write", "both" };

static bool is_one_bit(uint32_t bits)
{
	return bits && !(bits & (bits - 1));
}

#define LINE_LEAST 64	/* wrong words: two single cells may differ in one line, too */

static const char *name_line(const struct memory_finding *f, char text[static 32])
{
	const uint64_t differ = f->alias_at ^ f->alias_of;

	text[0] = '\0';
	if (f->wrong >= LINE_LEAST && differ && (differ & (differ - 1)) == 0)
		snprintf(text, 32, "address line %d: ", __builtin_ctzll(differ));
	return text;
}

static void put_kind(const struct memory_finding *f, char *text, size_t size)
{
	char line[32];

	snprintf(text, size, "%s", kinds[f->kind].text);
	if (f->kind == MEMORY_STUCK)
		snprintf(text, size, is_one_bit(f->bits) ? "a bit is stuck" : "bits are stuck");
	else if (f->kind == MEMORY_SHIFTED && f->late[0] == f->late[1])
		snprintf(text, size, "late by %u bytes", f->late[0]);
	else if (f->kind == MEMORY_SHIFTED)
		snprintf(text, size, "late by %u and %u bytes in alternating chunks", f->late[0],
			f->late[1]);
	else if (f->kind == MEMORY_ALIASED)
		snprintf(text, size, f->endpoint < 0 ? "%s0x%llx and 0x%llx are one cell"
			: "%s0x%llx leads to 0x%llx", name_line(f, line),
			(unsigned long long)f->alias_at, (unsigned long long)f->alias_of);
	else if (f->kind == MEMORY_CONSTANT)
		snprintf(text, size, "reads as 0x%08x, whatever is written", f->constant);
	else if (f->kind == MEMORY_SHARED)
		snprintf(text, size, "leads to one memory with channel %d", f->other);
	else if (f->kind == MEMORY_CROSSED)
		snprintf(text, size, "crossed with channel %d", f->other);
	else if (f->kind == MEMORY_ASTRAY && f->other >= 0)
		snprintf(text, size, "leads to channel %d", f->other);
}

char *memory_list_text(uint32_t bits, char text[static MEMORY_LIST])
{
	*text = '\0';
	for (unsigned i = 0; i < 32; i++)
		if (bits >> i & 1)
			text_join(text, MEMORY_LIST, ", ", "%u", i);
	return text;
}

/* "byte lane 2", "byte lanes 0, 3", "byte lane 1, bit 13" */
static void put_place(const struct memory_finding *f, char *text, size_t size)
{
	uint32_t lanes = 0;
	char list[MEMORY_LIST], bits[MEMORY_LIST];

	for (unsigned k = 0; k < MEMORY_LANES; k++)
		lanes |= (uint32_t)(f->lane[k] > 0) << k;
	memory_list_text(lanes, list);
	if (is_one_bit(f->bits) || (f->kind == MEMORY_STUCK && is_one_bit(lanes)))
		snprintf(text, size, "byte lane %s, bit%s %s", list,
			is_one_bit(f->bits) ? "" : "s", memory_list_text(f->bits, bits));
	else if (lanes == (1u << MEMORY_LANES) - 1)
		snprintf(text, size, "all byte lanes");
	else
		snprintf(text, size, "byte lane%s %s", is_one_bit(lanes) ? "" : "s", list);
}

/* Whether reads or writes go wrong, for kinds that do not say it. */
static const char *say_path(const struct memory_finding *f)
{
	static const char *const words[] = { " (when read or when written: not known)",
		" (when read)", " (when written)", " (when read and when written)" };
	const bool is_open = f->kind == MEMORY_SHIFTED || f->kind == MEMORY_RANDOMLY ||
		f->kind == MEMORY_UNNAMED;

	return is_open || (f->path != MEMORY_UNKNOWN && f->kind != MEMORY_TRANSIENT)
		? words[f->path] : "";
}

char *memory_finding_text(const struct memory_finding *f, char *text, size_t size)
{
	char kind[96], place[80] = "", end[32] = "", events[48] = "";

	put_kind(f, kind, sizeof(kind));
	if (f->kind == MEMORY_DARK) {
		snprintf(text, size, "%s", kind);
		return text;
	}
	/* The kinds found from marks concern the whole way to the memory, not lanes. */
	if (f->kind < MEMORY_LOST)
		put_place(f, place, sizeof(place));
	if (f->endpoint >= 0)
		snprintf(end, sizeof(end), ", endpoint %d alone", f->endpoint);
	if (f->events > 0)
		snprintf(events, sizeof(events), ", in %llu event%s",
			(unsigned long long)f->events, f->events == 1 ? "" : "s");
	snprintf(text, size, "channel %u%s: %s%s%s%s: %llu of %llu words%s", f->channel, end, place,
		*place ? ": " : "", kind, say_path(f), (unsigned long long)f->wrong,
		(unsigned long long)f->words, events);
	return text;
}

/* Comparisons. */

int memory_compare(uint32_t *got, const uint32_t *want, size_t n, uint64_t place, size_t *wrong)
{
	const uint64_t mixed = impl_mix(place);
	const size_t at = (size_t)(mixed % n);
	const uint32_t bit = 1u << (mixed >> 59), is = got[at] ^ want[at];
	size_t planted;

	*wrong = memory_differ(got, want, n);
	got[at] ^= bit;
	planted = memory_differ(got, want, n);
	got[at] ^= bit;
	/* A word that was right is one more, and one that only this bit made wrong is one less. */
	return planted + (is == bit) == *wrong + (is == 0) && (is == 0 || *wrong > 0) ? 0 : -EBADE;
}

int memory_fail(struct error *e, int code, unsigned channel)
{
	if (code == -EBADE)
		return fail_as(e, CODE_JUDGE_BLIND, -EILSEQ, "this host does not compare: a word "
			"made wrong on purpose was not reported");
	return fail(e, code, "memory channel %u: %s", channel, device_strerror(code));
}

/* Areas. */

#define FIRST_LINE  2		/* the lowest address line above the bytes of a word */
#define SLOW_CUT    256u	/* smaller transactions only for the first SLOW_BYTES of an area, */
#define SLOW_BYTES  1024u
#define REST_CUT    4096u	/* and these for the rest */

_Static_assert(SLOW_BYTES / 4 + MEMORY_BLOCK / REST_CUT <= MEMORY_PIECES &&
	MEMORY_BLOCK / SLOW_CUT <= MEMORY_PIECES, "an area has more transactions");

#define CLOSELY	    256		/* wrong words of a block that are examined closely */
#define PROBES	    8		/* of those, the ones that are read many times */
#define PROBE_READS 8
#define APART	    (MEMORY_BURST_BYTES / 4)	/* words; a larger gap separates two events */
#define DARK_WORDS  4

const uint32_t card_memory_cuts[CARD_MEMORY_CUTS] = { 4, 16, 32, 64, 256, 1024, 4096, 16384 };

unsigned memory_test_lines(const struct device_kind *k, unsigned first)
{
	unsigned n = 0;

	while (1ULL << (first + n) < k->dram_size)
		n++;
	return n;
}

struct reg_addr memory_test_at(const struct memory_test *t, unsigned port, uint64_t addr)
{
	return kind_dram(t->kind, t->plan->enabled, t->channel, port, addr);
}

int memory_settle(struct device *d, uint32_t enabled, const struct memory_kept *kept,
	unsigned channel, uint64_t last)
{
	uint32_t word;
	int r = 0;

	for (unsigned p = 0; r == 0 && p < MEMORY_PORTS; p++)
		if (!memory_kept_has(kept, channel, p))
			r = device_read(d, kind_dram(kind_of(d->chip), enabled, channel, p, last),
				&word, 1);
	return r;
}

/* How much of the area the next transaction takes. */
static uint32_t piece_of(const struct memory_area *a, uint32_t done)
{
	uint32_t cut = card_memory_cuts[a->cut];

	if (cut < SLOW_CUT && done >= SLOW_BYTES)
		cut = REST_CUT;
	return cut < a->bytes - done ? cut : a->bytes - done;
}

/* The transactions between the card and these words, in this round's order; returns how many. */
static size_t cut_area(struct memory_test *t, unsigned port, const struct memory_area *a,
	uint32_t *words)
{
	size_t pieces = 0, n = 0;

	for (uint32_t done = 0; done < a->bytes; done += piece_of(a, done))
		pieces++;
	for (uint32_t done = 0, bytes; done < a->bytes; done += bytes) {
		bytes = piece_of(a, done);
		t->pieces[memory_test_turn(t, n++, pieces)] = (struct device_piece){
			memory_test_at(t, port, a->addr + done), words + done / 4, bytes / 4 };
	}
	return pieces;
}

static int read_area(struct memory_test *t, unsigned port, const struct memory_area *a,
	uint32_t *words)
{
	const int64_t began = clock_steady();
	size_t failed;
	int r = device_gather(t->d, t->pieces, cut_area(t, port, a, words), &failed);

	t->m->reading += clock_steady() - began;
	t->m->read += a->bytes;
	atomic_fetch_add(&t->m->moved, a->bytes);
	return r;
}

int memory_test_write(struct memory_test *t, const struct memory_area *a)
{
	int64_t began;
	size_t failed;
	int r;

	memory_fill(&t->data, a->addr, t->want, a->bytes / 4);
	began = clock_steady();
	r = device_scatter(t->d, t->pieces, cut_area(t, t->writer, a, t->want), &failed);
	t->m->writing += clock_steady() - began;
	t->m->written += a->bytes;
	atomic_fetch_add(&t->m->moved, a->bytes);
	return r;
}

int memory_cell_probe(const struct memory_cell *c, struct memory_wrong *w)
{
	int r = 0;

	for (int i = 0; r == 0 && i < c->reads; i++)
		r = device_read(c->d, c->read, &w->last, 1);
	w->probed = true;
	if (r == 0)
		r = device_write(c->d, c->write, w->want);
	if (r == 0)
		r = device_read(c->d, c->read, &w->rewritten, 1);
	/* Other endpoints should see the wrong word, too. */
	if (r == 0 && w->again == w->got && w->other == w->got && w->last == w->got)
		r = device_write(c->d, c->write, w->got);
	return r;
}

int memory_cell_try_alias(const struct memory_cell *c, const struct memory_wrong *w, uint64_t of,
	uint32_t word, uint32_t mark, struct memory_tally *t)
{
	const struct reg_addr at = { c->write.space, c->write.x, c->write.y, of };
	uint32_t got = ~mark;
	int r = device_write(c->d, at, mark);

	for (int i = 0; r == 0 && i < c->reads; i++)
		r = device_read(c->d, c->read, &got, 1);
	if (r == 0)
		r = device_write(c->d, at, word);
	if (r < 0)
		return r;
	t->alias_tried++;
	if (got == mark && t->alias_proven++ == 0) {
		t->alias_at = w->addr;
		t->alias_of = of;
	}
	return 0;
}

/* Find another address that has this word: by the pattern's own address, or one line away. */
static bool find_alias(const struct memory_test *t, const struct memory_wrong *w, uint64_t *of)
{
	const unsigned last = FIRST_LINE + memory_test_lines(t->kind, FIRST_LINE);

	if (memory_address(&t->data, w->got, of))
		return *of < t->kind->dram_size && *of != w->addr;
	for (unsigned b = FIRST_LINE; t->data.pattern == MEMORY_RANDOM && b < last; b++) {
		*of = w->addr ^ 1ULL << b;
		if (*of < t->kind->dram_size && memory_word(&t->data, *of) == w->got)
			return true;
	}
	return false;
}

static int examine_alone(struct memory_test *t, unsigned port, struct memory_wrong *w,
	struct memory_tally *tally)
{
	const struct memory_cell c = { t->d, memory_test_at(t, port, w->addr),
		memory_test_at(t, t->writer, w->addr), PROBE_READS };
	int r = memory_cell_probe(&c, w);
	uint64_t of;

	return r < 0 || !find_alias(t, w, &of) ? r : memory_cell_try_alias(&c, w, of,
		memory_word(&t->data, of), (uint32_t)impl_mix(w->addr + t->round
		+ tally->alias_tried), tally);
}

static uint32_t word_at(const void *data, uint64_t addr)
{
	return memory_word(data, addr);
}

static struct memory_wrong wrong_at(const struct memory_test *t, const struct memory_area *a,
	uint32_t i)
{
	return (struct memory_wrong){ .addr = a->addr + 4 * i, .want = t->want[i],
		.got = t->got[i], .again = t->again[i], .other = t->other[i],
		.cut = card_memory_cuts[a->cut] };
}

static int look_closely(struct memory_test *t, unsigned port, const struct memory_area *a,
	struct memory_tally *tally)
{
	unsigned seen = 0;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < a->bytes / 4 && seen < CLOSELY; i++) {
		struct memory_wrong w = wrong_at(t, a, i);

		if (w.got == w.want)
			continue;
		if (seen < PROBES)
			r = examine_alone(t, port, &w, tally);
		/* The other patterns have too many equal bytes. */
		memory_tally_closely(tally, &w, t->data.pattern == MEMORY_RANDOM ? word_at : NULL,
			&t->data);
		seen++;
	}
	return r;
}

/* False if another endpoint showed the same event before. */
static bool is_fresh(struct memory_test *t, uint64_t addr, uint32_t got)
{
	const uint64_t key = impl_mix(impl_mix(addr) + got) + t->round + 1;
	uint64_t *seen = &t->seen[t->channel][key % MEMORY_SEEN];

	if (*seen == key)
		return false;
	*seen = key;
	return true;
}

void memory_test_count(struct memory_test *t, unsigned port, const struct memory_area *a)
{
	struct memory_tally *tally = &t->m->tally[t->channel][port];
	const uint64_t misread = tally->misread, wrong = tally->wrong;
	uint32_t end = 0, last = 0;
	bool in_event = false;

	for (uint32_t i = 0; i < a->bytes / 4; i++) {
		const struct memory_wrong w = wrong_at(t, a, i);

		if (4 * i >= end) {
			end += piece_of(a, end);
			in_event = false;
		}
		if (w.got == w.want)
			continue;
		memory_tally_wrong(tally, &w);
		if (!in_event || i - last > APART)
			memory_tally_event(tally, t->writer, is_fresh(t, w.addr, w.got));
		in_event = true;
		last = i;
	}
	t->m->misread += tally->misread - misread;
	t->m->wrong += tally->wrong - wrong;
}

/* Check whether all channels read as ones, which is not a memory fault. */
static int look_for_dark(struct memory_test *t, const struct memory_area *a)
{
	const unsigned mine = t->channel;
	uint32_t words[DARK_WORDS] = { UINT32_MAX };
	bool dark = __builtin_popcount(t->channels) > 1;
	int r = 0;

	for (t->channel = 0; r == 0 && dark && t->channel < t->kind->n_dram; t->channel++)
		for (unsigned p = 0; r == 0 && dark && p < MEMORY_PORTS; p++) {
			if (!(t->channels >> t->channel & 1) ||
				memory_kept_has(&t->plan->kept, t->channel, p))
				continue;
			r = device_read(t->d, memory_test_at(t, p, a->addr), words, DARK_WORDS);
			for (unsigned i = 0; i < DARK_WORDS; i++)
				dark = dark && words[i] == UINT32_MAX;
		}
	t->channel = mine;
	t->m->is_dark = r == 0 && dark;
	return r;
}

int memory_test_verify(struct memory_test *t, unsigned port, const struct memory_area *a)
{
	struct memory_tally *tally = &t->m->tally[t->channel][port];
	const uint32_t last = a->bytes / 4 - 1;
	const uint64_t before = tally->wrong + tally->misread;
	size_t wrong;
	int r = read_area(t, port, a, t->got);

	if (r < 0)
		return r;
	memory_fill(&t->data, a->addr, t->want, a->bytes / 4);
	if (t->got[last] == UINT32_MAX && t->want[last] != UINT32_MAX)
		r = look_for_dark(t, a);
	if (t->m->is_dark)
		t->m->wrong++;
	if (r < 0 || t->m->is_dark)
		return r;
	memory_tally_words(tally, a->bytes / 4, t->writer);
	r = memory_compare(t->got, t->want, a->bytes / 4, a->addr + t->m->read, &wrong);
	if (r < 0 || wrong == 0)
		return r;
	r = read_area(t, port, a, t->again);
	if (r == 0)
		r = read_area(t, memory_kept_near(&t->plan->kept, t->channel, port + 1), a,
			t->other);
	/* What cannot be read again stays wrong. */
	if (r < 0)
		memcpy(t->again, t->got, a->bytes);
	memory_test_count(t, port, a);
	if (r == 0 && tally->wrong + tally->misread - before != wrong)
		return -EBADE;
	return r ? r : look_closely(t, port, a, tally);
}
