/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_judge.h"

#include "base/text.h"
#include "burnin/cores/card_reference.h"
#include "burnin/cores/card_round.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/*
 * The ledger: each item of work is requested from every live core, and counts as done by a core
 * only if its own counters show it.  Time is counted by the caller's clock, from when all loads
 * have begun until the caller ends them: a child that wrongly believes it was told to stop has not
 * done its time.
 */

/* Whether this kind of work is asked for; a first light has only the first one. */
static bool card_ledger_has_kind(const struct card_burn_config *c, int kind)
{
	for (int k = 0; c->first_light && k < kind; k++)
		if (c->kinds[k])
			return false;
	return c->kinds[kind];
}

size_t card_kinds_count(const struct card_burn_config *c)
{
	size_t n = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		n += c->kinds[k];
	return n;
}

static bool reloads(const struct card_burn_config *c)
{
	/* Operands that stay in the source registers cannot be reloaded. */
	return c->reload && c->channels && !c->held;
}

static void ask_cores(const struct card_burn_config *c, uint64_t n, struct ledger *l)
{
	const uint32_t channels = c->channels | c->memory_left;

	ledger_ask(l, LEDGER_CORES, n);
	ledger_ask(l, LEDGER_IDENTITIES, n);
	ledger_ask(l, LEDGER_KINDS, n * (c->first_light ? 1 : card_kinds_count(c)));
	ledger_ask(l, LEDGER_MOVERS, n);
	if (c->vector)
		ledger_ask(l, LEDGER_VECTORS, n);
	if (reloads(c))
		ledger_ask(l, LEDGER_RELOADS, n);
	if (!c->bursts)
		return;
	ledger_ask(l, LEDGER_CHANNELS, (uint64_t)__builtin_popcount(channels));
	ledger_ask(l, LEDGER_ENDPOINTS, memory_kept_rest(&c->kept, channels));
}

void card_ledger_ask(const struct card_burn_config *c, struct ledger *l)
{
	struct card_tile tiles[CARD_TILES];

	if (c->reference)
		ledger_ask(l, LEDGER_WORDS, card_reference_words(c->reference));
	if (card_kinds_count(c) == 0 && c->memory.channels == 0)
		return;
	ledger_ask(l, LEDGER_ROUNDS, c->first_light ? CARD_LIGHT_STAGES : c->iterations);
	ledger_ask(l, LEDGER_TIME, (uint64_t)c->duration);
	/* If the firmware has to be asked which rows are off, card_ledger_count() does this. */
	if (card_kinds_count(c) > 0 && !c->asks_off)
		ask_cores(c, card_tiles(c->device->chip, c->off, tiles), l);
	if (card_kinds_count(c) == 0)
		card_memory_ask(&c->memory, c->memory_left, l);
}

static void count_core(const struct card_burn_config *c, const struct card_core *core,
	struct ledger *l)
{
	const uint64_t starts = atomic_load(&core->starts);
	bool compared = false;
	uint64_t blocks = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		blocks += atomic_load(&core->blocks[k]);
	for (int k = 0; k < CARD_KINDS; k++) {
		if (!card_ledger_has_kind(c, k) || atomic_load(&core->blocks[k]) == 0)
			continue;
		ledger_count(l, LEDGER_KINDS, 1);
		compared = atomic_load(&core->rechecked) > 0;
	}
	ledger_count(l, LEDGER_CORES, compared);
	ledger_count(l, LEDGER_IDENTITIES, starts > 0 && atomic_load(&core->named) == starts);
	ledger_count(l, LEDGER_MOVERS, atomic_load(&core->moved) > 0 &&
		atomic_load(&core->lame) == 0);
	if (c->vector)
		ledger_count(l, LEDGER_VECTORS, blocks > 0 &&
			atomic_load(&core->vectors) >= c->vector * blocks);
	if (reloads(c))
		ledger_count(l, LEDGER_RELOADS, atomic_load(&core->brought) > 0 &&
			atomic_load(&core->dry) == 0);
}

