/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each chip has three rings: readings, then buckets of 4 s and of 60 s with minimum, maximum and
 * average.  A row holds all metrics of one moment, so that a young history touches few pages.  Each
 * moment of a plot comes from the finest ring that still has it.
 */
#include "config.h"
#include "telemetry/history.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define READINGS 1200
#define UNKNOWN  INT32_MIN

const enum field_id history_fields[HISTORY_METRICS] = {
	FIELD_ASIC_TEMP, FIELD_POWER, FIELD_AICLK, FIELD_VCORE, FIELD_CURRENT, FIELD_BOARD_POWER,
	FIELD_VREG_TEMP, FIELD_BOARD_TEMP, FIELD_GDDR_MAX_TEMP, FIELD_FAN_RPM, FIELD_PCIE_RX,
	FIELD_PCIE_TX, FIELD_BUSY, FIELD_BUSY_CORES,
};

/* A rate in bytes/s does not fit 32 bits: kept in KiB/s. */
static int64_t step_of(size_t metric)
{
	enum field_id id = history_fields[metric];

	return id == FIELD_PCIE_RX || id == FIELD_PCIE_TX ? 1024 : 1;
}

struct reading_row {
	int64_t time;
	int32_t value[HISTORY_METRICS];
};

struct bucket_row {
	int64_t time;		/* its beginning */
	struct {
		int32_t min, max, avg;
	} of[HISTORY_METRICS];
};

struct buckets {
	size_t n, next;
	int64_t begin;		/* of the bucket that is being filled; 0: none */
	struct range open[HISTORY_METRICS];
	struct bucket_row *rows;
};

static const struct {
	int64_t width;
	size_t rows;
} levels[] = {
	{ 4 * CLOCK_SECOND, 900 },
	{ 60 * CLOCK_SECOND, 1440 },
};
#define LEVELS ARRAY_LEN(levels)

struct chip_history {
	size_t n, next;
	struct reading_row *rows;
	struct buckets level[LEVELS];
	struct range stats[FIELD_COUNT];
};

struct history {
	struct chip_history *chip[DEVICE_MAX];
	int64_t since;
};

struct history *history_new(void)
{
	return mem_calloc(1, sizeof(struct history));
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < DEVICE_MAX; i++) {
		if (!h->chip[i])
			continue;
		for (size_t l = 0; l < LEVELS; l++)
			free(h->chip[i]->level[l].rows);
		free(h->chip[i]->rows);
		free(h->chip[i]);
	}
	free(h);
}

void history_reserve(struct history *h, size_t n)
{
	for (size_t i = 0; i < n && i < DEVICE_MAX; i++) {
		struct chip_history *c;

		if (h->chip[i])
			continue;
		c = h->chip[i] = mem_calloc(1, sizeof(*c));
		c->rows = mem_calloc(READINGS, sizeof(*c->rows));
		for (size_t l = 0; l < LEVELS; l++)
			c->level[l].rows = mem_calloc(levels[l].rows, sizeof(*c->level[l].rows));
	}
}

static void close_bucket(struct buckets *b, size_t size)
{
	struct bucket_row *row = &b->rows[b->next];

	row->time = b->begin;
	for (size_t m = 0; m < HISTORY_METRICS; m++) {
		struct range *s = &b->open[m];

		row->of[m].min = s->n ? (int32_t)s->least : UNKNOWN;
		row->of[m].max = s->n ? (int32_t)s->most : UNKNOWN;
		row->of[m].avg = s->n ? (int32_t)(s->sum / s->n) : UNKNOWN;
		*s = (struct range){ 0 };
	}
	b->next = (b->next + 1) % size;
	b->n += b->n < size;
}

static void push_bucket(struct buckets *b, size_t level, const struct reading_row *row)
{
	int64_t begin = row->time - row->time % levels[level].width;

	if (b->begin != 0 && b->begin != begin)
		close_bucket(b, levels[level].rows);
	b->begin = begin;
	for (size_t m = 0; m < HISTORY_METRICS; m++)
		if (row->value[m] != UNKNOWN)
			range_add(&b->open[m], row->value[m]);
}

