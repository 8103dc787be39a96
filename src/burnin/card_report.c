/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_report.c - what the burn of a card and the test of its memory found: as figures, all that
 * the first run on a chip should send back; and in words, at the end and as its page's numbers.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/text.h"
#include "burnin/cores/card_burn.h"
#include "burnin/cores/card_round.h"
#include "burnin/memory/card_check.h"
#include "device/kind.h"
#include "reset/reset.h"
#include "src/burnin/cards.h"
#include "ui/burn.h"

#include <inttypes.h>
#include <stdio.h>

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
	if (atomic_load(&core->errors) || atomic_load(&core->refuted) ||
		core == card_gather_misreader(c->burn.shared) ||
		atomic_load(&core->is_suspect))
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
#define CARD_OPERANDS "whole numbers to 255 of either sign, by the seed of the round, times a " \
	"power of two for each channel; every sum is below 2^24 of its units"
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

#define SETTING_FIGURES(F) \
	F(INT, seed, ("Seed", .hex = true, .typed = true), k->seed) \
	F(TEXT, dtype, ("Type"), card_kinds_count(k) > 0 ? "bfloat16" : NULL) \
	F(TEXT, operands, ("Operands"), \
		card_kinds_count(k) > 0 ? CARD_OPERANDS : CARD_OPERANDS_MEMORY) \
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

/* The cores' memory (L1), as far as other cores wrote it. */

#define SPARE_WRONG_FIGURES(F) \
	F(INT, x, (), w->x) \
	F(INT, y, (), w->y) \
	F(INT, writer_x, (), w->by_x) \
	F(INT, writer_y, (), w->by_y) \
	F(INT, address, (.hex = true), w->word.at) \
	F(INT, got, (.hex = true), w->word.got) \
	F(INT, want, (.hex = true), w->word.want) \
	F(BOOL, kept_for_host, (), w->is_kept)
FIGURES(spare_wrong, SPARE_WRONG_FIGURES, const struct card_spare_wrong *w)

#define L1_FIGURES(F) \
	F(INT, bytes_of_a_core, (), s->tile_memory) \
	F(INT, bytes_exchanged, (), s->spare) \
	F(INT, bytes_toggled, (.merge = FIGURE_LEAST), r->toggled) \
	F(INT, cores_toggled, (), r->walked_cores) \
	F(INT, words_written, (.merge = FIGURE_SUM), r->exchanged / 2) \
	F(INT, words_wrong, (.against = true), r->spare_errors) \
	F(OBJECT, first_wrong, (.group = &spare_wrong_figures, .against = true), \
		if (s->has_spare_wrong) spare_wrong_add(v, &s->spare_wrong))
FIGURES(l1, L1_FIGURES, const struct card_shared *s, const struct card_result *r)

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
	F(INT, misread, ("Right when read again", .against = true, .later = true), sum.misread) \
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
	F(TEXT, verdict, (), reset_verdict_name(r->verdict)) \
	F(TEXT, reason, (.some = true), r->reason) \
	F(TEXT, code, (.some = true), code_word(r->code)) \
	F(TIME, seconds, (.decimals = 1), r->took)
FIGURES(chip_reset, CHIP_RESET_FIGURES, const struct reset_card *r)

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
	F(TEXT, state, (), burn_cores[burnin_core_of(c, core, &c->result)].name) \
	F(INT, blocks, (), burnin_core_blocks(core)) \
	F(INT, errors, (.against = true), core->errors) \
	F(INT, blocks_by_host, (), core->rechecked) \
	F(INT, errors_by_host, (.against = true), core->refuted) \
	F(INT, l1_bytes_toggled, (.later = true), core->toggled) \
	F(INT, l1_words_wrong, (.against = true, .later = true), core->spare_errors) \
	F(INT, throttled, (), core->throttled) \
	F(INT, mvmul, (), core->mvmuls) \
	F(INT, cycles, (), core->cycles) \
	F(INT, clock, (), core->clock) \
	F(RATE, mvmul_per_cycle, (.scale = RATE_SCALE), \
		c->burn.config.is_timeless ? 0 : card_judge_rate(core)) \
	F(LIST, mismatches, (.group = &wrong_figures, .against = true), \
		for (size_t i = 0; i < card_wrong_words(core); i++) wrong_add(v, &core->wrong[i]))