/* Count the work seen so far; the request is that of the burn. */
static void card_ledger_count(const struct card_burn *b, struct ledger *l)
{
	const struct card_burn_config *c = &b->config;
	const struct card_shared *s = b->shared;
	const uint64_t kinds = card_kinds_count(c), rounds = atomic_load(&s->rounds);
	struct card_tile tiles[CARD_TILES];

	*l = b->asked;
	if (c->computes_nothing)
		return;
	if (c->reference) {
		ledger_count(l, LEDGER_WORDS, atomic_load(&s->agreed));
		return;
	}
	if (kinds > 0 && c->asks_off)
		ask_cores(c, card_tiles(c->device->chip, atomic_load(&s->off), tiles), l);
	/* A round of --iterations covers all kinds, so the slowest kind decides. */
	ledger_count(l, LEDGER_ROUNDS, kinds == 0 ? s->memory.iterations : c->first_light ? rounds
		: rounds / kinds);
	ledger_count(l, LEDGER_TIME, (uint64_t)b->lasted);
	ledger_choose_end(l);
	for (size_t i = 0, n = card_cores(s); i < n; i++)
		count_core(c, &s->cores[i], l);
	for (size_t n = 0; c->bursts && n < KERNEL_CHANNELS_MAX; n++) {
		ledger_count(l, LEDGER_CHANNELS, atomic_load(&s->channels[n].words) > 0 &&
			atomic_load(&s->channels[n].missed) == 0);
		for (int p = 0; p < MEMORY_PORTS; p++)
			ledger_count(l, LEDGER_ENDPOINTS, atomic_load(&s->ports[n][p].words) > 0);
	}
	if (kinds == 0)
		card_memory_count(&c->memory, &s->memory, l);
}

/* The verdict. */

static double counted_rate(const struct card_core *c)
{
	const uint64_t cycles = atomic_load(&c->cycles);

	return cycles ? (double)atomic_load(&c->mvmuls) / (double)cycles : 0;
}

double card_judge_rate(const struct card_core *c)
{
	const double rate = counted_rate(c);

	return rate > CARD_MOST ? 0 : rate;
}

double card_judge_peak(enum device_chip chip, size_t n)
{
	return CARD_MVMUL_FLOP * card_judge_clock(chip) * (double)n / 1000;
}

bool card_judge_is_slow(const struct card_core *c, const struct card_result *r)
{
	const double rate = card_judge_rate(c);

	return rate > 0 && rate < CARD_SLOW * r->median;
}

static void sum_rates(const struct card_burn *b, struct card_result *r)
{
	double rates[CARD_TILES], sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->cores; i++) {
		const double rate = card_judge_rate(&b->shared->cores[i]);

		if (rate <= 0)
			continue;
		if (n == 0 || rate < r->rate_of[0]) {
			r->rate_of[0] = rate;
			r->core[0] = i;
		}
		if (rate > r->rate_of[1]) {
			r->rate_of[1] = rate;
			r->core[1] = i;
		}
		sum += rate;
		rates[n++] = rate;
	}
	if (n == 0)
		return;
	r->rated_cores = n;
	r->rate = sum / (double)n;
	r->median = n > 1 ? card_judge_median(rates, n) : rates[0];
	for (size_t i = 0; i < r->cores && !b->config.is_timeless; i++)
		r->slow_cores += card_judge_is_slow(&b->shared->cores[i], r);
}

/* Whether all words of a channel that cores found wrong were right when the host read them. */
static bool is_misread(const struct card_shared *s, unsigned channel)
{
	struct memory_finding found[MEMORY_FINDINGS];

	return atomic_load(&s->channels[channel].errors) > 0 &&
		card_gather_judge(s, channel, found) == 1 && found[0].kind == MEMORY_TRANSIENT;
}

