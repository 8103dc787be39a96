/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_memory.c - the order of the test.  First all channels are marked, to find any
 * two that lead to one memory.  Then come rounds: each writes all areas of all channels
 * through one endpoint of each, then reads them through every endpoint.  Areas are
 * blocks spread over the whole channel, each somewhere in its own part of it, and
 * pairs whose addresses differ in one line.
 *
 * Every other round goes down, from the last channel, area and transaction to the first: what a
 * write spoils is seen only where nothing is written later.
 *
 * The first iteration is short, so that a fault that is everywhere is found in
 * seconds, however much is to be tested.  A round reads everything through one
 * endpoint before it uses the next, so that a test which is cut short has verified
 * as much memory as it could.
 */
#include "config.h"
#include "burnin/memory/card_memory.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/stopwatch.h"
#include "device/kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Channels.  Touching one that is switched off or has not been trained may hang the chip's network,
 * so a channel that is not known to work is left alone.
 */

/* Four bits per channel say which port of its controller the controller's firmware uses. */
static void find_kept(const struct snapshot *s, const struct device_kind *k,
	struct memory_kept *kept)
{
	const struct reading *ports = &s->r[FIELD_GDDR_PORTS];

	for (unsigned c = 0; reading_is_ok(ports) && c < k->n_dram && c < MEMORY_CHANNELS; c++) {
		const int p = kind_dram_port(k, c, (uint32_t)ports->value >> 4 * c & 15);

		kept->ports[c] = (uint8_t)(p >= 0 ? 1 << p : 0);
	}
}

int memory_channels(const struct snapshot *s, struct memory_channels *c, struct error *e)
{
	const struct device_kind *k = kind_of(s->chip);
	const uint32_t all = (uint32_t)((1ull << k->n_dram) - 1);
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED], *trained = &s->r[FIELD_DRAM_TRAINED];
	const struct reading *translated = &s->r[FIELD_NOC_TRANSLATION];

	*c = (struct memory_channels){ 0 };
	if (!snapshot_is_live(s))
		return fail_as(e, snapshot_code(s), -ENODATA, "the card was not read: %s",
			s->reason);
	if (k->n_dram == 0)
		return fail(e, -EOPNOTSUPP, "how the memory of a %s is reached is not known",
			k->name);
	if (s->local >= 0)
		return fail_as(e, CODE_SECOND_CHIP, -EOPNOTSUPP, "reached over ethernet only: its "
			"memory is not tested");
	if (trained->state == READING_STALE)
		return fail_as(e, CODE_HUNG, -ENODATA, "the card does not answer in time: its "
			"telemetry is old");
	if (!reading_is_ok(trained))
		return fail(e, -ENODATA, "which memory channels are in use is not known%s%s",
			*s->note ? ": " : "", s->note);
	if (k->dram_moves && reading_is_ok(translated) && translated->value == 0)
		return fail(e, -EOPNOTSUPP, "its coordinates are not translated, so its memory"
			" cannot be found");
	c->enabled = reading_is_ok(on) && on->value ? (uint32_t)on->value & all : all;
	c->usable = c->enabled & (uint32_t)trained->value;
	find_kept(s, k, &c->kept);
	/* If the channels' places depend on which are enabled, a guess is not enough. */
	if (k->dram_moves && !reading_is_ok(on) && c->usable != all)
		return fail(e, -ENODATA, "which memory channels are switched off is not known");
	return 0;
}

uint32_t memory_channels_failed(const struct snapshot *s)
{
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED], *failed = &s->r[FIELD_DRAM_FAILED];

	return !reading_is_ok(failed) ? 0 : (uint32_t)failed->value &
		(reading_is_ok(on) && on->value ? (uint32_t)on->value : UINT32_MAX);
}

int memory_channels_choose(struct memory_channels *c, uint32_t wanted, bool is_named,
	struct error *e)
{
	const uint32_t missing = is_named ? wanted & ~c->enabled : 0;

	if (missing)
		return fail_as(e, CODE_NOT_FOUND, -EINVAL, "memory channel %d is switched off, or "
			"the card has none of this number", __builtin_ctz(missing));
	c->chosen = wanted & c->usable;
	c->left = wanted & c->enabled & ~c->usable;
	if (c->usable == 0)
		return fail_as(e, CODE_CHANNEL_SILENT, -ENODATA, "no memory channel is trained");
	return c->chosen ? 0 : fail_as(e, CODE_CHANNEL_SILENT, -ENODATA, "none of these memory "
		"channels is in use");
}