FIGURES(core, CORE_FIGURES, const struct burnin_card *c, const struct card_core *core)

/* The first round with wrong words, tried again: whether the fault belongs to its cores. */

static const char *retry_result(const struct card_retry *t)
{
	return t->others ? "repeats-elsewhere" : t->again ? "repeats" : "does-not-repeat";
}

#define RETRY_FIGURES(F) \
	F(TEXT, result, (), retry_result(t)) \
	F(INT, seed, (.hex = true), t->seed) \
	F(INT, cores_wrong, (), t->wrong) \
	F(INT, cores_wrong_again, (), t->again) \
	F(INT, other_cores_wrong, (), t->others)
FIGURES(retry, RETRY_FIGURES, const struct card_retry *t)

/* What earlier burns found on its cores. */

enum { FIND_TIME = 64 };

#define FIND_FIGURES(F) \
	F(INT, x, (), find->x) \
	F(INT, y, (), find->y) \
	F(INT, words_wrong, (), find->words) \
	F(INT, burns_with_faults, (), find->burns) \
	F(INT, burns_without_since, (), find->clean) \
	F(TEXT, last, (.some = true), clock_iso_utc(find->last, text, FIND_TIME)) \
	F(AMOUNT, degrees_then, (.decimals = 1), \
		(struct figure_amount){ find->degrees > 0, find->degrees, 1000 })
FIGURES(find, FIND_FIGURES, const struct burnin_find *find, char text[static FIND_TIME])

static void add_finds(struct figure_value *to, const struct burnin_card *c)
{
	char text[FIND_TIME];

	for (size_t i = 0; i < c->n_before; i++)
		find_add(to, &c->before[i], text);
}

/* The bits of its data that were both 0 and 1, and those that were not. */

static const struct {
	const char *name;
	int width;
} parts[CARD_PARTS] = {
	[CARD_WEIGHTS] = { "weights", 16 }, [CARD_INPUTS] = { "inputs", 16 },
	[CARD_RESULTS] = { "results", 32 }
};

static uint32_t bits_toggled(const struct burnin_card *c, int part)
{
	const struct card_bits *b = &c->burn.shared->bits[part];

	return atomic_load(&b->zeros) & atomic_load(&b->ones);
}

#define TOGGLED_FIGURES(F) \
	F(TEXT, item, (.hidden = true), parts[i].name) \
	F(INT, toggled, (), __builtin_popcount(bits)) \
	F(INT, width, (), parts[i].width) \
	F(INT, never, (.hex = true), ~bits & UINT32_MAX >> (32 - parts[i].width))
FIGURES(toggled, TOGGLED_FIGURES, int i, uint32_t bits)

static void add_toggled(struct figure_value *to, const struct burnin_card *c)
{
	for (int i = 0; i < CARD_PARTS; i++)
		toggled_add(to, i, bits_toggled(c, i));
}

void burnin_card_put_toggled(struct strbuf *to, const struct burnin_card *c)
{
	for (int i = 0; i < CARD_PARTS; i++) {
		const uint32_t bits = bits_toggled(c, i);
		const uint32_t never = ~bits & UINT32_MAX >> (32 - parts[i].width);

		strbuf_printf(to, "%s%s %d of %d", i ? ", " : "bits toggled: ", parts[i].name,
			__builtin_popcount(bits), parts[i].width);
		if (never)
			strbuf_printf(to, " (never 0x%x)", never);
	}
}

/* The card. */

