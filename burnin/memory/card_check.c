/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_check.c - each block is read four times, each time in a different way: a
 * fault that depends on the previous reads then gives different data each time.
 *
 * Another program may have written the words that differ between two reads.  So
 * some are confirmed: a word was not written if it reads the same whenever it is
 * read alone, before and after each of several reads of its block, and yet differs
 * in those reads.
 */
#include "config.h"
#include "burnin/memory/card_check.h"

#include "base/mem.h"
#include "burnin/kernels/impl.h"
#include "device/kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The counts: how much was compared, whether a difference proves a fault, and of which kind. */

#define VALUES_LEAST 16		/* different wrong bytes: more than a program writes by chance */

/* Number of blocks to read in each channel; size as in the plan. */
static uint64_t card_check_blocks(enum device_chip chip, uint64_t size)
{
	const uint64_t whole = kind_of(chip)->dram_size;

	return (size && size < whole ? size + CARD_CHECK_BLOCK - 1 : whole) / CARD_CHECK_BLOCK;
}

void card_check_ask(const struct card_check_plan *p, enum device_chip chip, uint32_t left,
	struct ledger *l)
{
	const uint64_t n = (uint64_t)__builtin_popcount(p->channels | left);

	ledger_ask(l, LEDGER_CHANNELS, n);
	ledger_ask(l, LEDGER_ENDPOINTS, memory_kept_rest(&p->kept, p->channels | left));
	ledger_ask(l, LEDGER_BYTES, n * card_check_blocks(chip, p->size) * CARD_CHECK_BLOCK);
}

void card_check_count(const struct card_check_plan *p, const struct card_check *c, struct ledger *l)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_check_channel *m = &c->channel[i];

		if (!(p->channels >> i & 1))
			continue;
		ledger_count(l, LEDGER_CHANNELS, m->tested);
		ledger_count(l, LEDGER_ENDPOINTS, m->words ? memory_kept_rest(&p->kept,
			1u << i) : 0);
		ledger_count(l, LEDGER_BYTES, 4 * m->words);
	}
}

/* A late lane, with too many different wrong bytes for a program to have written them. */
static bool is_shown(const struct card_check_channel *c)
{
	unsigned late[2], most = 0;

	for (unsigned lane = 0; lane < MEMORY_LANES; lane++) {
		unsigned n = 0;

		for (unsigned i = 0; i < 4; i++)
			n += (unsigned)__builtin_popcountll(c->values[lane][i]);
		most = n > most ? n : most;
	}
	return most >= VALUES_LEAST && card_check_kind(c, late) == MEMORY_SHIFTED;
}

enum card_check_verdict card_check_judge(const struct card_check_channel *c, bool held)
{
	if (c->differ > 0)
		return c->confirmed && (!held || is_shown(c)) ? CARD_CHECK_DISAGREES
			: CARD_CHECK_CHANGED;
	return c->tested ? CARD_CHECK_AGREES : CARD_CHECK_UNTESTED;
}

/* The kind that all wrong lanes share; MEMORY_UNNAMED if they do not agree. */
enum memory_kind card_check_kind(const struct card_check_channel *c, unsigned late[2])
{
	enum memory_kind kind = MEMORY_FINE;

	for (unsigned k = 0; k < MEMORY_LANES; k++) {
		unsigned one[2];
		const enum memory_kind is = memory_shift(&c->shifts, k, one);

		if (c->shifts.tried[k][0] + c->shifts.tried[k][1] == 0)
			continue;
		if (kind == MEMORY_FINE)
			memcpy(late, one, sizeof(one));
		kind = kind == MEMORY_FINE || (kind == is && (kind != MEMORY_SHIFTED ||
			memcmp(late, one, sizeof(one)) == 0)) ? is : MEMORY_UNNAMED;
	}
	return c->differ > 0 && kind == MEMORY_FINE ? MEMORY_UNNAMED : kind;
}

int card_check_endpoint(const struct card_check_channel *c)
{
	int one = -1;

	for (int p = 0; p < MEMORY_PORTS; p++)
		if (c->alone[p] > 0) {
			if (one >= 0)
				return -1;
			one = p;
		}
	return one >= 0 && c->alone[one] == c->differ ? one : -1;
}

