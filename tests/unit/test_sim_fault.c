/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a simulated fault shows to the rest of the program.
 */
#include "config.h"
#include "tests/rig/sim_bus.h"
#include "base/clock.h"

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

/* driver-behaviour 1: reads succeed, with rubbish. */
static void a_card_that_hangs_gives_the_rubbish_seen_on_machines(void **state)
{
	struct bus *bus = sim_bus("p150a:off@5-9,n150:off@5-9", 0);

	(void)state;
	assert_string_equal(text(&bus->dev[0], ATTR_CONFIG_ID), "b1401e52");
	wait_until(5 * CLOCK_SECOND);
	for (size_t i = 0; i < 2; i++) {
		struct device *d = &bus->dev[i];

		assert_string_equal(text(d, ATTR_TT_AICLK), "4294967295");
		assert_string_equal(text(d, ATTR_TT_HEARTBEAT), "4294967295");
		assert_string_equal(text(d, ATTR_HWMON_POWER), "4293967296");
		assert_string_equal(text(d, ATTR_HWMON_TEMP), "65535999");
		assert_string_equal(text(d, ATTR_LINK_SPEED), "Unknown");
		assert_string_equal(text(d, ATTR_LINK_WIDTH), "63");
		assert_string_equal(text(d, ATTR_CONFIG_ID), "ffffffff");
		assert_string_equal(text(d, ATTR_TT_CARD_TYPE), "unknown");
		assert_string_equal(text(d, ATTR_PERF_SLV_RD_0), "4294967295");
		assert_int_equal(bus_rescan(bus, NULL), 0);
	}
	assert_int_equal(word(&bus->dev[0], bar0(0x1fd04044)), UINT32_MAX);
	assert_int_equal(word(&bus->dev[0], noc(8, 0, 0x80030408)), UINT32_MAX);
	assert_int_equal(word(&bus->dev[1], bar0(0x1ff30078)), UINT32_MAX);
	wait_until(9 * CLOCK_SECOND);
	assert_in_range(word(&bus->dev[0], bar0(0x1fd04044)), 2, 11);
	bus_close(bus);
}

static void a_dead_chip_has_a_live_pci_side(void **state)
{
	struct bus *bus = sim_bus("p150a:hang", 0);

	(void)state;
	assert_string_equal(text(bus->dev, ATTR_CONFIG_ID), "b1401e52");
	assert_string_equal(text(bus->dev, ATTR_LINK_WIDTH), "16");
	assert_string_equal(text(bus->dev, ATTR_TT_AICLK), "4294967295");
	assert_int_equal(word(bus->dev, noc(8, 0, 0x80030408)), UINT32_MAX);
	bus_close(bus);
}

static void stopped_firmware_leaves_its_words_as_they_are(void **state)
{
	struct bus *bus = sim_bus("n150:stuck@2", 0);
	int64_t beat;

	(void)state;
	wait_until(2 * CLOCK_SECOND);
	beat = number(bus->dev, ATTR_TT_HEARTBEAT);
	wait_until(60 * CLOCK_SECOND);
	assert_int_equal(number(bus->dev, ATTR_TT_HEARTBEAT), beat);
	put(bus->dev, bar0(UNIT + 0x74), 0xaa11);
	put(bus->dev, bar0(UNIT + 0x100), 1u << 16);
	assert_int_equal(word(bus->dev, bar0(UNIT + 0x74)), 0xaa11);
	bus_close(bus);
}

static void a_card_that_is_gone_is_listed_until_the_next_scan(void **state)
{
	struct bus *bus = sim_bus("p150a:gone,n150,p150a:gone@5-8", 0);
	uint32_t v;

	(void)state;
	assert_int_equal(bus->n, 3);
	assert_string_equal(text(&bus->dev[0], ATTR_CONFIG_ID), "-ENODEV");
	assert_int_equal(device_acquire(&bus->dev[0], NULL), -ENODEV);
	assert_int_equal(device_acquire(&bus->dev[2], NULL), 0);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(bus->dev[0].trouble, DEVICE_GONE);
	assert_int_equal(bus->dev[2].trouble, DEVICE_FINE);
	wait_until(6 * CLOCK_SECOND);
	assert_int_equal(device_read(&bus->dev[2], bar0(0x1fd04044), &v, 1), -ENODEV);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(bus->dev[2].trouble, DEVICE_GONE);
	wait_until(8 * CLOCK_SECOND);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(bus->dev[2].trouble, DEVICE_FINE);
	assert_int_not_equal(number(&bus->dev[2], ATTR_TT_HEARTBEAT), 0);
	bus_close(bus);
}

