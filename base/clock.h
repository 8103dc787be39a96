/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - one place that knows the time, in nanoseconds.
 *
 * Tests run a day in seconds: with TT_SMI_VIRTUAL_TIME=<UTC seconds> in the
 * environment both clocks start there (monotonic at 0), stand still while a process of the
 * run has work to do, and move at once to the next deadline when all of them wait in
 * clock_wait().  A process that waits elsewhere, for a disk or a program of its own, works.
 * With clock_set_pace() the same, but a wait really lasts a part of its time, so that persons and
 * programs can act meanwhile.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

#define CLOCK_SECOND 1000000000LL
#define CLOCK_MS     1000000LL

/* To be called once, before any fork; reads the environment. */
void clock_init(void);
bool clock_is_virtual(void);

/*
 * From now on, time that is waited for passes so many times faster than real time, and stands
 * still while a process works.  Call it before any fork; 1 changes nothing, and neither does a call
 * in virtual time.
 */
void clock_set_pace(unsigned times);

/* What `ns` of a limit are for a program or another host, whose time is real. */
int64_t clock_span(int64_t ns);

/*
 * Around a fork(), so that virtual time waits for the new process: the place of
 * clock_before_fork(), and what fork() returned.  child_start() calls them, in both processes.
 * clock_leave(): virtual time does not wait for this process any more, and the time of this process
 * is real: it becomes a program or runs one, or computes all the time.
 */
void *clock_before_fork(void);
void clock_after_fork(void *place, pid_t pid);
void clock_leave(void);

/* Since some fixed moment; never steps back (CLOCK_MONOTONIC). */
int64_t clock_mono(void);

/* The same, but real even in virtual time: for what programs, disks and persons take. */
int64_t clock_steady(void);

/* Since 1970, UTC; may step. */
int64_t clock_real(void);

/*
 * Wait for descriptors as poll() does, until clock_mono() reaches a moment at the latest
 * (INT64_MAX: however long it takes): how many are ready, 0, or -errno, -EINTR after a signal (in
 * virtual time that may be missed: who must hear a signal has a descriptor for it).  The second
 * waits for clock_steady(): meanwhile virtual time stands still, or moves at its pace to the
 * deadlines of others.
 */
int clock_wait(struct pollfd *fds, size_t n, int64_t until);
int clock_wait_steady(struct pollfd *fds, size_t n, int64_t until);

/* Sleep until clock_mono() reaches deadline or a signal comes; 0 or -EINTR. */
int clock_sleep_until(int64_t deadline);

/*
 * The pause between two looks at something awaited since that moment: a fiftieth of the time that
 * has passed, within these limits.  A look that is late by so little is soon enough.
 */
void clock_pause(int64_t since, int64_t least, int64_t most);

int64_t clock_earlier(int64_t a, int64_t b);

/* Milliseconds until deadline for poll(): rounded up, at least 0. */
int clock_poll_ms(int64_t deadline);

/* Local time of a clock_real() value: "2026-11-21T09:12:44.123456" and "2026-11-21_09-12-44". */
char *clock_iso_local(int64_t real_ns, char *buf, size_t size);
char *clock_file_stamp(int64_t real_ns, char *buf, size_t size);

/* UTC: "2026-11-21T09:12:44.123456Z". */
char *clock_iso_utc(int64_t real_ns, char *buf, size_t size);

/* Such a text as ns since 1970, to the second; 0 for anything else, also beyond 2262. */
int64_t clock_parse_utc(const char *text);