#define BLOCK	    CARD_CHECK_BLOCK
#define WORDS	    (BLOCK / 4)
#define LEAST_CUT   256
#define SUSPECTS    256	/* words of a block that are watched; those that differ come first */
#define DIFFERENT   128	/* at most this many of them differ */
#define ROUNDS	    12	/* rounds of reads to confirm a block */
#define ROUNDS_LEAST 6	/* a word must differ in this many rounds, */
#define EVENTS_LEAST 8	/* or all words together this often */
#define WARM_READS  8	/* of a word, after which even a late lane shows the word itself */
#define ALONE_READS 4	/* that must all agree */
#define CONFIRM_MOST 8	/* blocks of a channel, at most */
#define TRUE_BEFORE 64		/* words read alone before those that are checked */
#define TRUE_WORDS  256		/* words checked for a late lane */

/* How to read a block: in pieces of `cut` bytes; ahead: first read its first chunk alone. */
static const struct way {
	unsigned port;
	uint32_t cut;
	bool ahead, backwards;
} ways[CARD_CHECK_READS] = {
	{ 0, 16384, false, false },
	{ 1, 16384, true, false },
	{ 2, LEAST_CUT, false, true },
	{ 0, 4096, true, false },
};

struct check {
	struct device *d;
	const struct device_kind *kind;
	const struct card_check_plan *plan;
	struct card_check *c;
	unsigned channel;
	uint64_t n;		/* blocks of a channel */
	uint64_t *hash[MEMORY_CHANNELS];	/* of each block; 0: not to be compared */
	uint32_t got[CARD_CHECK_READS][WORDS], more[WORDS];
};

static struct device_piece piece_at(const struct check *k, unsigned port, uint64_t addr,
	uint32_t *words, uint32_t n)
{
	port = memory_kept_near(&k->plan->kept, k->channel, port);
	return (struct device_piece){ kind_dram(k->kind, k->plan->enabled, k->channel, port, addr),
		words, n };
}

static int read_pieces(struct check *k, const struct device_piece *pieces, size_t n)
{
	size_t words = 0, failed;

	for (size_t i = 0; i < n; i++)
		words += pieces[i].n;
	atomic_fetch_add(&k->c->moved, 4 * words);
	return device_gather(k->d, pieces, n, &failed);
}

static int read_way(struct check *k, const struct way *w, uint64_t addr, uint32_t *words)
{
	struct device_piece pieces[1 + BLOCK / LEAST_CUT];
	uint32_t spare[MEMORY_CHUNK / 4];
	size_t n = 0;

	if (w->ahead)
		pieces[n++] = piece_at(k, w->port, addr, spare, MEMORY_CHUNK / 4);
	for (uint32_t done = 0; done < BLOCK; done += w->cut) {
		const uint32_t from = w->backwards ? BLOCK - w->cut - done : done;

		pieces[n++] = piece_at(k, w->port, addr + from, words + from / 4, w->cut / 4);
	}
	return read_pieces(k, pieces, n);
}

/* Count words equal to those 64 and 128 bytes away: they cannot show that a lane is late. */
static uint64_t count_blind(const uint32_t *words)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < WORDS; i++)
		n += i < 32 ? words[i] == words[i + 16] && words[i] == words[i + 32]
			: words[i] == words[i - 16] && words[i] == words[i - 32];
	return n;
}

/* Count the endpoint that alone disagrees with the others. */
static void count_alone(struct card_check_channel *c, const uint32_t v[CARD_CHECK_READS])
{
	if (v[1] == v[2])
		c->alone[0]++;
	else if (v[0] == v[3] && v[0] == v[2])
		c->alone[1]++;
	else if (v[0] == v[3] && v[0] == v[1])
		c->alone[2]++;
}

/* Read a word alone; *steady is false if it did not read the same each time. */
static int read_alone(struct check *k, uint64_t addr, uint32_t *word, bool *steady)
{
	struct device_piece pieces[WARM_READS + ALONE_READS];
	uint32_t v[WARM_READS + ALONE_READS];
	int r;

	for (int i = 0; i < WARM_READS + ALONE_READS; i++)
		pieces[i] = piece_at(k, 0, addr, &v[i], 1);
	r = read_pieces(k, pieces, WARM_READS + ALONE_READS);
	*steady = r == 0;
	if (r < 0)
		return r;
	*word = v[WARM_READS - 1];
	for (int i = WARM_READS; i < WARM_READS + ALONE_READS; i++)
		*steady = *steady && v[i] == *word;
	return 0;
}