static struct figure_amount growth_amount(const struct burnin_card *c, int64_t n)
{
	return (struct figure_amount){ c->growth.known, n, 1 };
}

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
	F(AMOUNT, gddr_corrected_errors, ("Corrected memory errors"), \
		growth_amount(c, c->growth.corrected)) \
	F(AMOUNT, gddr_uncorrected_channels, ("Channels with uncorrected errors", \
		.against = true), \
		growth_amount(c, __builtin_popcount(c->growth.uncorrected))) \
	F(OBJECT, retry, (.group = &retry_figures), \
		if (s->retry.is_done) retry_add(v, &s->retry); else figure_leave_out(v)) \
	F(LIST, found_before, (.group = &find_figures), add_finds(v, c)) \
	F(MAP, coverage, (.group = &ledger_figures), ledger_add_all(v, &r->coverage)) \
	F(MAP, bits_toggled, (.group = &toggled_figures, .later = true), \
		if (burnin_card_computes(c)) add_toggled(v, c)) \
	F(OBJECT, card_settings, (.group = &setting_figures), setting_add(v, k, s)) \
	F(OBJECT, card_memory, (.group = &traffic_figures), traffic_add(v, c, k)) \
	F(OBJECT, l1, (.group = &l1_figures, .later = true), \
		if (r->exchanged > 0) l1_add(v, s, r)) \
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

/* In words. */

enum { WRONG_WORDS = 8 };	/* the most that are named */

double burnin_mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

const char *burnin_percent(double rate, double peak, char text[static BURNIN_PERCENT])
{
	const double percent = figure_percent(rate, peak);

	if (percent > 0)
		snprintf(text, BURNIN_PERCENT, "%.1f", percent);
	return percent > 0 ? text : "-";
}

void burnin_card_put_l1(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_result *r = &c->result;
	const struct card_shared *s = c->burn.shared;

	strbuf_printf(to, "L1 that other cores wrote, each bit as 0 and as 1: at least %.1f %% of "
		"each core, and all that is spare (%.1f %%) on %zu of %zu core%s",
		figure_percent(r->toggled, s->tile_memory),
		figure_percent(s->spare, s->tile_memory), r->walked_cores, r->cores,
		text_plural(r->cores));
}

double burnin_gb_per_s(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes / (double)ns : 0;
}

bool burnin_card_computes(const struct burnin_card *c)
{
	return card_kinds_count(&c->burn.config) > 0 && !c->burn.config.computes_nothing;
}

bool burnin_card_is_tested(const struct burnin_card *c)
{
	return c->burn.config.memory.channels && !c->burn.config.computes_nothing;
}

/* The slowest and the fastest core. */
static void put_extremes(struct strbuf *to, const struct burnin_card *c)
{
	for (int i = 0; i < 2; i++) {
		const struct card_core *core = &c->burn.shared->cores[c->result.core[i]];

		strbuf_printf(to, "%score %u-%u %.4f", i ? ", " : "", core->x, core->y,
			c->result.rate_of[i]);
	}
	strbuf_putc(to, '\n');
}

/* A line with its telemetry while it burnt, if any is known. */
static void put_seen(struct strbuf *to, const struct burnin_card *c, const char *before)
{
	const size_t from = to->len;

	for (int k = 0; k < BURNIN_SEEN; k++) {
		const struct field *f = &fields[burnin_seen_fields[k]];
		const struct range *x = &c->seen[k];

		if (x->n > 0)
			strbuf_printf(to, "%s%s %.*f to %.*f %s", to->len > from ? ", " : before,
				f->brief, f->decimals, (double)x->least / f->scale, f->decimals,
				(double)x->most / f->scale, f->unit);
	}
	if (to->len > from)
		strbuf_putc(to, '\n');
}

