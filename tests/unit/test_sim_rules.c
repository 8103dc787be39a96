/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the simulator does not let pass and what it writes down, and that the
 * same seed and time mean the same words for everyone.
 */
#include "config.h"
#include "tests/rig/sim_bus.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/file.h"
#include "device/bus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* chip-facts 1.9, and what no reader has a reason for. */
static void forbidden_accesses_are_refused_and_counted(void **state)
{
	const struct {
		unsigned device;
		struct reg_addr at;
		bool write;
	} cases[] = {
		{ 0, bar0(0x1ff30434), false }, { 0, bar0(0x1ff00000), false },
		{ 0, bar0(0x1000), false }, { 0, bar0(0x1fc00000), false },
		{ 0, noc(8, 0, 0x800b0000), false }, { 0, noc(8, 0, 0x800b0004), false },
		{ 0, noc(1, 2, 0), false }, { 0, noc(8, 0, 0x80040000), false },
		{ 0, noc(14, 1, 0x7cc00), false },	/* channel 5 is harvested */
		{ 0, noc(8, 0, 0x80030408), true }, { 0, noc(8, 0, 0x80030060), true },
		{ 0, noc(8, 0, 0x10000000), true }, { 0, noc(8, 0, 0x800b0004), true },
		{ 1, bar0(0x1ff30328), false }, { 1, bar0(0x1ff00000), false },
		{ 1, bar0(0x1ff20000), false }, { 1, bar0(0x1ff40000), false },
		{ 1, bar0(0x1ff60000), false }, { 1, bar0(0x1ff70000), false },
		{ 1, bar0(0x1fc00008), false }, { 1, bar0(0), false },
		{ 1, bar0(0x20000000), false },
		{ 1, noc(1, 1, 0), false }, { 1, noc(0, 10, 0x880030328), false },
		{ 1, noc(9, 0, 0x40000), false }, { 1, noc(9, 0, 0x1100), true },
		{ 1, bar0(0x1fef8d60), true }, { 1, bar0(0x1ff30060), true },
		{ 1, bar0(0x1ff5002c), true },
	};
	struct bus *bus = sim_bus("p150a,n150", 0);
	uint32_t v = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct device *d = &bus->dev[cases[i].device];

		device_acquire(d, NULL);
		if ((cases[i].write ? device_write(d, cases[i].at, 0)
				    : device_read(d, cases[i].at, &v, 1)) != -EFAULT)
			fail_msg("case %zu is let pass", i);
		if (counts(bus).violations != i + 1)
			fail_msg("case %zu is not counted", i);
	}
	/* Below the wrappers, which refuse these themselves. */
	assert_int_equal(transport_sim.read(bus->dev, bar0(0x1fd04046), &v, 1), -EINVAL);
	device_release(bus->dev);
	assert_int_equal(device_read(bus->dev, bar0(0x1fd04044), &v, 1), -EBADF);
	assert_int_equal(counts(bus).violations, ARRAY_LEN(cases) + 2);
	assert_string_equal(counts(bus).last_violation, "register access without acquire");
	bus_close(bus);
}

