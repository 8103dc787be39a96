/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The burn of a card from its parent's side, on a fake chip whose cores do as
 * they are told (fake_core.c) but for one: each fault is found, laid to the
 * right core and judged rightly, and however it ends the cores are held.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/cores/card_judge.h"
#include "burnin/cores/card_burn.h"
#include "device/bus.h"
#include "tests/rig/count_words.h"

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
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define LONG	   (120 * CLOCK_SECOND)
#define SOFT_RESET 0xffb121b0
#define HELD	   0x47800

static char folder[] = "/tmp/tt-smi-card-burn.XXXXXX";
static struct bus *bus;
static struct card_burn burn;
static struct card_result result;

static const struct card_burn_config usual = { .kinds = { true, true }, .seed = 7, .steps = 9,
	.phases = 4, .rows = 2, .iterations = 1, .passes = 2, .still = 3 * CLOCK_SECOND,
	.deadman = 1 << 26, .is_simulator = true };

/* Endless, so that something can happen to it. */
static struct card_burn_config endless(void)
{
	struct card_burn_config c = usual;

	c.iterations = 0;
	c.passes = 0;
	c.round = LONG;
	return c;
}

static void open_fake(const char *name)
{
	const char *built = getenv("top_builddir");
	char path[128], command[512];
	struct error e = { 0 };

	snprintf(path, sizeof(path), "%s/%s.so", folder, name);
	snprintf(command, sizeof(command), "cp '%s/tests/rig/fake_ttsim.so' '%s'",
		built ? built : ".", path);
	assert_int_equal(system(command), 0);
	if (bus_open(&(struct bus_config){ .ttsim = path }, &bus, &e) < 0)
		fail_msg("%s", e.text);
}

static void start(const char *name, struct card_burn_config c)
{
	struct error e = { 0 };

	if (!bus)
		open_fake(name);
	c.device = &bus->dev[0];
	if (card_burn_start(&burn, &c, &e) < 0)
		fail_msg("%s", e.text);
}

static void await_end(int64_t patience)
{
	const int64_t until = clock_steady() + LONG;

	while (card_burn_watch(&burn, patience)) {
		assert_true(clock_steady() < until);
		poll(NULL, 0, 5);
	}
}

static uint64_t blocks(void)
{
	card_judge(&burn, NULL, &result);
	return result.blocks;
}

static void await_blocks(uint64_t n)
{
	const int64_t until = clock_steady() + LONG;

	while (blocks() < n) {
		assert_true(clock_steady() < until);
		assert_true(card_burn_watch(&burn, LONG));
		poll(NULL, 0, 5);
	}
}

static uint32_t word(const struct card_core *c, uint32_t addr)
{
	uint32_t w = 0;

	assert_int_equal(device_read(&bus->dev[0], (struct reg_addr){ REG_NOC, c->x, c->y, addr },
		&w, 1), 0);
	return w;
}

static bool all_held(void)
{
	const size_t n = atomic_load(&burn.shared->n);
	struct error e;

	assert_int_equal(device_acquire_for(&bus->dev[0], ACCESS_BURN, DEVICE_PASSIVE, &e), 0);
	for (size_t i = 0; i < n; i++)
		if (word(&burn.shared->cores[i], SOFT_RESET) != HELD)
			return false;
	return n > 0;
}