struct suspect {
	uint32_t i, word;
	bool steady;
	unsigned differed;	/* in that many rounds */
};

static int see_alone(struct check *k, uint64_t addr, struct suspect *s, bool first)
{
	uint32_t word = 0;
	bool steady;
	int r = read_alone(k, addr + 4 * (uint64_t)s->i, &word, &steady);

	if (first)
		s->word = word;
	s->steady = (first || s->steady) && steady && word == s->word;
	return r;
}

static int see_in_block(struct check *k, uint64_t addr, struct suspect *s, size_t n)
{
	bool differs[SUSPECTS] = { false };
	int r = 0;

	for (int w = 0; r == 0 && w < CARD_CHECK_READS; w++) {
		r = read_way(k, &ways[w], addr, k->more);
		for (size_t j = 0; j < n; j++)
			differs[j] = differs[j] || k->more[s[j].i] != s[j].word;
	}
	for (size_t j = 0; j < n; j++)
		s[j].differed += differs[j];
	return r;
}

static bool differs_at(const struct check *k, uint32_t i)
{
	return k->got[0][i] != k->got[1][i] || k->got[0][i] != k->got[2][i] ||
		k->got[0][i] != k->got[3][i];
}

/* Choose words that differ, then others: an intermittent fault may hit others the next time. */
static size_t choose_suspects(const struct check *k, struct suspect s[SUSPECTS])
{
	size_t n = 0;

	for (uint32_t i = 0; i < WORDS && n < DIFFERENT; i++)
		if (differs_at(k, i))
			s[n++] = (struct suspect){ .i = i };
	for (uint32_t i = s[0].i; i < WORDS && n < SUSPECTS; i++)
		if (!differs_at(k, i))
			s[n++] = (struct suspect){ .i = i };
	return n;
}

/* 1 if the differences are certainly not a program's writes; else 0, or -errno. */
static int confirm(struct check *k, uint64_t addr)
{
	struct suspect s[SUSPECTS];
	const size_t n = choose_suspects(k, s);
	unsigned events = 0, most = 0;
	int r = 0;

	for (size_t j = 0; r == 0 && j < n; j++)
		r = see_alone(k, addr, &s[j], true);
	for (int round = 0; r == 0 && round < ROUNDS; round++) {
		r = see_in_block(k, addr, s, n);
		for (size_t j = 0; r == 0 && j < n; j++)
			r = see_alone(k, addr, &s[j], false);
	}
	for (size_t j = 0; j < n; j++) {
		events += s[j].steady ? s[j].differed : 0;
		if (s[j].steady && s[j].differed > most)
			most = s[j].differed;
	}
	return r < 0 ? r : events >= EVENTS_LEAST || most >= ROUNDS_LEAST;
}

static void compare_word(struct check *k, struct card_check_channel *c, uint64_t addr, uint32_t i)
{
	const uint32_t v[CARD_CHECK_READS] = { k->got[0][i], k->got[1][i], k->got[2][i],
		k->got[3][i] };
	const uint32_t differ = (v[0] ^ v[1]) | (v[0] ^ v[2]) | (v[0] ^ v[3]);

	if (c->differ++ == 0)
		c->first = addr + 4 * (uint64_t)i;
	/* With only two endpoints, neither can be blamed. */
	if (k->plan->kept.ports[k->channel] == 0)
		count_alone(c, v);
	for (unsigned lane = 0; lane < MEMORY_LANES; lane++)
		c->lane[lane] += (differ >> 8 * lane & 0xff) != 0;
}

/* Words as they are when read alone. */
struct truth {
	uint64_t addr;
	uint32_t words[TRUE_BEFORE + TRUE_WORDS];
};

static uint32_t true_word(const void *arg, uint64_t addr)
{
	const struct truth *t = arg;

	return t->words[(addr - t->addr) / 4];
}

