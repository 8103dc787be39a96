/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.c - the figures of a burn and of its host, in the report's order.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/file.h"
#include "burnin/kernels/cpu.h"
#include "output/dump_index.h"
#include "output/figure_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Operands and sums of the host's load, so that a reader can make the same again. */
#define OPERANDS "whole numbers of at most 127, six patterns for each worker, by the seed; every " \
	"sum is below 2^24 and exact in float32 in any order"
#define SUMS "float32; a bfloat16 result is rounded once, to nearest even; expected results come " \
	"from the definition with integers, and every word must be equal"

enum { MISMATCHES = 64 };

const char *burnin_op_name(int kind)
{
	return burn_op_name((enum burn_op)(kind / BURN_DTYPES));
}

const char *burnin_dtype_name(int kind)
{
	return burn_dtype_name((enum burn_dtype)(kind % BURN_DTYPES));
}

/* Rates of the host; a burn of memory alone, or one that was stopped early, computed nothing. */
#define RATE_FIGURES(F) \
	F(RATE, gflops, ("Rate (GFLOP/s)", .merge = FIGURE_SUM), r->total) \
	F(RATE, peak_gflops, ("Peak (GFLOP/s)", .merge = FIGURE_SUM), r->peak) \
	F(RATE, peak_percent, ("Of the peak (%)"), figure_percent(r->total, r->peak)) \
	F(TEXT, peak_unknown, ("Why there is no peak"), r->no_peak) \
	F(RATE, memory_gb_per_s, ("Memory (GB/s)", .decimals = 2, .merge = FIGURE_SUM), \
		r->memory_rate[0])
FIGURES(rate, RATE_FIGURES, const struct burn_result *r)

static bool is_host(const struct burnin_target *t)
{
	return t->ran && !t->card;
}

/* The host. */

#define WORK_FIGURES(F) \
	F(TEXT, operation, ("Work"), burnin_op_name(k)) \
	F(TEXT, dtype, ("Type"), burnin_dtype_name(k)) \
	F(TEXT, implementation, ("Implementation"), burn_impl_name(b, k)) \
	F(TEXT, case, (), burn_case_text(b, k, (char[64]){ "" }, 64)) \
	F(INT, blocks, ("Blocks"), r->blocks[k]) \
	F(RATE, gflops, ("Rate (GFLOP/s)"), r->rate[k]) \
	F(RATE, peak_gflops, ("Peak (GFLOP/s)"), r->peaks[k]) \
	F(RATE, peak_percent, ("Of the peak (%)"), figure_percent(r->rate[k], r->peaks[k]))
FIGURES(work, WORK_FIGURES, const struct burn *b, const struct burn_result *r, int k)

#define MEMORY_FIGURES(F) \
	F(INT, bytes, ("Memory to test (bytes)"), b->config.memory) \
	F(INT, bytes_compared, ("Compared (bytes)"), r->memory_bytes) \
	F(INT, passes, ("Passes"), r->memory_passes) \
	F(RATE, in_order_gb_per_s, ("In order (GB/s)", .decimals = 2), r->memory_rate[0]) \
	F(RATE, random_order_gb_per_s, ("At random (GB/s)", .decimals = 2), r->memory_rate[1]) \
	F(RATE, ceiling_gb_per_s, ("One value (GB/s)", .decimals = 2), r->memory_ceiling) \
	F(INT, bytes_swapped_out, ("Swapped out (bytes)"), r->swapped) \
	F(TEXT, not_locked, ("Not locked"), r->unlocked ? strerror(r->unlocked) : NULL) \
	F(RATE, ceiling_percent, ("Of one value (%)"), \
		figure_percent(r->memory_rate[0], r->memory_ceiling)) \
	F(RATE, random_ceiling_percent, (), \
		figure_percent(r->memory_rate[1], r->memory_ceiling)) \
	F(TEXT, ceiling_unknown, ("Why there is no share"), r->no_ceiling)
FIGURES(memory, MEMORY_FIGURES, const struct burn *b, const struct burn_result *r)

