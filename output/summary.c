/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/xlsx_book.h"

#include "base/mem.h"
#include "base/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static const enum field_id trend_field[TRENDS] = {
	[TREND_POWER] = FIELD_POWER,
	[TREND_TEMP] = FIELD_ASIC_TEMP,
	[TREND_CLOCK] = FIELD_AICLK,
};

struct summary *summary_new(const struct dump_columns *columns, int64_t interval_ns)
{
	struct summary *s = mem_calloc(1, sizeof(*s));

	s->columns = columns;
	s->interval = interval_ns / 1000;
	s->width = s->interval > 0 ? s->interval : 1;
	s->held_end = &s->held;
	s->state_at = -1;
	for (size_t i = 0; i < columns->n; i++) {
		const struct dump_column *c = &columns->c[i];

		s->limit_at[i] = -1;
		if (c->kind == DUMP_COLUMN_STATE)
			s->state_at = (int)i;
		if (c->kind == DUMP_COLUMN_FIELD && fields[c->field].limit != FIELD_NONE)
			s->limit_at[i] = dump_columns_where(columns, fields[c->field].limit);
	}
	s->power_at = dump_columns_where(columns, FIELD_POWER);
	s->board_power_at = dump_columns_where(columns, FIELD_BOARD_POWER);
	s->throttle_at = dump_columns_where(columns, FIELD_THROTTLE);
	for (size_t i = 0; i < TRENDS; i++)
		s->trend_at[i] = dump_columns_where(columns, trend_field[i]);
	return s;
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->columns->n; i++)
		stats_clear(&s->stats[i]);
	summary_end(s);
	free(s->before);
	free(s);
}

static bool parse_cell(const struct dump_column *c, const char *text, int64_t *value)
{
	int64_t scale;

	return text[0] && dump_column_is_number(c, &scale, NULL) &&
		parse_decimal(text, scale, value);
}

/* Copy the part of a State about the card, which ends at the first semicolon. */
static void copy_first(char *to, size_t size, const char *state)
{
	snprintf(to, size, "%.*s", (int)strcspn(state, ";"), state);
}

/* The card answered, but its firmware had stopped: a finding, before the first semicolon. */
static bool has_stopped(const char *state)
{
	const char *beat = strstr(state, "heartbeat");

	return strncmp(state, "warn", 4) == 0 && beat && beat < state + strcspn(state, ";");
}

static bool is_warned(const char *state)
{
	return strncmp(state, "warn", 4) == 0 && !has_stopped(state);
}

/* A recording was over, or a loaded file had no other sample. */
static bool is_repeated(const char *state)
{
	return strstr(state, "; repeated") != NULL;
}

/* Read back what put_state() of csv.c wrote about the tick and the card; returns the lost ticks. */
static uint64_t read_state(struct summary *s, const char *state)
{
	static const char lost_word[] = "; lost: ", late_word[] = "; late: ";
	const char *lost = strstr(state, lost_word);
	uint64_t n = 0;

	if (lost)
		n = strtoull(lost + sizeof(lost_word) - 1, NULL, 10);
	s->lost += n;
	s->late += strstr(state, late_word) != NULL;
	s->repeated += is_repeated(state);
	if (is_warned(state)) {
		s->warned++;
		copy_first(s->warn_state, sizeof(s->warn_state), state);
	} else if (strncmp(state, "ok", 2) != 0) {
		s->bad++;
		copy_first(s->bad_state, sizeof(s->bad_state), state);
	}
	return n;
}

static bool above_limit(const struct summary *s, size_t i, const struct summary_cell *row)
{
	const int at = s->limit_at[i];

	return at >= 0 && row[i].known && row[at].known && row[i].value > row[at].value;
}

/* The trapezoid from the row before to this one, in joules. */
static void integrate(const struct summary *s, int at, const struct summary_cell *row, int64_t dt,
	double *joules, int64_t *time)
{
	const struct summary_cell *before = s->before->cells;
	int64_t scale;

	if (at < 0 || !before[at].known || !row[at].known ||
		!dump_column_is_number(&s->columns->c[at], &scale, NULL))
		return;
	*joules += ((double)before[at].value + (double)row[at].value) / 2 / (double)scale *
		   (double)dt / 1e6;
	*time += dt;
}

/* A row of a card that could not be read has only its time; others may have old values. */
static bool is_current(const struct summary *s, const struct summary_cell *row, const char *state)
{
	if (has_stopped(state) || is_repeated(state))
		return false;
	for (size_t i = 0; i < s->columns->n; i++)
		if (s->columns->c[i].kind == DUMP_COLUMN_FIELD && row[i].known)
			return true;
	return false;
}