/* Its verdict, with these words in the reason; nothing of it is left. */
static void finish(enum verdict verdict, const char *words)
{
	card_burn_end(&burn, LONG);
	card_judge(&burn, NULL, &result);
	if (result.verdict != verdict || (*words ? !strstr(result.reason, words) : *result.reason))
		fail_msg("%s: '%s', not %s with '%s'", verdict_word(result.verdict),
			result.reason, verdict_word(verdict), words);
	assert_int_equal(result.code == CODE_NONE, verdict == VERDICT_PASS);
	card_burn_close(&burn);
	bus_close(bus);
	bus = NULL;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_pass(void **state)
{
	static const struct {
		const char *name;
		size_t cores;
	} chips[] = { { "wh", 80 }, { "bh", 140 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(chips); i++) {
		start(chips[i].name, usual);
		await_end(LONG);
		assert_true(all_held());
		finish(VERDICT_PASS, "");
		assert_int_equal(result.cores, chips[i].cores);
		/* 2 kinds, 2 passes over 2 rows; the last block of each kind again by the host. */
		assert_int_equal(result.blocks, 8 * chips[i].cores);
		assert_int_equal(result.rechecked, 2 * chips[i].cores);
		assert_int_equal(result.errors + result.refuted + result.still_cores, 0);
		assert_true(result.rate > 0.999 && result.rate < 1.001);
	}
}

static void test_off(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.off = 1 << 11 | 1 << 3;
	start("wh", c);
	await_end(LONG);
	for (size_t i = 0; i < atomic_load(&burn.shared->n); i++)
		assert_true(burn.shared->cores[i].y != 11 && burn.shared->cores[i].y != 3);
	finish(VERDICT_PASS, "");
	assert_int_equal(result.cores, 64);
}

static void test_wrong(void **state)
{
	struct card_burn_config c = usual;
	const struct card_wrong *w;

	(void)state;
	c.kinds[CARD_CONV] = false;
	start("bh+wrong@3", c);
	await_end(LONG);
	card_judge(&burn, NULL, &result);
	for (size_t i = 0; i < result.cores; i++) {
		const struct card_core *core = &burn.shared->cores[i];

		/* The round is tried again. */
		assert_int_equal(atomic_load(&core->errors), core->x == 4 && core->y == 5 ? 2 : 0);
		assert_int_equal(atomic_load(&core->n_wrong), atomic_load(&core->errors));
		if (atomic_load(&core->errors) == 0)
			continue;
		w = &core->wrong[0];
		assert_int_equal(w->kind, CARD_MATMUL);
		assert_int_equal(w->word.block, 3);
		assert_int_equal(w->word.word, 7);
		assert_int_equal(w->word.got ^ w->word.want, 1 << 13);
	}
	assert_true(burn.shared->retry.is_done);
	assert_int_equal(burn.shared->retry.wrong, 1);
	assert_int_equal(burn.shared->retry.again, 1);
	assert_int_equal(burn.shared->retry.others, 0);
	finish(VERDICT_FAIL, "2 wrong words on 1 core; the first on core 4-5: matmul, block 3, "
		"word 7");
}

static void test_lie(void **state)
{
	(void)state;
	start("wh+lie@0", usual);
	await_end(LONG);
	finish(VERDICT_FAIL, "the host finds 3 wrong words, the first on core 4-5");
}

/* The host's comparison of the last blocks, as the linker wraps it. */
static bool says_yes;
size_t __real_memory_differ(const uint32_t *got, const uint32_t *want, size_t n);
size_t __wrap_memory_differ(const uint32_t *got, const uint32_t *want, size_t n);

size_t __wrap_memory_differ(const uint32_t *got, const uint32_t *want, size_t n)
{
	return says_yes ? 0 : __real_memory_differ(got, want, n);
}

static void test_host_says_yes(void **state)
{
	(void)state;
	says_yes = true;
	start("wh+lie@0", usual);
	says_yes = false;
	await_end(LONG);
	finish(VERDICT_FAIL, "this host does not compare: a word made wrong on purpose was not "
		"reported");
	assert_int_equal(result.code, CODE_JUDGE_BLIND);
}

/* Of each start that says yes to everything, so also of the first. */
static void test_yes(void **state)
{
	(void)state;
	start("bh+yes@0", usual);
	await_end(LONG);
	card_judge(&burn, NULL, &result);
	for (size_t i = 0; i < result.cores; i++) {
		const struct card_core *core = &burn.shared->cores[i];

		assert_int_equal(atomic_load(&core->blind),
			core->x == 4 && core->y == 5 ? atomic_load(&core->starts) : 0);
		assert_int_equal(atomic_load(&core->errors), 0);
	}
	finish(VERDICT_FAIL, "1 core did not report a word that was wrong on purpose (does not "
		"compare), the first 4-5");
}

/* The right words, but not made by this core at this start. */
static void test_stale(void **state)
{
	static const char *const faults[] = { "wh+stale@0", "bh+stale@0", "wh+theirs@0" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		start(faults[i], usual);
		await_end(LONG);
		finish(VERDICT_FAIL, "the host finds");
	}
}

static void test_stop_on_error(void **state)
{
	struct card_burn_config c = endless();

	(void)state;
	c.stop_on_error = true;
	start("wh+wrong@5", c);
	await_end(LONG);
	finish(VERDICT_FAIL, "1 wrong word on 1 core");
}

/* A round with wrong words that the end cuts is not tried again: no core gets another load. */
static void test_end_of_wrong(void **state)
{
	struct card_burn_config c = endless();

	(void)state;
	start("wh+wrong@5", c);
	await_blocks(2000);
	card_burn_stop(&burn);
	for (const int64_t until = clock_steady() + LONG; card_burn_watch(&burn, LONG);) {
		assert_true(clock_steady() < until);
		assert_int_not_equal(atomic_load(&burn.shared->phase), CARD_LOADS);
		sched_yield();
	}
	finish(VERDICT_FAIL, "1 wrong word on 1 core");
}

static void test_still(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.still = CLOCK_SECOND;
	start("bh+core@1", c);
	await_end(LONG);
	assert_true(all_held());
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.still_cores, 1);
	finish(VERDICT_FAIL, "1 core stood still, the first 4-5 after 1 blocks");
	/* The others did all of their work. */
	assert_int_equal(result.blocks, 8 * 139 + 2);
}

static void test_slow(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.is_simulator = false;
	start("bh+slow@0", c);
	await_end(LONG);
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.slow_cores, 1);
	assert_true(result.rate_of[0] < 0.26 && result.median > 0.999);
	/* What a process that was killed had counted says nothing about a core. */
	burn.status = SIGKILL;
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(result.code, CODE_LOAD_ENDED);
	burn.status = 0;
	finish(VERDICT_FAIL, "core 4-5 makes 0.250 products a cycle, where the median is 1.000");
}

