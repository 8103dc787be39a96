/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The burn finds what is wrong: bits flipped in its memory from outside while it
 * runs, results that are not written, loads that end or stand still.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/host/burn.h"
#include "burnin/host/burn_set.h"
#include "burnin/host/checkpoint.h"
#include "burnin/kernels/stopwatch.h"
#include "burnin/kernels/team.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define LONG (120 * CLOCK_SECOND)

/* How many flips; the soak asks for a thousand. */
static int flips(int usual)
{
	const char *asked = getenv("BURN_FLIPS");

	return asked ? (int)strtol(asked, NULL, 10) : usual;
}

static void start(struct burn *b, int threads, const char *fault)
{
	struct burn_config c = { .threads = threads, .seed = 7, .dwell = 2,
		.fault = { .name = fault } };
	struct error e;

	memset(c.kinds, true, sizeof(c.kinds));
	if (burn_start(b, &c, &e) < 0)
		fail_msg("%s", e.text);
}

static bool rounds_done(const struct burn *b, uint64_t n)
{
	struct burn_result r;

	burn_judge(b, 0, NULL, &r);
	return r.rounds >= n;
}

static void wait_rounds(struct burn *b, uint64_t n)
{
	const int64_t end = clock_steady() + LONG;

	while (!rounds_done(b, n)) {
		assert_true(clock_steady() < end);
		assert_true(burn_watch(b, LONG));
		poll(NULL, 0, 2);
	}
}

static enum verdict finish(struct burn *b, struct burn_result *r)
{
	burn_end(b, LONG);
	burn_judge(b, 0, NULL, r);
	burn_close(b);
	assert_int_equal(r->code == CODE_NONE, r->verdict == VERDICT_PASS);
	/* Where others have the processors, a killed process takes its time to be gone. */
	for (int64_t end = clock_steady() + LONG; child_reap_lost() > 0 && clock_steady() < end;)
		poll(NULL, 0, 10);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return r->verdict;
}

/* All samples of a peak are this part of what the load came to, which had so much of its time. */
static void judge_with(struct burn *b, double peak, double share, struct burn_result *r)
{
	struct burn_worker *w = &b->shared->workers[0];
	double ns = 0;

	for (int k = 0; k < BURN_KINDS; k++) {
		const double took = (double)burn_worker_get(w, BURN_NS + k);

		ns += took;
		for (int i = 0; i < BURN_PEAKS; i++)
			atomic_store(&w->peaks[k][i], (uint32_t)(1000 * peak *
				(double)burn_worker_get(w, BURN_FLOPS + k) / took));
	}
	burn_count_set(&w->count[BURN_CPU_NS], (uint64_t)(share * ns));
	burn_judge(b, 0, NULL, r);
}

static void a_share_of_the_peak_that_cannot_be_true_is_not_told(void **state)
{
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 1, NULL);
	wait_rounds(&b, 2);
	burn_end(&b, LONG);
	judge_with(&b, 1.25, 1, &r);
	assert_null(r.no_peak);
	assert_true(r.peak > r.total && r.peaks[0] > r.rate[0]);
	judge_with(&b, 0.8, 1, &r);
	assert_non_null(strstr(r.no_peak, "faster than the peak that was sampled"));
	assert_true(r.peak == 0 && r.peaks[0] == 0 && r.total > 0);
	judge_with(&b, 1.25, 0.8, &r);
	assert_non_null(strstr(r.no_peak, "its processors for less than 90 %"));
	assert_true(r.peak == 0 && r.peaks[0] == 0 && r.total > 0);
	/* Peaks are those of the processor time that it had. */
	judge_with(&b, 1.25, 0.95, &r);
	assert_null(r.no_peak);
	assert_true(r.peaks[0] > 1.18 * r.rate[0] && r.peaks[0] < 1.19 * r.rate[0]);
	judge_with(&b, 1.04, 0.95, &r);
	assert_non_null(strstr(r.no_peak, "faster than the peak that was sampled"));
	finish(&b, &r);
}

/* Each had its processor for nearly all of the time that it worked, one after the other. */
static void workers_that_take_turns_share_their_processors(void **state)
{
	struct burn_result r;
	struct burn b;
	double total;

	(void)state;
	start(&b, 2, NULL);
	wait_rounds(&b, 1);
	burn_end(&b, LONG);
	for (int i = 0; i < 2; i++) {
		struct burn_worker *w = &b.shared->workers[i];
		uint64_t ns = 0;

		for (int k = 0; k < BURN_KINDS; k++)
			ns += burn_worker_get(w, BURN_NS + k);
		burn_count_set(&w->count[BURN_CPU_NS], ns / 10 * 9);
	}
	burn_judge(&b, 0, NULL, &r);
	assert_true(r.share > 0.899 && r.share < 0.901 && r.total > 0);
	total = r.total;
	b.config.processors = 1;
	burn_judge(&b, 0, NULL, &r);
	assert_true(r.share > 0.499 && r.share < 0.501);
	assert_true(r.total > 0.55 * total && r.total < 0.56 * total);
	b.config.processors = 2;
	burn_judge(&b, 0, NULL, &r);
	assert_true(r.total > 0.999 * total && r.total < 1.001 * total);
	finish(&b, &r);
}

