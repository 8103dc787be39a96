/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/report.h"

#include "base/array.h"
#include "base/clock.h"
#include "burnin/kernels/cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { REPORTED = 64 };	/* mismatches */

/* Of the host's load; a card has its own. */
static const struct burnin_rules host_rules = {
	"whole numbers of at most 127, six patterns for each worker, by the seed; every sum is "
		"below 2^24 and exact in float32 in any order",
	"float32; a bfloat16 result is rounded once, to nearest even; expected results come from "
		"the definition with integers, and every word must be equal"
};

void burnin_report_put_rules(struct json_out *j, const struct burnin_rules *rules)
{
	json_text(j, "operands", rules->operands);
	json_text(j, "accumulation", rules->sums);
}

static void put_error(struct json_out *j, const struct burn_error *x)
{
	json_begin(j, NULL, '{');
	if (x->kind == BURN_MEMORY) {
		json_text(j, "operation", "memory");
		json_hex(j, "address", x->address);
		if (x->physical)
			json_hex(j, "physical", x->physical);
		else
			json_null(j, "physical");
	} else {
		json_text(j, "operation", burn_op_name((enum burn_op)(x->kind / BURN_DTYPES)));
		json_text(j, "dtype", burn_dtype_name((enum burn_dtype)(x->kind % BURN_DTYPES)));
	}
	json_text(j, "implementation", burn_error_impl(x));
	json_text(j, "pattern", burn_error_pattern(x));
	json_text(j, "what", burn_what_name(x->what));
	json_int(j, "thread", x->thread);
	json_int(j, "cpu", x->cpu);
	json_int(j, "index", (int64_t)x->index);
	json_hex(j, "got", x->got);
	json_hex(j, "want", x->want);
	json_hex(j, "xor", x->got ^ x->want);
	json_decimal(j, "seconds", x->at, CLOCK_SECOND);
	json_end(j, '}');
}

static void put_known(struct json_out *j, const char *key, double v, bool known)
{
	if (known)
		json_decimal(j, key, (int64_t)(v * 1000 + 0.5), 1000);
	else
		json_null(j, key);
}

/* NULL: nothing was burnt. */
static void put_rates(struct json_out *j, const struct burn_result *r)
{
	if (!r) {
		json_null(j, "gflops");
		json_null(j, "peak_gflops");
		json_null(j, "peak_percent");
		json_null(j, "memory_gb_per_s");
		return;
	}
	/* A burn of memory alone, or one that was stopped early, has computed nothing. */
	put_known(j, "gflops", r->total, r->total > 0);
	put_known(j, "peak_gflops", r->peak, r->peak > 0);
	put_known(j, "peak_percent", r->peak > 0 ? 100 * r->total / r->peak : 0,
		r->total > 0 && r->peak > 0);
	put_known(j, "memory_gb_per_s", r->memory_rate[0], r->memory_rate[0] > 0);
}

/* Of all targets that ran. */
static void put_errors(struct json_out *j, const struct burnin_facts *f)
{
	uint64_t errors = 0;
	bool any = false;

	for (size_t i = 0; i < f->n_targets; i++) {
		any = any || f->targets[i].ran;
		errors += f->targets[i].result.errors;
	}
	if (any)
		json_int(j, "errors", (int64_t)errors);
	else
		json_null(j, "errors");
}

static void put_memory(struct json_out *j, const struct burn *b, const struct burn_result *r)
{
	const int unlocked = burn_unlocked(b);

	json_begin(j, "memory", '{');
	json_int(j, "bytes", (int64_t)b->config.memory);
	json_int(j, "bytes_compared", (int64_t)r->memory_bytes);
	json_int(j, "passes", (int64_t)r->memory_passes);
	put_known(j, "in_order_gb_per_s", r->memory_rate[0], r->memory_rate[0] > 0);
	put_known(j, "random_order_gb_per_s", r->memory_rate[1], r->memory_rate[1] > 0);
	put_known(j, "ceiling_gb_per_s", r->memory_ceiling, r->memory_ceiling > 0);
	json_int(j, "bytes_swapped_out", (int64_t)burn_swapped(b));
	json_text(j, "not_locked", unlocked ? strerror(unlocked) : NULL);
	json_end(j, '}');
}

static void put_mismatches(struct json_out *j, const struct burn *b)
{
	const uint32_t places = burn_error_places(b);
	struct burn_error x;

	json_begin(j, "mismatches", '[');
	for (uint32_t i = 0, n = 0; i < places && n < REPORTED; i++)
		if (burn_error(b, i, &x)) {
			put_error(j, &x);
			n++;
		}
	json_end(j, ']');
}

static void put_host(struct json_out *j, const struct burnin_facts *f, const struct burn_result *r)
{
	const struct burn *b = f->burn;
	char text[64];

	put_rates(j, r);
	json_int(j, "errors", (int64_t)r->errors);
	json_hex(j, "seed", b->config.seed);
	burnin_report_put_rules(j, &host_rules);
	put_known(j, "processor_share_percent", 100 * r->share, r->share > 0);
	put_known(j, "slowest_thread_gflops", r->rate_of_worker[0], r->total > 0);
	put_known(j, "fastest_thread_gflops", r->rate_of_worker[1], r->total > 0);
	json_int(j, "rounds", (int64_t)r->rounds);
	json_int(j, "words_verified", (int64_t)r->words);
	json_int(j, "checksums_verified", (int64_t)r->sums);
	json_begin(j, "work", '[');
	for (int k = 0; k < BURN_KINDS; k++) {
		if (!b->config.kinds[k])
			continue;
		json_begin(j, NULL, '{');
		json_text(j, "operation", burn_op_name((enum burn_op)(k / BURN_DTYPES)));
		json_text(j, "dtype", burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)));
		json_text(j, "implementation", burn_impl_name(b, k));
		json_text(j, "case", burn_case_text(b, k, text, sizeof(text)));
		json_int(j, "blocks", (int64_t)r->blocks[k]);
		put_known(j, "gflops", r->rate[k], r->rate[k] > 0);
		json_end(j, '}');
	}
	json_end(j, ']');
	if (b->config.memory)
		put_memory(j, b, r);
	ledger_put_json(&r->ledger, j);
	put_mismatches(j, b);
}

