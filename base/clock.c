/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The virtual clock; NULL in real time. */
static struct {
	_Atomic int64_t mono;
	int64_t start;
} *virtual;

void clock_init(void)
{
	const char *text = getenv("TT_SMI_VIRTUAL_TIME");
	int64_t start;

	if (virtual || !text || !parse_seconds(text, &start))
		return;
	virtual = mem_share(sizeof(*virtual));
	virtual->start = start;
}

bool clock_is_virtual(void)
{
	return virtual;
}

static int64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * CLOCK_SECOND + t.tv_nsec;
}

int64_t clock_mono(void)
{
	return virtual ? atomic_load(&virtual->mono) : now(CLOCK_MONOTONIC);
}

int64_t clock_steady(void)
{
	return now(CLOCK_MONOTONIC);
}

int64_t clock_real(void)
{
	return virtual ? virtual->start + atomic_load(&virtual->mono) : now(CLOCK_REALTIME);
}

int clock_sleep_until(int64_t deadline)
{
	struct timespec t = { .tv_sec = deadline / CLOCK_SECOND,
		.tv_nsec = deadline % CLOCK_SECOND };

	if (virtual) {
		int64_t seen = atomic_load(&virtual->mono);

		while (seen < deadline &&
			!atomic_compare_exchange_weak(&virtual->mono, &seen, deadline))
			;
		return 0;
	}
	return deadline < 0 ? 0 : -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int clock_poll_ms(int64_t deadline)
{
	int64_t left = deadline - clock_mono();

	if (left <= 0)
		return 0;
	left = (left + CLOCK_MS - 1) / CLOCK_MS;
	return left > 86400000 ? 86400000 : (int)left;
}

/* "2026-11-21T09:12:44": year to second, with the caller's separators in the time. */
static int put_stamp(int64_t real_ns, bool local, char middle, char part, char *buf, size_t size)
{
	time_t s = (time_t)(real_ns / CLOCK_SECOND);
	struct tm tm = { 0 };

	if (local)
		localtime_r(&s, &tm);
	else
		gmtime_r(&s, &tm);
	return snprintf(buf, size, "%04d-%02d-%02d%c%02d%c%02d%c%02d", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, middle, tm.tm_hour, part, tm.tm_min, part, tm.tm_sec);
}

static char *put_iso(int64_t real_ns, bool local, const char *zone, char *buf, size_t size)
{
	int n = put_stamp(real_ns, local, 'T', ':', buf, size);

	if (n >= 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ".%06d%s",
			(int)(real_ns % CLOCK_SECOND / 1000), zone);
	return buf;
}

char *clock_iso_local(int64_t real_ns, char *buf, size_t size)
{
	return put_iso(real_ns, true, "", buf, size);
}

char *clock_iso_utc(int64_t real_ns, char *buf, size_t size)
{
	return put_iso(real_ns, false, "Z", buf, size);
}

char *clock_file_stamp(int64_t real_ns, char *buf, size_t size)
{
	put_stamp(real_ns, true, '_', '-', buf, size);
	return buf;
}