static void sum_cores(const struct card_burn *b, struct card_result *r)
{
	r->cores = card_cores(b->shared);
	for (size_t i = 0; i < r->cores; i++) {
		const struct card_core *c = &b->shared->cores[i];
		const uint64_t errors = atomic_load(&c->errors), refuted = atomic_load(&c->refuted);

		for (int k = 0; k < CARD_KINDS; k++)
			r->blocks += atomic_load(&c->blocks[k]);
		r->errors += errors;
		r->refuted += refuted;
		r->wrong_cores += errors > 0 || refuted > 0;
		r->rechecked += atomic_load(&c->rechecked);
		r->still_cores += atomic_load(&c->stood) > 0;
		r->mvmuls += atomic_load(&c->mvmuls);
		r->throttled += atomic_load(&c->throttled);
		r->throttled_cores += atomic_load(&c->throttled) > 0;
		r->untrue_cores += counted_rate(c) > CARD_MOST;
		r->exchanged += atomic_load(&c->exchanged);
		r->spare_errors += atomic_load(&c->spare_errors);
		r->spare_cores += atomic_load(&c->spare_errors) > 0;
		r->mute_peers += atomic_load(&c->unanswered) > 0;
		r->walked_cores += atomic_load(&c->walks) > 0;
		if (i == 0 || atomic_load(&c->toggled) < r->toggled)
			r->toggled = atomic_load(&c->toggled);
	}
	r->words = r->blocks * KERNEL_BLOCK_WORDS;
	for (size_t n = 0; n < KERNEL_CHANNELS_MAX; n++) {
		r->memory_words += atomic_load(&b->shared->channels[n].words);
		*(is_misread(b->shared, (unsigned)n) ? &r->misread : &r->memory_errors) +=
			atomic_load(&b->shared->channels[n].errors);
		r->mute_channels += atomic_load(&b->shared->channels[n].mute) > 0;
	}
	r->memory_wrong = b->shared->memory.wrong;
	r->misread += b->shared->memory.misread + atomic_load(&b->shared->misread);
	r->wrong = r->errors + r->refuted + r->memory_errors + r->memory_wrong + r->spare_errors;
	sum_rates(b, r);
}

