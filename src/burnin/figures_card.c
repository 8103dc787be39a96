/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures_card.c - the figures of a card's burn and of its memory's test, in the report's
 * order: all that the first run on a chip should send back.
 */
#include "config.h"
#include "src/burnin/figures.h"

#include "base/clock.h"
#include "burnin/cores/card_gather.h"
#include "burnin/cores/card_kind.h"
#include "burnin/memory/memory_figures.h"
#include "reset/reset.h"
#include "src/burnin/screen_cards.h"

#include <stdio.h>
#include <string.h>

#define KERNEL_STATUS "simulator-verified; not yet run on silicon"
/* Stock ttsim stops at STATE_RESET_EN, so a simulator's cores are not told to do it. */
#define KERNEL_UNPROVEN "clearing the backend's configuration: run on no simulator"

enum { RATE_SCALE = 10000, NAMED = 8 };	/* mismatches of a card that a text names */

/* What operands and sums are: the reader makes the same anew. */
#define CARD_SUMS "float32 in the matrix unit, which rounds nothing; expected results are sums " \
	"of integers, and every word must be equal"
#define CARD_OPERANDS "whole numbers, weights of at most 31 and inputs of at most 127, by the " \
	"seed of the round; every sum is below 2^24"
#define CARD_OPERANDS_PHASES "whole numbers from 128 to 255 of either sign, by the seed of the " \
	"round; every sum is below 2^24"
#define CARD_OPERANDS_MEMORY "patterns of the memory's test, by the seed, the round and the address"

/* Words through an endpoint. */

struct endpoint {
	int endpoint;
	uint64_t words, wrong;
};

static enum figure_fill fill_traffic_port(const void *above, size_t i, void *view)
{
	const struct card_port *const *ports = above;

	if (i == MEMORY_PORTS)
		return FIGURE_END;
	*(struct endpoint *)view = (struct endpoint){ (int)i, atomic_load(&(*ports)[i].words),
		atomic_load(&(*ports)[i].errors) };
	return FIGURE_TAKE;
}

static enum figure_fill fill_test_port(const void *above, size_t i, void *view)
{
	const struct memory_tally *t = *(const struct memory_tally *const *)above;

	if (i == MEMORY_PORTS)
		return FIGURE_END;
	*(struct endpoint *)view = (struct endpoint){ (int)i, t[i].words, t[i].wrong };
	return FIGURE_TAKE;
}

static const struct figure port_rows[] = {
	{ "endpoint", NULL, FIGURE_INT, .at = offsetof(struct endpoint, endpoint) },
	{ "words", NULL, FIGURE_U64, .at = offsetof(struct endpoint, words) },
	{ "wrong", NULL, FIGURE_U64, .at = offsetof(struct endpoint, wrong) },
	{ .kind = FIGURE_NONE },
};

static const struct figure_group traffic_ports = { port_rows, .fill = fill_traffic_port,
	.size = sizeof(struct endpoint) };
static const struct figure_group test_ports = { port_rows, .fill = fill_test_port,
	.size = sizeof(struct endpoint) };

/* What it was asked to do. */

struct setting {
	struct card_burn_config k;
	const struct card_shared *s;
	const char *dtype, *operands, *sums;
	bool vector;
	uint32_t reload;
	int64_t pulse;
};

struct step {
	const char *name;
	int steps;
};

static enum figure_fill fill_step(const void *above, size_t i, void *view)
{
	const struct setting *s = above;

	if (i == CARD_KINDS)
		return FIGURE_END;
	*(struct step *)view = (struct step){ card_kind_name((enum card_kind)i), s->s->steps[i] };
	return s->s->steps[i] ? FIGURE_TAKE : FIGURE_SKIP;
}

static const struct figure_group steps = { .rows = (const struct figure[]){
	{ "operation", NULL, FIGURE_STRING, .at = offsetof(struct step, name) },
	{ "steps", NULL, FIGURE_INT, .at = offsetof(struct step, steps) },
	{ .kind = FIGURE_NONE } }, .fill = fill_step, .size = sizeof(struct step) };