/* The first wrong words; with_bits: with all that makes the same operands again. */
static void put_wrong(struct strbuf *to, const struct burnin_card *c, bool with_bits)
{
	size_t n = 0;

	for (size_t i = 0; i < c->result.cores; i++) {
		const struct card_core *core = &c->burn.shared->cores[i];

		for (uint32_t k = 0; k < card_wrong_words(core) && n < WRONG_WORDS; k++, n++) {
			const struct card_wrong *w = &core->wrong[k];

			strbuf_printf(to, "%score %u-%u, %s", with_bits ? "  " : "", core->x,
				core->y, card_kind_name(w->kind));
			if (with_bits)
				strbuf_printf(to, " with seed %" PRIu64, w->seed);
			strbuf_printf(to, ": block %u, word %u is 0x%08x, not 0x%08x",
				w->word.block, w->word.word, w->word.got, w->word.want);
			if (with_bits)
				strbuf_printf(to, " (bits 0x%08x)", w->word.got ^ w->word.want);
			strbuf_putc(to, '\n');
		}
	}
}

static void put_retry(struct strbuf *to, const struct card_retry *t)
{
	if (!t->is_done)
		return;
	strbuf_printf(to, "  tried again with seed %" PRIu64 ": ", t->seed);
	if (t->again == 0 && t->others == 0)
		strbuf_puts(to, "no core was wrong: it does not repeat\n");
	else
		strbuf_printf(to, "wrong again on %u of %u core%s, and on %u other%s\n", t->again,
			t->wrong, text_plural(t->wrong), t->others, text_plural(t->others));
}

static void put_kept(struct strbuf *to, const char *before, const struct memory_kept *kept,
	uint32_t channels)
{
	char text[160];

	if (memory_kept_text(kept, channels, text, sizeof(text)))
		strbuf_printf(to, "%s%s: the memory controller's firmware uses it\n", before, text);
}

static void put_findings(struct strbuf *to, const struct burnin_card *c, const char *before)
{
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
	char text[200];

	if (c->burn.config.memory.channels == 0)
		return;
	for (size_t i = 0, n = card_memory_judge(&c->burn.shared->memory, found); i < n; i++)
		strbuf_printf(to, "%s%s\n", before, memory_finding_text(&found[i], text,
			sizeof(text)));
}

/* The numbers of its page. */

void burnin_card_put_numbers(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_shared *s = c->burn.shared;
	const struct card_result *r = &c->result;
	const double peak = card_judge_peak(c->chip, r->cores);

	if (burnin_card_mvmul(c) > 0) {
		strbuf_printf(to, "MVMUL per cycle|%.4f\nslowest, fastest|", burnin_card_mvmul(c));
		put_extremes(to, c);
	}
	if (figure_percent(c->tflops, peak) > 0)
		strbuf_printf(to, "matrix units|%.1f TFLOP/s, %.1f %% of %.1f\n", c->tflops,
			figure_percent(c->tflops, peak), peak);
	else if (c->tflops > 0)
		strbuf_printf(to, "matrix units|%.1f TFLOP/s\n", c->tflops);
	if (burnin_card_computes(c))
		strbuf_printf(to, "blocks compared|%" PRIu64 ", %" PRIu64 " again by the host\n",
			r->blocks, r->rechecked);
	if (r->words > 0)
		strbuf_printf(to, "words compared|%" PRIu64 "\n", r->words);
	if (burnin_card_computes(c))
		strbuf_printf(to, "wrong words|%" PRIu64 "\n", r->wrong);
	if (r->slow_cores > 0)
		strbuf_printf(to, "slow cores|%zu\n", r->slow_cores);
	if (s->rounds > 0)
		strbuf_printf(to, "rounds|%" PRIu64 "\n", s->rounds);
	if (r->memory_words > 0)
		strbuf_printf(to, "memory read|%.1f MiB\n", burnin_mib(4 * r->memory_words));
	strbuf_printf(to, "power|%s\n", s->power);
	for (unsigned i = 0; i < MEMORY_CHANNELS; i++) {
		const struct card_memory_sum sum = card_memory_sum(&s->memory, i);

		if (c->burn.config.memory.channels >> i & 1)
			strbuf_printf(to, "channel %u|%" PRIu64 " words, %" PRIu64 " wrong\n", i,
				sum.words, sum.wrong);
	}
	put_seen(to, c, "so far|");
	put_findings(to, c, "");
	put_wrong(to, c, false);
}

