/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that a burn tests: every word of every pass is compared, and what is
 * wrong is named.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/host/burn.h"
#include "burnin/host/burn_work.h"
#include "burnin/kernels/cpu.h"

#include <poll.h>
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
#define MIB (1ULL << 20)

enum { PASSES = 2 * BURN_MEMORY_PATTERNS * BURN_MEMORY_ORDERS };

struct seen {
	int n;
	uint64_t word, got, want;
	bool once;
};

static void see(void *arg, uint64_t word, uint64_t got, uint64_t want, bool once)
{
	struct seen *s = arg;

	s->n++;
	s->word = word;
	s->got = got;
	s->want = want;
	s->once = once;
}

static void open_memory(struct burn_memory *m, uint64_t bytes, const struct impl *i)
{
	struct error e;

	if (burn_memory_open(m, bytes, 11, i, &e) < 0)
		fail_msg("%s", e.text);
	while (burn_memory_settle(m) != 0)
		;
	assert_int_equal(burn_memory_bytes(m), bytes);
}

/* A sample of the ceiling before each step, which must not change what is found. */
static bool step(struct burn_memory *m, struct seen *s)
{
	const uint64_t moved = burn_memory_plain(m);

	assert_true(burn_memory_streams(m->pass) ? moved > 0 : moved == 0);
	return burn_memory_step(m, see, s);
}

static void write_all(struct burn_memory *m, struct seen *s)
{
	while (!m->comparing)
		assert_false(step(m, s));
}

static void compare_all(struct burn_memory *m, struct seen *s)
{
	while (!step(m, s))
		assert_true(m->comparing);
}

/* In each pattern and order, by each implementation: any one bit, and nothing without one. */
static void every_bit_of_every_pass_is_compared(void **state)
{
	int tried = 0;

	(void)state;
	srand(3);
	for (int i = 0; impls[i]; i++) {
		struct burn_memory m;

		if (!impls[i]->memory || !impl_usable(impls[i], BURN_CONV2D, BURN_FLOAT32))
			continue;
		open_memory(&m, 6 * MIB, impls[i]);
		for (int pass = 0; pass < PASSES; pass++) {
			const uint64_t words = m.n * IMPL_BURST / 8;
			const uint64_t at = pass == 0 ? 0 : pass == 1 ? words - 1
				: (uint64_t)rand() % words;
			const uint64_t bit = 1ULL << rand() % 64;
			struct seen s = { 0 };

			write_all(&m, &s);
			compare_all(&m, &s);
			assert_int_equal(s.n, 0);
			burn_memory_begin(&m, (uint64_t)pass);
			write_all(&m, &s);
			m.bursts.at[at] ^= bit;
			compare_all(&m, &s);
			if (s.n != 1 || s.word != at || (s.got ^ s.want) != bit || s.once)
				fail_msg("%s, pass %d: word %llu of %llu: %d found",
					impls[i]->name, pass, (unsigned long long)at,
					(unsigned long long)words, s.n);
			tried++;
		}
		burn_memory_close(&m);
	}
	assert_true(tried >= PASSES);
}

/* What is written in random order is right in order; and a bit in each burst is found as often. */
static void each_burst_has_its_turn_in_random_order(void **state)
{
	static const uint64_t sizes[] = { 2 * MIB, 6 * MIB, 34 * MIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct burn_memory m;
		struct seen s = { 0 };
		uint64_t wrong[IMPL_BURST / 8];

		open_memory(&m, sizes[i], impl_find("portable"));
		burn_memory_begin(&m, BURN_MEMORY_PATTERNS);
		assert_false(burn_memory_streams(m.pass));
		memset(m.bursts.at, 0, sizes[i]);
		write_all(&m, &s);
		assert_true(m.impl->memory->compare(&m.bursts, 0, NULL, m.n, wrong));
		for (uint64_t burst = 0; burst < m.n; burst++)
			m.bursts.at[burst * IMPL_BURST / 8 + burst % 8] ^= 1;
		compare_all(&m, &s);
		assert_int_equal(s.n, m.n);
		burn_memory_close(&m);
	}
}