static void push_stats(struct chip_history *c, const struct snapshot *s)
{
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (fields[id].group == FIELD_GROUP_TELEMETRY && field_is_number(id))
			range_take(&c->stats[id], &s->r[id]);
}

static void forget_first(struct chip_history *c)
{
	c->n = c->next = 0;
	memset(c->stats, 0, sizeof(c->stats));
	for (size_t l = 0; l < LEVELS; l++) {
		c->level[l].begin = 0;
		memset(c->level[l].open, 0, sizeof(c->level[l].open));
	}
}

static void push_chip(struct chip_history *c, const struct snapshot *s, int64_t time)
{
	struct reading_row *row = &c->rows[c->next];
	bool any = false;

	if (s->beat == SNAPSHOT_BEAT_STOPPED && c->n == 1)
		forget_first(c);
	if (!snapshot_is_current(s))
		return;
	for (size_t m = 0; m < HISTORY_METRICS; m++) {
		const struct reading *r = &s->r[history_fields[m]];
		int64_t v = r->value / step_of(m);
		bool ok = r->state == READING_OK && v > INT32_MIN && v <= INT32_MAX;

		row->value[m] = ok ? (int32_t)v : UNKNOWN;
		any = any || ok;
	}
	if (!any)
		return;
	row->time = time;
	for (size_t l = 0; l < LEVELS; l++)
		push_bucket(&c->level[l], l, row);
	c->next = (c->next + 1) % READINGS;
	c->n += c->n < READINGS;
	push_stats(c, s);
}

void history_push(struct history *h, const struct fleet *f)
{
	if (h->since == 0)
		h->since = f->time;
	for (size_t i = 0; i < f->n && i < DEVICE_MAX; i++)
		if (h->chip[i])
			push_chip(h->chip[i], &f->chips[i], f->time);
}

/* The time from `from` to `to`, cut into slices. */
struct slices {
	int64_t from, to;
	struct history_bin *bins;
	size_t n;
};

static size_t slice_of(const struct slices *s, int64_t time)
{
	/* A day in ns times 2,000 slices stays below 2^63. */
	return (size_t)((time - s->from) * (int64_t)s->n / (s->to - s->from));
}

/* The first time that slice_of() puts into this slice. */
static int64_t begin_of(const struct slices *s, size_t slice)
{
	return s->from + ((int64_t)slice * (s->to - s->from) + (int64_t)s->n - 1) / (int64_t)s->n;
}

static void bin_add(struct history_bin *bin, int64_t min, int64_t max, int64_t avg)
{
	if (bin->n == 0) {
		*bin = (struct history_bin){ min, max, avg, 1 };
		return;
	}
	bin->min = min < bin->min ? min : bin->min;
	bin->max = max > bin->max ? max : bin->max;
	bin->avg = (bin->avg * (int64_t)bin->n + avg) / ((int64_t)bin->n + 1);
	bin->n++;
}

static void add_buckets(const struct slices *s, const struct buckets *b, size_t level,
	size_t metric, int64_t before)
{
	size_t size = levels[level].rows;
	int64_t width = levels[level].width, step = step_of(metric);

	for (size_t k = 0; k < b->n; k++) {
		const struct bucket_row *row = &b->rows[(b->next + size - 1 - k) % size];
		int64_t end = row->time + width;

		if (end <= s->from)
			break;
		if (row->time >= s->to || row->time >= before || row->of[metric].min == UNKNOWN)
			continue;
		end = end < s->to ? end : s->to;
		for (size_t i = row->time < s->from ? 0 : slice_of(s, row->time);
			i <= slice_of(s, end - 1); i++)
			bin_add(&s->bins[i], row->of[metric].min * step, row->of[metric].max * step,
				row->of[metric].avg * step);
	}
}