/* The end. */

static void put_channel(struct strbuf *to, const struct burnin_card *c, unsigned i)
{
	const struct card_memory_sum sum = card_memory_sum(&c->burn.shared->memory, i);
	const struct memory_errors *before = &c->memory_errors[BURNIN_BEFORE][i];
	const struct memory_errors *after = &c->memory_errors[BURNIN_AFTER][i];
	const bool uncorrected = after->uncorrected[0] || after->uncorrected[1];

	strbuf_printf(to, "  channel %u  ", i);
	for (unsigned k = 0; k < MEMORY_LANES; k++)
		strbuf_putc(to, burn_cores[burnin_lane_of(&sum, k)].letter);
	strbuf_printf(to, "  %" PRIu64 " words, %" PRIu64 " wrong", sum.words, sum.wrong);
	if (sum.misread > 0)
		strbuf_printf(to, ", %" PRIu64 " right when read again", sum.misread);
	if (sum.events > 0)
		strbuf_printf(to, " in %" PRIu64 " event%s", sum.events, text_plural(sum.events));
	if (before->known && after->known && (uncorrected || after->corrected[0] ||
		after->corrected[1]))
		strbuf_printf(to, ", corrected by itself %u, %u read and %u, %u written%s",
			before->corrected[0], after->corrected[0], before->corrected[1],
			after->corrected[1], uncorrected ? ", uncorrected errors" : "");
	strbuf_putc(to, '\n');
}

/* The test of its memory by the host. */
static void put_test(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_memory_plan *plan = &c->burn.config.memory;
	const struct card_memory *m = &c->burn.shared->memory;

	if (burnin_card_is_tested(c)) {
		strbuf_printf(to, "%d %s: memory: %" PRIu64 " round%s of a pattern and an endpoint "
			"that writes, %.1f MiB written at %.3f GB/s, %.1f MiB read at %.3f GB/s\n"
			"  memory channels, byte lanes 0 to 3: + well, X wrong, ? nothing done\n",
			c->index, c->series, m->rounds, text_plural(m->rounds),
			burnin_mib(m->written), burnin_gb_per_s(m->written, m->writing),
			burnin_mib(m->read), burnin_gb_per_s(m->read, m->reading));
		for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
			if (plan->channels >> i & 1)
				put_channel(to, c, i);
	}
	put_kept(to, "  not tested: ", &plan->kept, plan->channels);
	put_findings(to, c, "  ");
}

/* The work of its cores, and their reads of its memory. */
static void put_cores(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_burn_config *k = &c->burn.config;
	const struct card_shared *s = c->burn.shared;
	const struct card_result *r = &c->result;

	if (burnin_card_computes(c))
		strbuf_printf(to, "%d %s: %zu core%s, %" PRIu64 " round%s, power %s, loaded in "
			"%.1f s at most, %.1f s of load\n"
			"  %" PRIu64 " blocks with %" PRIu64 " words compared by the cores, "
			"%" PRIu64 " blocks again by the host; %" PRIu64 " word%s wrong in all\n",
			c->index, c->series, r->cores, text_plural(r->cores), s->rounds,
			text_plural(s->rounds), s->power, (double)s->load_ns / CLOCK_SECOND,
			(double)s->run_ns / CLOCK_SECOND, r->blocks, r->words, r->rechecked,
			r->wrong, text_plural(r->wrong));
	if (r->blocks > 0) {
		strbuf_puts(to, "  ");
		burnin_card_put_toggled(to, c);
		strbuf_putc(to, '\n');
	}
	if (r->memory_words > 0) {
		strbuf_printf(to, "  %.1f MiB of the card's memory read and compared by the cores "
			"while their matrix units made %" PRIu64 " products, %" PRIu64 " wrong; "
			"operands came from it %" PRIu64 " times\n",
			burnin_mib(4 * r->memory_words), r->mvmuls, r->memory_errors, s->reloads);
		put_kept(to, "  not read by them: ", &k->kept, k->channels);
	}
	if (r->exchanged > 0) {
		strbuf_puts(to, "  ");
		burnin_card_put_l1(to, c);
		strbuf_putc(to, '\n');
	}
	if (*k->not_reloaded)
		strbuf_printf(to, "  operands did not come from the card's memory: %s\n",
			k->not_reloaded);
}

