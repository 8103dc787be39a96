/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - one place that knows the time, in nanoseconds.
 *
 * Tests run a day in seconds: with TT_SMI_VIRTUAL_TIME=<UTC seconds> in the
 * environment both clocks start there (monotonic at 0) and move only when
 * something sleeps.  The virtual clock lies in shared memory, so that worker
 * processes see the same time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#define CLOCK_SECOND 1000000000LL
#define CLOCK_MS     1000000LL

/* To be called once, before any fork; reads the environment. */
void clock_init(void);
bool clock_is_virtual(void);

/* Since some fixed moment; never steps back (CLOCK_MONOTONIC). */
int64_t clock_mono(void);

/* The same, but real even in virtual time: for deadlines that other processes must meet. */
int64_t clock_steady(void);

/* Since 1970, UTC; may step. */
int64_t clock_real(void);

/* Sleep until clock_mono() reaches deadline or a signal comes; 0 or -EINTR. */
int clock_sleep_until(int64_t deadline);

/* Milliseconds until deadline for poll(): rounded up, at least 0. */
int clock_poll_ms(int64_t deadline);

/* Local time of a clock_real() value: "2026-11-21T09:12:44.123456" and "2026-11-21_09-12-44". */
char *clock_iso_local(int64_t real_ns, char *buf, size_t size);
char *clock_file_stamp(int64_t real_ns, char *buf, size_t size);

/* UTC: "2026-11-21T09:12:44.123456Z". */
char *clock_iso_utc(int64_t real_ns, char *buf, size_t size);
