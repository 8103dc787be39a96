/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy.c - the runtime's counters, and what they say between two looks.
 *
 * The layouts are those of tt-metal at 902b62392ed1 and 109fcb1c7083 (tt_metal/hostdevcommon/api/
 * hostdevcommon/dispatch_telemetry_types.hpp).  Nothing here was compared with a card.
 *
 * A share is never clamped.  Counters of the first reading are extrapolated to the clock of the
 * second one, as if work under way went on until then: so the time between two looks bounds what
 * can have been counted in it, and a share above 1 is a wrong word.
 */
#include "config.h"
#include "telemetry/busy.h"

#include "base/mem.h"

#include <string.h>

#define LAYOUT_VERSION 1
#define SIGN_CONTROL 0x534d435fU	/* "SMC_" */
#define SIGN_CORE    0x44495350U	/* "DISP" */
#define NONE	     UINT32_MAX		/* no core */
#define SLOW	     1			/* flag: slow dispatch */
#define AFTER	     0x400000U		/* beyond the memory of any core */

/* The ticks of one reading are far fewer than these; a torn word is 2^32 off. */
#define READ_MOST (UINT64_C(1) << 28)
#define TORN	  (UINT64_C(1) << 31)
#define CLOCK_MOST (UINT64_C(1) << 56)

static uint32_t byte_at(const uint32_t *words, unsigned at)
{
	return words[at / 4] >> 8 * (at % 4) & 0xff;
}

static uint32_t u32_at(const uint32_t *words, unsigned at)
{
	return byte_at(words, at) | byte_at(words, at + 1) << 8 | byte_at(words, at + 2) << 16 |
		byte_at(words, at + 3) << 24;
}

static uint64_t u64_at(const uint32_t *words, unsigned at)
{
	return words[at / 4] | (uint64_t)words[at / 4 + 1] << 32;
}

enum busy_source busy_parse_control(const uint32_t words[static BUSY_CONTROL_WORDS],
	struct busy_control *c)
{
	const unsigned most = byte_at(words, 13);

	*c = (struct busy_control){ .at = u32_at(words, 9) };
	if (words[0] == UINT32_MAX && words[1] == UINT32_MAX)
		return BUSY_UNREADABLE;
	if (words[1] != SIGN_CONTROL)
		return BUSY_NO_RUNTIME;
	if (words[0] == LAYOUT_VERSION && byte_at(words, 8) == SLOW)
		return BUSY_SLOW_DISPATCH;
	if (words[0] != LAYOUT_VERSION || byte_at(words, 8) != 0 || most > BUSY_QUEUES ||
		c->at == 0 || c->at % 8 != 0 || c->at >= AFTER)
		return BUSY_LAYOUT;
	for (; c->n < most; c->n++) {
		const unsigned queue = 14 + 12 * c->n;

		c->core[c->n] = u32_at(words, queue + 4);
		if (u32_at(words, queue) == NONE || c->core[c->n] == NONE)
			break;
	}
	return c->n > 0 ? BUSY_FIRST : BUSY_NO_COUNTERS;
}

/* Where the layouts have their arrays; 0: it has none. */
static const struct layout {
	uint8_t busy, launch;
	uint16_t launches, work, done, workers;
} layouts[] = {
	{ .launch = 40, .launches = 104, .work = 168, .done = 232, .workers = 264 },
	{ .busy = 40, .launch = 56, .work = 120, .done = 184, .workers = 216 },
};

static bool is_under_way(const struct busy_queue *q, unsigned part)
{
	return q->part[part].done < q->part[part].workers;
}

/* Fill in *q; false: the words cannot be of this layout. */
static bool parse_as(const struct layout *l, const uint32_t *words, unsigned cores,
	struct busy_queue *q)
{
	uint64_t used = 0;

	*q = (struct busy_queue){ .counts_any = l->busy, .now = u64_at(words, 24),
		.average = u64_at(words, 32), .busy = l->busy ? u64_at(words, l->busy) : 0,
		.since = l->busy ? u64_at(words, l->busy + 8u) : 0 };
	if (q->now >= CLOCK_MOST || q->busy > q->now || q->since > q->now)
		return false;
	for (unsigned i = 0; i < BUSY_PARTS; i++) {
		const uint64_t launch = u64_at(words, l->launch + 8 * i);
		const uint64_t work = u64_at(words, l->work + 8 * i);
		const uint32_t done = words[l->done / 4 + i], workers = words[l->workers / 4 + i];

		q->part[i].launch = launch;
		q->part[i].work = work;
		q->part[i].done = done;
		q->part[i].workers = workers;
		used += workers;
		if (done > workers || used > cores || work > workers * q->now)
			return false;
		if (is_under_way(q, i) && (launch == 0 || launch > q->now ||
			(l->busy && q->since == 0) ||
			(l->launches && words[l->launches / 4 + i] == 0)))
			return false;
	}
	return used > 0;
}