/* Count the time since the row before, which was current as well; no tick was lost between them. */
static void add_time(struct summary *s, const struct summary_row *row)
{
	const struct summary_row *before = s->before;
	int64_t dt = row->now - before->now;

	if (dt <= 0 || dt > 2 * s->interval)
		return;
	s->covered += dt;
	integrate(s, s->power_at, row->cells, dt, &s->energy, &s->energy_time);
	integrate(s, s->board_power_at, row->cells, dt, &s->board_energy, &s->board_energy_time);
	for (size_t i = 0; i < s->columns->n; i++)
		if (above_limit(s, i, before->cells))
			s->above[i] += dt;
	if (before->reason_known)
		s->throttled[before->reason] += dt;
}

/* Merge two points into the worse of both, so that peaks stay visible. */
static void merge_point(struct summary_point *into, const struct summary_point *p)
{
	for (size_t k = 0; k < TRENDS; k++) {
		bool worse = k == TREND_CLOCK ? p->value[k] < into->value[k]
					      : p->value[k] > into->value[k];

		if (p->known[k] && (!into->known[k] || worse))
			into->value[k] = p->value[k];
		into->known[k] |= p->known[k];
	}
}

static void add_trend(struct summary *s, const struct summary_cell *row, int64_t now)
{
	/* Time stamps lie a little after their tick, never before. */
	size_t i = (size_t)(now / s->width);
	struct summary_point p = { 0 };

	while (i >= SUMMARY_TREND) {
		for (size_t k = 0; k < SUMMARY_TREND / 2; k++) {
			struct summary_point both = s->trend[2 * k];

			merge_point(&both, &s->trend[2 * k + 1]);
			s->trend[k] = both;
		}
		memset(&s->trend[SUMMARY_TREND / 2], 0, sizeof(s->trend) / 2);
		s->points = (s->points + 1) / 2;
		s->width *= 2;
		i = (size_t)(now / s->width);
	}
	for (size_t k = 0; k < TRENDS; k++) {
		if (s->trend_at[k] < 0 || !row[s->trend_at[k]].known)
			continue;
		p.known[k] = true;
		p.value[k] = row[s->trend_at[k]].value;
	}
	merge_point(&s->trend[i], &p);
	if (i >= s->points)
		s->points = i + 1;
}

/* Take in the oldest row that is held. */
static void take_row(struct summary *s)
{
	struct summary_row *row = s->held;

	s->held = row->next;
	if (!s->held)
		s->held_end = &s->held;
	for (size_t i = 0; i < s->columns->n && row->counts; i++)
		if (row->cells[i].known)
			stats_add(&s->stats[i], row->cells[i].value);
	if (row->counts && s->before && s->before->counts && !row->lost)
		add_time(s, row);
	if (row->counts)
		add_trend(s, row->cells, row->now);
	free(s->before);
	s->before = row;
}

void summary_end(struct summary *s)
{
	while (s->held)
		take_row(s);
}

/* The rows from this time on no longer count; returns how many that are. */
static size_t take_back(struct summary *s, int64_t from)
{
	size_t n = 0;

	for (struct summary_row *row = s->held; row; row = row->next) {
		if (row->now < from || !row->counts)
			continue;
		row->counts = false;
		s->warned -= row->is_warned;
		s->bad++;
		n++;
	}
	return n;
}

size_t summary_add(struct summary *s, const char *const *cells, struct summary_cell *out)
{
	const char *state = s->state_at >= 0 ? cells[s->state_at] : "";
	const int64_t silence = SNAPSHOT_SILENCE / 1000 + s->interval / 2;
	const size_t size = s->columns->n * sizeof(*out);
	struct summary_row *row = mem_calloc(1, sizeof(*row) + size);
	size_t n;

	for (size_t i = 0; i < s->columns->n; i++)
		out[i].known = parse_cell(&s->columns->c[i], cells[i], &out[i].value);
	memcpy(row->cells, out, size);
	row->now = out[0].known && out[0].value >= 0 ? out[0].value : s->last;
	row->lost = *state ? read_state(s, state) : 0;
	row->counts = is_current(s, out, state);
	row->is_warned = is_warned(state);
	if (s->throttle_at >= 0)
		row->reason_known = field_find_word(FIELD_THROTTLE, cells[s->throttle_at],
			&row->reason);
	/* Nothing shows that it ran at the first one. */
	n = !has_stopped(state) ? 0 : take_back(s, s->before ? row->now - silence : INT64_MIN);
	*s->held_end = row;
	s->held_end = &row->next;
	while (s->held->now < row->now - silence)
		take_row(s);
	if (s->rows++ == 0)
		s->first = row->now;
	s->last = row->now;
	return n;
}