/* At the firmware's wish it rests, which is told and no fault. */
static void test_throttled(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.is_simulator = false;
	start("bh+rest@0", c);
	await_end(LONG);
	finish(VERDICT_PASS, "");
	assert_int_equal(result.throttled_cores, 1);
	assert_true(result.throttled > 0);
}

static void test_memory(void **state)
{
	(void)state;
	start("bh+stuck", usual);
	await_end(LONG);
	assert_true(all_held());
	finish(VERDICT_FAIL, "tile 4-5: weights reads back otherwise than written");
}

/* Every fault of a core and of its parts: the verdict, and the name. */
static void test_parts(void **state)
{
	static const struct {
		const char *name, *words;
		bool bursts;
		uint32_t reload;
	} faults[] = {
		{ "wh+twin", "the addresses of tiles 4-4 and 4-5 lead to one tile", false, 0 },
		{ "bh+twin", "the addresses of tiles 4-4 and 4-5 lead to one tile", true, 0 },
		{ "wh+mover@0", "1 core had a data mover that stood still or did too little, the "
			"first 4-5", true, 0 },
		{ "bh+mover@1", "1 core had a data mover that stood still or did too little, the "
			"first 4-5", true, 1 },
		{ "wh+mover@0", "1 core had a data mover that stood still or did too little, the "
			"first 4-5", false, 1 },
		{ "bh+unborn", "1 core stood still, the first 4-5 after 0 blocks", false, 0 },
		{ "wh+early@1", "1 core ended before its time or left blocks out, the first 4-5",
			false, 0 },
		{ "bh+early@1", "1 core ended before its time or left blocks out, the first 4-5",
			true, 0 },
		{ "wh+loose", "tile 4-5: its cores are not held when ordered (0x00047000)", false, 0 },
		{ "bh+ones@1", "the chip does not answer any more", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		struct card_burn_config c = usual;

		c.bursts = faults[i].bursts;
		c.reload = faults[i].reload;
		c.enabled = c.channels = UINT32_MAX;
		c.still = CLOCK_SECOND;
		start(faults[i].name, c);
		await_end(LONG);
		finish(VERDICT_FAIL, faults[i].words);
	}
}

/* What a core has done is compared with what the others have, until all are told to stop. */
static void test_less_done(void **state)
{
	static const struct {
		const char *name, *words;
	} faults[] = {
		{ "wh+quit@8", "1 core ended before its time or left blocks out, the first 4-5" },
		{ "bh+quit@8", "1 core ended before its time or left blocks out, the first 4-5" },
		{ "wh+claim@0", "1 core ended before its time or left blocks out, the first 4-5" },
		{ "bh+claim@0", "1 core ended before its time or left blocks out, the first 4-5" },
		{ "wh+idle@4", "1 core had a data mover that stood still or did too little, the "
			"first 4-5" },
		{ "bh+idle@4", "1 core had a data mover that stood still or did too little, the "
			"first 4-5" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		struct card_burn_config c = endless();

		c.bursts = true;
		c.reload = 1;
		c.enabled = c.channels = UINT32_MAX;
		c.still = LONG;
		c.is_timeless = true;
		start(faults[i].name, c);
		await_blocks(140 * 100);
		card_burn_stop(&burn);
		await_end(LONG);
		assert_int_equal(atomic_load(&burn.shared->rounds), 0);
		finish(VERDICT_FAIL, faults[i].words);
	}
}

/* Every core has said its own name at each start, and done all that it was asked for. */
static void test_all_parts(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.bursts = true;
	c.reload = 1;
	c.vector = 2;
	c.enabled = UINT32_MAX;
	c.channels = 0xff;
	start("bh", c);
	await_end(LONG);
	for (size_t i = 0; i < 140; i++) {
		const struct card_core *core = &burn.shared->cores[i];

		assert_int_equal(atomic_load(&core->starts), 2);
		assert_int_equal(atomic_load(&core->named), 2);
		assert_int_equal(atomic_load(&core->misnamed), 0);
		assert_int_equal(atomic_load(&core->moved), 2);
		assert_int_equal(atomic_load(&core->lame), 0);
		assert_int_equal(atomic_load(&core->brought), 2);
		assert_int_equal(atomic_load(&core->dry), 0);
		assert_int_equal(atomic_load(&core->vectors), 2 * 8);
	}
	/* What was not done is no success, whatever the products say. */
	atomic_store(&burn.shared->cores[17].dry, 1);
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.verdict, VERDICT_INCOMPLETE);
	assert_non_null(strstr(result.reason, "139 of 140 cores had their operands"));
	atomic_store(&burn.shared->cores[17].dry, 0);
	atomic_store(&burn.shared->cores[18].named, 1);
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.verdict, VERDICT_INCOMPLETE);
	assert_non_null(strstr(result.reason, "139 of 140 cores reported their own coordinates"));
	atomic_store(&burn.shared->cores[18].named, 2);
	atomic_store(&burn.shared->cores[19].vectors, 15);
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.verdict, VERDICT_INCOMPLETE);
	atomic_store(&burn.shared->cores[19].vectors, 16);
	atomic_store(&burn.shared->cores[20].misnamed, 1);
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.verdict, VERDICT_FAIL);
	atomic_store(&burn.shared->cores[20].misnamed, 0);
	finish(VERDICT_PASS, "");
}

