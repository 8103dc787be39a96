/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_card.c - the burn of a card as JSON: all that the first run on
 * a chip should send back.
 */
#include "config.h"
#include "src/burnin/report.h"

#include "base/clock.h"
#include "burnin/cores/card_gather.h"
#include "burnin/memory/memory_json.h"
#include "reset/reset.h"

#define KERNEL_STATUS "simulator-verified; not yet run on silicon"
/* Stock ttsim stops at STATE_RESET_EN, so a simulator's cores are not told to do it. */
#define KERNEL_UNPROVEN "clearing the backend's configuration: run on no simulator"

/* In 1/10000. */
static void put_rate(struct json_out *j, const char *key, double rate)
{
	if (rate > 0)
		json_decimal(j, key, (int64_t)(rate * 10000 + 0.5), 10000);
	else
		json_null(j, key);
}

static void put_reset(struct json_out *j, const char *key, const struct burnin_reset *x)
{
	if (!x->done) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	json_text(j, "verdict", reset_verdict_name((enum reset_verdict)x->verdict));
	json_text(j, "reason", x->reason[0] ? x->reason : NULL);
	json_decimal(j, "seconds", x->took, CLOCK_SECOND);
	json_end(j, '}');
}

/* By phases of fidelity; and where the memory alone is tested. */
static const struct burnin_rules *rules_of(const struct card_burn_config *k)
{
	static const char sums[] = "float32 in the matrix unit, which rounds nothing; expected "
		"results are sums of integers, and every word must be equal";
	static const struct burnin_rules one = { "whole numbers, weights of at most 31 and inputs "
		"of at most 127, by the seed of the round; every sum is below 2^24", sums };
	static const struct burnin_rules more = { "whole numbers from 128 to 255 of either sign, "
		"by the seed of the round; every sum is below 2^24", sums };
	static const struct burnin_rules memory = { "patterns of the memory's test, by the seed, "
		"the round and the address", NULL };

	if (!k->kinds[CARD_CONV] && !k->kinds[CARD_MATMUL])
		return &memory;
	return k->phases == 1 ? &one : &more;
}

static void put_settings(struct json_out *j, const struct burnin_card *c)
{
	const struct card_burn_config *k = &c->burn.config;

	json_begin(j, "card_settings", '{');
	json_hex(j, "seed", k->seed);
	json_text(j, "dtype", k->kinds[CARD_CONV] || k->kinds[CARD_MATMUL] ? "bfloat16" : NULL);
	burnin_report_put_rules(j, rules_of(k));
	json_bool(j, "vector", k->vector > 0);
	json_bool(j, "memory_bursts", k->bursts);
	json_int(j, "passes_until_operands_reload", k->held ? 0 : k->reload);
	json_begin(j, "steps_of_a_block", '{');
	for (int i = 0; i < CARD_KINDS; i++)
		if (c->burn.shared->steps[i])
			json_int(j, card_kind_name((enum card_kind)i), c->burn.shared->steps[i]);
	json_end(j, '}');
	json_int(j, "phases", k->phases);
	json_int(j, "rows", k->rows);
	json_bool(j, "held_operands", k->held);
	if (c->burn.shared->pulse)
		json_int(j, "pulse_cycles", (int64_t)1 << c->burn.shared->pulse);
	else
		json_null(j, "pulse_cycles");
	json_bool(j, "first_light", k->first_light);
	json_bool(j, "simulator", k->is_simulator);
	json_end(j, '}');
}

