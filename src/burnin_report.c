/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin_report.h"

#include "base/array.h"
#include "base/clock.h"
#include "burnin/cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { PRINTED = 10, REPORTED = 64 };	/* mismatches */

#define OPERANDS_RULE "whole numbers of at most 127, six patterns for each worker, by the seed; " \
	"every sum is below 2^24 and exact in float32 in any order"
#define SUMS_RULE "float32; a bfloat16 result is rounded once, to nearest even; expected results " \
	"come from the definition with integers, and every word must be equal"

static size_t kept(const struct burn *b, size_t most)
{
	const uint32_t n = atomic_load(&b->shared->n_errors);

	return n < most ? n : most;
}

static void print_memory_error(const struct burn_error *x)
{
	char place[40] = "";

	if (x->physical)
		snprintf(place, sizeof(place), ", physical 0x%llx",
			(unsigned long long)x->physical);
	printf("  %s, %s, %s: [%llu] at 0x%llx%s is 0x%08x, not 0x%08x (bits 0x%08x),"
	       " thread %d on CPU %d, after %.3f s\n",
		x->what, x->impl, x->pattern, (unsigned long long)x->index,
		(unsigned long long)x->address, place, x->got, x->want, x->got ^ x->want,
		x->thread, x->cpu, (double)x->at / 1e9);
}

static void print_error(const struct burn_error *x)
{
	if (!atomic_load(&x->complete))
		return;
	if (x->kind == BURN_MEMORY) {
		print_memory_error(x);
		return;
	}
	printf("  %s in %s, %s, %s: %s [%llu] is 0x%08x, not 0x%08x (bits 0x%08x),"
	       " thread %d on CPU %d, after %.3f s\n",
		burn_op_name((enum burn_op)(x->kind / BURN_DTYPES)),
		burn_dtype_name((enum burn_dtype)(x->kind % BURN_DTYPES)), x->impl, x->pattern,
		x->what, (unsigned long long)x->index, x->got, x->want, x->got ^ x->want,
		x->thread, x->cpu, (double)x->at / 1e9);
}

static void print_memory(const struct burn *b, const struct burn_result *r)
{
	const int unlocked = atomic_load(&b->shared->unlocked);

	printf("  memory %8.2f GB/s written and compared in order, %.1f %% of the %.2f of one"
	       " value; %.2f in random order\n", r->memory_rate[0],
		r->memory_ceiling > 0 ? 100 * r->memory_rate[0] / r->memory_ceiling : 0,
		r->memory_ceiling, r->memory_rate[1]);
	printf("  %llu MiB of memory, %llu MiB compared in %llu whole passes\n",
		(unsigned long long)(b->config.memory >> 20),
		(unsigned long long)(r->memory_bytes >> 20), (unsigned long long)r->memory_passes);
	if (unlocked)
		printf("  The memory could not be locked (%s): what the kernel moved meanwhile was"
		       " not tested in one place\n", strerror(unlocked));
}

static void print_host(const struct burnin_facts *f, const struct burn_result *r)
{
	const struct burn *b = f->burn;

	for (int k = 0; k < BURN_KINDS; k++)
		if (b->config.kinds[k] && r->blocks[k] > 0)
			printf("  %-6s %-8s %8.1f GFLOP/s %5.1f %% of the peak, %llu blocks"
			       " (%s: %s)\n",
				burn_op_name((enum burn_op)(k / BURN_DTYPES)),
				burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)), r->rate[k],
				r->peak > 0 ? 100 * r->rate[k] / r->peak : 0,
				(unsigned long long)r->blocks[k], b->shared->impls[k],
				b->shared->cases[k]);
	printf("  %.1f GFLOP/s, %.1f %% of %.1f; %llu words of results and %llu checksums verified,"
	       " %llu wrong\n", r->total, r->peak > 0 ? 100 * r->total / r->peak : 0, r->peak,
		(unsigned long long)r->words, (unsigned long long)r->sums,
		(unsigned long long)r->errors);
	if (b->config.memory)
		print_memory(b, r);
	if (r->share > 0 && r->share < 0.95)
		printf("  other work on this machine took %.0f %% of the processors' time\n",
			100 - 100 * r->share);
	for (size_t i = 0; i < kept(b, PRINTED); i++)
		print_error(&b->shared->errors[i]);
	if (kept(b, BURN_RECORDS) > PRINTED)
		printf("  and more\n");
}

void burnin_report_print(const struct burnin_facts *f)
{
	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];

		if (t->ran)
			print_host(f, &t->result);
		printf("%s: %s%s%s\n", t->name, burn_verdict_name(t->result.verdict),
			t->result.reason[0] ? ": " : "", t->result.reason);
	}
	if (f->clock_step != 0)
		printf("The system's clock was moved by %.1f s meanwhile; times here are not.\n",
			(double)f->clock_step / 1e9);
}