/* Add a finding; the worst verdict decides. */
__attribute__((format(printf, 4, 5)))
static void add_reason(struct card_result *r, enum verdict verdict, enum code code,
	const char *fmt, ...)
{
	char text[VERDICT_REASON];
	va_list args;

	if (verdict > r->verdict) {
		r->verdict = verdict;
		r->code = code;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_join(r->reason, sizeof(r->reason), "; ", "%s", text);
}

static void find_wrong(const struct card_burn *b, struct card_result *r)
{
	for (size_t i = 0; i < r->cores; i++) {
		const struct card_core *c = &b->shared->cores[i];
		const struct card_wrong *w = &c->wrong[0];

		if (atomic_load(&c->errors) == 0)
			continue;
		add_reason(r, VERDICT_FAIL, CODE_WRONG_WORDS, "%llu wrong word%s on %zu core%s",
			(unsigned long long)r->errors, r->errors == 1 ? "" : "s",
			r->wrong_cores, r->wrong_cores == 1 ? "" : "s");
		if (card_wrong_words(c) > 0)
			add_reason(r, VERDICT_FAIL, CODE_WRONG_WORDS, "the first on core %u-%u: "
				"%s, block %u, word %u is 0x%08x, not 0x%08x", c->x, c->y,
				card_kind_name(w->kind), w->word.block, w->word.word, w->word.got,
				w->word.want);
		return;
	}
}

static void add_findings(struct card_result *r, const struct memory_finding *found, size_t n)
{
	char text[200];

	for (size_t i = 0; i < n; i++)
		add_reason(r, VERDICT_FAIL, found[i].kind == MEMORY_TRANSIENT ? CODE_MISREAD
			: CODE_MEMORY_WRONG, "memory %s",
			memory_finding_text(&found[i], text, sizeof(text)));
}

/* Report a channel's faults, or the number of wrong words if none could be examined. */
static void find_channel(const struct card_burn *b, unsigned channel, struct card_result *r)
{
	const uint64_t errors = atomic_load(&b->shared->channels[channel].errors);
	struct memory_finding found[MEMORY_FINDINGS];
	const size_t n = card_gather_judge(b->shared, channel, found);

	add_findings(r, found, n);
	if (n == 0 && card_gather_blames(b->shared, channel))
		add_reason(r, VERDICT_FAIL, CODE_MEMORY_WRONG, "%llu wrong word%s in memory "
			"channel %u", (unsigned long long)errors, errors == 1 ? "" : "s", channel);
}

/* Memory comes before the cores, because wrong operands make wrong blocks. */
static void find_memory(const struct card_burn *b, struct card_result *r)
{
	const struct card_memory_wrong *w = &b->shared->wrong;
	const struct card_core *core = card_gather_misreader(b->shared);

	if (core)
		add_reason(r, VERDICT_FAIL, CODE_WRONG_WORDS, "core %u-%u read wrong words from %d "
			"memory channels, which other cores read right", core->x, core->y,
			__builtin_popcount(atomic_load(&core->misread)));
	for (size_t n = 0; n < KERNEL_CHANNELS_MAX; n++) {
		const struct card_channel *c = &b->shared->channels[n];

		find_channel(b, (unsigned)n, r);
		if (atomic_load(&c->mute) > 0)
			add_reason(r, VERDICT_FAIL, CODE_CHANNEL_SILENT, "memory channel %zu gave "
				"%u core%s no answer", n, atomic_load(&c->mute),
				atomic_load(&c->mute) == 1 ? "" : "s");
	}
	if (atomic_load(&b->shared->has_wrong) && !core)
		add_reason(r, VERDICT_FAIL, r->misread && !r->memory_errors ? CODE_MISREAD
			: CODE_MEMORY_WRONG, "the first in channel %u at 0x%x, read by core "
			"%u-%u, was 0x%08x, not 0x%08x", w->word.where >> 8, w->word.at,
			w->x, w->y, w->word.got, w->word.want);
}

/* How the word came there; enum kernel_level. */
static const char *const spare_ways[] = {
	[KERNEL_LEVEL_WORDS] = "written over network 1 by",
	[KERNEL_LEVEL_COMPLEMENT] = "written over network 0 by",
	[KERNEL_LEVEL_KEPT] = "right when it was written by",
	[KERNEL_LEVEL_NAME] = "its name as read by",
};

/* Words in the memory of a core that another core wrote. */
static void find_spare(const struct card_burn *b, struct card_result *r)
{
	const struct card_spare_wrong *w = &b->shared->spare_wrong;
	const char *way = w->by_host ? "found right by" :
		spare_ways[w->word.where % ARRAY_LEN(spare_ways)];

	if (r->spare_errors > 0)
		add_reason(r, VERDICT_FAIL, CODE_WRONG_WORDS, "%llu wrong word%s in the L1 of %zu "
			"core%s", (unsigned long long)r->spare_errors,
			text_plural(r->spare_errors), r->spare_cores, text_plural(r->spare_cores));
	if (r->spare_errors > 0 && atomic_load(&b->shared->has_spare_wrong))
		add_reason(r, VERDICT_FAIL, CODE_WRONG_WORDS, "the first in L1 of core %u-%u at "
			"0x%x, %s core %u-%u, is 0x%08x, not 0x%08x: %s", w->x, w->y, w->word.at,
			way, w->by_x, w->by_y, w->word.got, w->word.want, w->is_kept ?
			"the fault may be in either core or between them" :
			"it does not keep what the host writes either");
	for (size_t i = 0; i < r->cores; i++) {
		const struct card_core *c = &b->shared->cores[i];

		if (atomic_load(&c->unanswered) == 0)
			continue;
		add_reason(r, VERDICT_FAIL, CODE_CORE_HUNG, "%zu core%s had no answer from the L1 "
			"of another core, the first %u-%u", r->mute_peers,
			text_plural(r->mute_peers), c->x, c->y);
		return;
	}
}

/* Blocks of words, each compared by its core, some by the host as well. */
static void card_judge_blocks(const struct card_burn *b, struct card_result *r)
{
	bool still = false, refuted = false, slow = false;

	find_wrong(b, r);
	for (size_t i = 0; i < r->cores; i++) {
		const struct card_core *c = &b->shared->cores[i];
		const double rate = card_judge_rate(c);

		if (atomic_load(&c->stood) > 0 && !still) {
			add_reason(r, VERDICT_FAIL, CODE_CORE_HUNG, "%zu core%s stood still, the "
				"first %u-%u after %llu blocks", r->still_cores,
				r->still_cores == 1 ? "" : "s", c->x, c->y,
				(unsigned long long)atomic_load(&c->stood_at));
			still = true;
		}
		if (atomic_load(&c->refuted) > 0 && !refuted) {
			add_reason(r, VERDICT_FAIL, CODE_WRONG_WORDS, "the host finds %llu wrong "
				"words, the first on core %u-%u, where the core found none",
				(unsigned long long)r->refuted, c->x, c->y);
			refuted = true;
		}
		/*
		 * A simulator's clock does not measure time; a rest on request is not a fault; a
		 * process that was killed has counted some of its cores only in part.
		 */
		if (!b->config.is_timeless && !slow && rate > 0 && rate < CARD_SICK * r->median &&
			atomic_load(&c->throttled) == 0 && !WIFSIGNALED(b->status)) {
			add_reason(r, VERDICT_FAIL, CODE_CORE_SLOW, "core %u-%u makes %.3f "
				"products a cycle, where the median is %.3f", c->x, c->y, rate,
				r->median);
			slow = true;
		}
	}
}

/* Faults that cores show by what they report of themselves. */
static const struct {
	enum code code;
	const char *what;
} core_faults[] = {
	{ CODE_CORE_MISLED, "said another core's name when started" },
	{ CODE_JUDGE_BLIND, "did not report a word that was wrong on purpose (does not compare)" },
	{ CODE_LOAD_ENDED, "ended before its time or left blocks out" },
	{ CODE_CORE_HUNG, "had a data mover that stood still or did too little" },
};

static void find_cores(const struct card_burn *b, struct card_result *r)
{
	const struct card_core *first[ARRAY_LEN(core_faults)] = { NULL };
	size_t n[ARRAY_LEN(core_faults)] = { 0 };

	for (size_t i = 0; i < r->cores; i++) {
		const struct card_core *c = &b->shared->cores[i];
		/* A core that showed another core's state says nothing about its own. */
		const bool is_own = atomic_load(&c->misnamed) == 0;
		const bool has[ARRAY_LEN(core_faults)] = { !is_own,
			is_own && atomic_load(&c->blind) > 0, is_own && atomic_load(&c->early) > 0,
			/* A mover that waits for a mute channel or a still core is not at fault. */
			r->mute_channels == 0 && atomic_load(&c->lame) > 0 &&
			atomic_load(&c->stood) == 0 && atomic_load(&c->unanswered) == 0 };

		for (size_t k = 0; k < ARRAY_LEN(has); k++)
			if (has[k] && n[k]++ == 0)
				first[k] = c;
	}
	for (size_t k = 0; k < ARRAY_LEN(core_faults); k++)
		if (n[k] > 0)
			add_reason(r, VERDICT_FAIL, core_faults[k].code, "%zu core%s %s, the first "
				"%u-%u", n[k], text_plural(n[k]), core_faults[k].what, first[k]->x,
				first[k]->y);
}

/* How the child ended, and why the burn did. */
static void find_end(const struct card_burn *b, const struct error *cut, struct card_result *r)
{
	const struct card_shared *s = b->shared;

	if (s->trouble.text[0])
		add_reason(r, s->blame == CARD_CARD ? VERDICT_FAIL : VERDICT_INCOMPLETE,
			s->trouble.word, "%.*s", (int)sizeof(s->trouble.text) - 1, s->trouble.text);
	if (atomic_load(&s->deserted))
		add_reason(r, VERDICT_INCOMPLETE, CODE_LOAD_ENDED, "cores ended by themselves: for "
			"too long they heard nothing from the host");
	if (b->was_killed)
		add_reason(r, VERDICT_INCOMPLETE, CODE_LOAD_HUNG, "the process that burns the card "
			"stood still and was ended");
	else if (WIFSIGNALED(b->status))
		add_reason(r, VERDICT_INCOMPLETE, CODE_LOAD_ENDED, "the process that burns the "
			"card ended by signal %d (%s)", WTERMSIG(b->status),
			strsignal(WTERMSIG(b->status)));
	else if (b->is_over && !s->trouble.text[0] && WEXITSTATUS(b->status) != 0)
		add_reason(r, VERDICT_INCOMPLETE, CODE_LOAD_ENDED, "the process that burns the "
			"card ended early (exit code %d)", WEXITSTATUS(b->status));
	if (cut)
		add_reason(r, VERDICT_INCOMPLETE, cut->word, "%s", cut->text);
	if (b->is_over && !s->finished && r->cores > 0)
		add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_KNOWN, "whether its cores are held is "
			"not known");
}