static enum figure_fill fill_setting(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct card_burn_config *k = &c->burn.config;
	const bool computes = card_kinds_count(k) > 0;

	(void)i;
	*(struct setting *)view = (struct setting){ .k = *k, .s = c->burn.shared,
		.dtype = computes ? "bfloat16" : NULL, .sums = computes ? CARD_SUMS : NULL,
		.operands = !computes ? CARD_OPERANDS_MEMORY : k->phases == 1 ? CARD_OPERANDS :
			CARD_OPERANDS_PHASES,
		.vector = k->vector > 0, .reload = k->held ? 0 : k->reload,
		.pulse = c->burn.shared->pulse ? (int64_t)1 << (c->burn.shared->pulse & 31) : 0 };
	return FIGURE_TAKE;
}

static const struct figure_group settings = { .rows = (const struct figure[]){
	{ "seed", "Seed", FIGURE_U64, .at = offsetof(struct setting, k.seed), .hex = true },
	{ "dtype", "Type", FIGURE_STRING, .at = offsetof(struct setting, dtype) },
	{ "operands", "Operands", FIGURE_STRING, .at = offsetof(struct setting, operands) },
	{ "accumulation", "Sums", FIGURE_STRING, .at = offsetof(struct setting, sums) },
	{ "vector", NULL, FIGURE_BOOL, .at = offsetof(struct setting, vector) },
	{ "memory_bursts", NULL, FIGURE_BOOL, .at = offsetof(struct setting, k.bursts) },
	{ "passes_until_operands_reload", NULL, FIGURE_U32,
		.at = offsetof(struct setting, reload) },
	{ "steps_of_a_block", NULL, FIGURE_MAP, .group = &steps },
	{ "phases", "Phases of fidelity", FIGURE_U32, .at = offsetof(struct setting, k.phases) },
	{ "rows", NULL, FIGURE_U32, .at = offsetof(struct setting, k.rows) },
	{ "held_operands", NULL, FIGURE_BOOL, .at = offsetof(struct setting, k.held) },
	{ "pulse_cycles", NULL, FIGURE_I64, .at = offsetof(struct setting, pulse), .some = true },
	{ "first_light", NULL, FIGURE_BOOL, .at = offsetof(struct setting, k.first_light) },
	{ "simulator", NULL, FIGURE_BOOL, .at = offsetof(struct setting, k.is_simulator) },
	{ .kind = FIGURE_NONE } }, .fill = fill_setting, .size = sizeof(struct setting) };

/* What the cores read of the card's memory, by channel. */

struct traffic {
	const struct burnin_card *c;
	uint64_t reloads, bytes, mvmuls;
	struct memory_findings findings;
	struct memory_left_out left_out;
};

static enum figure_fill fill_traffic(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	struct traffic *t = view;

	(void)i;
	t->c = c;
	t->reloads = atomic_load(&c->burn.shared->reloads);
	t->bytes = 4 * c->result.memory_words;
	t->mvmuls = c->result.mvmuls;
	t->left_out = memory_left_out(&c->burn.config.kept, c->burn.config.channels);
	for (unsigned n = 0; n < KERNEL_CHANNELS_MAX; n++)
		if (c->burn.config.channels >> n & 1)
			t->findings.n += card_gather_judge(c->burn.shared, n,
				t->findings.found + t->findings.n);
	return FIGURE_TAKE;
}

struct traffic_channel {
	int channel;
	uint64_t words, errors;
	uint32_t bits, mute;
	const struct card_port *ports;
};

static enum figure_fill fill_traffic_channel(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct card_channel *x = &c->burn.shared->channels[i];

	if (i == KERNEL_CHANNELS_MAX)
		return FIGURE_END;
	if (!(c->burn.config.channels >> i & 1))
		return FIGURE_SKIP;
	*(struct traffic_channel *)view = (struct traffic_channel){ (int)i, atomic_load(&x->words),
		atomic_load(&x->errors), atomic_load(&x->bits), atomic_load(&x->mute),
		c->burn.shared->ports[i] };
	return FIGURE_TAKE;
}

static const struct figure_group traffic_channels = { .rows = (const struct figure[]){
	{ "channel", NULL, FIGURE_INT, .at = offsetof(struct traffic_channel, channel) },
	{ "words", NULL, FIGURE_U64, .at = offsetof(struct traffic_channel, words) },
	{ "errors", NULL, FIGURE_U64, .at = offsetof(struct traffic_channel, errors) },
	{ "bits", NULL, FIGURE_U32, .at = offsetof(struct traffic_channel, bits), .hex = true },
	{ "cores_without_answer", NULL, FIGURE_U32, .at = offsetof(struct traffic_channel, mute) },
	{ "endpoints", NULL, FIGURE_LIST, .at = offsetof(struct traffic_channel, ports),
		.group = &traffic_ports },
	{ .kind = FIGURE_NONE } }, .fill = fill_traffic_channel,
		.size = sizeof(struct traffic_channel) };