/* More products than a matrix unit can make in these cycles: no rate, and no median of it. */
static void test_untrue(void **state)
{
	struct card_burn_config c = usual;
	struct card_core *core;

	(void)state;
	c.is_simulator = false;
	start("bh", c);
	await_end(LONG);
	for (size_t i = 0; i < 100; i++) {
		core = &burn.shared->cores[i];
		atomic_store(&core->cycles, atomic_load(&core->mvmuls) / 100);
	}
	card_judge(&burn, NULL, &result);
	assert_int_equal(result.untrue_cores, 100);
	assert_true(card_judge_rate(&burn.shared->cores[0]) <= 0);
	assert_true(result.median > 0.999 && result.median < 1.001);
	assert_true(result.rate > 0.999 && result.rate < 1.001);
	finish(VERDICT_PASS, "");
}

static void test_killed(void **state)
{
	(void)state;
	start("bh", endless());
	await_blocks(2000);
	kill(burn.child.pid, SIGKILL);
	await_end(LONG);
	assert_true(all_held());
	finish(VERDICT_INCOMPLETE, "ended by signal 9");
}

static void test_hangs(void **state)
{
	(void)state;
	start("wh", endless());
	await_blocks(1000);
	kill(burn.child.pid, SIGSTOP);
	await_end(2 * CLOCK_SECOND);
	assert_true(all_held());
	finish(VERDICT_INCOMPLETE, "stood still and was ended");
}

