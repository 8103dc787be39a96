/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/stats.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int64_t floor_div(int64_t value, uint64_t quantum)
{
	int64_t q = value / (int64_t)quantum;

	return q * (int64_t)quantum > value ? q - 1 : q;
}

/* The place of the step in the table, or the free place where it belongs. */
static struct stats_count *place_of_step(struct stats_count *table, size_t size, int64_t step)
{
	uint64_t h = (uint64_t)step * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (size - 1);

	while (table[i].n && table[i].step != step)
		i = (i + 1) & (size - 1);
	return &table[i];
}

/* Move all counts to a table of this size, in steps of this quantum. */
static void rebuild(struct stats *s, size_t size, uint64_t quantum)
{
	struct stats_count *table = mem_calloc(size, sizeof(*table));
	uint64_t ratio = s->quantum ? quantum / s->quantum : 1;

	s->used = 0;
	for (size_t i = 0; i < s->size; i++) {
		int64_t step;
		struct stats_count *to;

		if (!s->table[i].n)
			continue;
		step = floor_div(s->table[i].step, ratio);
		to = place_of_step(table, size, step);
		s->used += to->n == 0;
		to->step = step;
		to->n += s->table[i].n;
	}
	free(s->table);
	s->table = table;
	s->size = size;
	s->quantum = quantum;
}

void stats_add(struct stats *s, int64_t value)
{
	struct stats_count *at;

	if (s->n == 0) {
		s->min = s->max = value;
		rebuild(s, 64, 1);
	}
	if (value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->sum += (long double)value;
	s->n++;
	at = place_of_step(s->table, s->size, floor_div(value, s->quantum));
	if (at->n == 0) {
		at->step = floor_div(value, s->quantum);
		s->used++;
	}
	at->n++;
	while (s->used > s->size / 2) {
		if (s->size < 2 * STATS_VALUES)
			rebuild(s, s->size * 2, s->quantum);
		else
			rebuild(s, s->size, s->quantum * 2);
	}
}

void stats_clear(struct stats *s)
{
	free(s->table);
	*s = (struct stats){ 0 };
}

double stats_mean(const struct stats *s)
{
	return s->n ? (double)(s->sum / (long double)s->n) : 0;
}

static int by_step(const void *a, const void *b)
{
	const struct stats_count *x = a, *y = b;

	return (x->step > y->step) - (x->step < y->step);
}

int64_t stats_percentile(const struct stats *s, unsigned percent)
{
	struct stats_count *sorted = mem_calloc(s->used, sizeof(*sorted));
	uint64_t rank = s->n / 100 * percent + (s->n % 100 * percent + 99) / 100, below = 0;
	int64_t value = s->max;
	size_t n = 0;

	for (size_t i = 0; i < s->size; i++)
		if (s->table[i].n)
			sorted[n++] = s->table[i];
	qsort(sorted, n, sizeof(*sorted), by_step);
	for (size_t i = 0; i < n; i++) {
		below += sorted[i].n;
		if (below < rank)
			continue;
		/* The middle of the step, which is the value itself while values are exact. */
		value = sorted[i].step * (int64_t)s->quantum + (int64_t)(s->quantum / 2);
		break;
	}
	free(sorted);
	if (value < s->min)
		value = s->min;
	return value > s->max ? s->max : value;
}
