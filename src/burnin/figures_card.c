/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures_card.c - the figures of a card's burn and of its memory's test, in the report's
 * order: all that the first run on a chip should send back.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "burnin/cores/card_round.h"
#include "burnin/memory/card_check.h"
#include "device/kind.h"
#include "reset/reset.h"
#include "src/burnin/cards.h"
#include "ui/burn.h"

const enum field_id burnin_seen_fields[BURNIN_SEEN] = {
	[BURNIN_TEMP] = FIELD_ASIC_TEMP, [BURNIN_GDDR_TEMP] = FIELD_GDDR_MAX_TEMP,
	[BURNIN_POWER] = FIELD_POWER, [BURNIN_CURRENT] = FIELD_CURRENT,
	[BURNIN_VOLTAGE] = FIELD_VCORE, [BURNIN_CLOCK] = FIELD_AICLK, [BURNIN_FAN] = FIELD_FAN_RPM,
};

double burnin_card_mvmul(const struct burnin_card *c)
{
	return c->burn.config.is_timeless ? 0 : c->result.rate;
}

double burnin_card_per_core(const struct burnin_card *c)
{
	return c->result.rated_cores ? c->tflops / (double)c->result.rated_cores : 0;
}

bool burnin_card_is_slow(const struct burnin_card *c)
{
	const double rate = burnin_card_per_core(c);

	return rate > 0 && rate < CARD_SLOW * c->median;
}

static uint64_t burnin_core_blocks(const struct card_core *core)
{
	uint64_t n = 0;

	for (int k = 0; k < CARD_KINDS; k++)
		n += atomic_load(&core->blocks[k]);
	return n;
}

enum ui_core burnin_core_of(const struct burnin_card *c, const struct card_core *core,
	const struct card_result *now)
{
	if (atomic_load(&core->errors) || atomic_load(&core->refuted))
		return UI_CORE_WRONG;
	if (atomic_load(&core->stood))
		return UI_CORE_STILL;
	/* The host compares blocks only at the end. */
	if (burnin_core_blocks(core) == 0 ||
		(c->burn.is_over && atomic_load(&core->rechecked) == 0))
		return UI_CORE_IDLE;
	return now->slow_cores && card_judge_is_slow(core, now) ? UI_CORE_SLOW : UI_CORE_WELL;
}

enum ui_core burnin_lane_of(const struct card_memory_sum *sum, unsigned lane)
{
	return sum->words == 0 ? UI_CORE_IDLE : sum->lane[lane] ? UI_CORE_WRONG : UI_CORE_WELL;
}

void burnin_fill_map(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn_chip *to)
{
	const struct device_kind *k = kind_of(c->chip);

	to->first = k->tensix.x0;
	to->w = k->tensix.x1 - k->tensix.x0 + 1;
	to->h = 0;
	for (unsigned y = k->tensix.y0; y <= k->tensix.y1 && to->h < UI_BURN_ROWS; y++) {
		uint8_t *row = to->map + to->h * to->w;

		if (k->other_rows >> y & 1)
			continue;
		for (unsigned x = k->tensix.x0; x <= k->tensix.x1; x++)
			row[x - k->tensix.x0] = k->other_columns >> x & 1 ? UI_CORE_NONE
				: UI_CORE_OFF;
		for (size_t i = 0; i < now->cores; i++) {
			const struct card_core *core = &c->burn.shared->cores[i];
			const int column = core->x - k->tensix.x0;

			if (core->y == y && column >= 0 && column < to->w)
				row[column] = (uint8_t)burnin_core_of(c, core, now);
		}
		to->rows[to->h++] = (uint8_t)y;
	}
}

#define KERNEL_STATUS "simulator-verified; not yet run on silicon"
/* Stock ttsim stops at STATE_RESET_EN, so simulated cores leave it out. */
#define KERNEL_UNPROVEN "clearing the backend's configuration: run on no simulator"

enum { RATE_SCALE = 10000 };

/* The operands and sums, so that a reader can make the same again. */
#define CARD_SUMS "float32 in the matrix unit, which rounds nothing; expected results are sums " \
	"of integers, and every word must be equal"
#define CARD_OPERANDS "whole numbers, weights of at most 31 and inputs of at most 127, by the " \
	"seed of the round; every sum is below 2^24"
#define CARD_OPERANDS_PHASES "whole numbers from 128 to 255 of either sign, by the seed of the " \
	"round; every sum is below 2^24"
#define CARD_OPERANDS_MEMORY "patterns of the memory's test, by the seed, the round and the address"

/* Words through an endpoint. */
#define PORT_FIGURES(F) \
	F(INT, endpoint, (), i) \
	F(INT, words, (), words) \
	F(INT, wrong, (.against = true), wrong)
FIGURES(port, PORT_FIGURES, unsigned i, uint64_t words, uint64_t wrong)