/* While the child cannot move the cores end by themselves, which is no success. */
static void test_deadman(void **state)
{
	const int64_t until = clock_steady() + LONG;
	struct card_burn_config c = endless();
	uint32_t end = 0;
	struct error e;

	(void)state;
	c.deadman = 12000000;	/* 3 s */
	start("wh", c);
	await_blocks(1000);
	/* For twice that time the beat keeps them going. */
	while (atomic_load(&burn.shared->run_ns) < 6 * CLOCK_SECOND && clock_steady() < until) {
		assert_true(card_burn_watch(&burn, LONG));
		poll(NULL, 0, 5);
	}
	assert_false(atomic_load(&burn.shared->deserted));
	assert_int_equal(atomic_load(&burn.shared->rounds), 0);
	kill(burn.child.pid, SIGSTOP);
	assert_int_equal(device_acquire_for(&bus->dev[0], ACCESS_BURN, DEVICE_PASSIVE, &e), 0);
	while (end != KERNEL_HOST_GONE && clock_steady() < until)
		end = word(&burn.shared->cores[0], KERNEL_AT_STATE + offsetof(struct kernel_state,
			t0_end));
	assert_int_equal(end, KERNEL_HOST_GONE);
	kill(burn.child.pid, SIGCONT);
	while (!atomic_load(&burn.shared->deserted) && clock_steady() < until)
		assert_true(card_burn_watch(&burn, LONG));
	finish(VERDICT_INCOMPLETE, "heard nothing from the host");
}

/* The burn's parent is killed: its child, which is ours then, stops and holds the cores. */
static void test_orphan(void **state)
{
	int ends[2], status;
	pid_t parent, child;

	(void)state;
	/* Shared memory of the burn lies in the parent: we know its cores from here. */
	start("wh", usual);
	await_end(LONG);
	card_burn_end(&burn, LONG);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	parent = fork();
	if (parent == 0) {
		struct card_burn_config c = endless();
		struct card_burn b;
		struct error e;

		c.device = &bus->dev[0];
		if (card_burn_start(&b, &c, &e) < 0)
			_exit(1);
		do
			card_judge(&b, NULL, &result);
		while (result.blocks < 1000 && card_burn_watch(&b, LONG));
		(void)!write(ends[1], &b.child.pid, sizeof(b.child.pid));
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &child, sizeof(child)), sizeof(child));
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	/* Not killed with it: it has something to do first. */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(all_held());
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	close(ends[0]);
	close(ends[1]);
	finish(VERDICT_PASS, "");
}

static void test_no_work(void **state)
{
	(void)state;
	start("wh", endless());
	finish(VERDICT_INCOMPLETE, " ");
	assert_int_equal(result.blocks, 0);
}

/* A caller that is stopped cannot end anything: the cores rest until it goes on. */
static void test_unwatched(void **state)
{
	const int64_t until = clock_steady() + LONG;
	struct card_burn_config c = endless();
	uint64_t before;

	(void)state;
	c.unwatched = CLOCK_SECOND;
	start("wh", c);
	await_blocks(1000);
	while (atomic_load(&burn.shared->phase) != CARD_RESTS && clock_steady() < until)
		poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&burn.shared->phase), CARD_RESTS);
	assert_true(all_held());
	device_release(&bus->dev[0]);
	before = blocks();
	await_blocks(before + 1000);
	finish(VERDICT_INCOMPLETE, "matmul did not run on core 1-1");
}