/* The channels of this set whose controller keeps the endpoint. */
static uint32_t keepers(const struct memory_kept *k, uint32_t channels, unsigned port)
{
	uint32_t set = 0;

	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		set |= (uint32_t)memory_kept_has(k, c, port) << c;
	return set & channels;
}

char *memory_kept_text(const struct memory_kept *k, uint32_t channels, char *text, size_t size)
{
	char list[MEMORY_LIST];

	*text = '\0';
	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		const uint32_t set = keepers(k, channels, p);

		if (set)
			text_join(text, size, "; ", "endpoint %u of channel%s %s", p,
				set & (set - 1) ? "s" : "", memory_list_text(set, list));
	}
	return *text ? text : NULL;
}

struct memory_errors memory_errors_of(const struct snapshot *s, unsigned channel)
{
	const struct reading *corrected = &s->r[FIELD_GDDR_CORR_ERRS + 2 * (int)channel];
	const struct reading *sticky = &s->r[FIELD_GDDR_UNCORR_ERRS];
	/* What firmware says that has stopped is old. */
	struct memory_errors m = { .known = snapshot_is_live(s) && !snapshot_trouble(s) &&
		reading_is_ok(sticky) && reading_is_ok(&corrected[0]) &&
		reading_is_ok(&corrected[1]) };

	for (unsigned i = 0; m.known && i < 2; i++) {
		m.corrected[i] = (uint32_t)corrected[i].value;
		m.uncorrected[i] = sticky->value >> (2 * channel + i) & 1;
	}
	return m;
}

struct memory_growth memory_errors_growth(const struct memory_errors before[MEMORY_CHANNELS],
	const struct memory_errors after[MEMORY_CHANNELS])
{
	struct memory_growth g = { .known = false };

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		for (unsigned way = 0; way < 2 && before[i].known && after[i].known; way++) {
			const uint32_t was = before[i].corrected[way];
			const uint32_t is = after[i].corrected[way];

			g.known = true;
			g.corrected += is > was ? is - was : 0;
			if (after[i].uncorrected[way] && !before[i].uncorrected[way])
				g.uncorrected |= 1u << i;
		}
	return g;
}

bool memory_errors_fail(const struct memory_growth *g, struct error *why)
{
	const uint32_t set = g->uncorrected;
	char list[MEMORY_LIST];

	if (set == 0)
		return false;
	fail_as(why, CODE_MEMORY_WRONG, -EIO, "uncorrected errors grew in memory channel%s %s",
		set & (set - 1) ? "s" : "", memory_list_text(set, list));
	return true;
}

int memory_channels_parse(const char *list, uint32_t *channels, struct error *e)
{
	char word[8], *dash;
	uint64_t from, to;

	*channels = list ? 0 : (1u << MEMORY_CHANNELS) - 1;
	while (list && *list) {
		const size_t len = strcspn(list, ",");

		/* A longer word is not a channel, so leave it empty. */
		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : 0), list);
		dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		if (!parse_u64(word, &from) || !parse_u64(dash ? dash + 1 : word, &to) ||
			from > to || to >= MEMORY_CHANNELS)
			return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%.40s' is not a list of "
				"memory channels (0,2 or 4-7)", list);
		for (; from <= to; from++)
			*channels |= 1u << from;
		list += len + (list[len] == ',');
	}
	return 0;
}

/*
 * Transfers.  Stores are posted: they have arrived once the last word was read back, so their time
 * includes that read.  The processor does nothing else while a load waits for the link, so what is
 * counted is its time: a process that has no processor says nothing about the card.
 */

#define PIECE CARD_TRANSFER_PIECE
#define WORDS (PIECE / 4)

struct transfer {
	struct device *d;
	struct card_transfer *t;
	struct reg_addr at, other;		/* through the other endpoint */
	unsigned channel;
	uint32_t before[WORDS], want[WORDS], got[WORDS], again[WORDS], around[WORDS];
};

static void transfer_count(struct transfer *x, enum card_transfer_way way,
	const struct stopwatch *watch)
{
	x->t->took[way] += stopwatch_cpu(watch);
	x->t->bytes[way] += PIECE;
	atomic_fetch_add(&x->t->moved, PIECE);
}

static int transfer_from(struct transfer *x, uint32_t *words)
{
	struct stopwatch watch;
	int r;

	stopwatch_start(&watch);
	r = device_read_block(x->d, x->at, words, WORDS);
	if (r == 0)
		transfer_count(x, CARD_TRANSFER_FROM, &watch);
	return r;
}