/* Report the first core that falls short, and where. */
static void find_idle_core(const struct card_burn *b, struct card_result *r)
{
	const struct card_burn_config *c = &b->config;

	for (size_t i = 0; i < r->cores; i++) {
		const struct card_core *core = &b->shared->cores[i];

		for (int k = 0; k < CARD_KINDS; k++) {
			if (!card_ledger_has_kind(c, k) || atomic_load(&core->blocks[k]) > 0)
				continue;
			add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "%s did not run on "
				"core %u-%u", card_kind_name((enum card_kind)k), core->x, core->y);
			return;
		}
		if (atomic_load(&core->rechecked) == 0) {
			add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "the host compared no "
				"block of core %u-%u", core->x, core->y);
			return;
		}
	}
}

/* Name the gaps that the ledger only counts. */
static void find_gaps(const struct card_burn *b, struct card_result *r)
{
	const struct card_burn_config *c = &b->config;
	const uint32_t usable = c->channels | c->memory.channels;
	char text[200];

	if (c->memory_left && !usable)
		add_reason(r, VERDICT_INCOMPLETE, CODE_CHANNEL_SILENT, "no memory channel is "
			"trained");
	for (unsigned i = 0; i < MEMORY_CHANNELS && usable; i++)
		if (c->memory_left >> i & 1)
			add_reason(r, VERDICT_INCOMPLETE, CODE_CHANNEL_SILENT, "memory channel %u "
				"is not trained and was left alone", i);
	if (card_kinds_count(c) > 0 && r->cores == 0)
		add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "no core was started");
	if (!c->reference)
		find_idle_core(b, r);
	for (size_t n = 0; c->bursts && n < KERNEL_CHANNELS_MAX; n++) {
		const struct card_channel *channel = &b->shared->channels[n];

		if (c->channels >> n & 1 && atomic_load(&channel->words) == 0)
			add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "memory channel %zu "
				"was not read", n);
		else if (atomic_load(&channel->missed) > 0)
			add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "memory channel %zu "
				"was not read by each core at each start", n);
	}
	ledger_put_gaps(&r->coverage, text, sizeof(text));
	if (*text)
		add_reason(r, VERDICT_INCOMPLETE, CODE_NOT_COVERED, "%s", text);
}