static void put_error(struct json_out *j, const struct burn_error *x)
{
	if (!atomic_load(&x->complete))
		return;
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
	json_text(j, "implementation", x->impl);
	json_text(j, "pattern", x->pattern);
	json_text(j, "what", x->what);
	json_int(j, "thread", x->thread);
	json_int(j, "cpu", x->cpu);
	json_int(j, "index", (int64_t)x->index);
	json_hex(j, "got", x->got);
	json_hex(j, "want", x->want);
	json_hex(j, "xor", x->got ^ x->want);
	json_decimal(j, "seconds", x->at, CLOCK_SECOND);
	json_end(j, '}');
}

static void put_fixed(struct json_out *j, const char *key, double v)
{
	json_decimal(j, key, (int64_t)(v * 1000 + 0.5), 1000);
}

static void put_rates(struct json_out *j, const struct burn_result *r)
{
	put_fixed(j, "gflops", r->total);
	put_fixed(j, "peak_gflops", r->peak);
	put_fixed(j, "peak_percent", r->peak > 0 ? 100 * r->total / r->peak : 0);
	json_int(j, "errors", (int64_t)r->errors);
}

static void put_memory(struct json_out *j, const struct burn *b, const struct burn_result *r)
{
	const int unlocked = atomic_load(&b->shared->unlocked);

	json_begin(j, "memory", '{');
	json_int(j, "bytes", (int64_t)b->config.memory);
	json_int(j, "bytes_compared", (int64_t)r->memory_bytes);
	json_int(j, "passes", (int64_t)r->memory_passes);
	put_fixed(j, "in_order_gb_per_s", r->memory_rate[0]);
	put_fixed(j, "random_order_gb_per_s", r->memory_rate[1]);
	put_fixed(j, "ceiling_gb_per_s", r->memory_ceiling);
	json_int(j, "bytes_swapped_out", (int64_t)atomic_load(&b->shared->swapped));
	json_text(j, "not_locked", unlocked ? strerror(unlocked) : NULL);
	json_end(j, '}');
}

static void put_host(struct json_out *j, const struct burnin_facts *f, const struct burn_result *r)
{
	const struct burn *b = f->burn;

	put_rates(j, r);
	put_fixed(j, "processor_share_percent", 100 * r->share);
	put_fixed(j, "slowest_thread_gflops", r->rate_of_worker[0]);
	put_fixed(j, "fastest_thread_gflops", r->rate_of_worker[1]);
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
		json_text(j, "implementation", b->shared->impls[k]);
		json_text(j, "case", b->shared->cases[k]);
		json_int(j, "blocks", (int64_t)r->blocks[k]);
		put_fixed(j, "gflops", r->rate[k]);
		json_end(j, '}');
	}
	json_end(j, ']');
	if (b->config.memory)
		put_memory(j, b, r);
	json_begin(j, "mismatches", '[');
	for (size_t i = 0; i < kept(b, REPORTED); i++)
		put_error(j, &b->shared->errors[i]);
	json_end(j, ']');
}

/* All that is needed to run it again. */
static void put_settings(struct json_out *j, const struct burnin_facts *f)
{
	const struct options *o = f->job->o;
	struct utsname host = { 0 };
	char names[160], when[40];

	uname(&host);
	json_text(j, "version", PACKAGE_VERSION);
	json_text(j, "begun", clock_iso_utc(f->begun, when, sizeof(when)));
	json_decimal(j, "seconds", f->took, CLOCK_SECOND);
	json_decimal(j, "clock_moved_seconds", f->clock_step, CLOCK_SECOND);
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
		json_hex(j, "seed", f->burn->config.seed);
	}
	json_text(j, "workload", o->workload ? o->workload : "conv,matmul");
	json_text(j, "dtype", o->dtypes ? o->dtypes : "float32,bfloat16");
	json_text(j, "pattern", o->pattern == LOAD_PULSE ? "pulse" : "steady");
	json_bool(j, "stop_on_error", o->stop_on_error);
	json_text(j, "operands", OPERANDS_RULE);
	json_text(j, "accumulation", SUMS_RULE);
	json_end(j, '}');
	json_text(j, "machine", host.machine);
	json_text(j, "kernel", host.release);
	json_text(j, "cpu_features", cpu_feature_names(cpu_features(), names, sizeof(names)));
}

void burnin_report_put(struct strbuf *to, const struct burnin_facts *f)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "verdict", burn_verdict_name(f->verdict));
	json_int(&j, "exit_code", f->exit);
	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].ran)
			put_rates(&j, &f->targets[i].result);
	put_settings(&j, f);
	json_begin(&j, "targets", '[');
	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];

		json_begin(&j, NULL, '{');
		json_text(&j, "target", t->name);
		json_text(&j, "verdict", burn_verdict_name(t->result.verdict));
		json_text(&j, "reason", t->result.reason[0] ? t->result.reason : NULL);
		if (t->ran)
			put_host(&j, f, &t->result);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	strbuf_putc(to, '\n');
}