static int transfer_to(struct transfer *x, const uint32_t *words)
{
	const struct reg_addr last = { x->at.space, x->at.x, x->at.y, x->at.addr + PIECE - 4 };
	struct stopwatch watch;
	uint32_t word;
	int r;

	stopwatch_start(&watch);
	r = device_write_block(x->d, x->at, words, WORDS);
	if (r == 0)
		r = device_read_block(x->d, last, &word, 1);
	if (r == 0)
		transfer_count(x, CARD_TRANSFER_TO, &watch);
	return r;
}

/* Read the piece and compare it; if it differs, twice more, as memory_tally_wrong() asks for. */
static int transfer_compare(struct transfer *x, const uint32_t *want)
{
	size_t wrong = 0;
	int r = transfer_from(x, x->got);

	if (r == 0)
		r = memory_compare(x->got, want, WORDS, x->at.addr + x->channel, &wrong);
	if (r < 0 || wrong == 0)
		return r;
	r = transfer_from(x, x->again);
	if (r == 0)
		r = device_read_block(x->d, x->other, x->around, WORDS);
	/* What cannot be read again stays wrong. */
	if (r < 0)
		memcpy(x->again, x->got, PIECE);
	for (uint32_t i = 0; i < WORDS; i++) {
		const struct memory_wrong w = { .addr = x->at.addr + 4 * (uint64_t)i,
			.want = want[i], .got = x->got[i], .again = x->again[i],
			.other = x->around[i] };
		uint64_t *count = memory_is_misread(&w) ? &x->t->misread : &x->t->wrong;

		/* The first one that is wrong in memory, or else of all. */
		if (w.got != w.want && (*count)++ == 0 &&
			(count == &x->t->wrong || x->t->wrong == 0))
			x->t->first = (struct card_transfer_wrong){ x->channel, w.addr, w.got,
				w.want };
	}
	return r;
}

/* Write a piece and read it back; then restore the old contents, even after an error. */
static int transfer_piece(struct transfer *x, uint64_t seed)
{
	int r = transfer_from(x, x->before), back;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < WORDS; i++)
		x->want[i] = (uint32_t)impl_mix(seed + i);
	r = transfer_to(x, x->want);
	if (r == 0)
		r = transfer_compare(x, x->want);
	back = transfer_to(x, x->before);
	if (back == 0 && r == 0)
		r = transfer_compare(x, x->before);
	return r < 0 ? r : back;
}

int card_transfer_run(struct device *d, const struct card_transfer_plan *p,
	struct card_transfer *t, bool (*go_on)(void *arg), void *arg, struct error *e)
{
	const struct device_kind *k = kind_of(d->chip);
	const uint64_t places = k->dram_size / PIECE;
	const int64_t until = clock_steady() + p->duration;
	struct transfer *x = mem_calloc(1, sizeof(*x));
	int r = 0;

	*x = (struct transfer){ .d = d, .t = t };
	for (uint64_t n = 0; r == 0 && (n < k->n_dram || clock_steady() < until); n++) {
		const unsigned channel = x->channel = (unsigned)(n % k->n_dram);
		const uint64_t seed = impl_mix(p->seed + n) & ~(uint64_t)(2 * WORDS - 1);
		const unsigned port = memory_kept_near(&p->kept, channel,
			(unsigned)(n / k->n_dram % KIND_PORTS));

		if (!(p->channels >> channel & 1))
			continue;
		if (!go_on(arg))
			break;
		x->at = kind_dram(k, p->enabled, channel, port, impl_mix(seed) % places * PIECE);
		x->other = kind_dram(k, p->enabled, channel, memory_kept_near(&p->kept, channel,
			port + 1), x->at.addr);
		r = transfer_piece(x, seed);
		if (r < 0)
			r = memory_fail(e, r, channel);
		else
			t->done |= 1u << channel;
	}
	free(x);
	return r;
}

double card_transfer_rate(const struct card_transfer *t, enum card_transfer_way way)
{
	return t->took[way] > 0 ? (double)t->bytes[way] * 1e9 / (double)t->took[way] : 0;
}

/* The test. */

#define LINE_AREA  1024u	/* bytes of each area of an address line's pair */
#define FIRST_LINE 10		/* lower lines vary within an area */
#define BASES	   2

uint64_t card_memory_size(enum device_chip chip)
{
	return kind_of(chip)->n_dram ? kind_of(chip)->dram_size : 0;
}