static void input_and_output_errors_are_errors_everywhere(void **state)
{
	struct bus *bus = sim_bus("e150:eio", 0);
	uint32_t v;

	(void)state;
	assert_int_equal(device_acquire(bus->dev, NULL), 0);
	assert_string_equal(text(bus->dev, ATTR_CONFIG_ID), "-EIO");
	assert_string_equal(text(bus->dev, ATTR_HWMON_TEMP), "-EIO");
	assert_int_equal(device_read(bus->dev, bar0(0x1ff30078), &v, 1), -EIO);
	bus_close(bus);
}

static void a_bad_channel_and_link_show_in_each_chips_words(void **state)
{
	struct bus *bus = sim_bus("e75:dram,n300:dram:eth,n150:dram:eth,p150a:dram,p300:eth", 0);
	struct device *d = bus->dev;
	uint32_t v = 0;

	(void)state;
	assert_int_equal(word(&d[1], bar0(0x1fef8d60 + 14 * 4)), 0x02222122);
	assert_int_equal(word(&d[1], bar0(0x1fef8d60 + 48 * 4)) & 0xffff, 0xfefb);
	assert_true(tag(&d[2], 22, &v));
	assert_int_equal(v, 0x565);
	assert_true(tag(&d[3], 22, &v));
	assert_int_equal(v, 0x55655565);
	assert_int_equal(word(&d[3], noc(8, 0, 0x80030410)) & 0x10, 0x10);
	assert_true(tag(&d[4], 21, &v));
	assert_int_equal(v >> 16 & 1 << 2, 0);
	assert_true(tag(&d[5], 21, &v));		/* only the first chip of a board is ill */
	assert_int_not_equal(v >> 16 & 1 << 2, 0);
	bus_close(bus);
}

static void a_hot_chip_is_over_its_limit_and_slow(void **state)
{
	struct bus *bus = sim_bus("n150:hot,p150a:hot", 0);
	uint32_t v = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct device *d = &bus->dev[i];

		assert_true(number(d, ATTR_HWMON_TEMP) > number(d, ATTR_HWMON_TEMP_MAX));
		assert_true(tag(d, 63, &v));
		assert_true(number(d, ATTR_TT_AICLK) < v);
	}
	assert_true(tag(&bus->dev[1], 66, &v));
	assert_int_equal(v >> 16, 4);			/* the thermal arbiter */
	bus_close(bus);
}

/* driver-behaviour, four p150b under 2.7.0-rc1. */
static void garbage_is_that_of_real_boards(void **state)
{
	struct bus *bus = sim_bus("p150b:garbage,n300:garbage", 0);
	struct device *d = bus->dev;

	(void)state;
	assert_in_range(number(d, ATTR_HWMON_VCORE), 3205000, 3214999);
	assert_in_range(number(d, ATTR_HWMON_POWER), 4075000000, 4084999999);
	assert_in_range(number(d, ATTR_HWMON_CURRENT), 3335000000, 3344999999);
	assert_in_range(number(d, ATTR_HWMON_FAN), 2750000, 2849999);
	assert_int_equal(number(d, ATTR_HWMON_TEMP), 54000);
	assert_int_equal(number(d, ATTR_TT_ARCCLK), 4294967295);
	assert_int_equal(word(&d[1], bar0(0x1fef8d60 + 28 * 4)), 0x00310031);
	assert_int_equal(word(&d[1], bar0(0x1fef8d60 + 23 * 4)), UINT32_MAX);
	assert_int_equal(word(&d[1], bar0(0x1fef8d60 + 29 * 4)) & 0xffff, 54 * 16);
	bus_close(bus);
}