/* The place of a wrong word in memory, and the type of a wrong result. */
#define PLACE_FIGURES(F) \
	F(INT, address, ("Address", .hex = true), x->address) \
	F(INT, physical, ("Physical", .hex = true, .some = true), x->physical)
FIGURES(place, PLACE_FIGURES, const struct burn_error *x)

#define TYPE_FIGURES(F) F(TEXT, dtype, ("Type"), burnin_dtype_name(x->kind))
FIGURES(type, TYPE_FIGURES, const struct burn_error *x)

/* Of a word that was right when it was read again nobody knows which it was. */
#define WORD_FIGURES(F) \
	F(INT, index, ("Index"), x->index) \
	F(INT, got, ("Got", .hex = true), x->got) \
	F(INT, want, ("Want", .hex = true), x->want) \
	F(INT, xor, (.hex = true), x->got ^ x->want)
FIGURES(word, WORD_FIGURES, const struct burn_error *x)

#define MISMATCH_FIGURES(F) \
	F(TEXT, operation, ("Wrong word in"), \
		x->kind == BURN_MEMORY ? "memory" : burnin_op_name(x->kind)) \
	F(PART, place, (.group = &place_figures), if (x->kind == BURN_MEMORY) place_add(v, x)) \
	F(PART, type, (.group = &type_figures), if (x->kind != BURN_MEMORY) type_add(v, x)) \
	F(TEXT, implementation, (), burn_error_impl(x)) \
	F(TEXT, pattern, (), burn_error_pattern(x)) \
	F(TEXT, what, ("What"), burn_what_name(x->what)) \
	F(INT, thread, ("Thread"), x->thread) \
	F(INT, cpu, ("CPU"), x->cpu) \
	F(PART, word, (.group = &word_figures), if (x->got != x->want) word_add(v, x)) \
	F(TIME, seconds, ("After (s)", .decimals = 3), x->at)
FIGURES(mismatch, MISMATCH_FIGURES, const struct burn_error *x)

static void add_mismatches(struct figure_value *to, const struct burn *b)
{
	const uint32_t n = burn_error_places(b);
	struct burn_error x;

	for (uint32_t i = 0; i < n && to->n_nodes < MISMATCHES; i++)
		if (burn_error(b, i, &x))
			mismatch_add(to, &x);
}

#define HOST_FIGURES(F) \
	F(INT, seed, (.hex = true), b->config.seed) \
	F(TEXT, operands, ("Operands"), OPERANDS) \
	F(TEXT, accumulation, ("Sums"), SUMS) \
	F(RATE, processor_share_percent, ("Processor share (%)"), 100 * r->share) \
	F(RATE, slowest_thread_gflops, (), r->rate_of_worker[0]) \
	F(RATE, fastest_thread_gflops, (), r->rate_of_worker[1]) \
	F(INT, rounds, (), r->rounds) \
	F(INT, words_verified, ("Words verified"), r->words) \
	F(INT, checksums_verified, ("Checksums verified"), r->sums) \
	F(LIST, work, (.group = &work_figures), \
		for (int k = 0; k < BURN_KINDS; k++) \
			if (b->config.kinds[k]) work_add(v, b, r, k)) \
	F(OBJECT, memory, (.group = &memory_figures), \
		if (b->config.memory) memory_add(v, b, r); else figure_leave_out(v)) \
	F(MAP, coverage, (.group = &ledger_figures), ledger_add_all(v, &r->ledger)) \
	F(LIST, mismatches, (.group = &mismatch_figures, .against = true), add_mismatches(v, b))
FIGURES(host, HOST_FIGURES, const struct burn *b, const struct burn_result *r)

/* All targets. */

static void add_host_rates(struct figure_value *to, const struct burnin_target *t)
{
	static const struct burn_result none;

	rate_add(to, is_host(t) ? &t->result : &none);
}