/* A p100a has no channel 3; its place is the last one. */
static void memory_is_read_where_it_is_and_by_whom_it_may(void **state)
{
	struct bus *bus = sim_bus("p100a", 0);
	struct device *d = bus->dev;
	uint32_t v[2][4];

	(void)state;
	device_acquire(d, NULL);
	assert_int_equal(device_read(d, noc(17, 12, 0), v[0], 1), -EFAULT);
	device_release(d);
	assert_int_equal(device_acquire_for(d, ACCESS_MEMORY, DEVICE_ACTIVE, NULL), 0);
	assert_int_equal(counts(bus).violations, 1);
	for (unsigned y = 12; y <= 20; y++) {
		assert_int_equal(device_read(d, noc(17, y, 0x1000), v[0], 4), 0);
		assert_int_equal(device_read(d, noc(18, y, 0x1000), v[1], 4), 0);
		assert_memory_not_equal(v[0], v[1], sizeof(v[0]));
	}
	/* The endpoints of a channel lead to the same words. */
	assert_int_equal(device_read(d, noc(17, 21, 0xfefffff0), v[0], 4), 0);
	assert_int_equal(device_read(d, noc(17, 23, 0xfefffff0), v[1], 4), 0);
	assert_memory_equal(v[0], v[1], sizeof(v[0]));
	assert_int_equal(counts(bus).violations, 1);
	assert_int_equal(device_read(d, noc(18, 21, 0), v[0], 1), -EFAULT);
	assert_int_equal(device_read(d, noc(17, 12, 0xff000000), v[0], 1), -EFAULT);
	assert_int_equal(device_write(d, noc(17, 12, 0), 1), -EFAULT);
	assert_int_equal(counts(bus).violations, 4);
	bus_close(bus);
}

static void the_log_tells_every_write_and_open(void **state)
{
	char path[] = "/tmp/tt-smi-sim-log.XXXXXX", *log = NULL;
	int fd = mkstemp(path);
	struct bus *bus;
	uint32_t v;
	size_t len;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	setenv("TT_SMI_SIM_LOG", path, 1);
	bus = sim_bus("p150a,n150", 0);
	unsetenv("TT_SMI_SIM_LOG");
	text(bus->dev, ATTR_TT_AICLK);
	word(bus->dev, bar0(0x1fd04044));
	device_release(bus->dev);
	word(&bus->dev[1], bar0(0x1ff30078));
	put(&bus->dev[1], bar0(0x1ff30074), 0xaa11);
	put(&bus->dev[1], bar0(0x1ff30100), 0x10000);
	device_read(&bus->dev[1], bar0(0x1ff30328), &v, 1);
	bus_close(bus);
	assert_int_equal(file_read_all(path, 65536, &log, &len, NULL), 0);
	assert_string_equal(log,
		"open 0000:01:00.0\n"
		"close 0000:01:00.0\n"
		"open 0000:02:00.0\n"
		"write 0000:02:00.0 bar0 0-0 0x1ff30074 0xaa11\n"
		"write 0000:02:00.0 bar0 0-0 0x1ff30100 0x10000\n"
		"message 0000:02:00.0 0x11 0x0 0x0\n"
		"violation 0000:02:00.0 reset unit + 0x328 must not be read\n");
	free(log);
	unlink(path);
}

static void a_log_that_cannot_be_written_is_no_quiet_success(void **state)
{
	const struct bus_config c = { .sim = "p150a" };
	struct bus *bus = NULL;
	struct error e = { 0 };

	(void)state;
	setenv("TT_SMI_SIM_LOG", "/proc/none/log", 1);
	assert_int_equal(bus_open(&c, &bus, &e), -ENOENT);
	unsetenv("TT_SMI_SIM_LOG");
	assert_string_equal(e.text,
		"TT_SMI_SIM_LOG: /proc/none/log: cannot be written: No such file or directory");
}

/* All that a reader can see of all boards now, into words; from the last board on if backwards. */
static void sample(struct bus *bus, uint32_t (*words)[160], bool backwards)
{
	for (size_t i = 0; i < bus->n; i++) {
		size_t k = backwards ? bus->n - 1 - i : i;
		struct device *d = &bus->dev[k];
		bool bh = d->chip == DEVICE_BLACKHOLE;
		struct reg_addr at = bh ? noc(8, 0, 0x10074000) : bar0(0x1fef8d60);

		device_acquire(d, NULL);
		if (device_read(d, at, words[k], bh ? 150 : 50) < 0)
			_exit(1);
		words[k][159] = (uint32_t)number(d, ATTR_PERF_MST_RD_0);
	}
}