static void links_memory_and_holders_have_their_faults(void **state)
{
	struct bus *bus = sim_bus("p150a:width:held@1-2:bitflip@10,n150", 0);
	struct device *d = bus->dev;
	pid_t pids[4];
	bool partial;
	uint32_t v;

	(void)state;
	assert_string_equal(text(d, ATTR_LINK_SPEED), "16.0 GT/s PCIe");
	assert_string_equal(text(d, ATTR_LINK_SPEED_MAX), "32.0 GT/s PCIe");
	assert_string_equal(text(d, ATTR_LINK_WIDTH), "8");
	assert_string_equal(text(d, ATTR_LINK_WIDTH_MAX), "16");
	assert_int_equal(device_holders(d, pids, 4, &partial), 0);
	wait_until(1500 * CLOCK_MS);
	assert_int_equal(device_holders(d, pids, 4, &partial), 1);
	assert_int_equal(pids[0], 1);
	assert_int_equal(device_holders(&d[1], pids, 4, &partial), 0);
	assert_true(tag(d, 46, &v));
	assert_int_equal(v, 0);
	wait_until(20 * CLOCK_SECOND);
	assert_true(tag(d, 46, &v));
	assert_int_equal(v, 3 << 16);			/* module 1, read */
	wait_until(86400 * CLOCK_SECOND);
	assert_true(tag(d, 46, &v));
	assert_int_equal(v, 255 << 16);
	bus_close(bus);
}

/* driver-behaviour 2, and chip-facts 1.8.3: a handle from before is dead for good. */
static void a_reset_by_another_program_is_a_window_and_a_new_heartbeat(void **state)
{
	struct bus *bus = sim_bus("p150a:reset@5", 0);
	struct device *d = bus->dev;
	uint32_t v;

	(void)state;
	assert_int_not_equal(word(d, noc(8, 0, 0x80030408)), 0);
	wait_until(6500 * CLOCK_MS);
	assert_string_equal(text(d, ATTR_TT_AICLK), "-ENODATA");
	assert_string_equal(text(d, ATTR_HWMON_TEMP), "-ENODATA");
	assert_string_equal(text(d, ATTR_CONFIG_ID), "b1401e52");
	assert_int_equal(device_read(d, noc(8, 0, 0x80030408), &v, 1), -ENODEV);
	assert_int_equal(counts(bus).violations, 0);	/* it could not know */
	assert_int_equal(device_read(d, noc(8, 0, 0x80030408), &v, 1), -ENODEV);
	assert_int_equal(counts(bus).violations, 1);
	device_release(d);
	assert_int_equal(device_acquire(d, NULL), -ENODEV);
	wait_until(8 * CLOCK_SECOND);
	assert_in_range(number(d, ATTR_TT_HEARTBEAT), 0, 1);
	assert_int_equal(word(d, noc(8, 0, 0x80030408)) & 7, 5);
	wait_until(9 * CLOCK_SECOND);
	assert_in_range(number(d, ATTR_TT_HEARTBEAT), 9, 11);
	bus_close(bus);
}

/* Real time, in a child that is given up as a worker is. */
static void a_slow_card_keeps_its_reader(void **state)
{
	struct bus *bus = sim_bus("p150a:slow", 0);
	struct timespec t = { .tv_nsec = 200 * CLOCK_MS };
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		char buf[ATTR_TEXT];

		device_attr(bus->dev, ATTR_TT_AICLK, buf, sizeof(buf));
		_exit(0);
	}
	nanosleep(&t, NULL);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	bus_close(bus);
}