/* All that is needed to run it again. */
static void put_settings(struct json_out *j, const struct burnin_facts *f)
{
	const struct options *o = f->job->o;
	struct utsname host = { 0 };
	struct strbuf command = { 0 };
	char names[160], when[40];

	uname(&host);
	json_text(j, "version", PACKAGE_VERSION);
	json_text(j, "begun", clock_iso_utc(f->begun, when, sizeof(when)));
	json_decimal(j, "seconds", f->took, CLOCK_SECOND);
	json_decimal(j, "seconds_before", burnin_resume_elapsed(&f->resume), CLOCK_SECOND);
	json_int(j, "runs_before", (int64_t)f->resume.before.runs);
	json_decimal(j, "clock_moved_seconds", f->clock_step, CLOCK_SECOND);
	json_decimal(j, "rested_seconds", f->paused, CLOCK_SECOND);
	json_decimal(j, "stopped_seconds", f->stopped, CLOCK_SECOND);
	options_put_again(&command, o);
	json_text(j, "command", command.text);
	strbuf_clear(&command);
	json_text(j, "dump", f->dump);
	json_begin(j, "settings", '{');
	if (f->duration > 0)
		json_decimal(j, "duration", f->duration, CLOCK_SECOND);
	else
		json_null(j, "duration");
	if (o->iterations > 0)
		json_int(j, "iterations", (int64_t)o->iterations);
	else
		json_null(j, "iterations");
	if (f->burn) {
		json_int(j, "threads", f->burn->config.threads);
		json_int(j, "processors", sysconf(_SC_NPROCESSORS_ONLN));
		json_hex(j, "seed", f->burn->config.seed);
	}
	json_text(j, "workload", o->given[OPT_WORKLOAD] ? o->given[OPT_WORKLOAD] : "conv,matmul");
	json_text(j, "dtype", !f->computes ? NULL : o->dtypes ? o->given[OPT_DTYPE] : f->burn ?
		"float32,bfloat16" : "bfloat16");
	json_text(j, "pattern", o->pattern == LOAD_PULSE ? "pulse" : "steady");
	json_bool(j, "stop_on_error", o->stop_on_error);
	json_end(j, '}');
	json_text(j, "machine", host.machine);
	json_text(j, "kernel", host.release);
	json_text(j, "cpu_features", cpu_feature_names(cpu_features(), names, sizeof(names)));
}

static void put_sensor(struct json_out *j, const struct sensor *x)
{
	const int64_t scale = sensor_scale(x);

	json_begin(j, NULL, '{');
	json_text(j, "sensor", x->name);
	json_text(j, "unit", sensor_unit(x));
	if (x->time > 0) {
		json_decimal(j, "least", x->least, scale);
		json_decimal(j, "most", x->most, scale);
	} else {
		json_null(j, "least");
		json_null(j, "most");
	}
	if (x->has_limit)
		json_decimal(j, "limit", x->limit, scale);
	else
		json_null(j, "limit");
	json_bool(j, "known_at_end", x->state == READING_OK);
	json_end(j, '}');
}

/* The machine's own sensors, and the limits at which the load would have been ended. */
static void put_machine(struct json_out *j, const struct burnin_facts *f)
{
	json_begin(j, "host_sensors", '[');
	for (size_t i = 0; f->sensors && i < f->sensors->n; i++)
		put_sensor(j, &f->sensors->s[i]);
	json_end(j, ']');
	json_begin(j, "stop_rules", '[');
	for (size_t i = 0; i < f->n_rules; i++) {
		json_begin(j, NULL, '{');
		json_text(j, "rule", f->rules[i].text);
		json_bool(j, "applied", f->rules[i].applied);
		json_end(j, '}');
	}
	json_end(j, ']');
}

void burnin_report_put(struct strbuf *to, const struct burnin_facts *f)
{
	const struct burn_result *total = NULL;
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "verdict", burn_verdict_name(f->verdict));
	json_int(&j, "exit_code", f->exit);
	for (size_t i = 0; i < f->n_targets && !total; i++)
		if (f->targets[i].ran && !f->targets[i].card)
			total = &f->targets[i].result;
	put_rates(&j, total);
	put_errors(&j, f);
	put_settings(&j, f);
	put_machine(&j, f);
	json_begin(&j, "targets", '[');
	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];

		json_begin(&j, NULL, '{');
		json_text(&j, "target", t->name);
		json_text(&j, "verdict", burn_verdict_name(t->result.verdict));
		json_text(&j, "reason", t->result.reason[0] ? t->result.reason : NULL);
		json_text(&j, "second_chip_not_burnt", t->second[0] ? t->second : NULL);
		if (t->ran && t->card) {
			put_rates(&j, NULL);
			json_int(&j, "errors", (int64_t)t->result.errors);
			burnin_report_put_card(&j, t->card);
		} else if (t->ran) {
			put_host(&j, f, &t->result);
		} else {
			put_rates(&j, NULL);
			json_null(&j, "errors");
		}
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	strbuf_putc(to, '\n');
}