static enum figure_fill fill_first_wrong(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;

	(void)i;
	*(struct card_memory_wrong *)view = c->burn.shared->wrong;
	((struct card_memory_wrong *)view)->word.where >>= 8;
	return atomic_load(&c->burn.shared->has_wrong) ? FIGURE_TAKE : FIGURE_SKIP;
}

static const struct figure_group first_wrong = { .rows = (const struct figure[]){
	{ "channel", NULL, FIGURE_U32, .at = offsetof(struct card_memory_wrong, word.where) },
	{ "x", NULL, FIGURE_U8, .at = offsetof(struct card_memory_wrong, x) },
	{ "y", NULL, FIGURE_U8, .at = offsetof(struct card_memory_wrong, y) },
	{ "address", NULL, FIGURE_U32, .at = offsetof(struct card_memory_wrong, word.at),
		.hex = true },
	{ "got", NULL, FIGURE_U32, .at = offsetof(struct card_memory_wrong, word.got),
		.hex = true },
	{ "want", NULL, FIGURE_U32, .at = offsetof(struct card_memory_wrong, word.want),
		.hex = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_first_wrong,
		.size = sizeof(struct card_memory_wrong) };

static const struct figure_group traffic = { .rows = (const struct figure[]){
	{ "operands_loaded", NULL, FIGURE_U64, .at = offsetof(struct traffic, reloads) },
	{ "bytes_verified", NULL, FIGURE_U64, .at = offsetof(struct traffic, bytes) },
	{ "mvmul_meanwhile", NULL, FIGURE_U64, .at = offsetof(struct traffic, mvmuls) },
	{ "endpoints_left_out", NULL, FIGURE_LIST, .at = offsetof(struct traffic, left_out),
		.group = &memory_left_out_figures },
	{ "left_out", NULL, FIGURE_CHARS, .at = offsetof(struct traffic, left_out.text),
		.hidden = true },
	{ "channels", NULL, FIGURE_LIST, .at = offsetof(struct traffic, c),
		.group = &traffic_channels },
	{ "findings", NULL, FIGURE_LIST, .at = offsetof(struct traffic, findings),
		.group = &memory_finding_figures },
	{ "first_wrong", NULL, FIGURE_OBJECT, .at = offsetof(struct traffic, c),
		.group = &first_wrong },
	{ .kind = FIGURE_NONE } }, .fill = fill_traffic, .size = sizeof(struct traffic) };

/* Telemetry while it burnt. */

struct seen {
	const char *key;
	struct figure_amount least, most, mean;
};

static enum figure_fill fill_seen(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct burnin_range *x = &c->seen[i];
	const struct field *f;

	if (i == BURNIN_SEEN)
		return FIGURE_END;
	f = &fields[burnin_seen_fields[i]];
	*(struct seen *)view = (struct seen){ f->key, { x->n > 0, x->least, f->scale },
		{ x->n > 0, x->most, f->scale },
		{ x->n > 0, x->n > 0 ? x->sum / (int64_t)x->n : 0, f->scale } };
	return FIGURE_TAKE;
}

static const struct figure_group seen = { .rows = (const struct figure[]){
	{ "field", "Telemetry of the card", FIGURE_STRING, .at = offsetof(struct seen, key),
		.hidden = true },
	{ "least", "Lowest", FIGURE_AMOUNT, .at = offsetof(struct seen, least), .decimals = 2 },
	{ "most", "Highest", FIGURE_AMOUNT, .at = offsetof(struct seen, most), .decimals = 2 },
	{ "mean", "Mean", FIGURE_AMOUNT, .at = offsetof(struct seen, mean), .decimals = 2 },
	{ .kind = FIGURE_NONE } }, .fill = fill_seen, .size = sizeof(struct seen) };

static enum figure_fill fill_throttle(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;

	if (i + THROTTLE_NONE + 1 == THROTTLE_REASONS)
		return FIGURE_END;
	*(const char **)view = throttle_reason_name((int64_t)i + THROTTLE_NONE + 1);
	return c->throttles >> (i + THROTTLE_NONE + 1) & 1 ? FIGURE_TAKE : FIGURE_SKIP;
}

static const struct figure_group throttles = { .rows = (const struct figure[]){
	{ .kind = FIGURE_STRING },
	{ .kind = FIGURE_NONE } }, .fill = fill_throttle, .size = sizeof(const char *) };

/* The test of its memory. */

struct test {
	const struct burnin_card *c;
	struct card_memory_plan plan;
	uint64_t rounds, iterations, written, read;
	int64_t writing, reading;
	double write_rate, read_rate;	/* GB/s */
	bool met;
	struct memory_findings findings;
	struct memory_left_out left_out;
};

static double gb_per_s(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes / (double)ns : 0;
}

static enum figure_fill fill_test(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct card_memory *m = &c->burn.shared->memory;
	struct ledger l = { .asked = { 0 } };
	struct test *t = view;

	(void)i;
	if (c->burn.config.memory.channels == 0)
		return FIGURE_SKIP;
	*t = (struct test){ .c = c, .plan = c->burn.config.memory, .rounds = m->rounds,
		.iterations = m->iterations, .written = m->written, .read = m->read,
		.writing = m->writing, .reading = m->reading,
		.write_rate = gb_per_s(m->written, m->writing),
		.read_rate = gb_per_s(m->read, m->reading) };
	card_memory_ask(&t->plan, c->burn.config.memory_left, &l);
	card_memory_count(&t->plan, m, &l);
	t->met = ledger_is_met(&l);
	t->left_out = memory_left_out(&t->plan.kept, t->plan.channels);
	t->findings.n = card_memory_judge(m, t->findings.found);
	return FIGURE_TAKE;
}

struct test_channel {
	int channel;
	struct card_memory_sum sum;
	uint64_t bytes;
	char lanes[MEMORY_LANES + 1];
	const struct memory_tally *tally;
	struct memory_errors before, after;
	bool own, uncorrected;		/* errors that its controller counted */
};

static enum figure_fill fill_test_channel(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct card_memory *m = &c->burn.shared->memory;
	struct test_channel *x = view;

	if (i == MEMORY_CHANNELS)
		return FIGURE_END;
	if (!(c->burn.config.memory.channels >> i & 1))
		return FIGURE_SKIP;
	*x = (struct test_channel){ .channel = (int)i, .sum = card_memory_sum(m, (unsigned)i),
		.bytes = m->bytes[i], .tally = m->tally[i],
		.before = c->memory_errors[BURNIN_BEFORE][i],
		.after = c->memory_errors[BURNIN_AFTER][i] };
	for (unsigned k = 0; k < MEMORY_LANES && !c->burn.config.computes_nothing; k++)
		x->lanes[k] = burn_core_letter(burnin_lane_of(&x->sum, k));
	x->uncorrected = x->after.uncorrected[0] || x->after.uncorrected[1];
	x->own = x->uncorrected || x->after.corrected[0] + x->after.corrected[1] > 0;
	return FIGURE_TAKE;
}

/* For texts alone. */
static const struct figure_group test_channels_words = { .rows = (const struct figure[]){
	{ "lane_letters", NULL, FIGURE_CHARS, .at = offsetof(struct test_channel, lanes) },
	{ "own", NULL, FIGURE_BOOL, .at = offsetof(struct test_channel, own) },
	{ "uncorrected", NULL, FIGURE_BOOL, .at = offsetof(struct test_channel, uncorrected) },
	{ .kind = FIGURE_NONE } } };

static const struct figure_group test_channels = { .rows = (const struct figure[]){
	{ "channel", "Memory channel", FIGURE_INT, .at = offsetof(struct test_channel, channel) },
	{ "words", "Words verified", FIGURE_U64, .at = offsetof(struct test_channel, sum.words) },
	{ "wrong", "Wrong words", FIGURE_U64, .at = offsetof(struct test_channel, sum.wrong) },
	{ "events", NULL, FIGURE_U64, .at = offsetof(struct test_channel, sum.events) },
	{ "bytes_verified", NULL, FIGURE_U64, .at = offsetof(struct test_channel, bytes) },
	{ "lanes", NULL, FIGURE_LIST, .at = offsetof(struct test_channel, sum.lane),
		.group = &memory_lane_figures },
	{ "endpoints", NULL, FIGURE_LIST, .at = offsetof(struct test_channel, tally),
		.group = &test_ports },
	{ "errors_before", NULL, FIGURE_OBJECT, .at = offsetof(struct test_channel, before),
		.group = &memory_error_figures },
	{ "errors_after", NULL, FIGURE_OBJECT, .at = offsetof(struct test_channel, after),
		.group = &memory_error_figures },
	{ .kind = FIGURE_PART, .group = &test_channels_words, .hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_test_channel, .size = sizeof(struct test_channel) };

static const struct figure_group test = { .rows = (const struct figure[]){
	{ "bytes_of_a_channel", "Memory of a channel (bytes)", FIGURE_U64,
		.at = offsetof(struct test, plan.size) },
	{ "seed", NULL, FIGURE_U64, .at = offsetof(struct test, plan.seed), .hex = true },
	{ "rounds", NULL, FIGURE_U64, .at = offsetof(struct test, rounds) },
	{ "iterations", "Iterations", FIGURE_U64, .at = offsetof(struct test, iterations) },
	{ "tested_every_way", NULL, FIGURE_BOOL, .at = offsetof(struct test, met) },
	{ "bytes_written", "Written (bytes)", FIGURE_U64, .at = offsetof(struct test, written) },
	{ "bytes_read", "Read (bytes)", FIGURE_U64, .at = offsetof(struct test, read) },
	{ "writing_seconds", NULL, FIGURE_TIME, .at = offsetof(struct test, writing) },
	{ "reading_seconds", NULL, FIGURE_TIME, .at = offsetof(struct test, reading) },
	{ "endpoints_left_out", NULL, FIGURE_LIST, .at = offsetof(struct test, left_out),
		.group = &memory_left_out_figures },
	{ "left_out", NULL, FIGURE_CHARS, .at = offsetof(struct test, left_out.text),
		.hidden = true },
	{ "channels", NULL, FIGURE_LIST, .at = offsetof(struct test, c), .group = &test_channels },
	{ "findings", NULL, FIGURE_LIST, .at = offsetof(struct test, findings),
		.group = &memory_finding_figures },
	{ "write_gb_per_s", NULL, FIGURE_REAL, .at = offsetof(struct test, write_rate),
		.hidden = true },
	{ "read_gb_per_s", NULL, FIGURE_REAL, .at = offsetof(struct test, read_rate),
		.hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_test, .size = sizeof(struct test) };

/* Resets before and after. */

struct chip_reset {
	struct burnin_reset x;
	const char *verdict;
};

static enum figure_fill fill_reset(const void *above, size_t i, void *view)
{
	const struct burnin_reset *x = above;

	(void)i;
	if (!x->done)
		return FIGURE_SKIP;
	*(struct chip_reset *)view = (struct chip_reset){ *x,
		reset_verdict_name((enum reset_verdict)x->verdict) };
	return FIGURE_TAKE;
}

static const struct figure_group chip_reset = { .rows = (const struct figure[]){
	{ "verdict", NULL, FIGURE_STRING, .at = offsetof(struct chip_reset, verdict) },
	{ "reason", NULL, FIGURE_CHARS, .at = offsetof(struct chip_reset, x.reason) },
	{ "seconds", NULL, FIGURE_TIME, .at = offsetof(struct chip_reset, x.took), .decimals = 1 },
	{ .kind = FIGURE_NONE } }, .fill = fill_reset, .size = sizeof(struct chip_reset) };

/* Cores, and wrong words of them. */

struct wrong_of {
	const struct card_core *core;
	struct card_wrong w;
	const char *op;
	uint8_t x, y;
	uint32_t differ;
};

static enum figure_fill take_wrong(const struct card_core *core, size_t n, struct wrong_of *to)
{
	const struct card_wrong *w = &core->wrong[n];

	*to = (struct wrong_of){ core, *w, card_kind_name(w->kind), core->x, core->y,
		w->word.got ^ w->word.want };
	return FIGURE_TAKE;
}

static enum figure_fill fill_wrong_of_core(const void *above, size_t i, void *view)
{
	const struct card_core *core = *(const struct card_core *const *)above;

	return i >= card_wrong_words(core) ? FIGURE_END : take_wrong(core, i, view);
}

/* The same of all cores. */
static enum figure_fill fill_wrong_of_card(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct card_core *core = &c->burn.shared->cores[i / KERNEL_MISMATCHES];

	if (i / KERNEL_MISMATCHES == c->result.cores)
		return FIGURE_END;
	if (i % KERNEL_MISMATCHES >= card_wrong_words(core))
		return FIGURE_SKIP;
	return take_wrong(core, i % KERNEL_MISMATCHES, view);
}

static const struct figure wrong_rows[] = {
	{ "operation", NULL, FIGURE_STRING, .at = offsetof(struct wrong_of, op) },
	{ "seed", NULL, FIGURE_U64, .at = offsetof(struct wrong_of, w.seed), .hex = true },
	{ "block", NULL, FIGURE_U32, .at = offsetof(struct wrong_of, w.word.block) },
	{ "index", NULL, FIGURE_U32, .at = offsetof(struct wrong_of, w.word.word) },
	{ "got", NULL, FIGURE_U32, .at = offsetof(struct wrong_of, w.word.got), .hex = true },
	{ "want", NULL, FIGURE_U32, .at = offsetof(struct wrong_of, w.word.want), .hex = true },
	{ "xor", NULL, FIGURE_U32, .at = offsetof(struct wrong_of, differ), .hex = true },
	{ "seed_typed", NULL, FIGURE_U64, .at = offsetof(struct wrong_of, w.seed), .hidden = true },
	{ "x", NULL, FIGURE_U8, .at = offsetof(struct wrong_of, x), .hidden = true },
	{ "y", NULL, FIGURE_U8, .at = offsetof(struct wrong_of, y), .hidden = true },
	{ .kind = FIGURE_NONE },
};

static const struct figure_group wrong_of_core = { wrong_rows, .fill = fill_wrong_of_core,
	.size = sizeof(struct wrong_of) };
static const struct figure_group wrong_of_card = { wrong_rows, .fill = fill_wrong_of_card,
	.size = sizeof(struct wrong_of), .most = NAMED };

struct core {
	const struct card_core *c;
	struct card_core now;
	const char *state;
	uint64_t blocks;
	double rate;
};

static enum figure_fill fill_core(const void *above, size_t i, void *view)
{
	const struct burnin_card *c = *(const struct burnin_card *const *)above;
	const struct card_core *from = &c->burn.shared->cores[i];
	struct core *x = view;

	if (i == c->result.cores)
		return FIGURE_END;
	x->c = from;
	memcpy(&x->now, from, sizeof(x->now));
	for (int k = 0; k < CARD_KINDS; k++)
		x->blocks += atomic_load(&from->blocks[k]);
	x->state = burn_core_name(burnin_core_of(c, from, &c->result));
	x->rate = c->burn.config.is_timeless ? 0 : card_judge_rate(from);
	return FIGURE_TAKE;
}

static const struct figure_group cores = { .rows = (const struct figure[]){
	{ "x", NULL, FIGURE_U8, .at = offsetof(struct core, now.x) },
	{ "y", NULL, FIGURE_U8, .at = offsetof(struct core, now.y) },
	{ "state", NULL, FIGURE_STRING, .at = offsetof(struct core, state) },
	{ "blocks", NULL, FIGURE_U64, .at = offsetof(struct core, blocks) },
	{ "errors", NULL, FIGURE_U64, .at = offsetof(struct core, now.errors) },
	{ "blocks_by_host", NULL, FIGURE_U64, .at = offsetof(struct core, now.rechecked) },
	{ "errors_by_host", NULL, FIGURE_U64, .at = offsetof(struct core, now.refuted) },
	{ "throttled", NULL, FIGURE_U64, .at = offsetof(struct core, now.throttled) },
	{ "mvmul", NULL, FIGURE_U64, .at = offsetof(struct core, now.mvmuls) },
	{ "cycles", NULL, FIGURE_U64, .at = offsetof(struct core, now.cycles) },
	{ "clock", NULL, FIGURE_U64, .at = offsetof(struct core, now.clock) },
	{ "mvmul_per_cycle", NULL, FIGURE_RATE, .at = offsetof(struct core, rate),
		.scale = RATE_SCALE },
	{ "mismatches", NULL, FIGURE_LIST, .at = offsetof(struct core, c),
		.group = &wrong_of_core },
	{ .kind = FIGURE_NONE } }, .fill = fill_core, .size = sizeof(struct core) };

/* The card. */

struct card {
	const struct burnin_card *c;
	struct card_result r;
	int index;
	const char *board, *firmware, *kernel, *unproven, *power;
	double rate, peak, tflops, median;
	struct burnin_reset reset[BURNIN_RESETS];
	size_t untrue;
	bool slow, computes, tests;
	bool timeless;			/* it has a rate that means nothing */
	uint64_t rounds, reloads, memory_bytes;
	int64_t load, run;
	double percent, tflops_of_core;
	char extremes[80], seen[320];
};

static void describe_seen(const struct burnin_card *c, char *text, size_t size)
{
	size_t at = 0;

	for (int k = 0; k < BURNIN_SEEN && at < size; k++) {
		const struct field *f = &fields[burnin_seen_fields[k]];
		const struct burnin_range *x = &c->seen[k];

		if (x->n > 0)
			at += (size_t)snprintf(text + at, size - at, "%s%s %.*f to %.*f %s",
				at ? ", " : "", f->brief, f->decimals, (double)x->least / f->scale,
				f->decimals, (double)x->most / f->scale, f->unit);
	}
}

static enum figure_fill fill_card(const void *above, size_t i, void *view)
{
	const struct burnin_target_of *t = above;
	const struct burnin_card *c = t->target->card;
	const struct card_shared *s = c ? c->burn.shared : NULL;
	const struct card_burn_config *k = c ? &c->burn.config : NULL;
	const struct card_core *low, *high;
	struct card *x = view;

	(void)i;
	if (!t->target->ran || !c)
		return FIGURE_END;
	*x = (struct card){ .c = c, .r = c->result, .index = c->index, .board = c->series,
		.firmware = c->firmware[0] ? c->firmware : NULL, .kernel = KERNEL_STATUS,
		.unproven = KERNEL_UNPROVEN, .power = s->power,
		.rate = k->is_timeless ? 0 : c->result.rate, .tflops = c->tflops,
		.median = c->median,
		.untrue = k->is_timeless ? 0 : c->result.untrue_cores,
		.peak = card_judge_peak(c->chip, c->result.cores), .slow = burnin_card_is_slow(c),
		.computes = card_kinds_count(k) > 0 && !k->computes_nothing,
		.tests = k->memory.channels && !k->computes_nothing,
		.timeless = k->is_timeless && (c->result.rate > 0 || c->result.untrue_cores > 0),
		.rounds = atomic_load(&s->rounds), .reloads = atomic_load(&s->reloads),
		.memory_bytes = 4 * c->result.memory_words, .load = atomic_load(&s->load_ns),
		.run = atomic_load(&s->run_ns) };
	x->percent = burnin_percent(c->tflops, x->peak);
	if (c->result.cores > 0)
		x->tflops_of_core = c->tflops / (double)c->result.cores;
	low = &s->cores[c->result.core[0]];
	high = &s->cores[c->result.core[1]];
	snprintf(x->extremes, sizeof(x->extremes), "core %u-%u %.4f, core %u-%u %.4f", low->x,
		low->y, c->result.rate_of[0], high->x, high->y, c->result.rate_of[1]);
	memcpy(x->reset, c->reset, sizeof(x->reset));
	describe_seen(c, x->seen, sizeof(x->seen));
	return FIGURE_TAKE;
}

/* For texts alone. */
static const struct figure_group card_words = { .rows = (const struct figure[]){
	{ "wrong", NULL, FIGURE_LIST, .at = offsetof(struct card, c), .group = &wrong_of_card },
	{ "index", NULL, FIGURE_INT, .at = offsetof(struct card, index) },
	{ "all_cores", NULL, FIGURE_SIZE, .at = offsetof(struct card, r.cores) },
	{ "wrong_words", NULL, FIGURE_U64, .at = offsetof(struct card, r.wrong) },
	{ "memory_wrong", NULL, FIGURE_U64, .at = offsetof(struct card, r.memory_errors) },
	{ "memory_bytes", NULL, FIGURE_U64, .at = offsetof(struct card, memory_bytes),
		.some = true },
	{ "mvmuls", NULL, FIGURE_U64, .at = offsetof(struct card, r.mvmuls) },
	{ "reloads", NULL, FIGURE_U64, .at = offsetof(struct card, reloads) },
	{ "computes", NULL, FIGURE_BOOL, .at = offsetof(struct card, computes) },
	{ "tests", NULL, FIGURE_BOOL, .at = offsetof(struct card, tests) },
	{ "timeless", NULL, FIGURE_BOOL, .at = offsetof(struct card, timeless) },
	{ "extremes", NULL, FIGURE_CHARS, .at = offsetof(struct card, extremes) },
	{ "tflops_percent", NULL, FIGURE_RATE, .at = offsetof(struct card, percent) },
	{ "tflops_of_core", NULL, FIGURE_REAL, .at = offsetof(struct card, tflops_of_core) },
	{ "median_of_cards", NULL, FIGURE_REAL, .at = offsetof(struct card, median) },
	{ "median", NULL, FIGURE_REAL, .at = offsetof(struct card, r.median), .scale = RATE_SCALE },
	{ "seen", NULL, FIGURE_CHARS, .at = offsetof(struct card, seen) },
	{ "throttled", NULL, FIGURE_U64, .at = offsetof(struct card, r.throttled), .some = true },
	{ .kind = FIGURE_NONE } } };

const struct figure_group burnin_card_figures = { .rows = (const struct figure[]){
	{ "board", "Board", FIGURE_STRING, .at = offsetof(struct card, board) },
	{ "firmware", "Firmware", FIGURE_STRING, .at = offsetof(struct card, firmware) },
	{ "kernel_status", "Kernel", FIGURE_STRING, .at = offsetof(struct card, kernel) },
	{ "kernel_unproven", NULL, FIGURE_STRING, .at = offsetof(struct card, unproven) },
	{ "mvmul_per_cycle", "MVMUL per cycle", FIGURE_RATE, .at = offsetof(struct card, rate),
		.scale = RATE_SCALE, .decimals = 3 },
	{ "tflops", "Rate (TFLOP/s)", FIGURE_RATE, .at = offsetof(struct card, tflops),
		.scale = RATE_SCALE },
	{ "documented_peak_tflops", "Documented peak (TFLOP/s)", FIGURE_RATE,
		.at = offsetof(struct card, peak), .scale = RATE_SCALE },
	{ "slow_beside_others", NULL, FIGURE_BOOL, .at = offsetof(struct card, slow) },
	{ "blocks", "Blocks by the cores", FIGURE_U64, .at = offsetof(struct card, r.blocks) },
	{ "words_verified", "Words verified", FIGURE_U64, .at = offsetof(struct card, r.words) },
	{ "blocks_by_host", "Blocks by the host", FIGURE_U64,
		.at = offsetof(struct card, r.rechecked) },
	{ "cores_slow", NULL, FIGURE_SIZE, .at = offsetof(struct card, r.slow_cores) },
	{ "cores_without_true_rate", NULL, FIGURE_SIZE, .at = offsetof(struct card, untrue) },
	{ "cores_throttled", NULL, FIGURE_SIZE, .at = offsetof(struct card, r.throttled_cores) },
	{ "rounds", NULL, FIGURE_U64, .at = offsetof(struct card, rounds) },
	{ "load_seconds", NULL, FIGURE_TIME, .at = offsetof(struct card, load) },
	{ "run_seconds", "Load (s)", FIGURE_TIME, .at = offsetof(struct card, run), .decimals = 1 },
	{ "power", NULL, FIGURE_STRING, .at = offsetof(struct card, power) },
	{ "coverage", NULL, FIGURE_MAP, .at = offsetof(struct card, r.coverage),
		.group = &ledger_figures },
	{ "card_settings", NULL, FIGURE_OBJECT, .at = offsetof(struct card, c),
		.group = &settings },
	{ "card_memory", NULL, FIGURE_OBJECT, .at = offsetof(struct card, c), .group = &traffic },
	{ "telemetry", NULL, FIGURE_MAP, .at = offsetof(struct card, c), .group = &seen },
	{ "clock_held_down_by", NULL, FIGURE_LIST, .at = offsetof(struct card, c),
		.group = &throttles },
	{ "memory", NULL, FIGURE_OBJECT, .at = offsetof(struct card, c), .group = &test },
	{ "reset_before", NULL, FIGURE_OBJECT, .at = offsetof(struct card, reset[BURNIN_BEFORE]),
		.group = &chip_reset },
	{ "reset_after", NULL, FIGURE_OBJECT, .at = offsetof(struct card, reset[BURNIN_AFTER]),
		.group = &chip_reset },
	{ "cores", NULL, FIGURE_LIST, .at = offsetof(struct card, c), .group = &cores },
	{ .kind = FIGURE_PART, .group = &card_words, .hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_card, .size = sizeof(struct card) };