/* driver-behaviour 11: an open in the time after a job leaves the board at full clock for good. */
static void a_job_leaves_a_wormhole_at_full_clock_for_five_seconds(void **state)
{
	struct bus *bus = sim_bus("n150:job@1-3,p150a:job@1-3,n150:job@1-3", 0);
	struct device *d = bus->dev;
	struct error e = { 0 };
	pid_t pid;
	bool partial;

	(void)state;
	assert_int_equal(number(d, ATTR_TT_AICLK), 500);
	assert_int_equal(device_acquire(d, &e), 0);
	device_release(d);
	wait_until(2 * CLOCK_SECOND);
	assert_int_equal(number(d, ATTR_TT_AICLK), 1000);
	assert_int_equal(device_holders(d, &pid, 1, &partial), 1);
	assert_int_equal(device_acquire(d, &e), 0);
	device_release(d);
	wait_until(3500 * CLOCK_MS);
	assert_int_equal(device_holders(d, &pid, 1, &partial), 0);
	assert_int_equal(number(d, ATTR_TT_AICLK), 1000);
	assert_int_equal(device_acquire(d, &e), -EINPROGRESS);
	assert_non_null(strstr(e.text, "keep it from powering down"));
	assert_int_equal(number(&d[1], ATTR_TT_AICLK), 800);	/* Blackhole: at once */
	assert_int_equal(device_acquire(&d[1], &e), 0);
	assert_int_equal(counts(bus).cancelled, 0);
	/* A process that opens the node all the same does the harm. */
	assert_int_equal(device_acquire_for(&d[2], ACCESS_RESET, DEVICE_PASSIVE, &e), 0);
	device_release(&d[2]);
	assert_int_equal(counts(bus).cancelled, 1);
	wait_until(8500 * CLOCK_MS);
	assert_int_equal(number(d, ATTR_TT_AICLK), 500);
	assert_int_equal(device_acquire(d, &e), 0);
	assert_int_equal(number(&d[2], ATTR_TT_AICLK), 1000);

	/* It is read through its node again once the driver's time is surely over. */
	for (int second = 20; second <= 26; second++) {
		wait_until(second * CLOCK_SECOND);
		assert_int_equal(device_acquire(&d[2], &e), -EINPROGRESS);
	}
	wait_until(27 * CLOCK_SECOND);
	assert_int_equal(device_acquire(&d[2], &e), 0);
	device_release(&d[2]);
	/* Between two samples, a job may have come and gone. */
	wait_until(60 * CLOCK_SECOND);
	assert_int_equal(device_acquire(&d[2], &e), -EINPROGRESS);
	/* A client that asks for power puts it right. */
	assert_int_equal(device_acquire_for(&d[2], ACCESS_BURN, DEVICE_ACTIVE, &e), 0);
	device_release(&d[2]);
	wait_until(66 * CLOCK_SECOND);
	assert_int_equal(number(&d[2], ATTR_TT_AICLK), 500);
	bus_close(bus);
}

static void a_job_that_ends_under_an_open_handle_powers_down_at_once(void **state)
{
	struct bus *bus = sim_bus("n150:job@1-3", 0);

	(void)state;
	wait_until(2 * CLOCK_SECOND);
	assert_int_equal(device_acquire(bus->dev, NULL), 0);
	wait_until(3100 * CLOCK_MS);
	assert_int_equal(number(bus->dev, ATTR_TT_AICLK), 500);
	device_release(bus->dev);
	assert_int_equal(number(bus->dev, ATTR_TT_AICLK), 500);
	assert_int_equal(counts(bus).cancelled, 0);
	bus_close(bus);
}

/* driver-behaviour 12. */
static void who_wants_a_card_alone_is_refused_while_it_is_held(void **state)
{
	struct bus *bus = sim_bus("p150a:exclusive", 0);

	(void)state;
	wait_until(CLOCK_SECOND);
	assert_int_equal(device_acquire(bus->dev, NULL), 0);
	wait_until(1495 * CLOCK_MS);
	device_release(bus->dev);
	wait_until(3 * CLOCK_SECOND);
	assert_int_equal(counts(bus).refused, 50);
	bus_close(bus);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_that_hangs_gives_the_rubbish_seen_on_machines),
		cmocka_unit_test(a_dead_chip_has_a_live_pci_side),
		cmocka_unit_test(stopped_firmware_leaves_its_words_as_they_are),
		cmocka_unit_test(a_card_that_is_gone_is_listed_until_the_next_scan),
		cmocka_unit_test(input_and_output_errors_are_errors_everywhere),
		cmocka_unit_test(a_bad_channel_and_link_show_in_each_chips_words),
		cmocka_unit_test(a_hot_chip_is_over_its_limit_and_slow),
		cmocka_unit_test(garbage_is_that_of_real_boards),
		cmocka_unit_test(links_memory_and_holders_have_their_faults),
		cmocka_unit_test(a_job_leaves_a_wormhole_at_full_clock_for_five_seconds),
		cmocka_unit_test(a_job_that_ends_under_an_open_handle_powers_down_at_once),
		cmocka_unit_test(who_wants_a_card_alone_is_refused_while_it_is_held),
		cmocka_unit_test(a_reset_by_another_program_is_a_window_and_a_new_heartbeat),
		cmocka_unit_test(a_slow_card_keeps_its_reader),
	};

	setenv("TT_SMI_VIRTUAL_TIME", "1763716364", 1);
	clock_init();
	return cmocka_run_group_tests_name("sim_fault", tests, NULL, NULL);
}