static void note_values(struct card_check_channel *c, uint32_t got, uint32_t want)
{
	for (unsigned lane = 0; lane < MEMORY_LANES; lane++) {
		const unsigned byte = got >> 8 * lane & 0xff;

		if (byte != (want >> 8 * lane & 0xff))
			c->values[lane][byte / 64] |= 1ULL << byte % 64;
	}
}

/* Check whether a late lane explains a block that is certainly wrong. */
static int look_for_shift(struct check *k, uint64_t addr)
{
	struct memory_shifts *v = &k->c->channel[k->channel].shifts;
	struct truth t;
	uint32_t from = 0;
	bool steady;
	int r = 0;

	while (from < WORDS && !differs_at(k, from))
		from++;
	from = from < TRUE_BEFORE ? TRUE_BEFORE : from < WORDS - TRUE_WORDS ? from
		: WORDS - TRUE_WORDS;
	t.addr = addr + 4 * (uint64_t)(from - TRUE_BEFORE);
	for (uint32_t i = 0; r == 0 && i < TRUE_BEFORE + TRUE_WORDS; i++)
		r = read_alone(k, t.addr + 4 * (uint64_t)i, &t.words[i], &steady);
	if (r == 0)
		r = read_way(k, &ways[0], addr, k->more);
	for (uint32_t i = from; r == 0 && i < from + TRUE_WORDS; i++) {
		const uint32_t want = t.words[i - from + TRUE_BEFORE];

		memory_shifts_add(v, addr + 4 * (uint64_t)i, k->more[i], want, true_word, &t);
		note_values(&k->c->channel[k->channel], k->more[i], want);
	}
	return r;
}

/* Hash only data that looks random: repeating data is the same in many places. */
static uint64_t hash_of(const uint32_t *words, uint64_t blind)
{
	uint64_t hash = 1;

	for (uint32_t i = 0; i < WORDS; i++)
		hash = impl_mix(hash ^ words[i]);
	return blind * 2 < WORDS ? hash | 1 : 0;
}

static int check_block(struct check *k, uint64_t i, uint64_t addr)
{
	struct card_check_channel *c = &k->c->channel[k->channel];
	const uint64_t before = c->differ;
	size_t wrong, any = 0;
	uint64_t blind;
	int r = 0;

	for (int w = 0; r == 0 && w < CARD_CHECK_READS; w++)
		r = read_way(k, &ways[w], addr, k->got[w]);
	for (int w = 1; r == 0 && w < CARD_CHECK_READS; w++) {
		r = memory_compare(k->got[w], k->got[0], WORDS, addr + (unsigned)w, &wrong);
		any += wrong;
	}
	if (r < 0)
		return r;
	blind = count_blind(k->got[0]);
	c->words += WORDS;
	c->blind += blind;
	for (uint32_t n = 0; n < WORDS; n++)
		if (differs_at(k, n))
			compare_word(k, c, addr, n);
	if ((c->differ == before) != (any == 0))
		return -EBADE;
	if (any == 0)
		k->hash[k->channel][i] = hash_of(k->got[0], blind);
	if (any == 0 || c->confirmed || c->tries >= CONFIRM_MOST)
		return 0;
	c->tries++;
	r = confirm(k, addr);
	c->confirmed = r == 1;
	return r == 1 ? look_for_shift(k, addr) : r;
}

/* The first half of the blocks lies at the beginning, where programs put their data first. */
static uint64_t block_at(const struct check *k, uint64_t i, uint64_t n)
{
	const uint64_t places = k->kind->dram_size / BLOCK, spread = n - n / 2;
	const uint64_t from = places * (i - n / 2) / spread;

	if (i < n / 2 || n == places)
		return i * BLOCK;
	if (i == n - 1)
		return (places - 1) * BLOCK;
	return (from + impl_mix(k->plan->seed + i) % (places / spread)) * BLOCK;
}

static void compare_channels(const struct check *k, unsigned a, unsigned b)
{
	struct card_check_same *same = &k->c->same[a][b];

	for (uint64_t i = 0; i < k->n; i++) {
		if (!k->hash[a][i] || !k->hash[b][i])
			continue;
		same->told++;
		if (k->hash[a][i] == k->hash[b][i] && same->equal++ == 0)
			same->first = block_at(k, i, k->n);
	}
}