#define TARGET_FIGURES(F) \
	F(TEXT, target, ("Target", .merge = FIGURE_EACH), t->name) \
	F(TEXT, verdict, ("Verdict", .merge = FIGURE_EACH), \
		verdict_word(t->result.verdict)) \
	F(TEXT, reason, ("Reason", .some = true, .merge = FIGURE_EACH), t->result.reason) \
	F(TEXT, code, (.some = true, .merge = FIGURE_EACH), code_word(t->result.code)) \
	F(TEXT, next, (.some = true, .later = true), t->next.text) \
	F(TEXT, action, (.later = true), action_name(t->next.action)) \
	F(TEXT, second_chip_not_burnt, ("Second chip, not burnt", .some = true, \
		.merge = FIGURE_EACH), t->second) \
	F(PART, rates, (.group = &rate_figures), add_host_rates(v, t)) \
	F(INT, errors, ("Wrong words", .place = true, .against = true, .merge = FIGURE_SUM), \
		t->ran ? (int64_t)t->result.errors : -1) \
	F(PART, host, (.group = &host_figures), if (is_host(t)) host_add(v, f->burn, &t->result)) \
	F(PART, card, (.group = &burnin_card_figures), \
		if (t->ran && t->card) burnin_add_card(v, t->card))
FIGURES_SHARED(burnin_target, TARGET_FIGURES, const struct burnin_facts *f,
	const struct burnin_target *t)

/* The machine's own sensors, and the limits at which the load would have been ended. */

static struct figure_amount sensor_amount(bool known, const struct sensor *x, int64_t n)
{
	return (struct figure_amount){ known, n, sensor_scale(x) };
}

#define SENSOR_FIGURES(F) \
	F(TEXT, sensor, ("Sensor of the host"), x->name) \
	F(TEXT, unit, ("Unit"), sensor_unit(x)) \
	F(AMOUNT, least, ("Lowest", .decimals = 1), sensor_amount(x->time > 0, x, x->least)) \
	F(AMOUNT, most, ("Highest", .decimals = 1), sensor_amount(x->time > 0, x, x->most)) \
	F(AMOUNT, limit, ("Limit", .decimals = 1), sensor_amount(x->has_limit, x, x->limit)) \
	F(BOOL, known_at_end, (), x->state == READING_OK)
FIGURES(sensor, SENSOR_FIGURES, const struct sensor *x)

#define RULE_FIGURES(F) \
	F(TEXT, rule, ("Limit that ends a burn"), r->text) \
	F(BOOL, applied, ("Watched"), r->applied)
FIGURES(rule, RULE_FIGURES, const struct stop_rule *r)

/* The run, with everything that is needed to run it again. */

#define THREAD_FIGURES(F) \
	F(INT, threads, ("Threads"), c->threads) \
	F(INT, processors, (), sysconf(_SC_NPROCESSORS_ONLN)) \
	F(INT, processors_burnt, (), burn_processors(c)) \
	F(INT, seed, ("Seed", .hex = true, .typed = true), c->seed)
FIGURES(thread, THREAD_FIGURES, const struct burn_config *c)

static const char *dtypes_of(const struct burnin_facts *f, const struct options *o)
{
	return !f->computes ? NULL : o->given[OPT_DTYPE] ? o->given[OPT_DTYPE] :
		f->burn ? "float32,bfloat16" : "bfloat16";
}

#define SETTING_FIGURES(F) \
	F(TIME, duration, (.some = true), f->duration) \
	F(INT, iterations, (.some = true), o->iterations) \
	F(PART, threads, (.group = &thread_figures), if (f->burn) thread_add(v, &f->burn->config)) \
	F(TEXT, workload, (), o->given[OPT_WORKLOAD] ? o->given[OPT_WORKLOAD] : "conv,matmul") \
	F(TEXT, dtype, (), dtypes_of(f, o)) \
	F(TEXT, pattern, (), load_pattern_names[o->pattern]) \
	F(BOOL, stop_on_error, (), o->stop_on_error)
FIGURES(setting, SETTING_FIGURES, const struct burnin_facts *f, const struct options *o)

/* Add the rates of the host, if one of the targets is the host. */
static void add_rates(struct figure_value *to, const struct burnin_facts *f)
{
	static const struct burnin_target none;
	size_t i = 0;

	while (i < f->n_targets && !is_host(&f->targets[i]))
		i++;
	add_host_rates(to, i < f->n_targets ? &f->targets[i] : &none);
}

