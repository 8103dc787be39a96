/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's resets of simulated boards: every row of driver-behaviour 17,
 * and every way in which a reset can go wrong.
 */
#include "config.h"
#include "tests/rig/sim_bus.h"
#include "base/mem.h"
#include "base/clock.h"
#include "device/bus.h"
#include "reset/run.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void take(struct device *d)
{
	struct error e = { 0 };

	device_release(d);
	if (device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, &e) < 0)
		fail_msg("%s", e.text);
}

/* The driver's result; in *ms how long it took. */
static uint32_t reset(struct device *d, enum device_reset kind, int64_t *ms)
{
	int64_t began = clock_mono();
	uint32_t result;

	assert_int_equal(device_reset(d, kind, &result), 0);
	if (ms)
		*ms = (clock_mono() - began) / CLOCK_MS;
	return result;
}

static unsigned byte4(struct device *d)
{
	uint8_t byte;

	assert_int_equal(device_config(d, 4, &byte, 1), 1);
	return byte;
}

static void pass(int64_t ms)
{
	int64_t until = clock_mono() + ms * CLOCK_MS;

	while (clock_mono() < until)
		clock_sleep_until(until);
}

/* driver-behaviour 17, line by line. */
static void the_driver_says_what_it_said_on_machines(void **state)
{
	static const struct {
		const char *board;
		int64_t ms;			/* of ASIC_RESET */
		uint32_t result;
		unsigned byte_then, byte_later;	/* at once, and after the time off the bus */
		int64_t post_ms;
		uint32_t post_result;
		unsigned byte_last;
		const char *aiclk;		/* at last; NULL: a clock */
	} cases[] = {
		{ "n150", 20, 0, 0xff, 0x00, 20, 0, 0x07, NULL },
		{ "p150a", 20, 0, 0xff, 0x00, 20, 0, 0x07, NULL },
		{ "n150:stuck", 12000, 1, 0x07, 0x07, 250, 0, 0x07, NULL },
		{ "p150a:stuck", 1000, 0, 0xff, 0x00, 20, 0, 0x07, NULL },
		{ "p150a:stuck:deadbeat", 1000, 0, 0xff, 0x00, 3000, 0, 0x07, NULL },
		{ "n150:off", 12100, 1, 0xff, 0xff, 20, 1, 0xff, "0" },
		{ "p150a:off", 20, 0, 0xff, 0xff, 500, 1, 0xff, "0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus(cases[i].board, 0);
		struct device *d = bus->dev;
		int64_t ms;

		take(d);
		assert_int_equal(reset(d, DEVICE_ASIC_RESET, &ms), cases[i].result);
		assert_int_equal(ms, cases[i].ms);
		assert_string_equal(text(d, ATTR_TT_AICLK), "-ENODATA");
		pass(100);
		assert_int_equal(byte4(d), cases[i].byte_then);
		if (cases[i].byte_then == 0xff) {
			assert_string_equal(text(d, ATTR_LINK_SPEED), "Unknown");
			assert_string_equal(text(d, ATTR_LINK_WIDTH), "63");
		}
		pass(2000);
		assert_int_equal(byte4(d), cases[i].byte_later);
		assert_string_equal(text(d, ATTR_TT_AICLK), "-ENODATA");
		assert_string_equal(text(d, ATTR_PERF_SLV_RD_0), "-ENODATA");
		assert_int_equal(reset(d, DEVICE_POST_RESET, &ms), cases[i].post_result);
		assert_int_equal(ms, cases[i].post_ms);
		assert_int_equal(byte4(d), cases[i].byte_last);
		if (cases[i].aiclk)
			assert_string_equal(text(d, ATTR_TT_AICLK), cases[i].aiclk);
		else
			assert_in_range(number(d, ATTR_TT_AICLK), 300, 1400);
		assert_int_equal(counts(bus).violations, 0);
		bus_close(bus);
	}
}

/* "Success" although nothing was reset: the heartbeat goes on, or stands still, as before. */
static void only_the_heartbeat_proves_a_reset(void **state)
{
	struct bus *bus = sim_bus("n150,n150:stuck,n150:noreset", 0);
	int64_t before[3];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct device *d = &bus->dev[i];

		before[i] = number(d, ATTR_TT_HEARTBEAT);
		take(d);
		reset(d, DEVICE_ASIC_RESET, NULL);
		pass(2000);
		assert_int_equal(byte4(d), i == 2 ? 0x47 : i == 1 ? 0x07 : 0x00);
		assert_int_equal(reset(d, DEVICE_POST_RESET, NULL), i == 2);
	}
	assert_true(number(&bus->dev[0], ATTR_TT_HEARTBEAT) < before[0]);
	assert_int_equal(number(&bus->dev[1], ATTR_TT_HEARTBEAT), before[1]);
	assert_string_equal(text(&bus->dev[2], ATTR_TT_HEARTBEAT), "-ENODATA");
	bus_close(bus);
}