/* All that is read of a burst that follows is another: stale data does not pass. */
static void a_burst_in_anothers_place_is_wrong(void **state)
{
	const struct impl *i = impl_find("portable");
	struct burn_memory m;

	(void)state;
	open_memory(&m, 2 * MIB, i);
	assert_string_equal(burn_memory_pattern(3), "burst identity");
	for (int lane = 0; lane < IMPL_BURST; lane++) {
		unsigned char *at = (unsigned char *)(m.bursts.at + 100 * 8);
		struct seen s = { 0 };

		burn_memory_begin(&m, 3);
		write_all(&m, &s);
		at[lane] = at[lane - IMPL_BURST];
		compare_all(&m, &s);
		assert_int_equal(s.n, 1);
	}
	for (int pass = 0; pass < PASSES; pass++) {
		struct seen s = { 0 };

		burn_memory_begin(&m, (uint64_t)pass);
		write_all(&m, &s);
		memcpy(m.bursts.at + 100 * 8, m.bursts.at + 99 * 8, IMPL_BURST);
		compare_all(&m, &s);
		assert_true(s.n >= 1);
		assert_true(s.word / 8 == 100);
	}
	burn_memory_close(&m);
}

static int flips(int usual)
{
	const char *asked = getenv("BURN_FLIPS");

	return asked ? (int)strtol(asked, NULL, 10) : usual;
}

/* All threads of it stand. */
static void freeze(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
}

static bool told(const struct burn *b, uint64_t word, int bit)
{
	const uint32_t n = burn_error_places(b);
	struct burn_error x;

	for (uint32_t i = 0; i < n; i++)
		if (burn_error(b, i, &x) && x.kind == BURN_MEMORY && x.index == word &&
			(x.got ^ x.want) == 1U << bit && x.thread == 0 && x.address != 0)
			return true;
	return false;
}

static void start(struct burn *b, int threads, enum load_pattern pattern)
{
	struct burn_config c = { .threads = threads, .seed = 7, .pattern = pattern,
		.memory = (uint64_t)threads * 256 * MIB };
	struct error e;

	if (burn_start(b, &c, &e) < 0)
		fail_msg("%s", e.text);
}

static enum verdict finish(struct burn *b, struct burn_result *r)
{
	burn_end(b, LONG);
	burn_judge(b, 0, NULL, r);
	burn_close(b);
	return r->verdict;
}

static uint64_t passes_of(const struct burn *b, int worker)
{
	return burn_worker_get(&b->shared->workers[worker], BURN_MEMORY_PASSES);
}

static void wait_passes(struct burn *b, uint64_t n)
{
	const int64_t end = clock_steady() + LONG;

	while (passes_of(b, 0) < n) {
		assert_true(clock_steady() < end);
		assert_true(burn_watch(b, LONG));
		poll(NULL, 0, 2);
	}
}

enum { AT_ONCE = 50 };

/* Flips at places that are live while the load stands; returns how many. */
static int flip_some(struct burn *b, uint64_t words[AT_ONCE], int bits[AT_ONCE])
{
	char *at = (char *)(uintptr_t)b->shared->probe.memory.at;
	uint64_t from, to;
	int n = 0;

	freeze(b->child.pid);
	from = atomic_load(&b->shared->probe.live_from) / 4;
	to = atomic_load(&b->shared->probe.live_to) / 4;
	for (; n < AT_ONCE && to > from; n++) {
		const uint64_t part = (to - from) / AT_ONCE;
		uint32_t word;
		struct iovec here = { &word, sizeof(word) }, there;

		words[n] = from + (uint64_t)n * part + (uint64_t)rand() % part;
		bits[n] = rand() % 32;
		there = (struct iovec){ at + words[n] * 4, 4 };
		assert_int_equal(process_vm_readv(b->child.pid, &here, 1, &there, 1, 0), 4);
		word ^= 1U << bits[n];
		assert_int_equal(process_vm_writev(b->child.pid, &here, 1, &there, 1, 0), 4);
	}
	kill(b->child.pid, SIGCONT);
	return n;
}

/* BURN_FLIPS=1000 for all of them. */
static void bits_flipped_from_outside_are_all_found(void **state)
{
	const int all = flips(100);
	struct burn_result r;
	struct burn b;

	(void)state;
	srand(5);
	start(&b, 1, LOAD_STEADY);
	wait_passes(&b, 1);
	for (int done = 0; done < all;) {
		uint64_t words[AT_ONCE];
		int bits[AT_ONCE];
		const int n = flip_some(&b, words, bits);

		if (n > 0)
			wait_passes(&b, passes_of(&b, 0) + 1);
		for (int i = 0; i < n; i++)
			if (!told(&b, words[i], bits[i]))
				fail_msg("bit %d of word %llu: missed", bits[i],
					(unsigned long long)words[i]);
		done += n;
		poll(NULL, 0, rand() % 20);
	}
	assert_int_equal(finish(&b, &r), VERDICT_FAIL);
	assert_true(r.errors >= (uint64_t)all);
}