void card_judge(const struct card_burn *b, const struct error *cut, struct card_result *r)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];

	*r = (struct card_result){ .verdict = VERDICT_PASS };
	sum_cores(b, r);
	find_memory(b, r);
	find_spare(b, r);
	if (card_kinds_compute(&b->config))
		card_judge_blocks(b, r);
	find_cores(b, r);
	add_findings(r, found, card_memory_judge(&b->shared->memory, found));
	if (atomic_load(&b->shared->misread) > 0)
		add_reason(r, VERDICT_FAIL, CODE_MISREAD, "%llu word%s of blocks read wrong once "
			"by the host, right when read again",
			(unsigned long long)b->shared->misread, text_plural(b->shared->misread));
	find_end(b, cut, r);
	if (b->config.computes_nothing)
		add_reason(r, VERDICT_INCOMPLETE, CODE_SIMULATED, "the card is simulated and "
			"computes nothing");
	card_ledger_count(b, &r->coverage);
	if (r->verdict == VERDICT_PASS)
		find_gaps(b, r);
	/* In case the texts leave something out. */
	if (r->verdict == VERDICT_PASS && !ledger_is_met(&r->coverage)) {
		r->verdict = VERDICT_INCOMPLETE;
		r->code = CODE_NOT_COVERED;
	}
}