static void a_marker_without_a_reset_stays_until_the_state_is_restored(void **state)
{
	struct bus *bus = sim_bus("p150a,p150a:off", 0);
	struct device *d = bus->dev;
	int64_t ms;

	(void)state;
	take(d);
	assert_int_equal(reset(d, DEVICE_USER_RESET, &ms), 0);
	assert_int_equal(byte4(d), 0x47);
	assert_string_equal(text(d, ATTR_TT_AICLK), "-ENODATA");
	assert_int_equal(reset(d, DEVICE_POST_RESET, NULL), 1);
	assert_int_equal(byte4(d), 0x47);
	assert_int_equal(reset(d, DEVICE_RESTORE_STATE, &ms), 0);
	assert_int_equal(ms, 20);
	assert_int_equal(byte4(d), 0x07);
	assert_int_equal(reset(d, DEVICE_RESET_LINK, &ms), 0);
	assert_int_equal(ms, 550);
	take(&d[1]);
	assert_int_equal(reset(&d[1], DEVICE_RESTORE_STATE, &ms), 0);
	assert_int_equal(ms, 500);
	assert_int_equal(reset(&d[1], DEVICE_DMC_RESET, &ms), 1);
	assert_int_equal(ms, 2000);
	bus_close(bus);
}

static void the_boards_controller_resets_all_its_chips(void **state)
{
	struct bus *bus = sim_bus("p300,p300", 0);
	struct device *d = bus->dev;

	(void)state;
	take(d);
	assert_int_equal(reset(d, DEVICE_DMC_RESET, NULL), 0);
	pass(500);
	assert_int_equal(byte4(&d[0]), 0xff);
	assert_int_equal(byte4(&d[1]), 0xff);
	assert_int_equal(byte4(&d[2]), 0x07);
	bus_close(bus);
}

/* What a reset leaves of the chip, as the reader sees it. */
static void a_card_may_come_back_worse_than_it_was(void **state)
{
	struct bus *bus = sim_bus("p150a:narrow,p150a:deadbeat,p150a:untrained,p150a:linklost,"
		"p150a:falsefail,p150a:resetfail", 0);
	struct device *d = bus->dev;
	uint32_t v, good;
	int64_t beat;

	(void)state;
	for (size_t i = 0; i < bus->n; i++) {
		assert_string_equal(text(&d[i], ATTR_LINK_WIDTH), "16");
		assert_true(tag(&d[i], 22, &good));
		assert_int_equal(word(&d[i], noc(8, 0, 0x80030410)), 0);
		take(&d[i]);
		assert_int_equal(reset(&d[i], DEVICE_ASIC_RESET, NULL), i == 4);
	}
	pass(3000);
	for (size_t i = 0; i < bus->n; i++) {
		assert_int_equal(byte4(&d[i]), i == 5 ? 0xff : 0x00);
		assert_int_equal(reset(&d[i], DEVICE_POST_RESET, NULL), i == 5);
		device_release(&d[i]);
	}
	assert_string_equal(text(&d[0], ATTR_LINK_WIDTH), "8");
	beat = number(&d[1], ATTR_TT_HEARTBEAT);
	pass(1000);
	assert_int_equal(number(&d[1], ATTR_TT_HEARTBEAT), beat);
	assert_true(tag(&d[2], 22, &v));
	assert_int_not_equal(v, good);
	assert_int_equal(word(&d[2], noc(8, 0, 0x80030410)), 0x10);
	assert_int_equal(word(&d[3], noc(2, 1, 0x7cc04)), 2);
	assert_in_range(number(&d[4], ATTR_TT_HEARTBEAT), 0, 100);
	bus_close(bus);
}