static void a_pattern_says_when_the_load_rests(void **state)
{
	const int64_t ramp = load_patterns[LOAD_RAMP].period, step = CLOCK_MS;
	int64_t worked = 0, last = -1;

	(void)state;
	assert_int_equal(ramp, 60 * CLOCK_SECOND);
	assert_int_equal(load_patterns[LOAD_STEADY].period + load_patterns[LOAD_PULSE].period, 0);
	for (int64_t t = 0; t < 2 * ramp; t += step) {
		const int64_t rest = load_pattern_rest(LOAD_RAMP, t);
		const int share = load_pattern_share(LOAD_RAMP, t);

		worked += rest == 0 ? step : 0;
		/* It ends where a window does, and the share grows but for the ramp's end. */
		assert_true(rest == 0 || (t + rest) % (100 * CLOCK_MS) == 0);
		assert_true(share >= last || t % ramp == 0);
		last = share;
		assert_int_equal(load_pattern_rest(LOAD_STEADY, t), 0);
		assert_true((load_pattern_rest(LOAD_PULSE, t) == 0) ==
			(t % (100 * CLOCK_MS) < 50 * CLOCK_MS));
	}
	assert_true(worked > ramp * 99 / 100 && worked < ramp * 101 / 100);
	assert_int_equal(load_pattern_share(LOAD_RAMP, 0), 0);
	assert_int_equal(load_pattern_share(LOAD_RAMP, ramp - 1), 1000);
	assert_int_equal(load_pattern_rest(LOAD_RAMP, ramp - step), 0);
	assert_int_equal(load_pattern_rest(LOAD_RAMP, ramp), 100 * CLOCK_MS);
}

static void a_healthy_host_passes(void **state)
{
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 2, NULL);
	wait_rounds(&b, 2);
	assert_int_equal(finish(&b, &r), VERDICT_PASS);
	assert_string_equal(r.reason, "");
	assert_int_equal(r.errors, 0);
	assert_true((r.peak > 0) == !r.no_peak);
	assert_true(r.total > 0 && r.words > 0 && r.sums > 0 && r.rounds >= 2);
	for (int k = 0; k < BURN_KINDS; k++)
		assert_true(r.blocks[k] >= 2 * 2 * 2 * BURN_PATTERNS && r.rate[k] > 0);
}

/* Every implementation computes every pattern, and no result passes twice. */
static void every_implementation_gives_the_expected_bits_anew(void **state)
{
	struct team *team;
	struct error e;
	int n = 0;

	(void)state;
	assert_int_equal(team_open(&team, 1, false, &e), 0);
	for (int i = 0; impls[i]; i++) {
		impl_force(impls[i]);
		for (int k = 0; k < BURN_KINDS * BURN_PATTERNS; k++) {
			const int kind = k / BURN_PATTERNS;
			struct burn_set s;

			if (!impls[i]->stress || !impl_usable(impls[i],
				(enum burn_op)(kind / BURN_DTYPES),
				(enum burn_dtype)(kind % BURN_DTYPES)))
				continue;
			assert_int_equal(burn_set_open(&s, kind, k % BURN_PATTERNS, 1,
				team, &e), 0);
			assert_ptr_equal(s.impl, impls[i]);
			assert_false(burn_set_equal(&s));
			burn_set_run(&s);
			if (!burn_set_equal(&s))
				fail_msg("%s: %s in %s, %s", s.impl->name, burn_op_name(s.op),
					burn_dtype_name(s.dtype),
					burn_set_pattern(s.pattern_id));
			assert_false(burn_set_equal(&s));
			burn_set_close(&s);
			n++;
		}
	}
	impl_force(NULL);
	team_close(team);
	assert_true(n >= BURN_KINDS * BURN_PATTERNS);
}

static bool flip(pid_t pid, uint64_t at, int bit)
{
	unsigned char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)(uintptr_t)at, 1 };

	if (process_vm_readv(pid, &here, 1, &there, 1, 0) != 1)
		return false;
	byte ^= (unsigned char)(1 << bit);
	return process_vm_writev(pid, &here, 1, &there, 1, 0) == 1;
}

/* Whether a flip of this bit in a region of this name has been told. */
static bool was_told(const struct burn *b, uint32_t from, enum burn_what what, uint64_t byte,
	int bit)
{
	const uint32_t n = burn_error_places(b);
	struct burn_error x;

	for (uint32_t i = from; i < n; i++)
		if (burn_error(b, i, &x) && x.what == what && x.index == byte / 4 &&
			(x.got ^ x.want) == 1U << (byte % 4 * 8 + (unsigned)bit) && x.thread == 0)
			return true;
	return false;
}

static void flip_and_wait(struct burn *b)
{
	const int n = atomic_load(&b->shared->probe.n_places);
	const struct burn_place *p = &b->shared->probe.places[rand() % n];
	const uint64_t byte = (uint64_t)rand() % p->bytes;
	const uint32_t from = burn_error_places(b);
	const int bit = rand() % 8;
	const int64_t end = clock_steady() + LONG;

	assert_true(flip(b->child.pid, p->at + byte, bit));
	while (!was_told(b, from, p->what, byte, bit)) {
		if (clock_steady() > end)
			fail_msg("bit %d of byte %llu of %s: missed", bit,
				(unsigned long long)byte, burn_what_name(p->what));
		assert_true(burn_watch(b, LONG));
		poll(NULL, 0, 1);
	}
}

static void a_bit_flipped_from_outside_is_found_and_named(void **state)
{
	const int all = flips(16);
	struct burn_result r;
	struct burn b;

	(void)state;
	for (int done = 0; done < all;) {
		start(&b, 1, NULL);
		wait_rounds(&b, 1);
		if (!flip(b.child.pid, b.shared->probe.places[0].at, 0) && errno == EPERM) {
			burn_close(&b);
			skip();
		}
		while (done < all && burn_error_places(&b) < BURN_RECORDS - 64) {
			flip_and_wait(&b);
			done++;
		}
		assert_int_equal(finish(&b, &r), VERDICT_FAIL);
		assert_true(r.errors > 0);
	}
}