uint64_t card_memory_take(enum device_chip chip, uint64_t wish)
{
	const uint64_t whole = card_memory_size(chip);

	return wish == 0 || wish > whole ? whole
		: (wish + MEMORY_BLOCK - 1) / MEMORY_BLOCK * MEMORY_BLOCK;
}

static unsigned lines(const struct memory_test *t)
{
	return memory_test_lines(t->kind, FIRST_LINE);
}

static uint64_t blocks(const struct memory_test *t)
{
	return t->size / MEMORY_BLOCK;
}

static uint64_t areas(const struct memory_test *t)
{
	return blocks(t) + BASES * (1 + lines(t));
}

/* Block i of n lies anywhere in the i-th part; the first and the last lie at the very ends. */
static uint64_t block_at(const struct memory_test *t, uint64_t i)
{
	const uint64_t n = blocks(t), places = t->kind->dram_size / MEMORY_BLOCK;
	const uint64_t from = places * i / n, to = places * (i + 1) / n;

	if (i == 0)
		return 0;
	if (i == n - 1)
		return (places - 1) * MEMORY_BLOCK;
	return (from + impl_mix(t->plan->seed + t->round * n + i) % (to - from)) * MEMORY_BLOCK;
}

/* A base, then the addresses that differ from it in one line.  The first base is always 0. */
static uint64_t line_at(const struct memory_test *t, uint64_t i)
{
	const uint64_t per_base = 1 + lines(t), places = t->kind->dram_size / LINE_AREA;
	const uint64_t base = i < per_base ? 0 :
		impl_mix(t->plan->seed + t->round) % places * LINE_AREA;
	const uint64_t addr = i % per_base == 0 ? base :
		base ^ 1ULL << (FIRST_LINE + i % per_base - 1);

	return addr + LINE_AREA <= t->kind->dram_size ? addr : base;
}

static struct memory_area area_of(const struct memory_test *t, uint64_t i)
{
	const bool is_block = i < blocks(t);
	struct memory_area a = { .addr = is_block ? block_at(t, i) : line_at(t, i - blocks(t)),
		.bytes = is_block ? MEMORY_BLOCK : LINE_AREA,
		.cut = (unsigned)((i + t->round) % CARD_MEMORY_CUTS) };

	while (card_memory_cuts[a.cut] > a.bytes)
		a.cut--;
	return a;
}

static bool goes_on(const struct memory_test *t)
{
	return !t->m->is_dark && t->channels && t->go_on(t->arg);
}

static int write_channel(struct memory_test *t, unsigned port)
{
	int r = 0;

	(void)port;	/* each_channel() has set t->writer */
	for (uint64_t i = 0; r == 0 && i < areas(t) && goes_on(t); i++) {
		const struct memory_area a = area_of(t, memory_test_turn(t, i, areas(t)));

		r = memory_test_write(t, &a);
		if (r == 0)
			r = memory_settle(t->d, t->plan->enabled, &t->plan->kept, t->channel,
				a.addr + a.bytes - 4);
	}
	return r;
}

static int verify_channel(struct memory_test *t, unsigned port)
{
	struct card_memory *m = t->m;
	uint64_t bytes = 0, i;
	int r = 0;

	if (memory_kept_has(&t->plan->kept, t->channel, port))
		return 0;
	for (i = 0; r == 0 && i < areas(t) && goes_on(t); i++) {
		const uint64_t n = memory_test_turn(t, i, areas(t));
		const struct memory_area a = area_of(t, n);

		r = memory_test_verify(t, port, &a);
		if (r == 0 && n < blocks(t) && !m->is_dark)
			bytes += a.bytes;
		if (bytes > m->bytes[t->channel])
			m->bytes[t->channel] = bytes;
	}
	if (r == 0 && i == areas(t) && !m->is_dark) {
		m->patterns[t->channel][port] |= 1u << t->data.pattern;
		m->writers[t->channel] |= 1u << t->writer;
	}
	return r;
}

static int each_channel(struct memory_test *t, int (*work)(struct memory_test *, unsigned),
	unsigned port, struct error *e)
{
	for (unsigned i = 0; i < t->kind->n_dram && goes_on(t); i++) {
		int r;

		t->channel = (unsigned)memory_test_turn(t, i, t->kind->n_dram);
		if (!(t->channels >> t->channel & 1))
			continue;
		t->data = memory_data_of(t->seed, t->round, t->channel);
		t->writer = memory_kept_near(&t->plan->kept, t->channel,
			(unsigned)(t->round % MEMORY_PORTS));
		r = work(t, port);
		if (r < 0)
			return memory_fail(e, r, t->channel);
	}
	return 0;
}