static void a_card_that_comes_back_as_another_node_is_found_by_its_address(void **state)
{
	struct bus *bus = sim_bus("p150a,p150a:renumber", 0);
	struct device *d = &bus->dev[1];
	uint8_t byte;

	(void)state;
	take(d);
	assert_int_equal(reset(d, DEVICE_ASIC_RESET, NULL), 0);
	pass(500);
	assert_int_equal(device_config(d, 4, &byte, 1), -ENOENT);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(d->trouble, DEVICE_GONE);
	pass(1000);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(d->trouble, DEVICE_FINE);
	assert_int_equal(d->node, 3);
	take(d);
	assert_int_equal(reset(d, DEVICE_POST_RESET, NULL), 0);
	assert_int_equal(byte4(d), 0x07);
	bus_close(bus);
}

static void the_driver_may_let_go_of_a_card_in_the_middle(void **state)
{
	struct bus *bus = sim_bus("p150a:vanish", 0);
	struct device *d = bus->dev;
	uint32_t result;

	(void)state;
	take(d);
	assert_int_equal(reset(d, DEVICE_ASIC_RESET, NULL), 0);
	assert_int_equal(device_reset(d, DEVICE_POST_RESET, &result), -ENODEV);
	device_release(d);
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), -ENODEV);
	pass(1500);
	take(d);
	assert_int_equal(reset(d, DEVICE_POST_RESET, NULL), 0);
	bus_close(bus);
}

static void an_interrupted_call_did_nothing_and_can_be_made_again(void **state)
{
	struct bus *bus = sim_bus("p150a:eintr", 0);
	struct device *d = bus->dev;
	uint32_t result;

	(void)state;
	take(d);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EINTR);
	assert_int_equal(byte4(d), 0x07);
	assert_in_range(number(d, ATTR_TT_AICLK), 300, 1400);
	assert_int_equal(reset(d, DEVICE_ASIC_RESET, NULL), 0);
	bus_close(bus);
}

static void each_driver_knows_its_own_resets(void **state)
{
	static const struct {
		const char *driver, *board;
		unsigned known;			/* bit per enum device_reset */
	} cases[] = {
		{ "1.20", "n150", 0x01 }, { "1.29", "n150", 0x03 }, { "1.34", "p150a", 0x07 },
		{ "2.0.0", "n150", 0x03 }, { "2.0.0", "p150a", 0x07 }, { "2.4.1", "n150", 0x7b },
		{ "2.10.0", "p150a", 0x7f }, { "2.1.0", "e150", 0x03 },
		{ NULL, "n150:olddriver", 0x03 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus;

		if (cases[i].driver)
			setenv("TT_SMI_SIM_DRIVER", cases[i].driver, 1);
		bus = sim_bus(cases[i].board, 0);
		unsetenv("TT_SMI_SIM_DRIVER");
		assert_string_equal(bus->driver, cases[i].driver ? cases[i].driver : "2.0.0");
		for (enum device_reset k = 0; k < DEVICE_RESETS; k++) {
			uint32_t result;
			int r;

			take(bus->dev);
			r = device_reset(bus->dev, k, &result);
			if (r != (cases[i].known >> k & 1 ? 0 : -EINVAL))
				fail_msg("case %zu: kind %d: %d", i, k, r);
			pass(3000);
			if (device_reset(bus->dev, DEVICE_RESTORE_STATE, &result) < 0) {
				take(bus->dev);
				reset(bus->dev, DEVICE_RESTORE_STATE, NULL);
			}
		}
		bus_close(bus);
	}
}

static void a_handle_for_reading_resets_nothing_and_one_for_resets_is_no_other(void **state)
{
	struct bus *bus = sim_bus("p150a", 0);
	struct device *d = bus->dev;
	uint32_t result;

	(void)state;
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EBADF);
	assert_int_equal(device_acquire(d, NULL), 0);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EPERM);
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), -EBUSY);
	assert_in_range(number(d, ATTR_TT_AICLK), 300, 1400);
	bus_close(bus);
}