/* Most of them are dead when they are hit: flipped until one was not. */
static void a_bit_flipped_in_sums_is_a_wrong_output(void **state)
{
	const int64_t end = clock_steady() + LONG;
	struct burn_error x;
	struct burn_result r;
	struct burn b;
	uint32_t n;

	(void)state;
	start(&b, 1, NULL);
	wait_rounds(&b, 1);
	assert_true(atomic_load(&b.shared->probe.n_sums) > 0);
	while (burn_error_places(&b) == 0) {
		const struct burn_place *p =
			&b.shared->probe.sums[rand() % atomic_load(&b.shared->probe.n_sums)];
		/* The exponent's lower bits and the sign */
		const uint64_t at = p->at + (uint64_t)rand() % (p->bytes / 4) * 4 + 3;

		assert_true(clock_steady() < end);
		assert_true(burn_watch(&b, LONG));
		if (!flip(b.child.pid, at, rand() % 8) && errno == EPERM) {
			burn_close(&b);
			skip();
		}
	}
	n = burn_error_places(&b);
	for (uint32_t i = 0; i < n; i++)
		if (burn_error(&b, i, &x))
			assert_int_equal(x.what, BURN_IS_OUTPUT);
	assert_int_equal(finish(&b, &r), VERDICT_FAIL);
}

/* The rest of a page whose first bytes are live. */
static void a_bit_flipped_in_dead_bytes_changes_nothing(void **state)
{
	const uint64_t page = 4096;
	struct burn_result r;
	struct burn b;
	int done = 0;

	(void)state;
	start(&b, 1, NULL);
	wait_rounds(&b, 1);
	for (int i = 0; i < atomic_load(&b.shared->probe.n_places); i++) {
		const struct burn_place *p = &b.shared->probe.places[i];

		for (uint64_t at = p->bytes; at % page; at += 97, done++)
			if (!flip(b.child.pid, p->at + at, rand() % 8) && errno == EPERM) {
				burn_close(&b);
				skip();
			} else if (at / page != (at + 97) / page) {
				break;
			}
	}
	assert_true(done > 100);
	wait_rounds(&b, burn_worker_get(&b.shared->workers[0], BURN_ROUNDS) + 2);
	assert_int_equal(finish(&b, &r), VERDICT_PASS);
}

static void each_part_is_attributed(void **state)
{
	static const char *const parts[] = { "input", "weight", "bias", "packed", "panels A",
		"panels B", "expected", "output", "output, once" };
	struct burn_result r;
	struct burn_error x;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct burn b;

		start(&b, 1, parts[i]);
		wait_rounds(&b, 1);
		assert_true(burn_error(&b, 0, &x));
		assert_string_equal(burn_what_name(x.what), parts[i]);
		assert_int_equal(x.thread, 0);
		assert_int_equal(x.got != x.want, x.what != BURN_IS_OUTPUT_ONCE);
		assert_int_equal(finish(&b, &r), VERDICT_FAIL);
		assert_non_null(strstr(r.reason, " wrong word"));
	}
}

/* Faults of the load's own checks: an implementation that is right but for one function. */

static bool equal_always(uint32_t *got, const uint32_t *want, size_t n)
{
	(void)want;
	memset(got, 0, n * sizeof(*got));
	return true;
}

static bool equal_in_even_words(uint32_t *got, const uint32_t *want, size_t n)
{
	for (size_t i = 0; i < n; i += 2)
		if (got[i] != want[i])
			return false;
	return equal_always(got, want, n);
}

static bool same_always(const struct impl_bursts *m, uint64_t from, const uint64_t *which, size_t n,
	uint64_t wrong[IMPL_BURST / 8])
{
	(void)m, (void)from, (void)which, (void)n, (void)wrong;
	return true;
}