/* Write everything before reading any of it, so that memory shared by two channels shows. */
static int test_round(struct memory_test *t, struct error *e)
{
	const unsigned first = (unsigned)(t->round % MEMORY_PORTS);
	int r = each_channel(t, write_channel, first, e);

	for (unsigned k = 0; r == 0 && k < MEMORY_PORTS; k++)
		r = each_channel(t, verify_channel, (first + k) % MEMORY_PORTS, e);
	if (r == 0 && goes_on(t))
		t->m->rounds = ++t->round;
	return r;
}

int card_memory_run(struct device *d, const struct card_memory_plan *p, struct card_memory *m,
	bool (*go_on)(void *), void *arg, struct error *e)
{
	const uint64_t whole = card_memory_take(d->chip, p->size);
	struct memory_test *t = mem_calloc(1, sizeof(*t));
	int r;

	t->d = d;
	t->kind = kind_of(d->chip);
	t->plan = p;
	t->m = m;
	t->go_on = go_on;
	t->arg = arg;
	t->channels = p->channels & p->enabled;
	t->seed = p->seed ^ p->salt;
	r = memory_test_marks(t, e);
	for (uint64_t i = 0; r == 0 && goes_on(t); i++) {
		t->size = i == 0 && whole > CARD_MEMORY_SHORT ? CARD_MEMORY_SHORT : whole;
		for (int k = 0; r == 0 && k < MEMORY_PATTERNS && goes_on(t); k++)
			r = test_round(t, e);
		if (r < 0 || !goes_on(t))
			break;
		m->iterations += t->size == whole;
		if (p->iterations && m->iterations >= p->iterations)
			break;
	}
	free(t);
	return r;
}

static uint64_t bits(uint32_t set)
{
	return (uint64_t)__builtin_popcount(set);
}

void card_memory_ask(const struct card_memory_plan *p, uint32_t left, struct ledger *l)
{
	const uint64_t n = bits(p->channels | left);
	const uint64_t ports = memory_kept_rest(&p->kept, p->channels | left);

	ledger_ask(l, LEDGER_CHANNELS, n);
	ledger_ask(l, LEDGER_MARKS, n);
	ledger_ask(l, LEDGER_ENDPOINTS, ports);
	ledger_ask(l, LEDGER_PATTERNS, ports * MEMORY_PATTERNS);
	ledger_ask(l, LEDGER_BYTES, n * p->size);
}

void card_memory_count(const struct card_memory_plan *p, const struct card_memory *m,
	struct ledger *l)
{
	for (unsigned c = 0; c < MEMORY_CHANNELS; c++) {
		/* Extra bytes of one channel do not make up for those missing in another. */
		const uint64_t bytes = m->bytes[c] < p->size ? m->bytes[c] : p->size;

		if (!(p->channels >> c & 1))
			continue;
		ledger_count(l, LEDGER_CHANNELS, bytes == p->size && bytes > 0);
		ledger_count(l, LEDGER_MARKS, memory_marks_kept(&m->marks, c));
		for (unsigned k = 0; k < MEMORY_PORTS; k++) {
			ledger_count(l, LEDGER_ENDPOINTS, m->patterns[c][k] &&
				(m->writers[c] >> k & 1));
			ledger_count(l, LEDGER_PATTERNS, bits(m->patterns[c][k]));
		}
		ledger_count(l, LEDGER_BYTES, bytes);
	}
}

size_t card_memory_judge(const struct card_memory *m,
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS])
{
	size_t n = 0;

	if (m->is_dark)
		found[n++] = (struct memory_finding){ .kind = MEMORY_DARK,
			.endpoint = MEMORY_ALL, .other = MEMORY_ALL };
	for (unsigned c = 0; c < MEMORY_CHANNELS && !m->is_dark; c++) {
		const size_t marks = memory_marks_judge(&m->marks, c, found + n);

		n += marks ? marks : memory_judge(c, m->marks.kept.ports[c],
			m->tally[c], found + n);
	}
	return n;
}

struct card_memory_sum card_memory_sum(const struct card_memory *m, unsigned channel)
{
	struct card_memory_sum sum = { 0 };

	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		const struct memory_tally *t = &m->tally[channel][p];

		sum.words += t->words;
		sum.wrong += t->wrong;
		sum.misread += t->misread;
		for (unsigned w = 0; w < MEMORY_PORTS; w++)
			sum.events += t->fresh[w];
		for (unsigned k = 0; k < MEMORY_LANES; k++)
			sum.lane[k] += t->lane[k];
	}
	return sum;
}