int card_check_run(struct device *d, const struct card_check_plan *p, struct card_check *c,
	struct error *e)
{
	struct check *k = mem_calloc(1, sizeof(*k));
	int r = 0;

	*k = (struct check){ .d = d, .kind = kind_of(d->chip), .plan = p, .c = c,
		.n = card_check_blocks(d->chip, p->size) };
	for (; r == 0 && k->channel < k->kind->n_dram; k->channel++) {
		if (!((p->channels & p->enabled) >> k->channel & 1))
			continue;
		k->hash[k->channel] = mem_calloc(k->n, sizeof(uint64_t));
		for (uint64_t i = 0; r == 0 && i < k->n; i++)
			r = check_block(k, i, block_at(k, i, k->n));
		if (r < 0)
			r = memory_fail(e, r, k->channel);
		c->channel[k->channel].tested = r == 0;
	}
	for (unsigned a = 0; r == 0 && a < MEMORY_CHANNELS; a++)
		for (unsigned b = a + 1; k->hash[a] && b < MEMORY_CHANNELS; b++)
			if (k->hash[b])
				compare_channels(k, a, b);
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		free(k->hash[i]);
	free(k);
	return r;
}

/* The figures. */

#define NUMBER_FIGURES(F) F(INT, , (), n)
FIGURES_SHARED(memory_number, NUMBER_FIGURES, uint64_t n)

void memory_add_number(struct figure_value *to, uint64_t n)
{
	memory_number_add(to, n);
}

#define ERROR_FIGURES(F) \
	F(INT, corr_rd, (), e->corrected[0]) \
	F(INT, corr_wr, (), e->corrected[1]) \
	F(BOOL, uncorr_rd, (), e->uncorrected[0]) \
	F(BOOL, uncorr_wr, (), e->uncorrected[1])
FIGURES_SHARED(memory_error, ERROR_FIGURES, const struct memory_errors *e)

void memory_add_errors(struct figure_value *to, const struct memory_errors *e)
{
	if (e->known)
		memory_error_add(to, e);
}

#define KEPT_FIGURES(F) \
	F(INT, channel, (), channel) \
	F(INT, endpoint, (), port)
FIGURES_SHARED(memory_kept, KEPT_FIGURES, unsigned channel, unsigned port)

void memory_add_kept(struct figure_value *to, const struct memory_kept *kept, uint32_t channels)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_PORTS; i++)
		if ((channels >> i / MEMORY_PORTS & 1) &&
			memory_kept_has(kept, i / MEMORY_PORTS, i % MEMORY_PORTS))
			memory_kept_add(to, i / MEMORY_PORTS, i % MEMORY_PORTS);
}

#define ADDRESS_FIGURES(F) F(INT, , (.hex = true), address)
FIGURES(address, ADDRESS_FIGURES, uint64_t address)

#define FINDING_FIGURES(F) \
	F(INT, channel, (.place = true), f->kind == MEMORY_DARK ? -1 : (int)f->channel) \
	F(INT, endpoint, (.place = true), f->endpoint) \
	F(INT, other_channel, (.place = true), f->other) \
	F(TEXT, kind, (), memory_kind_name(f->kind)) \
	F(TEXT, path, (), memory_path_names[f->path]) \
	F(INT, words, (), f->words) \
	F(INT, wrong, (), f->wrong) \
	F(INT, events, (.some = true), f->events) \
	MEMORY_LANE_FIGURES(F, f->lane) \
	F(INT, bits, (.hex = true), f->bits) \
	MEMORY_LATE_FIGURES(F, f->kind, f->late) \
	F(LIST, aliases, (.group = &address_figures), \
		if (f->kind == MEMORY_ALIASED) { \
			address_add(v, f->alias_at); \
			address_add(v, f->alias_of); \
		}) \
	F(TEXT, text, ("What is wrong with the memory"), \
		memory_finding_text(f, (char[200]){ "" }, 200))
FIGURES_SHARED(memory_finding, FINDING_FIGURES, const struct memory_finding *f)

void memory_add_findings(struct figure_value *to, const struct memory_finding *found, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memory_finding_add(to, &found[i]);
}