static void a_check_that_finds_nothing_fails(void **state)
{
	static const struct {
		const char *name, *reason;
		bool (*equal)(uint32_t *got, const uint32_t *want, size_t n);
		int kind;
	} cases[] = {
		{ "always equal", "does not compare conv2d in bfloat16: ", equal_always, 0 },
		{ "half of the words", "does not compare matmul in bfloat16: ",
			equal_in_even_words, BURN_MATMUL * BURN_DTYPES + BURN_BFLOAT16 },
		{ "memory", "does not compare memory: ", NULL, BURN_MEMORY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const bool memory = cases[i].kind == BURN_MEMORY;
		const struct impl *good = burn_set_impl(BURN_CONV2D, BURN_FLOAT32);
		struct impl_check check = *good->stress->check;
		struct impl_stress stress = *good->stress;
		struct impl_memory compare = *good->memory;
		struct impl blind = *good;
		struct burn_config c = { .threads = 2, .seed = 7 + i, .dwell = 2, .iterations = 1,
			.memory = memory ? 4 << 20 : 0 };
		struct burn_result r;
		struct burn_error x;
		struct error e;
		struct burn b;

		if (!memory)
			c.kinds[cases[i].kind] = true;
		check.equal = cases[i].equal ? cases[i].equal : check.equal;
		compare.compare = memory ? same_always : compare.compare;
		stress.check = &check;
		blind.stress = &stress;
		blind.memory = &compare;
		impl_force(&blind);
		assert_int_equal(burn_start(&b, &c, &e), 0);
		while (burn_watch(&b, LONG))
			poll(NULL, 0, 1);
		impl_force(NULL);
		assert_true(burn_error(&b, 0, &x));
		assert_int_equal(x.what, BURN_IS_PLANTED);
		assert_int_equal(x.kind, cases[i].kind);
		assert_int_equal(__builtin_popcount(x.got ^ x.want), 1);
		if (finish(&b, &r) != VERDICT_FAIL || r.code != CODE_JUDGE_BLIND ||
			!strstr(r.reason, cases[i].reason))
			fail_msg("%s: %s: %s", cases[i].name, verdict_word(r.verdict), r.reason);
		assert_true(r.ledger.done[LEDGER_JUDGES] < r.ledger.asked[LEDGER_JUDGES]);
	}
}

static void count_what(void *arg, enum burn_what what, uint64_t index, uint32_t got, uint32_t want)
{
	(void)index;
	if (got == want)
		((int *)arg)[what]++;
}

/* As where a sum was computed wrong: nothing that it covers has changed. */
static void a_checksum_that_is_wrong_once_is_told(void **state)
{
	int told[BURN_WHATS] = { 0 };
	struct team *team;
	struct burn_set s;
	struct error e;

	(void)state;
	assert_int_equal(team_open(&team, 1, false, &e), 0);
	assert_int_equal(burn_set_open(&s, 0, 0, 1, team, &e), 0);
	s.regions[1].sum ^= 1;
	assert_int_equal(burn_set_check(&s, count_what, told), 1);
	assert_int_equal(told[BURN_IS_SUM_ONCE], 1);
	assert_int_equal(burn_set_check(&s, count_what, told), s.n_regions);
	assert_int_equal(told[BURN_IS_SUM_ONCE], 1);
	burn_set_close(&s);
	team_close(team);
}

static void an_error_stops_it_if_asked(void **state)
{
	struct burn_config c = { .threads = 1, .dwell = 2, .stop_on_error = true,
		.fault = { .name = "output" } };
	struct burn_result r;
	struct burn b;
	struct error e;

	(void)state;
	memset(c.kinds, true, sizeof(c.kinds));
	assert_int_equal(burn_start(&b, &c, &e), 0);
	while (burn_watch(&b, LONG))
		poll(NULL, 0, 1);
	assert_int_equal(finish(&b, &r), VERDICT_FAIL);
	assert_int_equal(r.errors, 1);
	assert_int_equal(r.rounds, 0);
}

static void the_end_of_the_load_is_a_verdict(void **state)
{
	static const struct {
		const char *fault;
		enum verdict verdict;
		const char *reason;
	} cases[] = {
		{ "ill", VERDICT_FAIL, "signal 4" },
		{ "bus", VERDICT_FAIL, "signal 7" },
		{ "segv", VERDICT_FAIL, "signal 11" },
		{ "abort", VERDICT_FAIL, "signal 6" },
		{ "trap", VERDICT_FAIL, "signal 5" },
		{ "sys", VERDICT_FAIL, "signal 31" },
		{ "kill", VERDICT_INCOMPLETE, "killed (signal 9)" },
		{ "exit", VERDICT_INCOMPLETE, "made no last check" },
	};
	struct burn_result r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct burn b;

		start(&b, 1, cases[i].fault);
		while (burn_watch(&b, LONG))
			poll(NULL, 0, 1);
		assert_int_equal(finish(&b, &r), cases[i].verdict);
		if (strcmp(cases[i].fault, "exit") == 0)
			assert_true(r.reason[0] != '\0');
		else if (!strstr(r.reason, cases[i].reason))
			fail_msg("%s: %s", cases[i].fault, r.reason);
	}
}

/* Its operands take a busy machine seconds. */
static void wait_running(struct burn *b)
{
	while (!burn_is_running(b)) {
		assert_true(burn_watch(b, LONG));
		poll(NULL, 0, 2);
	}
}

static void a_load_that_stands_still_is_ended(void **state)
{
	static const struct error why = { -ETIMEDOUT, CODE_LOAD_HUNG, "it stood still" };
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 2, "stop");
	wait_running(&b);
	while (burn_watch(&b, 5 * CLOCK_SECOND))
		poll(NULL, 0, 10);
	assert_true(b.stopped && b.stopped_for > 0);
	burn_judge(&b, 0, &why, &r);
	assert_int_equal(r.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(r.code, CODE_LOAD_HUNG);
	assert_string_equal(r.reason, "it stood still");
	assert_int_equal(finish(&b, &r), VERDICT_INCOMPLETE);
}

/* The other goes on: what all of them do together says nothing of each. */
static void a_thread_that_hangs_beside_one_that_runs_is_named(void **state)
{
	const char *name = "thread 0 on CPU ";
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 2, "hang");
	wait_running(&b);
	while (burn_watch(&b, 5 * CLOCK_SECOND))
		poll(NULL, 0, 10);
	if (strncmp(b.stood.text, name, strlen(name)) != 0 || b.stood.word != CODE_LOAD_HUNG)
		fail_msg("%s", b.stood.text);
	/* All but the first second of this is no time of load. */
	assert_in_range(b.stood_for, 3 * CLOCK_SECOND, 5 * CLOCK_SECOND);
	burn_judge(&b, 0, &b.stood, &r);
	assert_int_equal(r.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(finish(&b, &r), VERDICT_INCOMPLETE);
}

/* Let a thread of the load run on this processor only. */
static void move(const struct burn *b, int thread, int cpu)
{
	struct dirent **tasks;
	char path[64];
	cpu_set_t one;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)b->child.pid);
	n = scandir(path, &tasks, NULL, versionsort);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	/* Behind "." and "..": their ids are in the order of their start. */
	assert_int_equal(sched_setaffinity((pid_t)strtol(tasks[2 + thread]->d_name, NULL, 10),
		sizeof(one), &one), 0);
	for (int i = 0; i < n; i++)
		free(tasks[i]);
	free(tasks);
}