static void put_rates(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_result *r = &c->result;
	const double peak = card_judge_peak(c->chip, r->cores);
	char percent[BURNIN_PERCENT];

	if (c->burn.config.is_timeless && (r->rate > 0 || r->untrue_cores > 0))
		strbuf_puts(to, "  no rate: the simulator has no real clock\n");
	else if (r->untrue_cores > 0)
		strbuf_printf(to, "  - MVMUL per cycle of %zu core%s: by their counters more than "
			"one, which cannot be\n", r->untrue_cores, text_plural(r->untrue_cores));
	if (burnin_card_mvmul(c) > 0) {
		strbuf_printf(to, "  %.4f MVMUL per cycle and core; ", burnin_card_mvmul(c));
		put_extremes(to, c);
	}
	if (c->tflops > 0 && peak > 0)
		strbuf_printf(to, "  %.1f TFLOP/s of the matrix units, %s %% of the documented "
			"%.1f (at one phase of fidelity)\n", c->tflops,
			burnin_percent(c->tflops, peak, percent), peak);
	if (burnin_card_is_slow(c))
		strbuf_printf(to, "  %.3f TFLOP/s a core, below 95 %% of the %.3f of cards of its "
			"kind\n", burnin_card_per_core(c), c->median);
	if (r->slow_cores > 0)
		strbuf_printf(to, "  %zu core%s below 95 %% of the median of %.4f\n",
			r->slow_cores, text_plural(r->slow_cores), r->median);
}

/* Draw the cores where they are on the chip, a letter each. */
static void put_map(struct strbuf *to, const struct burnin_card *c)
{
	static struct ui_burn_chip map;

	burnin_fill_map(c, &c->result, &map);
	strbuf_printf(to, "  cores, columns %u to %u: + well, - slow, X wrong, O stood still, "
		"? nothing done, . switched off\n", map.first, map.first + (unsigned)map.w - 1);
	for (int y = 0; y < map.h; y++) {
		strbuf_printf(to, "  row %2u  ", map.rows[y]);
		for (int x = 0; x < map.w; x++)
			strbuf_putc(to, burn_cores[map.map[y * map.w + x]].letter);
		strbuf_putc(to, '\n');
	}
}

void burnin_card_put(struct strbuf *to, const struct burnin_card *c)
{
	const struct card_result *r = &c->result;
	char name[64] = "  ";

	put_test(to, c);
	put_cores(to, c);
	put_rates(to, c);
	if (!burnin_card_computes(c) && !burnin_card_is_tested(c))
		snprintf(name, sizeof(name), "%d %s: ", c->index, c->series);
	put_seen(to, c, name);
	for (int i = THROTTLE_NONE + 1; i < THROTTLE_REASONS; i++)
		if (c->throttles >> i & 1)
			strbuf_printf(to, "  its clock was held down by: %s\n",
				throttle_reason_name(i));
	if (r->throttled > 0)
		strbuf_printf(to, "  The firmware asked for less power: %" PRIu64 " rests on %zu "
			"core%s\n", r->throttled, r->throttled_cores,
			text_plural(r->throttled_cores));
	put_wrong(to, c, true);
	put_retry(to, &c->burn.shared->retry);
	if (r->cores > 0)
		put_map(to, c);
}
