/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figures.c - the figures of a burn and of its host, in the report's order.
 */
#include "config.h"
#include "src/burnin/figures.h"

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

/* Operands and sums of the host's load: the reader makes the same anew. */
#define OPERANDS "whole numbers of at most 127, six patterns for each worker, by the seed; every " \
	"sum is below 2^24 and exact in float32 in any order"
#define SUMS "float32; a bfloat16 result is rounded once, to nearest even; expected results come " \
	"from the definition with integers, and every word must be equal"

enum { REPORT_MOST = 16 << 20 };	/* bytes */

static const char *op_name(int kind)
{
	return burn_op_name((enum burn_op)(kind / BURN_DTYPES));
}

static const char *dtype_name(int kind)
{
	return burn_dtype_name((enum burn_dtype)(kind % BURN_DTYPES));
}

double burnin_percent(double rate, double peak)
{
	return peak > 0 && rate <= peak ? 100 * rate / peak : 0;
}

/* Of the host: a burn of memory alone, or one that was stopped early, has computed nothing. */
struct rates {
	double rate, peak, percent, memory;
	const char *no_peak;
};

static struct rates rates_of(const struct burn_result *r)
{
	return (struct rates){ r->total, r->peak, burnin_percent(r->total, r->peak),
		r->memory_rate[0], r->no_peak };
}

static const struct figure_group rates = { .rows = (const struct figure[]){
	{ "gflops", "Rate (GFLOP/s)", FIGURE_RATE, .at = offsetof(struct rates, rate) },
	{ "peak_gflops", "Peak (GFLOP/s)", FIGURE_RATE, .at = offsetof(struct rates, peak) },
	{ "peak_percent", "Of the peak (%)", FIGURE_RATE, .at = offsetof(struct rates, percent) },
	{ "peak_unknown", "Why no peak is told", FIGURE_STRING,
		.at = offsetof(struct rates, no_peak) },
	{ "memory_gb_per_s", "Memory (GB/s)", FIGURE_RATE, .at = offsetof(struct rates, memory),
		.decimals = 2 },
	{ .kind = FIGURE_NONE } } };

/* The host. */

struct host_of {
	const struct burn *b;
	struct burn_result r;
	uint64_t seed, verified;
	const char *operands, *sums;
	double percent, slowest, fastest;
	int threads, processors;
	int online;			/* if some of them did not burn; 0 */
	double shared, had;		/* percent of the time, where it was clearly less */
};

struct work_of {
	const char *op, *dtype, *impl, *text;
	char buf[64];
	uint64_t blocks;
	double rate, percent;
};

static enum figure_fill fill_work(const void *above, size_t i, void *view)
{
	const struct host_of *h = above;
	const int k = (int)i;
	struct work_of *w = view;

	if (k == BURN_KINDS)
		return FIGURE_END;
	if (!h->b->config.kinds[k])
		return FIGURE_SKIP;
	*w = (struct work_of){ .op = op_name(k), .dtype = dtype_name(k),
		.impl = burn_impl_name(h->b, k), .blocks = h->r.blocks[k], .rate = h->r.rate[k],
		.percent = burnin_percent(h->r.rate[k], h->r.peaks[k]) };
	w->text = burn_case_text(h->b, k, w->buf, sizeof(w->buf));
	return FIGURE_TAKE;
}