/* By a change of affinity or of its cpuset, or since its processor went offline. */
static void a_thread_that_left_its_processor_did_not_test_it(void **state)
{
	static const struct { int moved; bool returns; } cases[] = { { -1, false }, { 0, false },
		{ 1, false }, { 1, true } };
	const int cpus[] = { team_processor(0), team_processor(1) };

	(void)state;
	if (cpus[0] == cpus[1])
		skip();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const int moved = cases[i].moved;
		struct checkpoint c = { .runs = 1 }, again;
		struct burn_result r;
		struct strbuf text = { 0 };
		struct error e;
		char gap[64] = "";
		struct burn b;

		start(&b, 2, NULL);
		wait_rounds(&b, 1);
		if (moved >= 0) {
			move(&b, moved, cpus[!moved]);
			while (burn_worker_get(&b.shared->workers[moved], BURN_AWAY) == 0)
				poll(NULL, 0, 2);
			snprintf(gap, sizeof(gap), "thread %d was moved from CPU %d to CPU %d",
				moved, cpus[moved], cpus[!moved]);
		}
		if (cases[i].returns)
			move(&b, moved, cpus[moved]);
		assert_true(checkpoint_take(&c, &b));
		checkpoint_put(&text, &c);
		assert_int_equal(checkpoint_parse(text.text, text.len, &again, &e), 0);
		assert_string_equal(again.gap, gap);
		finish(&b, &r);
		assert_int_equal(r.verdict, moved < 0 ? VERDICT_PASS : VERDICT_INCOMPLETE);
		assert_int_equal(strncmp(r.reason, gap, strlen(gap)), 0);
		assert_int_equal(r.ledger.asked[LEDGER_PLACES], 2);
		assert_int_equal(r.ledger.done[LEDGER_PLACES], moved < 0 ? 2 : 1);
		checkpoint_clear(&c);
		checkpoint_clear(&again);
		strbuf_clear(&text);
	}
}

static void less_time_than_was_asked_for_is_no_pass(void **state)
{
	static const struct error why = { -ECANCELED, CODE_STOPPED, "stopped before its end" };
	struct burn_config c = { .threads = 1, .seed = 7, .dwell = 2,
		.duration = 3600 * CLOCK_SECOND };
	struct burn_result r;
	struct error e;
	struct burn b;

	(void)state;
	c.kinds[BURN_MATMUL * BURN_DTYPES + BURN_FLOAT32] = true;
	assert_int_equal(burn_start(&b, &c, &e), 0);
	wait_rounds(&b, 1);
	burn_end(&b, LONG);
	burn_count_set(&b.shared->workers[0].count[BURN_MEMORY_NS], 3600 * CLOCK_SECOND);
	burn_judge(&b, 12700 * CLOCK_MS, NULL, &r);
	assert_int_equal(r.verdict, VERDICT_INCOMPLETE);
	assert_string_equal(r.reason, "12.70 of 3600 s of load");
	assert_int_equal(r.code, CODE_NOT_COVERED);
	burn_judge(&b, 12700 * CLOCK_MS, &why, &r);
	assert_string_equal(r.reason, "stopped before its end");
	assert_int_equal(r.code, CODE_STOPPED);
	burn_judge(&b, 3600 * CLOCK_SECOND, NULL, &r);
	assert_int_equal(r.verdict, VERDICT_PASS);
	burn_close(&b);
}

/* Beside the others, which is all there is to compare a load that rests with, and the time. */
static void a_thread_that_ended_early_is_named(void **state)
{
	static const struct {
		enum load_pattern pattern;
		int64_t worked[2], iterations;	/* s */
		const char *reason;
	} cases[] = {
		{ LOAD_STEADY, { 3600, 1900 }, 0, NULL },
		{ LOAD_STEADY, { 3600, 1746 }, 0, " worked for 1746.0 of 3600.0 s" },
		{ LOAD_STEADY, { 20, 20 }, 0, " worked for 20.0 of 3600.0 s" },
		{ LOAD_PULSE, { 1800, 1800 }, 0, NULL },
		{ LOAD_PULSE, { 1800, 800 }, 0, " worked for 800.0 of 1800.0 s" },
		{ LOAD_STEADY, { 20, 3000 }, 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct burn_config c = { .threads = 2, .seed = 7, .dwell = 2,
			.pattern = cases[i].pattern, .iterations = (uint64_t)cases[i].iterations,
			.duration = 3600 * CLOCK_SECOND };
		struct burn_result r;
		struct error e;
		struct burn b;

		c.kinds[BURN_MATMUL * BURN_DTYPES + BURN_FLOAT32] = true;
		assert_int_equal(burn_start(&b, &c, &e), 0);
		wait_rounds(&b, 1);
		burn_end(&b, LONG);
		for (int t = 0; t < 2; t++) {
			struct burn_count *n = b.shared->workers[t].count;

			burn_count_set(&n[BURN_NS + BURN_MATMUL * BURN_DTYPES + BURN_FLOAT32], 0);
			burn_count_set(&n[BURN_MEMORY_NS],
				(uint64_t)(cases[i].worked[t] * CLOCK_SECOND));
		}
		burn_judge(&b, (cases[i].iterations ? 3000 : 3600) * CLOCK_SECOND, NULL, &r);
		if (r.verdict != (cases[i].reason ? VERDICT_INCOMPLETE : VERDICT_PASS) ||
			(cases[i].reason && !strstr(r.reason, cases[i].reason)))
			fail_msg("case %zu: %s: %s", i, verdict_word(r.verdict), r.reason);
		burn_close(&b);
	}
}

/* Whether the load ended by itself.  If the set was made anew just then, the flip is gone. */
static bool ends(struct burn *b)
{
	for (int64_t end = clock_steady() + LONG / 4; burn_watch(b, LONG); poll(NULL, 0, 1))
		if (clock_steady() > end)
			return false;
	return true;
}

/* Where its operands and results are, and how many of each; in the load's own memory. */
static void a_flip_in_what_describes_a_set_never_passes(void **state)
{
	const struct {
		size_t at;
		int bit;
	} cases[] = { { offsetof(struct burn_set, out_bytes) + 1, 4 },
		{ offsetof(struct burn_set, n_regions), 1 },
		{ offsetof(struct burn_set, n_regions), 0 },
		{ offsetof(struct burn_set, regions[1].bytes) + 1, 0 },
		{ offsetof(struct burn_set, regions[0].sum), 5 },
		{ offsetof(struct burn_set, shape.m), 3 },
		{ offsetof(struct burn_set, flops), 3 } };
	struct burn_result r;

	(void)state;
	for (size_t i = 0, tries = 0; i < ARRAY_LEN(cases); i++, tries = 0) {
		struct burn b;

		do {
			if (tries > 0)
				burn_close(&b);
			if (tries++ == 3)
				fail_msg("case %zu: it goes on", i);
			start(&b, 1, NULL);
			wait_rounds(&b, 1);
			if (!flip(b.child.pid, b.shared->probe.sets + cases[i].at, cases[i].bit)
				&& errno == EPERM) {
				burn_close(&b);
				skip();
			}
		} while (!ends(&b));
		if (finish(&b, &r) != VERDICT_FAIL)
			fail_msg("case %zu: %s %s", i, verdict_word(r.verdict), r.reason);
	}
}

/* The load cannot write into anything else that the tool shares with its other processes. */
static void the_load_shares_nothing_but_its_counts(void **state)
{
	void *other = mem_share(4096);
	char path[64], line[512];
	struct burn_result r;
	struct burn b;
	int n = 0;
	FILE *f;

	(void)state;
	start(&b, 1, NULL);
	wait_rounds(&b, 1);
	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)b.child.pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, " rw-s ") != NULL;
	fclose(f);
	assert_int_equal(n, 1);
	assert_int_equal(finish(&b, &r), VERDICT_PASS);
	mem_unshare(other, 4096);
}