/* The settings of the load. */

#define STEP_FIGURES(F) \
	F(TEXT, operation, (), card_kind_name((enum card_kind)kind)) \
	F(INT, steps, (), s->steps[kind])
FIGURES(step, STEP_FIGURES, const struct card_shared *s, int kind)

static const char *operands_of(const struct card_burn_config *k)
{
	return card_kinds_count(k) == 0 ? CARD_OPERANDS_MEMORY : k->phases == 1 ? CARD_OPERANDS :
		CARD_OPERANDS_PHASES;
}

#define SETTING_FIGURES(F) \
	F(INT, seed, ("Seed", .hex = true, .typed = true), k->seed) \
	F(TEXT, dtype, ("Type"), card_kinds_count(k) > 0 ? "bfloat16" : NULL) \
	F(TEXT, operands, ("Operands"), operands_of(k)) \
	F(TEXT, accumulation, ("Sums"), card_kinds_count(k) > 0 ? CARD_SUMS : NULL) \
	F(BOOL, vector, (), k->vector) \
	F(BOOL, memory_bursts, (), k->bursts) \
	F(INT, passes_until_operands_reload, (), k->held ? 0 : k->reload) \
	F(MAP, steps_of_a_block, (.group = &step_figures), \
		for (int i = 0; i < CARD_KINDS; i++) if (s->steps[i]) step_add(v, s, i)) \
	F(INT, phases, ("Phases of fidelity"), k->phases) \
	F(INT, rows, (), k->rows) \
	F(BOOL, held_operands, (), k->held) \
	F(INT, pulse_cycles, (.some = true), s->pulse ? 1LL << (s->pulse & 31) : 0) \
	F(INT, ramp_cycles, (.some = true), \
		(int64_t)(s->pulse >> KERNEL_RAMP_AT) << (s->pulse & 31)) \
	F(BOOL, first_light, (), k->first_light) \
	F(BOOL, simulator, (), k->is_simulator)
FIGURES(setting, SETTING_FIGURES, const struct card_burn_config *k, const struct card_shared *s)

/* The reads of the card's memory by its cores, by channel. */

#define TRAFFIC_CHANNEL_FIGURES(F) \
	F(INT, channel, (), i) \
	F(INT, words, (), s->channels[i].words) \
	F(INT, errors, (.against = true), s->channels[i].errors) \
	F(INT, bits, (.hex = true), s->channels[i].bits) \
	F(INT, cores_without_answer, (.against = true), s->channels[i].mute) \
	F(LIST, endpoints, (.group = &port_figures), \
		for (unsigned k = 0; k < MEMORY_PORTS; k++) \
			port_add(v, k, s->ports[i][k].words, s->ports[i][k].errors))
FIGURES(traffic_channel, TRAFFIC_CHANNEL_FIGURES, const struct card_shared *s, unsigned i)

static void add_traffic_findings(struct figure_value *to, const struct burnin_card *c)
{
	struct memory_finding found[MEMORY_FINDINGS];

	for (unsigned i = 0; i < KERNEL_CHANNELS_MAX; i++)
		if (c->burn.config.channels >> i & 1)
			memory_add_findings(to, found, card_gather_judge(c->burn.shared, i, found));
}

#define FIRST_WRONG_FIGURES(F) \
	F(INT, channel, (), w->word.where >> 8) \
	F(INT, x, (), w->x) \
	F(INT, y, (), w->y) \
	F(INT, address, (.hex = true), w->word.at) \
	F(INT, got, (.hex = true), w->word.got) \
	F(INT, want, (.hex = true), w->word.want)
FIGURES(first_wrong, FIRST_WRONG_FIGURES, const struct card_memory_wrong *w)

#define TRAFFIC_FIGURES(F) \
	F(INT, operands_loaded, (), c->burn.shared->reloads) \
	F(TEXT, operands_not_loaded, (.some = true), k->not_reloaded) \
	F(INT, bytes_verified, (), 4 * c->result.memory_words) \
	F(INT, mvmul_meanwhile, (), c->result.mvmuls) \
	MEMORY_KEPT_FIGURES(F, &k->kept, k->channels) \
	F(LIST, channels, (.group = &traffic_channel_figures), \
		for (unsigned i = 0; i < KERNEL_CHANNELS_MAX; i++) \
			if (k->channels >> i & 1) traffic_channel_add(v, c->burn.shared, i)) \
	F(LIST, findings, (.group = &memory_finding_figures, .against = true), \
		add_traffic_findings(v, c)) \
	F(OBJECT, first_wrong, (.group = &first_wrong_figures, .against = true), \
		if (c->burn.shared->has_wrong) first_wrong_add(v, &c->burn.shared->wrong))
FIGURES(traffic, TRAFFIC_FIGURES, const struct burnin_card *c, const struct card_burn_config *k)

