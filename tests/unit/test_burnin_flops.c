/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rates that a burn prints beside the processor's own counter of
 * floating-point operations: what we count of a load, and of the peak, is what
 * was computed.  A processor, or a virtual machine, without the counter is a
 * counted skip.
 */
#include "config.h"
#include "base/mem.h"
#include "burnin/host/burn_set.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/team.h"

#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

enum { EVENTS = 4, BLOCKS = 20, PEAK_ROUNDS = 2000 };

#define WITHIN 0.01

/* One event for each width of a register, which counts a multiply-add as two; or one of all. */
static const struct counter {
	const char *vendor;
	struct {
		uint64_t config;
		unsigned lanes;
	} events[EVENTS];
} counters[] = {
	/* FP_ARITH_INST_RETIRED: single precision, scalar and 128, 256, 512 bits */
	{ "GenuineIntel", { { 0x02c7, 1 }, { 0x08c7, 4 }, { 0x20c7, 8 }, { 0x80c7, 16 } } },
	/* FpRetSseAvxOps, all kinds */
	{ "AuthenticAMD", { { 0x0f03, 1 } } },
};

static const struct counter *counter;
static int fds[EVENTS];

static bool vendor_is(const char *name)
{
	char line[256];
	bool is = false;
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (f && !is && fgets(line, sizeof(line), f))
		is = strncmp(line, "vendor_id", 9) == 0 && strstr(line, name);
	if (f)
		fclose(f);
	return is;
}

static int open_event(uint64_t config)
{
	struct perf_event_attr a = { .type = PERF_TYPE_RAW, .size = sizeof(a), .config = config,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };

	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

static bool open_counter(void)
{
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (vendor_is(counters[i].vendor))
			counter = &counters[i];
	for (int i = 0; counter && i < EVENTS; i++) {
		fds[i] = counter->events[i].lanes ? open_event(counter->events[i].config) : -1;
		if (counter->events[i].lanes && fds[i] < 0)
			counter = NULL;
	}
	return counter;
}

static void begin_count(void)
{
	for (int i = 0; i < EVENTS; i++)
		if (fds[i] >= 0) {
			ioctl(fds[i], PERF_EVENT_IOC_RESET, 0);
			ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
		}
}

/* Operations since begin_count(); below 0: the counter was not ours all the time. */
static double end_count(void)
{
	double all = 0;

	for (int i = 0; i < EVENTS; i++) {
		uint64_t v[3];

		if (fds[i] < 0)
			continue;
		ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
		if (read(fds[i], v, sizeof(v)) != (ssize_t)sizeof(v) || v[1] != v[2])
			return -1;
		all += (double)v[0] * counter->events[i].lanes;
	}
	return all;
}

static void assert_counted(const char *what, double counted, double ours)
{
	if (fabs(counted - ours) > WITHIN * ours)
		fail_msg("%s: we count %.0f, the processor %.0f", what, ours, counted);
}

/* No event counts what tiles do. */
static bool is_counted(const struct impl *i, enum burn_op op, enum burn_dtype t)
{
	return !(i->needs & CPU_AMX_BF16) && impl_usable(i, op, t);
}

static void the_peak_is_what_the_processor_counts(void **state)
{
	int n = 0;

	(void)state;
	if (!open_counter())
		skip();
	for (int i = 0; impls[i]; i++) {
		double ours, counted;

		if (!impls[i]->peak || !is_counted(impls[i], BURN_CONV2D, BURN_BFLOAT16))
			continue;
		begin_count();
		ours = (double)impls[i]->peak(PEAK_ROUNDS);
		counted = end_count();
		/* A machine may offer a counter that stands still. */
		if (counted <= 0)
			skip();
		assert_counted(impls[i]->name, counted, ours);
		n++;
	}
	assert_true(n > 0);
}

static void a_load_is_what_the_processor_counts(void **state)
{
	struct team *team;
	struct error e;
	int n = 0;

	(void)state;
	if (!open_counter())
		skip();
	assert_int_equal(team_open(&team, 1, false, &e), 0);
	for (int i = 0; impls[i]; i++) {
		impl_force(impls[i]);
		for (int kind = 0; kind < BURN_KINDS; kind++) {
			struct burn_set s;
			double counted;

			if (!impls[i]->stress || !is_counted(impls[i],
				(enum burn_op)(kind / BURN_DTYPES),
				(enum burn_dtype)(kind % BURN_DTYPES)))
				continue;
			assert_int_equal(burn_set_open(&s, kind, 0, 1, team, &e), 0);
			begin_count();
			for (int k = 0; k < BLOCKS; k++)
				burn_set_run(&s);
			counted = end_count();
			if (counted <= 0)
				skip();
			assert_counted(s.impl->name, counted, (double)s.flops * BLOCKS);
			burn_set_close(&s);
			n++;
		}
	}
	impl_force(NULL);
	team_close(team);
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_is_what_the_processor_counts),
		cmocka_unit_test(a_load_is_what_the_processor_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