/* A time of the last start may change at any moment, but a torn one is far from the clock. */
static bool may_become(uint64_t before, uint64_t after, uint64_t now)
{
	return before == after || ((before == 0 || now - before < TORN) &&
		(after == 0 || now - after < TORN));
}

/* Whether b can be the reading after a. */
static bool follows(const struct busy_queue *a, const struct busy_queue *b)
{
	const uint64_t time = b->now - a->now;

	if (time >= READ_MOST || b->average != a->average || b->busy - a->busy > 2 * time ||
		!may_become(a->since, b->since, b->now))
		return false;
	for (unsigned i = 0; i < BUSY_PARTS; i++)
		if (b->part[i].workers != a->part[i].workers ||
			b->part[i].work - a->part[i].work > 2 * time * a->part[i].workers ||
			!may_become(a->part[i].launch, b->part[i].launch, b->now))
			return false;
	return true;
}

/* Nothing was counted, and no cores were given out yet. */
static bool is_blank(const uint32_t *words)
{
	for (unsigned i = 10; i < 62; i++)
		if (words[i])
			return false;
	return true;
}

enum busy_source busy_parse_core(const uint32_t first[static BUSY_CORE_WORDS],
	const uint32_t second[static BUSY_CORE_WORDS], unsigned cores, struct busy_queue *q)
{
	struct busy_queue a, b;
	size_t plausible = 0;
	bool follow = false;

	if (first[0] == UINT32_MAX && first[1] == UINT32_MAX)
		return BUSY_UNREADABLE;
	if (first[0] != LAYOUT_VERSION || first[1] != SIGN_CORE)
		return BUSY_LAYOUT;
	if (u64_at(first, 24) == 0 || is_blank(first))
		return BUSY_NO_COUNTERS;
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		if (!parse_as(&layouts[i], first, cores, &a) ||
			!parse_as(&layouts[i], second, cores, &b))
			continue;
		plausible++;
		follow = follows(&a, &b);
		*q = a;
		q->now = b.now;
	}
	if (plausible != 1)
		return BUSY_LAYOUT;
	if (a.now == b.now)
		return BUSY_STOPPED;
	return follow ? BUSY_FIRST : BUSY_TORN;
}

/* Time with any work until q->now, if it is counted. */
static uint64_t any_time(const struct busy_queue *q)
{
	bool is_busy = false;

	for (unsigned i = 0; q->counts_any && i < BUSY_PARTS; i++)
		is_busy = is_busy || is_under_way(q, i);
	return q->busy + (is_busy ? q->now - q->since : 0);
}

/* Work of all cores until q->now, modulo 2^64. */
static uint64_t core_time(const struct busy_queue *q)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < BUSY_PARTS; i++)
		sum += q->part[i].work + (is_under_way(q, i) ? (q->now - q->part[i].launch) *
			(q->part[i].workers - q->part[i].done) : 0);
	return sum;
}

/* Whether both looks count the same: work moves when a runtime divides its cores otherwise. */
static bool counts_alike(const struct busy_queue *was, const struct busy_queue *is)
{
	bool alike = was->average == is->average && was->counts_any == is->counts_any;

	for (unsigned i = 0; i < BUSY_PARTS; i++)
		alike = alike && was->part[i].workers == is->part[i].workers;
	return alike;
}

static int64_t steps_of(double share)
{
	return (int64_t)(share * 100 * fields[FIELD_BUSY].scale + 0.5);
}

enum busy_source busy_compare(const struct busy *was, const struct busy *is,
	struct busy_shares *out)
{
	double most = 0, sum = 0, cores = 0;

	if (memcmp(&was->control, &is->control, sizeof(was->control)) != 0 ||
		was->cores != is->cores)
		return BUSY_RESTARTED;
	for (unsigned i = 0; i < is->control.n; i++) {
		const struct busy_queue *a = &was->queue[i], *b = &is->queue[i];
		const uint64_t time = b->now - a->now, any = any_time(b) - any_time(a);
		const uint64_t work = core_time(b) - core_time(a);
		double share;

		if (b->now <= a->now)
			return BUSY_RESTARTED;
		if (!counts_alike(a, b))
			return BUSY_DIVIDED;
		if (any > time || work > time * is->cores)
			return BUSY_IMPLAUSIBLE;
		share = (double)any / (double)time;
		most = share > most ? share : most;
		sum += share;
		cores += (double)work / ((double)time * is->cores);
	}
	if (cores > 1)
		return BUSY_IMPLAUSIBLE;
	out->cores = steps_of(cores);
	out->any = is->queue[0].counts_any ? steps_of(most) : -1;
	return !is->queue[0].counts_any ? BUSY_CORES : most < sum ? BUSY_LEAST : BUSY_COUNTERS;
}