/* Drivers 2.6 to 2.9 make even the handle stale that asked for the reset. */
static void every_other_handle_is_stale_after_a_reset(void **state)
{
	static const char *const drivers[] = { "2.4.1", "2.8.0", "2.10.0" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(drivers); i++) {
		struct bus *bus;
		uint32_t result;

		setenv("TT_SMI_SIM_DRIVER", drivers[i], 1);
		bus = sim_bus("n150", 0);
		unsetenv("TT_SMI_SIM_DRIVER");
		take(bus->dev);
		reset(bus->dev, DEVICE_ASIC_RESET, NULL);
		pass(2000);
		assert_int_equal(device_reset(bus->dev, DEVICE_POST_RESET, &result),
			i == 1 ? -ENODEV : 0);
		bus_close(bus);
	}
}

/* driver-behaviour 13: an open meanwhile waits for the driver's lock. */
static void a_wormholes_reset_holds_opens_for_twelve_seconds(void **state)
{
	struct bus *bus = sim_bus("n150:stuck:reset@1-30,p150a:stuck:reset@1-30", 0);
	int64_t began = clock_mono();
	struct error e = { 0 };

	(void)state;
	wait_until(2 * CLOCK_SECOND);
	assert_int_equal(device_acquire(&bus->dev[1], &e), -ENODEV);
	assert_non_null(strstr(e.text, "the driver has no access to the card now"));
	assert_string_equal(text(&bus->dev[0], ATTR_LINK_SPEED), "16.0 GT/s PCIe");
	assert_int_equal(clock_mono() - began, 2 * CLOCK_SECOND);
	assert_int_equal(device_acquire(&bus->dev[0], &e), -ENODEV);
	assert_int_equal(clock_mono() - began, 13 * CLOCK_SECOND);
	assert_string_equal(text(&bus->dev[0], ATTR_TT_AICLK), "-ENODATA");
	bus_close(bus);
}

static void power_is_asked_for_through_the_handle(void **state)
{
	struct bus *bus;

	(void)state;
	bus = sim_bus("p150a", 0);
	assert_int_equal(device_power(bus->dev, DEVICE_POWER_AICLK), -EBADF);
	assert_int_equal(device_acquire_for(bus->dev, ACCESS_BURN, DEVICE_ACTIVE, NULL), 0);
	assert_int_equal(device_power(bus->dev, DEVICE_POWER_AICLK), 0);
	assert_int_equal(number(bus->dev, ATTR_TT_AICLK), 1350);
	bus_close(bus);
	setenv("TT_SMI_SIM_DRIVER", "2.5.0", 1);
	bus = sim_bus("p150a", 0);
	unsetenv("TT_SMI_SIM_DRIVER");
	assert_int_equal(device_acquire_for(bus->dev, ACCESS_BURN, DEVICE_ACTIVE, NULL), 0);
	assert_int_equal(device_power(bus->dev, 0), -EOPNOTSUPP);
	bus_close(bus);
}

