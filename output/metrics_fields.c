/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_fields.c - the field table as gauges.  Counters of the table become totals instead
 * (metrics_totals.c), which do not fall when the chip's own counters do.
 */
#include "config.h"
#include "output/metrics_local.h"
#include "base/array.h"
#include "telemetry/chip/chip.h"
#include "telemetry/judge.h"

#include <string.h>

/* A unit of the field table, its form at the end of a metric's name, and the factor between. */
static const struct metrics_unit {
	const char *unit, *name;
	int32_t times, over;
} units[] = {
	{ "V", "volts", 1, 1 },
	{ "A", "amperes", 1, 1 },
	{ "W", "watts", 1, 1 },
	{ "°C", "celsius", 1, 1 },
	{ "MHz", "hertz", 1000000, 1 },
	{ "MB/s", "bytes_per_second", 1000000, 1 },
	{ "MT/s", "transfers_per_second", 1000000, 1 },
	{ "RPM", "rpm", 1, 1 },
	{ "%", "ratio", 1, 100 },
	{ "s", "seconds", 1, 1 },
	{ "ms", "seconds", 1, 1000 },
	{ "", "", 1, 1 },
};

static const struct metrics_unit *unit_of(enum field_id id)
{
	size_t i = 0;

	if (field_is_number(id))
		while (i < ARRAY_LEN(units) - 1 && strcmp(units[i].unit, fields[id].unit) != 0)
			i++;
	else
		i = ARRAY_LEN(units) - 1;
	return &units[i];
}

static const char *help_of(const struct field *f)
{
	return f->metric.help ? f->metric.help : f->help;
}

static void put_number(struct strbuf *to, enum field_id id, int64_t value,
	const struct metrics_unit *u, const struct metrics_chip *c)
{
	series_begin(to, fields[id].metric.name, c);
	if (fields[id].metric.label) {
		strbuf_putc(to, ',');
		strbuf_puts(to, fields[id].metric.label);
	}
	series_end(to, value * u->times, (int64_t)fields[id].scale * u->over);
}

/* Put one of many states, which the label's value names: 1 if it is set, else 0. */
static void put_state(struct strbuf *to, enum field_id id, const char *value, bool is_set,
	const struct metrics_chip *c)
{
	series_begin(to, fields[id].metric.name, c);
	series_put_label(to, fields[id].metric.label, value);
	series_end(to, is_set, 1);
}

/* The bits that mean something.  A chip without spare ethernet channels uses all that it has. */
static int64_t find_valid_bits(enum field_id id, const struct snapshot *s)
{
	const enum field_id of = fields[id].metric.of;
	const struct chip *chip = chip_find(s->chip);

	if (of == FIELD_NONE)
		return fields[id].high;
	if (reading_has_value(&s->r[of]))
		return s->r[of].value;
	return of == FIELD_ETH_ENABLED && chip && judge_knows_ethernet(s) ?
		((int64_t)1 << chip->eth_channels) - 1 : 0;
}

static void put_bits(struct strbuf *to, enum field_id id, int64_t value,
	const struct metrics_chip *c)
{
	const int64_t there = find_valid_bits(id, c->s);

	for (int bit = 0; there >> bit; bit++) {
		const char name[] = { (char)(bit < 10 ? '0' + bit : '1'),
			(char)(bit < 10 ? '\0' : '0' + bit % 10), '\0' };

		if (there >> bit & 1)
			put_state(to, id, name, value >> bit & 1, c);
	}
}

static void put_reasons(struct strbuf *to, enum field_id id, int64_t value,
	const struct metrics_chip *c)
{
	for (int reason = THROTTLE_NONE + 1; reason < THROTTLE_REASONS; reason++)
		put_state(to, id, throttle_reason_name(reason), value == reason, c);
}

static void put_reading(struct strbuf *to, enum field_id id, const struct metrics_unit *u,
	const struct metrics_chip *c)
{
	const struct reading *r = &c->s->r[id];

	if (!snapshot_is_new(c->s, id))
		return;
	switch (fields[id].metric.type) {
	case METRIC_GAUGE:
		put_number(to, id, r->value, u, c);
		break;
	case METRIC_COUNT:
		put_number(to, id, __builtin_popcountll((unsigned long long)r->value), u, c);
		break;
	case METRIC_BITS:
		put_bits(to, id, r->value, c);
		break;
	case METRIC_REASON:
		put_reasons(to, id, r->value, c);
		break;
	case METRIC_NONE:
	case METRIC_COUNTER:
	case METRIC_LABEL:
		break;
	}
}

/* Whether a field has series of its own in this file. */
static bool is_metric(enum field_id id)
{
	return fields[id].metric.type != METRIC_NONE && fields[id].metric.type != METRIC_LABEL &&
		fields[id].metric.type != METRIC_COUNTER;
}

/* The first field after those that share its name. */
static enum field_id next_name(enum field_id id)
{
	const char *name = fields[id].metric.name;

	do
		id++;
	while (id < FIELD_COUNT && is_metric(id) && strcmp(fields[id].metric.name, name) == 0);
	return id;
}

void metrics_put_fields(struct strbuf *to, const struct metrics *m,
	const struct metrics_chip *chips)
{
	enum field_id next;

	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id = next) {
		const struct metrics_unit *u = unit_of(id);
		const struct field *f = &fields[id];
		size_t at, body;

		next = is_metric(id) ? next_name(id) : id + 1;
		if (!is_metric(id) || (f->engineering && m->external))
			continue;
		body = series_begin_metric(to, f->metric.name, "gauge", help_of(f), &at);
		for (size_t i = 0; i < m->roster->n; i++)
			for (enum field_id one = id; chips[i].is_read && one < next; one++)
				put_reading(to, one, u, &chips[i]);
		to->len = to->len == body ? at : to->len;
	}
}

void metrics_put_field_names(struct strbuf *to)
{
	for (enum field_id id = FIELD_NONE + 1, next; id < FIELD_COUNT; id = next) {
		next = is_metric(id) ? next_name(id) : id + 1;
		if (is_metric(id))
			series_put_name(to, fields[id].metric.name, unit_of(id)->name, "gauge",
				help_of(&fields[id]));
	}
}