/* Telemetry while it burnt. */

static struct figure_amount amount_seen(const struct field *f, const struct range *x,
	int64_t n)
{
	return (struct figure_amount){ x->n > 0, n, f->scale };
}

#define SEEN_FIGURES(F) \
	F(TEXT, field, ("Telemetry of the card", .hidden = true), f->key) \
	F(AMOUNT, least, ("Lowest", .decimals = 2), amount_seen(f, x, x->least)) \
	F(AMOUNT, most, ("Highest", .decimals = 2), amount_seen(f, x, x->most)) \
	F(AMOUNT, mean, ("Mean", .decimals = 2), \
		amount_seen(f, x, x->n > 0 ? x->sum / (int64_t)x->n : 0))
FIGURES(seen, SEEN_FIGURES, const struct field *f, const struct range *x)

#define THROTTLE_FIGURES(F) F(TEXT, , (), throttle_reason_name(reason))
FIGURES(throttle, THROTTLE_FIGURES, int reason)

/* The test of its memory. */

#define TEST_CHANNEL_FIGURES(F) \
	F(INT, channel, ("Memory channel"), i) \
	MEMORY_COUNT_FIGURES(F, sum.words, sum.wrong) \
	F(INT, events, (), sum.events) \
	F(INT, bytes_verified, (), m->bytes[i]) \
	MEMORY_LANE_FIGURES(F, sum.lane) \
	F(LIST, endpoints, (.group = &port_figures), \
		for (unsigned k = 0; k < MEMORY_PORTS; k++) \
			port_add(v, k, m->tally[i][k].words, m->tally[i][k].wrong)) \
	MEMORY_ERROR_FIGURES(F, &c->memory_errors[BURNIN_BEFORE][i], \
		&c->memory_errors[BURNIN_AFTER][i])
FIGURES(test_channel, TEST_CHANNEL_FIGURES, const struct burnin_card *c, unsigned i,
	const struct card_memory *m, struct card_memory_sum sum)

static void add_test_findings(struct figure_value *to, const struct card_memory *m)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];

	memory_add_findings(to, found, card_memory_judge(m, found));
}

static bool is_test_met(const struct card_burn_config *k, const struct card_memory *m)
{
	struct ledger l = { .asked = { 0 } };

	card_memory_ask(&k->memory, k->memory_left, &l);
	card_memory_count(&k->memory, m, &l);
	return ledger_is_met(&l);
}

#define TEST_FIGURES(F) \
	F(INT, bytes_of_a_channel, ("Memory of a channel (bytes)"), plan->size) \
	F(INT, seed, (.hex = true), plan->seed) \
	F(INT, rounds, (), m->rounds) \
	F(INT, iterations, ("Iterations"), m->iterations) \
	F(BOOL, tested_every_way, (), is_test_met(&c->burn.config, m)) \
	F(INT, bytes_written, ("Written (bytes)"), m->written) \
	F(INT, bytes_read, ("Read (bytes)"), m->read) \
	F(TIME, writing_seconds, (), m->writing) \
	F(TIME, reading_seconds, (), m->reading) \
	MEMORY_KEPT_FIGURES(F, &plan->kept, plan->channels) \
	F(LIST, channels, (.group = &test_channel_figures), \
		for (unsigned i = 0; i < MEMORY_CHANNELS; i++) \
			if (plan->channels >> i & 1) \
				test_channel_add(v, c, i, m, card_memory_sum(m, i))) \
	F(LIST, findings, (.group = &memory_finding_figures, .against = true), \
		add_test_findings(v, m))
FIGURES(test, TEST_FIGURES, const struct burnin_card *c, const struct card_memory_plan *plan,
	const struct card_memory *m)

/* Resets before and after. */

#define CHIP_RESET_FIGURES(F) \
	F(TEXT, verdict, (), reset_verdict_name((enum reset_verdict)r->verdict)) \
	F(TEXT, reason, (.some = true), r->reason) \
	F(TEXT, code, (.some = true), code_word(r->code)) \
	F(TIME, seconds, (.decimals = 1), r->took)
FIGURES(chip_reset, CHIP_RESET_FIGURES, const struct burnin_reset *r)

/* Cores, and their wrong words. */

#define WRONG_FIGURES(F) \
	F(TEXT, operation, (), card_kind_name(w->kind)) \
	F(INT, seed, (.hex = true), w->seed) \
	F(INT, block, (), w->word.block) \
	F(INT, index, (), w->word.word) \
	F(INT, got, (.hex = true), w->word.got) \
	F(INT, want, (.hex = true), w->word.want) \
	F(INT, xor, (.hex = true), w->word.got ^ w->word.want)
FIGURES(wrong, WRONG_FIGURES, const struct card_wrong *w)