/* Reads all that the tool shows of a burn. */
static void read_all(const struct burn *b)
{
	char text[64];
	struct burn_error x;

	for (uint32_t i = 0; i < burn_error_places(b); i++)
		if (burn_error(b, i, &x))
			assert_true(*burn_what_name(x.what) && *burn_error_pattern(&x) &&
				*burn_error_impl(&x));
	for (int k = 0; k < BURN_KINDS; k++) {
		assert_true(strlen(burn_impl_name(b, k)) < sizeof(text));
		burn_case_text(b, k, text, sizeof(text));
	}
	burn_making(b, text, sizeof(text));
	burn_errors(b);
}

/* Each word up to the first records, and of the workers; all bits of them for BURN_FLIPS. */
static void flip_shared(struct burn *b, size_t from, size_t to, const struct burn_result *good)
{
	const int all = flips(1) >= 64 ? 64 : 1;
	uint64_t *words = (uint64_t *)(void *)b->shared;
	struct burn_result r;

	for (size_t i = from / 8; i < to / 8; i++)
		for (int n = 0; n < all; n++) {
			const int bit = all == 1 ? rand() % 64 : n;

			words[i] ^= 1ULL << bit;
			burn_judge(b, 0, NULL, &r);
			read_all(b);
			if (r.verdict == VERDICT_PASS && good->verdict != VERDICT_PASS)
				fail_msg("bit %d of word %zu: %s", bit, i,
					verdict_word(r.verdict));
			if (r.verdict == VERDICT_PASS && (r.words != good->words ||
				r.sums != good->sums || r.rounds != good->rounds))
				fail_msg("bit %d of word %zu: wrong figures pass", bit, i);
			if (r.verdict == VERDICT_FAIL && good->verdict == VERDICT_PASS)
				fail_msg("bit %d of word %zu: %s", bit, i, r.reason);
			words[i] ^= 1ULL << bit;
		}
}

/* After a healthy burn, and after one that found two wrong words. */
static void a_flip_in_what_is_shared_is_never_believed(void **state)
{
	const char *faults[] = { NULL, "output" };
	struct burn_result r;

	(void)state;
	srand(11);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		const size_t workers = offsetof(struct burn_shared, workers);
		struct burn b;

		start(&b, 2, faults[i]);
		wait_rounds(&b, 1);
		burn_end(&b, LONG);
		burn_judge(&b, 0, NULL, &r);
		assert_int_equal(r.verdict, faults[i] ? VERDICT_FAIL : VERDICT_PASS);
		flip_shared(&b, 0, offsetof(struct burn_shared, records[3]), &r);
		flip_shared(&b, workers, workers + offsetof(struct burn_worker, peaks[0][8]), &r);
		burn_close(&b);
	}
}

/* While it runs, and to its end. */
static void a_flip_in_what_is_shared_leaves_a_verdict(void **state)
{
	const int all = flips(24);
	struct burn_result r;
	int ends[VERDICT_FAIL + 1] = { 0 };

	(void)state;
	srand(12);
	for (int done = 0; done < all; done++) {
		const size_t workers = offsetof(struct burn_shared, workers);
		struct burn_config c = { .threads = 2, .seed = 7, .dwell = 2, .iterations = 3,
			.fault = { .name = done % 2 ? "output" : NULL } };
		const int at = rand() % 40;
		struct burn b;
		struct error e;
		size_t byte;

		c.kinds[BURN_MATMUL * BURN_DTYPES + BURN_FLOAT32] = true;
		assert_int_equal(burn_start(&b, &c, &e), 0);
		for (int i = 0; burn_watch(&b, LONG); i++) {
			poll(NULL, 0, 1);
			if (i != at)
				continue;
			byte = rand() % 2 ? (size_t)rand() % offsetof(struct burn_shared,
				records[2]) : workers + (size_t)rand() % (b.size - workers);
			((unsigned char *)b.shared)[byte] ^= (unsigned char)(1 << rand() % 8);
		}
		burn_end(&b, LONG);
		burn_judge(&b, 0, NULL, &r);
		read_all(&b);
		ends[r.verdict]++;
		if (r.verdict == VERDICT_PASS && (done % 2 || r.errors > 0 || r.rounds != 3))
			fail_msg("flip %d: a wrong result passes", done);
		burn_close(&b);
	}
	print_message("# %d flips: %d PASS, %d INCOMPLETE, %d FAIL\n", all, ends[VERDICT_PASS],
		ends[VERDICT_INCOMPLETE], ends[VERDICT_FAIL]);
}