/* Wrong words of all targets; -1 if none ran. */
static int64_t count_errors(const struct burnin_facts *f)
{
	bool any = false;
	int64_t n = 0;

	for (size_t i = 0; i < f->n_targets; i++) {
		any = any || f->targets[i].ran;
		n += (int64_t)f->targets[i].result.errors;
	}
	return any ? n : -1;
}

/* The node's name in the scheduler, else the machine's; several nodes may be on one machine. */
static const char *host_of(const struct options *o, const struct utsname *u)
{
	const char *node = getenv("SLURMD_NODENAME");

	return o->external ? NULL : node && *node ? node : u->nodename;
}

#define BURNIN_FIGURES(F) \
	F(TEXT, verdict, ("Verdict"), verdict_word(f->verdict)) \
	F(INT, exit_code, (), f->exit) \
	F(PART, rates, (.group = &rate_figures), add_rates(v, f)) \
	F(INT, errors, ("Wrong words", .place = true, .against = true, .merge = FIGURE_SUM), \
		count_errors(f)) \
	F(TEXT, version, ("Version", .merge = FIGURE_SAME), PACKAGE_VERSION) \
	F(TEXT, host, ("Host"), host_of(f->o, u)) \
	F(TEXT, job, ("Job", .merge = FIGURE_SAME), getenv("SLURM_JOB_ID")) \
	F(TEXT, begun, ("Begun", .merge = FIGURE_LEAST), \
		clock_iso_utc(f->begun, (char[40]){ "" }, 40)) \
	F(TIME, seconds, ("Duration (s)", .decimals = 1, .merge = FIGURE_LEAST), f->took) \
	F(TIME, seconds_before, (), f->before) \
	F(INT, runs_before, (), f->runs_before) \
	F(TIME, clock_moved_seconds, (), f->clock_step) \
	F(TIME, rested_seconds, (), f->paused) \
	F(TIME, stopped_seconds, (), f->stopped) \
	F(TIME, stood_seconds, (), f->stood) \
	F(TEXT, command, ("To run it again"), again) \
	F(TEXT, dump, (), f->dump) \
	F(OBJECT, settings, (.group = &setting_figures), setting_add(v, f, f->o)) \
	F(TEXT, machine, (), u->machine) \
	F(TEXT, kernel, ("Kernel", .merge = FIGURE_SAME), u->release) \
	F(TEXT, cpu_features, ("Processor features"), \
		cpu_feature_names(cpu_features(), (char[160]){ "" }, 160)) \
	F(TEXT, cpu_level, (), cpu_level()) \
	F(LIST, host_sensors, (.group = &sensor_figures), \
		for (size_t i = 0; f->sensors && i < f->sensors->n; i++) \
			sensor_add(v, &f->sensors->s[i])) \
	F(LIST, stop_rules, (.group = &rule_figures), \
		for (size_t i = 0; i < f->n_rules; i++) rule_add(v, &f->rules[i])) \
	F(LIST, targets, (.group = &burnin_target_figures), \
		for (size_t i = 0; i < f->n_targets; i++) burnin_target_add(v, f, &f->targets[i]))
FIGURES_SHARED(burnin, BURNIN_FIGURES, const struct burnin_facts *f, const char *again,
	const struct utsname *u)

void burnin_figures_take(struct figures *to, const struct burnin_facts *f)
{
	struct figure_value all = { .nodes = NULL };
	struct strbuf again = { 0 };
	struct utsname u = { 0 };

	uname(&u);
	options_put_again(&again, f->o);
	burnin_add(&all, f, again.text, &u);
	*to = figures_take(&all);
	strbuf_clear(&again);
}

int burnin_report_text(const char *path, char **text, size_t *len, struct error *e)
{
	return file_read_all(path, JSON_MOST, text, len, e);
}

bool burnin_figures_read(struct figures *to, const char *dir)
{
	struct json *report;
	char path[4300], *text;
	struct error e;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, dir);
	if (burnin_report_text(path, &text, &len, &e) < 0)
		return false;
	err = json_parse(text, len, &report, &e);
	free(text);
	if (err < 0)
		return false;
	figures_read_json(to, &burnin_figures, report);
	json_free(report);
	return true;
}