/* What no driver does for a Grayskull, register by register. */
static void a_grayskulls_cores_are_reset_and_the_chip_goes_on(void **state)
{
	static const struct {
		const char *board;
		int tiles;		/* that are not harvested */
		bool is_reset;
	} cases[] = { { "e150", 120, true }, { "e75", 96, true }, { "e75:noreset", 96, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus(cases[i].board, 0);
		struct device *d = bus->dev;
		uint32_t post_code;
		struct error e = { 0 };

		take(d);
		assert_int_equal(tensix_check(d, &e), -EIO);
		if (tensix_reset(d, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(tensix_check(d, &e), cases[i].is_reset ? cases[i].tiles : -EIO);
		assert_int_equal(byte4(d), 0x07);
		assert_int_equal(device_read(d, bar0(UNIT + 0x60), &post_code, 1), 0);
		assert_int_equal(post_code, 0xc0de0001);
		if (counts(bus).violations)
			fail_msg("%s", counts(bus).last_violation);
		/* The clock is up again: a reset may not be touched any more. */
		assert_int_equal(device_write(d, bar0(UNIT + 0x20), 0), -EFAULT);
		bus_close(bus);
	}
}

/* One load shows it; what nobody waits for any more does not go on with it for minutes. */
static void a_slow_grayskull_keeps_its_reset_for_a_single_load(void **state)
{
	struct bus *bus = sim_bus("e75:slow", 0);
	struct error e = { 0 };
	int64_t began;

	(void)state;
	take(bus->dev);
	began = clock_mono();
	assert_int_equal(tensix_reset(bus->dev, &e), -ETIMEDOUT);
	assert_string_equal(e.text,
		"no message is sent: register 0x1ff30060 took 30.0 s to answer");
	assert_int_equal((clock_mono() - began) / CLOCK_SECOND, 30);
	assert_int_equal(tensix_check(bus->dev, &e), -ETIMEDOUT);
	assert_int_equal((clock_mono() - began) / CLOCK_SECOND, 60);
	assert_int_equal(counts(bus).writes, 0);
	bus_close(bus);
}

/* A chip whose loads take 30 s, or whatever `nap` is, once it has answered some. */
static unsigned prompt_loads, naps;
static int64_t nap;

static int read_slowly(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	if (prompt_loads > 0)
		prompt_loads--;
	else if (naps++ < 1000)
		clock_sleep_until(clock_mono() + nap);
	return transport_sim.read(d, at, words, n);
}

/*
 * One that becomes slow in the midst of it: the load that met it, and one more that asks whether
 * the clock can be put back; the text says of both.
 */
static void a_grayskull_that_becomes_slow_keeps_its_reset_for_two_loads(void **state)
{
	struct transport_ops ops = transport_sim;
	struct bus *bus = sim_bus("e75", 0);
	struct error e = { 0 };

	(void)state;
	ops.read = read_slowly;
	bus->dev->ops = &ops;
	take(bus->dev);
	naps = 0;
	prompt_loads = 100;
	nap = 30 * CLOCK_SECOND;
	assert_int_equal(tensix_reset(bus->dev, &e), -ETIMEDOUT);
	assert_int_equal(naps, 2);
	assert_non_null(strstr(e.text, ": Connection timed out; the clock stays low: no message is "
		"sent: register 0x1ff30060 took 30.0 s to answer"));
	/* It has come to itself: the next reset is whole, and the clock is up again. */
	prompt_loads = UINT32_MAX;
	assert_int_equal(tensix_reset(bus->dev, &e), 0);
	assert_int_equal(tensix_check(bus->dev, &e), 96);
	assert_int_equal(device_write(bus->dev, bar0(UNIT + 0x20), 0), -EFAULT);
	/* One that is a little slow is given the time that all of it has, and its clock back. */
	prompt_loads = 100;
	nap = CLOCK_SECOND;
	assert_int_equal(tensix_reset(bus->dev, &e), -ETIMEDOUT);
	assert_null(strstr(e.text, "clock"));
	bus_close(bus);
}

/* The simulated chip knows the wrong ways, too. */
static void steps_that_could_hang_a_grayskull_are_violations(void **state)
{
	static const struct {
		uint64_t addr[8];
		uint32_t word[8];
		size_t n;		/* the last one is the violation */
		bool is_slow;
	} cases[] = {
		{ { UNIT + 0x40 }, { 0 }, 1, false },
		{ { UNIT + 0x20 }, { 0 }, 1, false },
		/* A tile in reset is reached. */
		{ { UNIT + 0x20, 0x1fc005c0, 0x1fc005c4, 0x1db20108 },
			{ 0, 0xff | 1 << 8 | 1 << 14, 4, 1 }, 4, true },
		/* A broadcast finds routers that nobody set up. */
		{ { UNIT + 0x20, UNIT + 0x20, 0x1fc005c0, 0x1fc005c4, 0x1db121b0 },
			{ 0, UINT32_MAX, 0xff | 12 << 8 | 11 << 14, 6, 0x47800 }, 5, true },
		/* Cores run without the soft reset. */
		{ { UNIT + 0x40 }, { 1 }, 1, true },
		/* A memory tile's port is elsewhere. */
		{ { 0x1fc005c0, 0x1fc005c4, 0x1db20108 }, { 0xff | 1 << 8, 4, 1 }, 3, true },
		{ { 0x1fc005c0, 0x1fc005c4, 0x1db20108 }, { 0xff | 13 << 8, 4, 1 }, 3, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = sim_bus("e150", 0);
		struct device *d = bus->dev;

		take(d);
		if (cases[i].is_slow) {
			assert_int_equal(device_write(d, bar0(UNIT + 0x6c), 1), 0);
			assert_int_equal(device_write(d, bar0(UNIT + 0x74), 0xaabb), 0);
			assert_int_equal(device_write(d, bar0(UNIT + 0x100), 1 << 16), 0);
		}
		for (size_t k = 0; k < cases[i].n; k++) {
			int r = device_write(d, bar0(cases[i].addr[k]), cases[i].word[k]);

			if (r != (k + 1 == cases[i].n ? -EFAULT : 0))
				fail_msg("case %zu, step %zu: %d", i, k, r);
		}
		bus_close(bus);
	}
}

/* Two processes with worlds of their own meet at the file of the card. */
static void a_card_is_locked_by_one_process_which_can_be_named(void **state)
{
	struct bus *bus = sim_bus("p150a,p150a", 0);
	struct error e = { 0 };
	char dir[] = "/tmp/tt-smi-lock.XXXXXX", byte, command[64];
	int to[2], from[2];
	pid_t child, holder;

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("TT_SMI_STATE_DIR", dir, 1);
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	child = fork();
	if (child == 0) {
		close(to[1]);
		_exit(device_lock(&bus->dev[1], &holder, NULL) < 0 || write(from[1], "l", 1) != 1 ||
			read(to[0], &byte, 1) != 0);
	}
	close(to[0]);
	assert_int_equal(read(from[0], &byte, 1), 1);
	assert_int_equal(device_lock(&bus->dev[0], &holder, &e), 0);
	assert_int_equal(device_lock(&bus->dev[0], &holder, &e), 0);
	assert_int_equal(device_lock(&bus->dev[1], &holder, &e), -EBUSY);
	assert_int_equal(holder, child);
	assert_non_null(strstr(e.text, "is locked by process"));
	close(to[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(device_lock(&bus->dev[1], &holder, &e), 0);
	device_unlock(&bus->dev[1]);
	device_unlock(&bus->dev[1]);
	bus_close(bus);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	unsetenv("TT_SMI_STATE_DIR");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_driver_says_what_it_said_on_machines),
		cmocka_unit_test(only_the_heartbeat_proves_a_reset),
		cmocka_unit_test(a_marker_without_a_reset_stays_until_the_state_is_restored),
		cmocka_unit_test(the_boards_controller_resets_all_its_chips),
		cmocka_unit_test(a_card_may_come_back_worse_than_it_was),
		cmocka_unit_test(a_card_that_comes_back_as_another_node_is_found_by_its_address),
		cmocka_unit_test(the_driver_may_let_go_of_a_card_in_the_middle),
		cmocka_unit_test(an_interrupted_call_did_nothing_and_can_be_made_again),
		cmocka_unit_test(each_driver_knows_its_own_resets),
		cmocka_unit_test(
			a_handle_for_reading_resets_nothing_and_one_for_resets_is_no_other),
		cmocka_unit_test(every_other_handle_is_stale_after_a_reset),
		cmocka_unit_test(a_wormholes_reset_holds_opens_for_twelve_seconds),
		cmocka_unit_test(power_is_asked_for_through_the_handle),
		cmocka_unit_test(a_card_is_locked_by_one_process_which_can_be_named),
		cmocka_unit_test(a_grayskulls_cores_are_reset_and_the_chip_goes_on),
		cmocka_unit_test(a_slow_grayskull_keeps_its_reset_for_a_single_load),
		cmocka_unit_test(a_grayskull_that_becomes_slow_keeps_its_reset_for_two_loads),
		cmocka_unit_test(steps_that_could_hang_a_grayskull_are_violations),
	};

	setenv("TT_SMI_VIRTUAL_TIME", "1763716364", 1);
	clock_init();
	return cmocka_run_group_tests_name("sim_reset", tests, NULL, NULL);
}