static uint64_t work_of(const struct burn *b)
{
	const struct burn_worker *w = &b->shared->workers[0];

	return burn_worker_get(w, BURN_MEMORY_MOVED) + burn_worker_get(w, BURN_WORDS);
}

/* Of each kind: what it counts stands still until somebody watches it again. */
static void a_load_that_nobody_watches_rests(void **state)
{
	(void)state;
	for (int memory = 0; memory < 2; memory++) {
		struct burn_config c = { .threads = 1, .seed = 7, .dwell = 2,
			.unwatched = CLOCK_SECOND / 2, .memory = memory ? 64 << 20 : 0 };
		const int64_t end = clock_steady() + LONG;
		uint64_t before, after;
		struct burn_result r;
		struct error e;
		struct burn b;

		c.kinds[BURN_MATMUL * BURN_DTYPES + BURN_FLOAT32] = !memory;
		assert_int_equal(burn_start(&b, &c, &e), 0);
		wait_rounds(&b, 1);
		after = work_of(&b);
		/* Nobody watches: some more work, and then a whole second without any. */
		do {
			before = after;
			poll(NULL, 0, 1000);
			after = work_of(&b);
			if (clock_steady() > end)
				fail_msg("%s goes on", memory ? "memory" : "matmul");
		} while (after != before);
		wait_rounds(&b, burn_worker_get(&b.shared->workers[0], BURN_ROUNDS) + 1);
		assert_int_equal(finish(&b, &r), VERDICT_PASS);
	}
}

static int64_t counted_ns(const struct burn *b)
{
	int64_t ns = 0;

	for (int k = 0; k < BURN_KINDS; k++)
		ns += (int64_t)burn_worker_get(&b->shared->workers[0], BURN_NS + k);
	return ns;
}

/* Neither is a rate lower for it, nor is it what other programs took. */
/* As where --size is a share: a resumed burn has more memory than the one before it, or less. */
static void a_pass_over_less_memory_does_not_cover_more(void **state)
{
	static const struct { uint64_t whole, done; } cases[] = { { 2 << 20, 2 << 20 },
		{ 4 << 20, 4 << 20 }, { 8 << 20, 4 << 20 } };
	uint64_t counters[1][CHECKPOINT_COUNTERS] = { { [BURN_MEMORY_PASSES] = 9 } };
	const struct checkpoint before = { .runs = 1, .workers = 1, .counters = counters };
	const struct burn_config c = { .threads = 1, .seed = 7, .memory = 5 << 20,
		.resumed = &before };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct burn_result r;
		struct error e;
		struct burn b;

		counters[0][BURN_MEMORY_WHOLE] = cases[i].whole;
		assert_int_equal(burn_start(&b, &c, &e), 0);
		/* What is tested is whole pieces. */
		assert_int_equal(b.config.memory, 4 << 20);
		burn_stop(&b);
		finish(&b, &r);
		assert_int_equal(r.ledger.asked[LEDGER_BYTES], 4 << 20);
		assert_int_equal(r.ledger.done[LEDGER_BYTES], cases[i].done);
		assert_int_equal(r.verdict, cases[i].done < 4 << 20 ? VERDICT_INCOMPLETE :
			VERDICT_PASS);
	}
}

/* It was not tested in one place, whichever process did the rest. */
static void memory_that_was_swapped_out_stays_so(void **state)
{
	static struct checkpoint c = { .runs = 1 };
	struct burn_config config = { .threads = 1, .seed = 7, .memory = 4 << 20, .iterations = 1 };

	(void)state;
	for (int run = 0; run < 2; run++) {
		struct burn_result r;
		struct error e;
		struct burn b;

		assert_int_equal(burn_start(&b, &config, &e), 0);
		if (run == 0)
			burn_count_set(&b.shared->workers[0].count[BURN_SWAPPED], 8 << 10);
		while (burn_watch(&b, LONG))
			poll(NULL, 0, 1);
		assert_true(checkpoint_take(&c, &b));
		config.resumed = &c;
		assert_int_equal(finish(&b, &r), VERDICT_INCOMPLETE);
		assert_string_equal(r.reason, "8 KiB of the load's memory were swapped out");
	}
	checkpoint_clear(&c);
}

/* To take the memory of a large machine needs minutes, which look like none. */
static void what_is_made_before_the_load_is_told(void **state)
{
	struct burn_config c = { .threads = 2, .seed = 7, .dwell = 2, .memory = 8 << 20 };
	struct burn_result r;
	struct error e;
	struct burn b;
	char text[64];

	(void)state;
	start(&b, 1, NULL);
	assert_string_equal(burn_making(&b, text, sizeof(text)), "operands are being made");
	burn_close(&b);
	assert_int_equal(burn_start(&b, &c, &e), 0);
	wait_rounds(&b, 1);
	assert_string_equal(burn_making(&b, text, sizeof(text)),
		"8 of 8 MiB of memory are in place");
	assert_int_equal(finish(&b, &r), VERDICT_PASS);
}

/* Both were stopped, or frozen: that nothing moved while nobody looked proves nothing. */
static void who_did_not_look_has_seen_nothing_stand_still(void **state)
{
	const int64_t end = clock_steady() + LONG;
	struct burn b;

	(void)state;
	start(&b, 1, "stop");
	while (!b.stopped) {
		assert_true(clock_steady() < end);
		assert_true(burn_watch(&b, LONG));
		poll(NULL, 0, 2);
	}
	poll(NULL, 0, 2500);
	assert_true(burn_watch(&b, 2 * CLOCK_SECOND));
	burn_close(&b);
}