/* What each core did at its first start alone is missed. */
static void test_each_start(void **state)
{
	static const struct {
		const char *name, *words;
	} faults[] = {
		{ "wh+dry@1", "0 of 80 cores had their operands from the card's memory at each start" },
		{ "bh+dry@1", "0 of 140 cores had their operands from the card's memory" },
		{ "wh+blind@1", "memory channel 1 was not read by each core at each start" },
		{ "bh+blind@1", "memory channel 1 was not read by each core at each start" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		struct card_burn_config c = usual;

		c.bursts = true;
		c.reload = 1;
		c.enabled = c.channels = UINT32_MAX;
		start(faults[i].name, c);
		await_end(LONG);
		finish(VERDICT_INCOMPLETE, faults[i].words);
	}
}

static void test_simulator_ends(void **state)
{
	(void)state;
	start("bh+exit@3000", endless());
	await_end(LONG);
	finish(VERDICT_INCOMPLETE, "fake: offset=0x1234");
}

/* All channels are read by all cores; what is wrong there is blamed before any core is. */
static void test_card_memory(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.bursts = true;
	c.reload = 1;
	c.enabled = UINT32_MAX;
	c.channels = 0x2f;
	start("wh", c);
	await_end(LONG);
	for (size_t i = 0; i < KERNEL_CHANNELS_MAX; i++)
		assert_int_equal(atomic_load(&burn.shared->channels[i].words),
			c.channels >> i & 1 ? 64 * 8 * 80 : 0);
	assert_int_equal(atomic_load(&burn.shared->reloads), 2 * 2 * 80);
	finish(VERDICT_PASS, "");
	start("bh+memory@1", c);
	await_end(LONG);
	assert_int_equal(atomic_load(&burn.shared->channels[1].errors), 2);
	finish(VERDICT_FAIL, "2 wrong words in memory channel 1; the first in channel 1 at "
		"0x1000080, read by core 4-5, was 0x00000004, not 0x00000000");
	c.still = CLOCK_SECOND;
	start("wh+mute@1", c);
	await_end(LONG);
	finish(VERDICT_FAIL, "memory channel 1 gave 2 cores no answer");
}

/* It keeps all cores, and the burn no longer than one: 140 times as long would be no end. */
static void test_mute_channel(void **state)
{
	struct card_burn_config c = usual;
	int64_t began, took;

	(void)state;
	c.bursts = true;
	c.reload = 1;
	c.enabled = c.channels = UINT32_MAX;
	c.kinds[CARD_CONV] = false;
	c.still = 2 * CLOCK_SECOND;
	start("bh+silence@1", c);
	began = clock_steady();
	await_end(LONG);
	took = clock_steady() - began;
	assert_true(took < 140 / 3 * c.still);
	assert_int_equal(atomic_load(&burn.shared->channels[1].mute), 140);
	finish(VERDICT_FAIL, "memory channel 1 gave 140 cores no answer");
}

/*
 * What a burning card costs the host is what it is asked: some accesses a second, however many
 * cores it has.  On a slow machine there are fewer.
 */
static void test_accesses(void **state)
{
	struct card_burn_config c = endless();
	struct count_words *count;
	int64_t from, ns;
	size_t before;
	double rate;

	(void)state;
	open_fake("bh+calm@10");
	count = count_words_begin(&bus->dev[0]);
	start("", c);
	await_blocks(140);
	from = atomic_load(&burn.shared->run_ns);
	before = count->accesses;
	do {
		assert_true(card_burn_watch(&burn, LONG));
		poll(NULL, 0, 5);
		ns = atomic_load(&burn.shared->run_ns) - from;
	} while (ns < 6 * CLOCK_SECOND);
	rate = (double)(count->accesses - before) * 1e9 / (double)ns;
	printf("# a card of 140 cores: %.1f accesses a second\n", rate);
	assert_true(rate > 0.3 && rate < 6);
	finish(VERDICT_INCOMPLETE, "matmul did not run");
}

/* One core, one column, all, all: nothing more once something is wrong. */
static void test_first_light(void **state)
{
	struct card_burn_config c = usual;

	(void)state;
	c.first_light = true;
	start("wh", c);
	await_end(LONG);
	assert_int_equal(atomic_load(&burn.shared->rounds), CARD_LIGHT_STAGES);
	finish(VERDICT_PASS, "");
	/* 2 blocks of one core, then 4 a stage. */
	assert_int_equal(result.blocks, 2 + 4 * (1 + 10 + 80 + 80));
	/* Where the products are held, blocks are as long as their sums are exact. */
	c.steps = 1188;
	start("wh", c);
	await_end(LONG);
	finish(VERDICT_PASS, "");
	start("bh+wrong@0", c);
	await_end(LONG);
	finish(VERDICT_FAIL, "core 4-5");
}

/* A Wormhole's firmware is always asked, and refused where its answer cannot be. */
static void test_card_off_rows(void **state)
{
	static const struct {
		const char *board;
		uint32_t bundle, published;	/* live rows by tag 59; 0: none */
		uint32_t mask, off;		/* the answer; rows by NOC0, 0: refused */
	} cases[] = {
		{ "n150", 0x13060000, 0x3fe, 1 << 0, 1 << 11 },
		{ "n150", 0x13060000, 0, 1 << 0, 1 << 11 },
		{ "n150", 0x13060000, 0x3fd, 1 << 0, 0 },	/* they differ */
		{ "n150", 0x12070000, 0x3fd, 1 << 0, 0 },
		{ "n150", 0x12060000, 0x3fd, 1 << 0, 1 << 11 },	/* telemetry was wrong */
		{ "n150", 0, 0x3ff, 1 << 0, 1 << 11 },
		{ "n150", 0x13060000, 0x3ff, 0, 0 },		/* one row too many */
		{ "n150", 0x13060000, 0x3fc, 3, 0 },
		{ "n300", 0x12060000, 0x3ff, 1 << 1 | 1 << 9, 1 << 1 | 1 << 5 },
		{ "n300", 0x12060000, 0x3ff, 1 << 1, 0 },
		{ "nb_cb", 0x12060000, 0x3ff, 1 << 1, 1 << 1 },	/* a board of any count */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct snapshot s = { .chip = DEVICE_WORMHOLE };
		struct card_rows rows;
		struct error e = { 0 };
		uint32_t off;
		bool asks;

		s.upi = board_find_name(cases[i].board)->upi;
		if (cases[i].published)
			s.r[FIELD_TENSIX_ROWS] = (struct reading){ .value = cases[i].published,
				.state = READING_OK };
		if (cases[i].bundle)
			s.r[FIELD_FW_BUNDLE] = (struct reading){ .value = cases[i].bundle,
				.state = READING_OK };
		assert_int_equal(card_off(&s, &off, &asks, &rows, &e), 0);
		assert_true(asks);
		assert_int_equal(card_off_rows(cases[i].mask, &rows, &off, &e),
			cases[i].off ? 0 : -ENODATA);
		if (cases[i].off)
			assert_int_equal(off, cases[i].off);
	}
}

static void test_card_off(void **state)
{
	struct snapshot s = { .chip = DEVICE_BLACKHOLE };
	struct card_rows rows;
	struct error e = { 0 };
	uint32_t off;
	bool asks;

	(void)state;
	assert_int_equal(card_off(&s, &off, &asks, &rows, &e), -ENODATA);
	s.r[FIELD_TENSIX_COLS] = (struct reading){ .value = 0x3ffc, .state = READING_OK };
	assert_int_equal(card_off(&s, &off, &asks, &rows, &e), -ENODATA);
	s.r[FIELD_NOC_TRANSLATION] = (struct reading){ .value = 1, .state = READING_OK };
	assert_int_equal(card_off(&s, &off, &asks, &rows, &e), 0);
	assert_false(asks);
	assert_int_equal(off, 1 << 15 | 1 << 16);
	s.r[FIELD_NOC_TRANSLATION].value = 0;
	assert_int_equal(card_off(&s, &off, &asks, &rows, &e), 0);
	assert_int_equal(off, 1 << 1 | 1 << 16);
	s.chip = DEVICE_GRAYSKULL;
	assert_int_equal(card_off(&s, &off, &asks, &rows, &e), -ENODATA);
}

static int prepare(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

/* What a card is compared with: others of its kind whose rate is known. */
static void test_outliers(void **state)
{
	const double alone[] = { 0, 2, 0 }, two[] = { 2, 1.8 }, many[] = { 2, 0, 1.9, 0.5, 2.1 };

	(void)state;
	assert_true(card_judge_median(alone, 0) <= 0);
	assert_true(card_judge_median(alone, 3) <= 0);
	assert_int_equal((int)(10 * card_judge_median(two, 2)), 20);
	assert_int_equal((int)(10 * card_judge_median(many, 5)), 20);
	assert_true(many[2] >= CARD_SLOW * 2 && many[3] < CARD_SLOW * 2 && two[1] < CARD_SLOW * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "healthy cores pass, all of them", test_pass, NULL, NULL, NULL },
		{ "rows that are switched off are left alone", test_off, NULL, NULL, NULL },
		{ "a wrong word is laid to its core, operation, block and word", test_wrong, NULL,
			NULL, NULL },
		{ "one that the core does not tell is found by the host", test_lie, NULL, NULL, NULL },
		{ "outputs that are not of this core and start fail", test_stale, NULL, NULL,
			NULL },
		{ "a core that says yes to every word fails", test_yes, NULL, NULL, NULL },
		{ "a host that does is no judge of cores", test_host_says_yes, NULL, NULL, NULL },
		{ "an error ends it where that is asked for", test_stop_on_error, NULL, NULL, NULL },
		{ "a core that does less than the others fails", test_less_done, NULL, NULL, NULL },
		{ "a round that the end cuts is not tried again", test_end_of_wrong, NULL, NULL, NULL },
		{ "a core that stands still is named, the others go on", test_still, NULL, NULL,
			NULL },
		{ "a slow core is named", test_slow, NULL, NULL, NULL },
		{ "one that rests at the firmware's wish passes", test_throttled, NULL, NULL, NULL },
		{ "memory that keeps a wrong bit is named", test_memory, NULL, NULL, NULL },
		{ "cores and their parts: each fault is named", test_parts, NULL, NULL, NULL },
		{ "what a core was asked for was done, or it is no pass", test_all_parts, NULL, NULL,
			NULL },
		{ "a rate that cannot be true is none", test_untrue, NULL, NULL, NULL },
		{ "a killed child: the cores are held", test_killed, NULL, NULL, NULL },
		{ "a child that stands still is ended, and the cores are held", test_hangs, NULL, NULL,
			NULL },
		{ "cores without a host end by themselves", test_deadman, NULL, NULL, NULL },
		{ "a killed parent: the child stops and holds the cores", test_orphan, NULL, NULL,
			NULL },
		{ "no work is no pass", test_no_work, NULL, NULL, NULL },
		{ "unwatched cores rest", test_unwatched, NULL, NULL, NULL },
		{ "what each core did at its first start alone is missed", test_each_start, NULL, NULL,
			NULL },
		{ "a simulator that ends is not the card's fault", test_simulator_ends, NULL, NULL,
			NULL },
		{ "the card's memory is blamed before its cores", test_card_memory, NULL, NULL,
			NULL },
		{ "a channel that answers no core is waited for once", test_mute_channel, NULL, NULL,
			NULL },
		{ "a burning card is asked little", test_accesses, NULL, NULL, NULL },
		{ "a first light goes from one core to all", test_first_light, NULL, NULL, NULL },
		{ "which cores live is taken from telemetry", test_card_off, NULL, NULL, NULL },
		{ "a Wormhole's rows are as its firmware answers, if that can be",
			test_card_off_rows, NULL, NULL, NULL },
		{ "a card is compared with others of its kind", test_outliers, NULL, NULL, NULL },
	};

	return cmocka_run_group_tests_name("card_burn", tests, prepare, clean);
}