/* From the newest reading back: find a new slice only when a reading is before the last one. */
static void add_readings(const struct slices *s, const struct chip_history *c, size_t metric)
{
	int64_t step = step_of(metric), begin = INT64_MAX;
	size_t slice = 0, at = c->next;

	for (size_t k = 0; k < c->n; k++) {
		const struct reading_row *row = &c->rows[at = (at ? at : READINGS) - 1];
		int64_t v = row->value[metric] * step;

		if (row->time < s->from)
			break;
		if (row->time >= s->to || row->value[metric] == UNKNOWN)
			continue;
		if (row->time < begin) {
			slice = slice_of(s, row->time);
			begin = begin_of(s, slice);
		}
		bin_add(&s->bins[slice], v, v, v);
	}
}

static void bridge(const struct slices *s, int64_t gap)
{
	int64_t slice = (s->to - s->from) / (int64_t)s->n;
	size_t last = s->n;

	for (size_t i = 0; i < s->n; i++) {
		if (s->bins[i].n == 0)
			continue;
		if (last < i && (int64_t)(i - last) * slice <= gap)
			for (size_t k = last + 1; k < i; k++)
				s->bins[k] = s->bins[last];
		last = i;
	}
	/* The newest reading holds until the next one is due. */
	for (size_t k = last + 1; k < s->n && (int64_t)(k - last) * slice <= gap; k++)
		s->bins[k] = s->bins[last];
}

size_t history_series(const struct history *h, size_t chip, size_t metric, int64_t from, int64_t to,
	int64_t gap, struct history_bin *bins, size_t n)
{
	const struct slices s = { from, to, bins, n };
	const struct chip_history *c = chip < DEVICE_MAX ? h->chip[chip] : NULL;
	int64_t before = INT64_MAX;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		bins[i] = (struct history_bin){ 0 };
	if (!c || n == 0 || to <= from || metric >= HISTORY_METRICS)
		return 0;
	if (c->n == READINGS)
		before = c->rows[c->next].time;
	add_readings(&s, c, metric);
	for (size_t l = 0; l < LEVELS && c->n == READINGS; l++) {
		const struct buckets *b = &c->level[l];

		if (from >= before)
			break;
		add_buckets(&s, b, l, metric, before);
		if (b->n < levels[l].rows)
			break;
		before = b->rows[b->next].time;
	}
	bridge(&s, gap);
	for (size_t i = 0; i < n; i++)
		known += bins[i].n > 0;
	return known;
}

int64_t history_oldest(const struct history *h, size_t chip)
{
	const struct chip_history *c = chip < DEVICE_MAX ? h->chip[chip] : NULL;
	int64_t oldest;

	if (!c || c->n == 0)
		return 0;
	oldest = c->rows[c->n == READINGS ? c->next : 0].time;
	/* A bucket begins before its first reading: use it only for times no finer ring has. */
	for (size_t l = 0; l < LEVELS && c->n == READINGS; l++) {
		const struct buckets *b = &c->level[l];
		size_t first = b->n == levels[l].rows ? b->next : 0;

		if (b->n > 0 && b->rows[first].time < oldest)
			oldest = b->rows[first].time;
	}
	return oldest;
}

void history_restart_stats(struct history *h)
{
	for (size_t i = 0; i < DEVICE_MAX; i++)
		for (size_t id = 0; h->chip[i] && id < FIELD_COUNT; id++)
			h->chip[i]->stats[id] = (struct range){ 0 };
	h->since = 0;
}

int64_t history_stats_since(const struct history *h)
{
	return h->since;
}

const struct range *history_stats(const struct history *h, size_t chip, enum field_id id)
{
	return chip < DEVICE_MAX && h->chip[chip] ? &h->chip[chip]->stats[id] : NULL;
}

void range_add(struct range *r, int64_t value)
{
	r->least = r->n == 0 || value < r->least ? value : r->least;
	r->most = r->n == 0 || value > r->most ? value : r->most;
	r->sum += value;
	r->n++;
}

void range_merge(struct range *r, const struct range *other)
{
	if (other->n == 0)
		return;
	r->least = r->n == 0 || other->least < r->least ? other->least : r->least;
	r->most = r->n == 0 || other->most > r->most ? other->most : r->most;
	r->sum += other->sum;
	r->n += other->n;
}

void range_take(struct range *r, const struct reading *reading)
{
	if (reading_is_ok(reading))
		range_add(r, reading->value);
}