static void all_processes_see_the_same_words(void **state)
{
	static const char spec[] = "4*p150a,2*n150,2*p300:hot@3,n300:dram@2";
	size_t size = 2 * DEVICE_MAX * 160 * sizeof(uint32_t);
	uint32_t (*words)[160] = mem_share(size);
	struct bus *bus = sim_bus(spec, 11);
	int status;

	(void)state;
	for (int s = 0; s < 40; s += 13) {
		wait_until(s * CLOCK_SECOND + 50 * CLOCK_MS);
		if (s % 2)	/* one that has sampled before, and one that begins now */
			sample(bus, words, false);
		if (fork() == 0) {
			sample(bus, words + DEVICE_MAX, true);
			_exit(0);
		}
		assert_true(wait(&status) > 0 && status == 0);
		sample(bus, words, false);
		assert_memory_equal(words, words + DEVICE_MAX, size / 2);
	}
	bus_close(bus);

	/* Made anew, and sampled once, at that time only. */
	bus = sim_bus(spec, 11);
	wait_until(39 * CLOCK_SECOND + 50 * CLOCK_MS);
	sample(bus, words + DEVICE_MAX, false);
	assert_memory_equal(words, words + DEVICE_MAX, 4 * sizeof(words[0]));
	bus_close(bus);
	mem_unshare(words, size);
}

static void another_seed_is_another_machine(void **state)
{
	uint32_t (*words)[160] = mem_calloc(2 * DEVICE_MAX, sizeof(*words));

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bus *bus = sim_bus("p150a,n150", i);

		sample(bus, words + i * DEVICE_MAX, false);
		bus_close(bus);
	}
	assert_memory_not_equal(words[0], words[DEVICE_MAX], sizeof(words[0]));
	assert_memory_not_equal(words[1], words[DEVICE_MAX + 1], sizeof(words[0]));
	free(words);
}

/*
 * Somebody else's look has cancelled the power-down: the board stays at full clock,
 * unheld.  One that asks often enough opens it after the driver's 5 s and one more;
 * one that asks so seldom that a job may have run in between never does.
 */
static void a_board_that_stays_at_full_clock_is_opened_in_the_end(void **state)
{
	static const struct {
		int64_t every;	/* ms */
		int64_t from, to;	/* ms since the first try: when it is opened; 0: never */
	} cases[] = {
		{ 50, 6000, 6200 }, { 500, 6000, 6600 }, { 2000, 6000, 8100 }, { 3000, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus("n150:job@0-1", 7);
		struct device *d = &bus->dev[0];
		int64_t opened = 0;
		struct error e;

		wait_until(2 * CLOCK_SECOND);
		assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, &e), 0);
		device_release(d);
		wait_until(20 * CLOCK_SECOND);
		assert_int_equal(number(d, ATTR_TT_AICLK), 1000);
		for (int64_t at = 0; at < 20000 && !opened; at += cases[i].every) {
			wait_until(20 * CLOCK_SECOND + at * CLOCK_MS);
			if (device_acquire(d, &e) == 0)
				opened = at;
			else
				assert_int_equal(e.code, -EINPROGRESS);
		}
		device_release(d);
		bus_close(bus);
		if (opened < cases[i].from || opened > cases[i].to)
			fail_msg("every %lld ms: opened after %lld ms", (long long)cases[i].every,
				(long long)opened);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(forbidden_accesses_are_refused_and_counted),
		cmocka_unit_test(memory_is_read_where_it_is_and_by_whom_it_may),
		cmocka_unit_test(the_log_tells_every_write_and_open),
		cmocka_unit_test(a_log_that_cannot_be_written_is_no_quiet_success),
		cmocka_unit_test(all_processes_see_the_same_words),
		cmocka_unit_test(another_seed_is_another_machine),
		cmocka_unit_test(a_board_that_stays_at_full_clock_is_opened_in_the_end),
	};

	setenv("TT_SMI_VIRTUAL_TIME", "1763716364", 1);
	clock_init();
	return cmocka_run_group_tests_name("sim_rules", tests, NULL, NULL);
}