static void a_healthy_memory_passes(void **state)
{
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 2, LOAD_STEADY);
	wait_passes(&b, 1);
	while (passes_of(&b, 1) < 1)
		poll(NULL, 0, 2);
	if (finish(&b, &r) != VERDICT_PASS)
		fail_msg("%s", r.reason);
	assert_int_equal(r.errors, 0);
	assert_true(r.memory_passes >= 1 && r.memory_bytes >= 2 * 256 * MIB);
	assert_true(r.memory_rate[0] > 0 && (r.memory_ceiling > 0) == !r.no_ceiling);
}

/* Where others had the processor, no part of what one value allows is known. */
static void memory_that_was_tested_on_a_busy_machine_has_no_share(void **state)
{
	struct burn_result r;
	struct burn b;
	uint64_t ns;

	(void)state;
	start(&b, 1, LOAD_STEADY);
	wait_passes(&b, 1);
	burn_end(&b, LONG);
	ns = burn_worker_get(&b.shared->workers[0], BURN_MEMORY_NS)
		+ burn_worker_get(&b.shared->workers[0], BURN_MEMORY_NS + 1);
	burn_count_set(&b.shared->workers[0].count[BURN_CPU_NS], ns / 10 * 8);
	burn_judge(&b, 0, NULL, &r);
	assert_true(r.share > 0.79 && r.share < 0.81);
	assert_true(r.memory_rate[0] > 0 && r.memory_ceiling <= 0);
	assert_non_null(strstr(r.no_ceiling, "its processors for less than 90 %"));
	finish(&b, &r);
}

/* By its own samples; one that is faster than them, as after a resume, has no share. */
static void a_test_is_judged_by_its_ceiling(void **state)
{
	struct burn_result r;
	struct burn_worker *w;
	struct burn b;

	(void)state;
	start(&b, 1, LOAD_STEADY);
	wait_passes(&b, 1);
	burn_end(&b, LONG);
	w = &b.shared->workers[0];
	/* It always had its processor. */
	burn_count_set(&w->count[BURN_CPU_NS], burn_worker_get(w, BURN_MEMORY_NS)
		+ burn_worker_get(w, BURN_MEMORY_NS + 1));
	assert_true(burn_worker_get(w, BURN_CEILING_BYTES)
		>= burn_worker_get(w, BURN_MEMORY_BYTES));
	burn_judge(&b, 0, NULL, &r);
	assert_true(r.memory_ceiling >= r.memory_rate[0] && !r.no_ceiling);
	burn_count_set(&w->count[BURN_CEILING_NS], burn_worker_get(w, BURN_CEILING_NS) * 3);
	burn_judge(&b, 0, NULL, &r);
	assert_true(r.memory_rate[0] > 0 && r.memory_ceiling <= 0);
	assert_non_null(strstr(r.no_ceiling, "faster than one value"));
	finish(&b, &r);
}

/* A load that grows from nothing: a pass would take it seconds. */
static void less_than_a_pass_is_no_pass(void **state)
{
	struct burn_result r;
	struct burn b;

	(void)state;
	start(&b, 1, LOAD_RAMP);
	while (!burn_is_running(&b))
		assert_true(burn_watch(&b, LONG));
	assert_int_equal(finish(&b, &r), VERDICT_INCOMPLETE);
	assert_non_null(strstr(r.reason, "not all of the memory was compared once"));
}

static void a_physical_address_is_that_of_the_page(void **state)
{
	static char page[16384];
	uint64_t a, b;

	(void)state;
	memset(page, 1, sizeof(page));
	a = burn_memory_physical(page + 8192);
	b = burn_memory_physical(page + 8192 + 5);
	if (geteuid() != 0) {
		assert_int_equal(a, 0);
		return;
	}
	if (a == 0)
		skip();
	assert_int_equal(b, a + 5);
	assert_int_equal(a % 4096, (uintptr_t)(page + 8192) % 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit_of_every_pass_is_compared),
		cmocka_unit_test(each_burst_has_its_turn_in_random_order),
		cmocka_unit_test(a_burst_in_anothers_place_is_wrong),
		cmocka_unit_test(bits_flipped_from_outside_are_all_found),
		cmocka_unit_test(a_healthy_memory_passes),
		cmocka_unit_test(memory_that_was_tested_on_a_busy_machine_has_no_share),
		cmocka_unit_test(a_test_is_judged_by_its_ceiling),
		cmocka_unit_test(less_than_a_pass_is_no_pass),
		cmocka_unit_test(a_physical_address_is_that_of_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