#define CORE_FIGURES(F) \
	F(INT, x, (), core->x) \
	F(INT, y, (), core->y) \
	F(TEXT, state, (), burn_core_name(burnin_core_of(c, core, &c->result))) \
	F(INT, blocks, (), burnin_core_blocks(core)) \
	F(INT, errors, (.against = true), core->errors) \
	F(INT, blocks_by_host, (), core->rechecked) \
	F(INT, errors_by_host, (.against = true), core->refuted) \
	F(INT, throttled, (), core->throttled) \
	F(INT, mvmul, (), core->mvmuls) \
	F(INT, cycles, (), core->cycles) \
	F(INT, clock, (), core->clock) \
	F(RATE, mvmul_per_cycle, (.scale = RATE_SCALE), \
		c->burn.config.is_timeless ? 0 : card_judge_rate(core)) \
	F(LIST, mismatches, (.group = &wrong_figures, .against = true), \
		for (size_t i = 0; i < card_wrong_words(core); i++) wrong_add(v, &core->wrong[i]))
FIGURES(core, CORE_FIGURES, const struct burnin_card *c, const struct card_core *core)

/* The card. */

#define BURNIN_CARD_FIGURES(F) \
	F(TEXT, board, ("Board", .merge = FIGURE_EACH), c->series) \
	F(TEXT, firmware, ("Firmware", .some = true, .merge = FIGURE_EACH), c->firmware) \
	F(TEXT, kernel_status, ("Kernel"), KERNEL_STATUS) \
	F(TEXT, kernel_unproven, (), KERNEL_UNPROVEN) \
	F(RATE, mvmul_per_cycle, ("MVMUL per cycle", .scale = RATE_SCALE, .decimals = 3, \
		.merge = FIGURE_LEAST), burnin_card_mvmul(c)) \
	F(RATE, tflops, ("Rate (TFLOP/s)", .scale = RATE_SCALE, .merge = FIGURE_SUM), \
		c->tflops) \
	F(RATE, documented_peak_tflops, ("Documented peak (TFLOP/s)", .scale = RATE_SCALE), \
		card_judge_peak(c->chip, r->cores)) \
	F(BOOL, slow_beside_others, (), burnin_card_is_slow(c)) \
	F(INT, blocks, ("Blocks by the cores"), r->blocks) \
	F(INT, words_verified, ("Words verified", .merge = FIGURE_SUM), r->words) \
	F(INT, blocks_by_host, ("Blocks by the host"), r->rechecked) \
	F(INT, cores_slow, (), r->slow_cores) \
	F(INT, cores_without_true_rate, (), k->is_timeless ? 0 : r->untrue_cores) \
	F(INT, cores_throttled, (), r->throttled_cores) \
	F(INT, rounds, (), s->rounds) \
	F(TIME, load_seconds, (), s->load_ns) \
	F(TIME, run_seconds, ("Load (s)", .decimals = 1), s->run_ns) \
	F(TEXT, power, (), s->power) \
	F(MAP, coverage, (.group = &ledger_figures), ledger_add_all(v, &r->coverage)) \
	F(OBJECT, card_settings, (.group = &setting_figures), setting_add(v, k, s)) \
	F(OBJECT, card_memory, (.group = &traffic_figures), traffic_add(v, c, k)) \
	F(MAP, telemetry, (.group = &seen_figures), \
		for (int i = 0; i < BURNIN_SEEN; i++) \
			seen_add(v, &fields[burnin_seen_fields[i]], &c->seen[i])) \
	F(LIST, clock_held_down_by, (.group = &throttle_figures), \
		for (int i = THROTTLE_NONE + 1; i < THROTTLE_REASONS; i++) \
			if (c->throttles >> i & 1) throttle_add(v, i)) \
	F(OBJECT, memory, (.group = &test_figures), \
		if (k->memory.channels) test_add(v, c, &k->memory, &s->memory)) \
	F(OBJECT, reset_before, (.group = &chip_reset_figures), \
		if (c->reset[BURNIN_BEFORE].verdict) chip_reset_add(v, &c->reset[BURNIN_BEFORE])) \
	F(OBJECT, reset_after, (.group = &chip_reset_figures), \
		if (c->reset[BURNIN_AFTER].verdict) chip_reset_add(v, &c->reset[BURNIN_AFTER])) \
	F(LIST, cores, (.group = &core_figures), \
		for (size_t i = 0; i < r->cores; i++) core_add(v, c, &s->cores[i]))
FIGURES_SHARED(burnin_card, BURNIN_CARD_FIGURES, const struct burnin_card *c,
	const struct card_burn_config *k, const struct card_shared *s, const struct card_result *r)

void burnin_add_card(struct figure_value *to, const struct burnin_card *c)
{
	burnin_card_add(to, c, &c->burn.config, c->burn.shared, &c->result);
}