/* Stop the load for so long, and watch it meanwhile or not; returns ns of the stop. */
static int64_t stop_for(struct burn *b, int64_t time, bool watched)
{
	const int64_t before = b->stopped_for;
	int64_t from, stopped;

	kill(b->child.pid, SIGSTOP);
	while (!child_is_stopped(&b->child))
		poll(NULL, 0, 2);
	from = clock_steady();
	while (watched ? b->stopped_for - before < time : clock_steady() - from < time) {
		if (watched)
			assert_true(burn_watch(b, LONG));
		poll(NULL, 0, 20);
	}
	stopped = clock_steady() - from;
	kill(b->child.pid, SIGCONT);
	return stopped;
}

/* Whether the load left a stop out of its time. */
static bool leaves_out(struct burn *b, int64_t length, bool watched)
{
	const uint64_t rounds = burn_worker_get(&b->shared->workers[0], BURN_ROUNDS);
	const int64_t from = clock_steady(), stopped = b->stopped_for;
	const int64_t unwatched = b->unwatched_for;
	int64_t ns, time;

	wait_rounds(b, rounds + 1);	/* what runs now has begun after `from` */
	ns = counted_ns(b);
	time = stop_for(b, length, watched);
	wait_rounds(b, rounds + 3);
	assert_false(b->stopped);
	if (watched)
		assert_true(b->stopped_for - stopped >= length);
	else	/* a look just after may still see it; its other threads may work, too */
		assert_true(b->stopped_for - stopped + b->unwatched_for - unwatched >=
			time - 20 * CLOCK_MS);
	return counted_ns(b) - ns < clock_steady() - from - length / 2;
}

/*
 * However short, and whether we saw it or were stopped as well.  On a busy machine the thread that
 * hears of the end may wait for a processor while another ends its block: once in three is enough.
 */
static void the_time_that_a_load_is_stopped_is_not_its_own(void **state)
{
	static const struct { int64_t time; bool watched; } cases[] = {
		{ 3 * CLOCK_SECOND, true }, { 700 * CLOCK_MS, true },
		{ 3 * CLOCK_SECOND, false }, { 700 * CLOCK_MS, false },
	};
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 1, NULL);
	wait_running(&b);
	wait_rounds(&b, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int tries = 1;

		while (!leaves_out(&b, cases[i].time, cases[i].watched))
			assert_true(++tries <= 3);
	}
	assert_int_equal(finish(&b, &r), VERDICT_PASS);
}

/* Others have the processor: the rate is lower for it, and the share of the time shows why. */
static void time_without_a_processor_is_working_time(void **state)
{
	const int64_t idle = 1500 * CLOCK_MS;
	struct stopwatch t;

	(void)state;
	stopwatch_start(&t);
	for (const int64_t end = clock_steady() + idle; clock_steady() < end;)
		poll(NULL, 0, 100);
	stopwatch_mark(&t, 0);
	assert_true(stopwatch_ns(&t) >= idle && stopwatch_cpu(&t) < idle);
}

static void no_work_is_no_pass(void **state)
{
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 2, NULL);
	burn_stop(&b);
	assert_int_equal(finish(&b, &r), VERDICT_INCOMPLETE);
	assert_true(r.reason[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_says_when_the_load_rests),
		cmocka_unit_test(a_healthy_host_passes),
		cmocka_unit_test(a_share_of_the_peak_that_cannot_be_true_is_not_told),
		cmocka_unit_test(workers_that_take_turns_share_their_processors),
		cmocka_unit_test(every_implementation_gives_the_expected_bits_anew),
		cmocka_unit_test(a_bit_flipped_from_outside_is_found_and_named),
		cmocka_unit_test(a_bit_flipped_in_sums_is_a_wrong_output),
		cmocka_unit_test(a_bit_flipped_in_dead_bytes_changes_nothing),
		cmocka_unit_test(each_part_is_attributed),
		cmocka_unit_test(a_check_that_finds_nothing_fails),
		cmocka_unit_test(a_checksum_that_is_wrong_once_is_told),
		cmocka_unit_test(an_error_stops_it_if_asked),
		cmocka_unit_test(the_end_of_the_load_is_a_verdict),
		cmocka_unit_test(a_load_that_stands_still_is_ended),
		cmocka_unit_test(a_thread_that_hangs_beside_one_that_runs_is_named),
		cmocka_unit_test(a_thread_that_left_its_processor_did_not_test_it),
		cmocka_unit_test(less_time_than_was_asked_for_is_no_pass),
		cmocka_unit_test(a_thread_that_ended_early_is_named),
		cmocka_unit_test(a_flip_in_what_describes_a_set_never_passes),
		cmocka_unit_test(the_load_shares_nothing_but_its_counts),
		cmocka_unit_test(a_flip_in_what_is_shared_is_never_believed),
		cmocka_unit_test(a_flip_in_what_is_shared_leaves_a_verdict),
		cmocka_unit_test(a_load_that_nobody_watches_rests),
		cmocka_unit_test(a_pass_over_less_memory_does_not_cover_more),
		cmocka_unit_test(memory_that_was_swapped_out_stays_so),
		cmocka_unit_test(what_is_made_before_the_load_is_told),
		cmocka_unit_test(who_did_not_look_has_seen_nothing_stand_still),
		cmocka_unit_test(the_time_that_a_load_is_stopped_is_not_its_own),
		cmocka_unit_test(time_without_a_processor_is_working_time),
		cmocka_unit_test(no_work_is_no_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