static const struct figure_group work = { .rows = (const struct figure[]){
	{ "operation", "Work", FIGURE_STRING, .at = offsetof(struct work_of, op) },
	{ "dtype", "Type", FIGURE_STRING, .at = offsetof(struct work_of, dtype) },
	{ "implementation", "Implementation", FIGURE_STRING, .at = offsetof(struct work_of, impl) },
	{ "case", NULL, FIGURE_STRING, .at = offsetof(struct work_of, text) },
	{ "blocks", "Blocks", FIGURE_U64, .at = offsetof(struct work_of, blocks) },
	{ "gflops", "Rate (GFLOP/s)", FIGURE_RATE, .at = offsetof(struct work_of, rate) },
	{ "peak_percent", NULL, FIGURE_RATE, .at = offsetof(struct work_of, percent),
		.hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_work, .size = sizeof(struct work_of) };

struct memory {
	uint64_t bytes, swapped;
	struct burn_result r;
	const char *not_locked;
	double percent;
};

static enum figure_fill fill_memory(const void *above, size_t i, void *view)
{
	const struct host_of *h = above;
	const int unlocked = burn_unlocked(h->b);

	(void)i;
	if (!h->b->config.memory)
		return FIGURE_END;
	*(struct memory *)view = (struct memory){ .bytes = h->b->config.memory, .r = h->r,
		.swapped = burn_swapped(h->b), .not_locked = unlocked ? strerror(unlocked) : NULL,
		.percent = burnin_percent(h->r.memory_rate[0], h->r.memory_ceiling) };
	return FIGURE_TAKE;
}

static const struct figure_group memory = { .rows = (const struct figure[]){
	{ "bytes", "Memory tested (bytes)", FIGURE_U64, .at = offsetof(struct memory, bytes) },
	{ "bytes_compared", "Compared (bytes)", FIGURE_U64,
		.at = offsetof(struct memory, r.memory_bytes) },
	{ "passes", "Passes", FIGURE_U64, .at = offsetof(struct memory, r.memory_passes) },
	{ "in_order_gb_per_s", "In order (GB/s)", FIGURE_RATE,
		.at = offsetof(struct memory, r.memory_rate[0]), .decimals = 2 },
	{ "random_order_gb_per_s", "At random (GB/s)", FIGURE_RATE,
		.at = offsetof(struct memory, r.memory_rate[1]), .decimals = 2 },
	{ "ceiling_gb_per_s", "One value (GB/s)", FIGURE_RATE,
		.at = offsetof(struct memory, r.memory_ceiling), .decimals = 2 },
	{ "bytes_swapped_out", "Swapped out (bytes)", FIGURE_U64,
		.at = offsetof(struct memory, swapped) },
	{ "not_locked", "Not locked", FIGURE_STRING, .at = offsetof(struct memory, not_locked) },
	{ "ceiling_percent", NULL, FIGURE_RATE, .at = offsetof(struct memory, percent),
		.hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_memory, .size = sizeof(struct memory) };

struct mismatch {
	struct burn_error x;
	const char *op, *dtype, *impl, *pattern, *what;
	uint32_t differ;
};

static enum figure_fill fill_mismatch(const void *above, size_t i, void *view)
{
	const struct host_of *h = above;
	struct mismatch *m = view;
	struct burn_error *x = &m->x;

	if (i >= burn_error_places(h->b))
		return FIGURE_END;
	if (!burn_error(h->b, (uint32_t)i, x))
		return FIGURE_SKIP;
	m->op = x->kind == BURN_MEMORY ? "memory" : op_name(x->kind);
	m->dtype = x->kind == BURN_MEMORY ? NULL : dtype_name(x->kind);
	m->impl = burn_error_impl(x);
	m->pattern = burn_error_pattern(x);
	m->what = burn_what_name(x->what);
	m->differ = x->got ^ x->want;
	return FIGURE_TAKE;
}

static enum figure_fill fill_place(const void *above, size_t i, void *view)
{
	(void)i;
	*(struct mismatch *)view = *(const struct mismatch *)above;
	return ((struct mismatch *)view)->dtype ? FIGURE_END : FIGURE_TAKE;
}

static enum figure_fill fill_type(const void *above, size_t i, void *view)
{
	(void)i;
	*(struct mismatch *)view = *(const struct mismatch *)above;
	return ((struct mismatch *)view)->dtype ? FIGURE_TAKE : FIGURE_END;
}

/* Of memory, and of a result. */
static const struct figure_group place = { .rows = (const struct figure[]){
	{ "address", "Address", FIGURE_U64, .at = offsetof(struct mismatch, x.address),
		.hex = true },
	{ "physical", "Physical", FIGURE_U64, .at = offsetof(struct mismatch, x.physical),
		.hex = true, .some = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_place, .size = sizeof(struct mismatch) };
static const struct figure_group type = { .rows = (const struct figure[]){
	{ "dtype", "Type", FIGURE_STRING, .at = offsetof(struct mismatch, dtype) },
	{ .kind = FIGURE_NONE } }, .fill = fill_type, .size = sizeof(struct mismatch) };

static const struct figure_group mismatches = { .rows = (const struct figure[]){
	{ "operation", "Wrong word in", FIGURE_STRING, .at = offsetof(struct mismatch, op) },
	{ .kind = FIGURE_PART, .group = &place },
	{ .kind = FIGURE_PART, .group = &type },
	{ "implementation", NULL, FIGURE_STRING, .at = offsetof(struct mismatch, impl) },
	{ "pattern", NULL, FIGURE_STRING, .at = offsetof(struct mismatch, pattern) },
	{ "what", "What", FIGURE_STRING, .at = offsetof(struct mismatch, what) },
	{ "thread", "Thread", FIGURE_INT, .at = offsetof(struct mismatch, x.thread) },
	{ "cpu", "CPU", FIGURE_INT, .at = offsetof(struct mismatch, x.cpu) },
	{ "index", "Index", FIGURE_U64, .at = offsetof(struct mismatch, x.index) },
	{ "got", "Got", FIGURE_U32, .at = offsetof(struct mismatch, x.got), .hex = true },
	{ "want", "Want", FIGURE_U32, .at = offsetof(struct mismatch, x.want), .hex = true },
	{ "xor", NULL, FIGURE_U32, .at = offsetof(struct mismatch, differ), .hex = true },
	{ "seconds", "After (s)", FIGURE_TIME, .at = offsetof(struct mismatch, x.at),
		.decimals = 3 },
	{ .kind = FIGURE_NONE } }, .fill = fill_mismatch, .size = sizeof(struct mismatch),
		.most = 64 };

/* What the threads did not get of their processors, and processors that had none. */
static void fill_share(struct host_of *h)
{
	const bool little = h->r.share > 0 && h->r.share < 0.95;

	h->online = (int)sysconf(_SC_NPROCESSORS_ONLN);
	h->online = h->threads < h->online ? h->online : 0;
	h->shared = little && h->threads > h->processors ? h->percent : 0;
	h->had = little && h->threads <= h->processors ? h->percent : 0;
}

static enum figure_fill fill_host(const void *above, size_t i, void *view)
{
	const struct burnin_target_of *t = above;
	const struct burn_result *r = &t->target->result;
	const struct burn *b = t->facts->burn;
	struct host_of *h = view;

	(void)i;
	if (!t->target->ran || t->target->card)
		return FIGURE_END;
	*h = (struct host_of){ .b = b, .r = *r, .seed = b->config.seed, .operands = OPERANDS,
		.sums = SUMS, .percent = 100 * r->share, .verified = r->words + r->sums,
		.slowest = r->rate_of_worker[0], .fastest = r->rate_of_worker[1],
		.threads = b->config.threads, .processors = b->config.processors };
	fill_share(h);
	return FIGURE_TAKE;
}

/* For texts alone. */
static const struct figure_group host_words = { .rows = (const struct figure[]){
	{ "verified", NULL, FIGURE_U64, .at = offsetof(struct host_of, verified) },
	{ "threads", NULL, FIGURE_INT, .at = offsetof(struct host_of, threads) },
	{ "processors", NULL, FIGURE_INT, .at = offsetof(struct host_of, processors) },
	{ "online", NULL, FIGURE_INT, .at = offsetof(struct host_of, online), .some = true },
	{ "shared_percent", NULL, FIGURE_RATE, .at = offsetof(struct host_of, shared) },
	{ "had_percent", NULL, FIGURE_RATE, .at = offsetof(struct host_of, had) },
	{ .kind = FIGURE_NONE } } };

static const struct figure_group host = { .rows = (const struct figure[]){
	{ "seed", NULL, FIGURE_U64, .at = offsetof(struct host_of, seed), .hex = true },
	{ "operands", "Operands", FIGURE_STRING, .at = offsetof(struct host_of, operands) },
	{ "accumulation", "Sums", FIGURE_STRING, .at = offsetof(struct host_of, sums) },
	{ "processor_share_percent", NULL, FIGURE_RATE, .at = offsetof(struct host_of, percent) },
	{ "slowest_thread_gflops", NULL, FIGURE_RATE, .at = offsetof(struct host_of, slowest) },
	{ "fastest_thread_gflops", NULL, FIGURE_RATE, .at = offsetof(struct host_of, fastest) },
	{ "rounds", NULL, FIGURE_U64, .at = offsetof(struct host_of, r.rounds) },
	{ "words_verified", "Words verified", FIGURE_U64, .at = offsetof(struct host_of, r.words) },
	{ "checksums_verified", "Checksums verified", FIGURE_U64,
		.at = offsetof(struct host_of, r.sums) },
	{ "work", NULL, FIGURE_LIST, .group = &work },
	{ "memory", NULL, FIGURE_OBJECT, .group = &memory },
	{ "coverage", NULL, FIGURE_MAP, .at = offsetof(struct host_of, r.ledger),
		.group = &ledger_figures },
	{ "mismatches", NULL, FIGURE_LIST, .group = &mismatches },
	{ .kind = FIGURE_PART, .group = &host_words, .hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_host, .size = sizeof(struct host_of) };

/* All targets. */

struct target {
	struct burnin_target_of of;
	const char *name, *verdict, *reason, *second;
	struct rates rates;
	int64_t errors;
	bool no_reset;
};

static enum figure_fill fill_target(const void *above, size_t i, void *view)
{
	const struct burnin_facts *f = *(const struct burnin_facts *const *)above;
	const struct burnin_target *t = &f->targets[i];
	struct target *to = view;

	if (i == f->n_targets)
		return FIGURE_END;
	*to = (struct target){ .of = { f, t }, .name = t->name, .reason = t->result.reason,
		.verdict = burn_verdict_name(t->result.verdict), .second = t->second,
		.errors = t->ran ? (int64_t)t->result.errors : -1,
		.no_reset = t->ran && t->card && f->job->o->no_reset };
	to->reason = *to->reason ? to->reason : NULL;
	to->second = *to->second ? to->second : NULL;
	if (t->ran && !t->card)
		to->rates = rates_of(&t->result);
	return FIGURE_TAKE;
}

static const struct figure_group targets = { .rows = (const struct figure[]){
	{ "target", "Target", FIGURE_STRING, .at = offsetof(struct target, name) },
	{ "verdict", "Verdict", FIGURE_STRING, .at = offsetof(struct target, verdict) },
	{ "reason", "Reason", FIGURE_STRING, .at = offsetof(struct target, reason) },
	{ "second_chip_not_burnt", "Second chip, not burnt", FIGURE_STRING,
		.at = offsetof(struct target, second) },
	{ .kind = FIGURE_PART, .at = offsetof(struct target, rates), .group = &rates },
	{ "errors", "Wrong words", FIGURE_I64, .at = offsetof(struct target, errors),
		.place = true },
	{ .kind = FIGURE_PART, .at = offsetof(struct target, of), .group = &host },
	{ .kind = FIGURE_PART, .at = offsetof(struct target, of), .group = &burnin_card_figures },
	{ "no_reset", NULL, FIGURE_BOOL, .at = offsetof(struct target, no_reset), .hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_target, .size = sizeof(struct target) };

/* The machine's own sensors, and the limits at which the load would have been ended. */

struct sensor_of {
	const char *name, *unit;
	struct figure_amount least, most, limit;
	bool known, hottest, package;
	int64_t throttled;
};

static enum figure_fill fill_sensor(const void *above, size_t i, void *view)
{
	const struct burnin_facts *f = *(const struct burnin_facts *const *)above;
	const struct sensor *x;

	if (!f->sensors || i == f->sensors->n)
		return FIGURE_END;
	x = &f->sensors->s[i];
	*(struct sensor_of *)view = (struct sensor_of){ .name = x->name, .unit = sensor_unit(x),
		.least = { x->time > 0, x->least, sensor_scale(x) },
		.most = { x->time > 0, x->most, sensor_scale(x) },
		.limit = { x->has_limit, x->limit, sensor_scale(x) },
		.known = x->state == READING_OK, .hottest = x == sensors_hottest(f->sensors),
		.package = x->package,
		.throttled = x->kind == SENSOR_THROTTLE && x->time > 0 ? x->most - x->least : 0 };
	return FIGURE_TAKE;
}

/* For texts alone. */
static const struct figure_group sensors_words = { .rows = (const struct figure[]){
	{ "hottest", NULL, FIGURE_BOOL, .at = offsetof(struct sensor_of, hottest) },
	{ "package", NULL, FIGURE_BOOL, .at = offsetof(struct sensor_of, package) },
	{ "throttled", NULL, FIGURE_I64, .at = offsetof(struct sensor_of, throttled) },
	{ .kind = FIGURE_NONE } } };

static const struct figure_group sensors = { .rows = (const struct figure[]){
	{ "sensor", "Sensor of the host", FIGURE_STRING, .at = offsetof(struct sensor_of, name) },
	{ "unit", "Unit", FIGURE_STRING, .at = offsetof(struct sensor_of, unit) },
	{ "least", "Lowest", FIGURE_AMOUNT, .at = offsetof(struct sensor_of, least),
		.decimals = 1 },
	{ "most", "Highest", FIGURE_AMOUNT, .at = offsetof(struct sensor_of, most), .decimals = 1 },
	{ "limit", "Limit", FIGURE_AMOUNT, .at = offsetof(struct sensor_of, limit), .decimals = 1 },
	{ "known_at_end", NULL, FIGURE_BOOL, .at = offsetof(struct sensor_of, known) },
	{ .kind = FIGURE_PART, .group = &sensors_words, .hidden = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_sensor, .size = sizeof(struct sensor_of) };

static enum figure_fill fill_rule(const void *above, size_t i, void *view)
{
	const struct burnin_facts *f = *(const struct burnin_facts *const *)above;

	if (i == f->n_rules)
		return FIGURE_END;
	*(struct stop_rule *)view = f->rules[i];
	return FIGURE_TAKE;
}

static const struct figure_group rules = { .rows = (const struct figure[]){
	{ "rule", "Limit that ends a burn", FIGURE_CHARS, .at = offsetof(struct stop_rule, text) },
	{ "applied", "Watched", FIGURE_BOOL, .at = offsetof(struct stop_rule, applied) },
	{ .kind = FIGURE_NONE } }, .fill = fill_rule, .size = sizeof(struct stop_rule) };

/* The run, with all that is needed to run it again. */

struct settings {
	const struct burnin_facts *facts;
	int64_t duration, iterations;
	const char *workload, *dtype, *pattern;
	bool stop_on_error;
};

struct threads {
	int threads;
	int processors;
	uint64_t seed;
};

static enum figure_fill fill_threads(const void *above, size_t i, void *view)
{
	const struct settings *s = above;

	(void)i;
	if (!s->facts->burn)
		return FIGURE_END;
	*(struct threads *)view = (struct threads){ s->facts->burn->config.threads,
		(int)sysconf(_SC_NPROCESSORS_ONLN), s->facts->burn->config.seed };
	return FIGURE_TAKE;
}

static const struct figure_group threads = { .rows = (const struct figure[]){
	{ "threads", "Threads", FIGURE_INT, .at = offsetof(struct threads, threads) },
	{ "processors", NULL, FIGURE_INT, .at = offsetof(struct threads, processors) },
	{ "seed", "Seed", FIGURE_U64, .at = offsetof(struct threads, seed), .hex = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_threads, .size = sizeof(struct threads) };

static const struct figure_group settings = { .rows = (const struct figure[]){
	{ "duration", NULL, FIGURE_TIME, .at = offsetof(struct settings, duration), .some = true },
	{ "iterations", NULL, FIGURE_I64, .at = offsetof(struct settings, iterations),
		.some = true },
	{ .kind = FIGURE_PART, .group = &threads },
	{ "workload", NULL, FIGURE_STRING, .at = offsetof(struct settings, workload) },
	{ "dtype", NULL, FIGURE_STRING, .at = offsetof(struct settings, dtype) },
	{ "pattern", NULL, FIGURE_STRING, .at = offsetof(struct settings, pattern) },
	{ "stop_on_error", NULL, FIGURE_BOOL, .at = offsetof(struct settings, stop_on_error) },
	{ .kind = FIGURE_NONE } } };

struct run {
	const struct burnin_facts *facts;
	const char *verdict, *version, *begun, *command, *dump, *machine, *kernel, *features;
	int exit;
	struct rates rates;
	int64_t errors, took, before, step, paused, stopped;
	uint64_t runs;
	struct settings settings;
};

const struct figure_group burnin_figures = { .rows = (const struct figure[]){
	{ "verdict", "Verdict", FIGURE_STRING, .at = offsetof(struct run, verdict) },
	{ "exit_code", NULL, FIGURE_INT, .at = offsetof(struct run, exit) },
	{ .kind = FIGURE_PART, .at = offsetof(struct run, rates), .group = &rates },
	{ "errors", "Wrong words", FIGURE_I64, .at = offsetof(struct run, errors), .place = true },
	{ "version", "Version", FIGURE_STRING, .at = offsetof(struct run, version) },
	{ "begun", "Begun", FIGURE_STRING, .at = offsetof(struct run, begun) },
	{ "seconds", "Duration (s)", FIGURE_TIME, .at = offsetof(struct run, took), .decimals = 1 },
	{ "seconds_before", NULL, FIGURE_TIME, .at = offsetof(struct run, before) },
	{ "runs_before", NULL, FIGURE_U64, .at = offsetof(struct run, runs) },
	{ "clock_moved_seconds", NULL, FIGURE_TIME, .at = offsetof(struct run, step) },
	{ "rested_seconds", NULL, FIGURE_TIME, .at = offsetof(struct run, paused) },
	{ "stopped_seconds", NULL, FIGURE_TIME, .at = offsetof(struct run, stopped) },
	{ "command", "To run it again", FIGURE_STRING, .at = offsetof(struct run, command) },
	{ "dump", NULL, FIGURE_STRING, .at = offsetof(struct run, dump) },
	{ "settings", NULL, FIGURE_OBJECT, .at = offsetof(struct run, settings),
		.group = &settings },
	{ "machine", NULL, FIGURE_STRING, .at = offsetof(struct run, machine) },
	{ "kernel", "Kernel", FIGURE_STRING, .at = offsetof(struct run, kernel) },
	{ "cpu_features", "Processor features", FIGURE_STRING,
		.at = offsetof(struct run, features) },
	{ "host_sensors", NULL, FIGURE_LIST, .at = offsetof(struct run, facts), .group = &sensors },
	{ "stop_rules", NULL, FIGURE_LIST, .at = offsetof(struct run, facts), .group = &rules },
	{ "targets", NULL, FIGURE_LIST, .at = offsetof(struct run, facts), .group = &targets },
	{ .kind = FIGURE_NONE } } };

static struct settings settings_of(const struct burnin_facts *f)
{
	const struct options *o = f->job->o;

	return (struct settings){ .facts = f, .duration = f->duration,
		.iterations = (int64_t)o->iterations,
		.workload = o->given[OPT_WORKLOAD] ? o->given[OPT_WORKLOAD] : "conv,matmul",
		.dtype = !f->computes ? NULL : o->dtypes ? o->given[OPT_DTYPE] : f->burn ?
			"float32,bfloat16" : "bfloat16",
		.pattern = o->pattern == LOAD_PULSE ? "pulse" : "steady",
		.stop_on_error = o->stop_on_error };
}

/* The sum of all targets that ran, and the host's rates. */
static void add_targets(struct run *r)
{
	bool any = false;

	for (size_t i = r->facts->n_targets; i-- > 0;) {
		const struct burnin_target *t = &r->facts->targets[i];

		any = any || t->ran;
		r->errors += (int64_t)t->result.errors;
		if (t->ran && !t->card)
			r->rates = rates_of(&t->result);
	}
	r->errors = any ? r->errors : -1;
}

void burnin_figures_take(struct figures *to, const struct burnin_facts *f)
{
	struct utsname u = { 0 };
	struct strbuf command = { 0 };
	char names[160], when[40];
	struct run r = { .facts = f, .verdict = burn_verdict_name(f->verdict), .exit = (int)f->exit,
		.version = PACKAGE_VERSION, .begun = clock_iso_utc(f->begun, when, sizeof(when)),
		.took = f->took, .before = f->before, .runs = f->runs_before,
		.step = f->clock_step, .paused = f->paused, .stopped = f->stopped,
		.dump = f->dump, .settings = settings_of(f),
		.machine = u.machine, .kernel = u.release,
		.features = cpu_feature_names(cpu_features(), names, sizeof(names)) };

	uname(&u);
	options_put_again(&command, f->job->o);
	r.command = command.text;
	add_targets(&r);
	figures_take(to, &burnin_figures, &r);
	strbuf_clear(&command);
}

bool burnin_figures_read(struct figures *to, const char *dir)
{
	struct json *report;
	char path[4300], *text;
	struct error e;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, dir);
	if (file_read_all(path, REPORT_MOST, &text, &len, &e) < 0)
		return false;
	err = json_parse(text, len, &report, &e);
	free(text);
	if (err < 0)
		return false;
	figures_read_json(to, &burnin_figures, report);
	json_free(report);
	return true;
}