static void put_ports(struct json_out *j, const struct card_port ports[MEMORY_PORTS])
{
	json_begin(j, "endpoints", '[');
	for (int p = 0; p < MEMORY_PORTS; p++) {
		json_begin(j, NULL, '{');
		json_int(j, "endpoint", p);
		json_int(j, "words", (int64_t)atomic_load(&ports[p].words));
		json_int(j, "wrong", (int64_t)atomic_load(&ports[p].errors));
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* What the cores read of the card's memory, by channel. */
static void put_memory(struct json_out *j, const struct burnin_card *c)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	const struct card_shared *s = c->burn.shared;
	const struct kernel_wrong *w = &s->wrong.word;
	size_t n_found = 0;

	json_begin(j, "card_memory", '{');
	json_int(j, "operands_loaded", (int64_t)atomic_load(&s->reloads));
	json_int(j, "bytes_verified", (int64_t)(4 * c->result.memory_words));
	json_int(j, "mvmul_meanwhile", (int64_t)c->result.mvmuls);
	json_begin(j, "channels", '[');
	for (int n = 0; n < KERNEL_CHANNELS_MAX; n++) {
		if (!(c->burn.config.channels >> n & 1))
			continue;
		json_begin(j, NULL, '{');
		json_int(j, "channel", n);
		json_int(j, "words", (int64_t)atomic_load(&s->channels[n].words));
		json_int(j, "errors", (int64_t)atomic_load(&s->channels[n].errors));
		json_hex(j, "bits", atomic_load(&s->channels[n].bits));
		json_int(j, "cores_without_answer", atomic_load(&s->channels[n].mute));
		put_ports(j, s->ports[n]);
		json_end(j, '}');
		n_found += card_gather_judge(s, (unsigned)n, found + n_found);
	}
	json_end(j, ']');
	memory_json_findings(j, found, n_found);
	if (atomic_load(&s->has_wrong)) {
		json_begin(j, "first_wrong", '{');
		json_int(j, "channel", w->where >> 8);
		json_int(j, "x", s->wrong.x);
		json_int(j, "y", s->wrong.y);
		json_hex(j, "address", w->at);
		json_hex(j, "got", w->got);
		json_hex(j, "want", w->want);
		json_end(j, '}');
	} else {
		json_null(j, "first_wrong");
	}
	json_end(j, '}');
}

static void put_seen(struct json_out *j, const struct burnin_card *c)
{
	json_begin(j, "telemetry", '{');
	for (int k = 0; k < BURNIN_SEEN; k++) {
		const struct field *f = &fields[burnin_seen_fields[k]];
		const struct burnin_range *x = &c->seen[k];

		if (x->n == 0) {
			json_null(j, f->key);
			continue;
		}
		json_begin(j, f->key, '{');
		json_decimal(j, "least", x->least, f->scale);
		json_decimal(j, "most", x->most, f->scale);
		json_decimal(j, "mean", x->sum / (int64_t)x->n, f->scale);
		json_end(j, '}');
	}
	json_end(j, '}');
	json_begin(j, "clock_held_down_by", '[');
	for (int k = THROTTLE_NONE + 1; k < THROTTLE_REASONS; k++)
		if (c->throttles >> k & 1)
			json_text(j, NULL, throttle_reason_name(k));
	json_end(j, ']');
}

static const char *state_name(const struct card_core *c, const struct card_result *r)
{
	if (atomic_load(&c->errors) || atomic_load(&c->refuted))
		return "wrong";
	if (atomic_load(&c->stood))
		return "stood still";
	if (r->slow_cores && card_judge_is_slow(c, r))
		return "slow";
	return atomic_load(&c->rechecked) ? "well" : "nothing done";
}

static void put_mismatches(struct json_out *j, const struct card_core *c)
{
	json_begin(j, "mismatches", '[');
	for (uint32_t n = 0; n < atomic_load(&c->n_wrong); n++) {
		const struct card_wrong *w = &c->wrong[n];

		json_begin(j, NULL, '{');
		json_text(j, "operation", card_kind_name(w->kind));
		json_hex(j, "seed", w->seed);
		json_int(j, "block", w->word.block);
		json_int(j, "index", w->word.word);
		json_hex(j, "got", w->word.got);
		json_hex(j, "want", w->word.want);
		json_hex(j, "xor", w->word.got ^ w->word.want);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_core(struct json_out *j, const struct card_core *c, const struct card_result *r,
	bool timed)
{
	uint64_t blocks = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		blocks += atomic_load(&c->blocks[k]);
	json_begin(j, NULL, '{');
	json_int(j, "x", c->x);
	json_int(j, "y", c->y);
	json_text(j, "state", state_name(c, r));
	json_int(j, "blocks", (int64_t)blocks);
	json_int(j, "errors", (int64_t)atomic_load(&c->errors));
	json_int(j, "blocks_by_host", (int64_t)atomic_load(&c->rechecked));
	json_int(j, "errors_by_host", (int64_t)atomic_load(&c->refuted));
	json_int(j, "throttled", (int64_t)atomic_load(&c->throttled));
	json_int(j, "mvmul", (int64_t)atomic_load(&c->mvmuls));
	json_int(j, "cycles", (int64_t)atomic_load(&c->cycles));
	json_int(j, "clock", (int64_t)atomic_load(&c->clock));
	put_rate(j, "mvmul_per_cycle", timed ? card_judge_rate(c) : 0);
	put_mismatches(j, c);
	json_end(j, '}');
}

void burnin_report_put_card(struct json_out *j, const struct burnin_card *c)
{
	const struct card_shared *s = c->burn.shared;
	const struct card_result *r = &c->result;

	json_text(j, "board", c->series);
	json_text(j, "firmware", c->firmware[0] ? c->firmware : NULL);
	json_text(j, "kernel_status", KERNEL_STATUS);
	json_text(j, "kernel_unproven", KERNEL_UNPROVEN);
	/* A simulator's clock is no time. */
	put_rate(j, "mvmul_per_cycle", c->burn.config.is_timeless ? 0 : r->rate);
	put_rate(j, "tflops", c->tflops);
	put_rate(j, "documented_peak_tflops", card_judge_peak(c->chip, r->cores));
	json_bool(j, "slow_beside_others", burnin_card_is_slow(c));
	json_int(j, "blocks", (int64_t)r->blocks);
	json_int(j, "words_verified", (int64_t)r->words);
	json_int(j, "blocks_by_host", (int64_t)r->rechecked);
	json_int(j, "cores_slow", (int64_t)r->slow_cores);
	/* Whose counters say more than one product a cycle: their rates are null. */
	json_int(j, "cores_without_true_rate", c->burn.config.is_timeless ? 0 :
		(int64_t)r->untrue_cores);
	json_int(j, "cores_throttled", (int64_t)r->throttled_cores);
	json_int(j, "rounds", (int64_t)atomic_load(&s->rounds));
	json_decimal(j, "load_seconds", atomic_load(&s->load_ns), CLOCK_SECOND);
	json_decimal(j, "run_seconds", atomic_load(&s->run_ns), CLOCK_SECOND);
	json_text(j, "power", s->power);
	ledger_put_json(&r->coverage, j);
	put_settings(j, c);
	put_memory(j, c);
	put_seen(j, c);
	burnin_report_put_memory(j, c);
	put_reset(j, "reset_before", &c->reset[BURNIN_BEFORE]);
	put_reset(j, "reset_after", &c->reset[BURNIN_AFTER]);
	json_begin(j, "cores", '[');
	for (size_t i = 0; i < r->cores; i++)
		put_core(j, &s->cores[i], r, !c->burn.config.is_timeless);
	json_end(j, ']');
}
