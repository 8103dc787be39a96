/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - three tables as metrics: the fields, the totals, and all others.
 *
 * All series of a name have to stand together, so the text is made name by name and not chip by
 * chip.  An absent value has no series, because an engine takes any number for a reading.
 */
#include "config.h"
#include "output/metrics.h"

#include "base/clock.h"
#include "base/mem.h"
#include "report/advice.h"
#include "telemetry/chip/chip.h"
#include "telemetry/judge.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A chip of the roster, and what its series have in common. */
struct metrics_chip {
	const struct metrics *m;
	const struct roster_chip *known;
	const struct snapshot *s;	/* NULL: it is missing */
	const struct tally *total;	/* NULL: none is known */
	bool is_read;			/* its readings can be relied on */
	const char *labels;		/* `{bdf="0000:01:00.0",chip="0"` */
};

/* The length of the printable ASCII that needs no escape; nearly all values are made of it. */
static size_t plain_len(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f && text[n] != '\\' && text[n] != '"')
		n++;
	return n;
}

static void series_put_escaped(struct strbuf *to, const char *text)
{
	struct strbuf plain = { 0 };
	size_t n = plain_len(text);

	strbuf_add(to, text, n);
	if (!text[n])
		return;
	text_put_plain(&plain, text + n);
	for (const char *at = plain.text; *at; at += n) {
		n = 1 + plain_len(at + 1);
		if (*at == '\\' || *at == '"')
			strbuf_putc(to, '\\');
		strbuf_add(to, at, n);
	}
	strbuf_clear(&plain);
}

/* Put a label after others, unless its value is "". */
static void series_put_label(struct strbuf *to, const char *name, const char *value)
{
	if (!*value)
		return;
	strbuf_putc(to, ',');
	strbuf_puts(to, name);
	strbuf_puts(to, "=\"");
	series_put_escaped(to, value);
	strbuf_putc(to, '"');
}

static void series_begin(struct strbuf *to, const char *name, const struct metrics_chip *c)
{
	strbuf_puts(to, METRICS_PREFIX);
	strbuf_puts(to, name);
	strbuf_puts(to, c->labels);
}

static void series_end(struct strbuf *to, int64_t value, int64_t scale)
{
	strbuf_puts(to, "} ");
	strbuf_put_decimal(to, value, scale);
	strbuf_putc(to, '\n');
}

/* A metric that is being put: its series follow its head, which is removed if there are none. */
struct metrics_head {
	size_t at, body;
};

/* Begin a metric; m NULL: put its line of --metrics help, and return false. */
static bool metric_begin(struct strbuf *to, const struct metrics *m, const char *name,
	const char *unit, const char *type, const char *help, struct metrics_head *head)
{
	if (!m) {
		strbuf_printf(to, METRICS_PREFIX "%-36s %-21s %-8s %s\n", name,
			*unit ? unit : "-", type, help);
		return false;
	}
	head->at = to->len;
	strbuf_printf(to, "# HELP " METRICS_PREFIX "%s %s\n# TYPE " METRICS_PREFIX "%s %s\n", name,
		help, name, type);
	head->body = to->len;
	return true;
}

static void metric_end(struct strbuf *to, const struct metrics_head *head)
{
	to->len = to->len == head->body ? head->at : to->len;
}

/*
 * The field table as gauges.  Counters of the table become totals instead, which do not fall when
 * the chip's own counters do.
 */

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

static void metrics_put_fields(struct strbuf *to, const struct metrics *m,
	const struct metrics_chip *chips)
{
	struct metrics_head head;
	enum field_id next;

	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id = next) {
		const struct metrics_unit *u = unit_of(id);
		const struct field *f = &fields[id];

		next = is_metric(id) ? next_name(id) : id + 1;
		if (!is_metric(id) || (m && m->external && f->engineering) ||
			!metric_begin(to, m, f->metric.name, u->name, "gauge",
				f->metric.help ? f->metric.help : f->help, &head))
			continue;
		for (size_t i = 0; i < m->roster->n; i++)
			for (enum field_id one = id; chips[i].is_read && one < next; one++)
				put_reading(to, one, u, &chips[i]);
		metric_end(to, &head);
	}
}

/* Metrics that are neither fields nor totals: a table with a function per row. */

/* Such a metric.  put adds the series of a chip; put_once adds the value if there is only one. */
struct metrics_row {
	const char *name, *unit, *help;
	void (*put)(struct strbuf *to, const struct metrics_row *row, const struct metrics_chip *c);
	void (*put_once)(struct strbuf *to, const struct metrics_row *row, const struct metrics *m);
	int64_t (*value)(const struct metrics_chip *c);	/* put_value(): < 0 is absent */
	int64_t scale;		/* of that; 0: 1 */
	size_t of;		/* put_link(): the member of struct snapshot_link, an int32_t */
	int64_t times;		/* and its factor */
};

static int64_t is_up(const struct metrics_chip *c)
{
	return c->known->reason ? 0 : c->known->was_well ? 1 : -1;
}

static int64_t is_in_flight(const struct metrics_chip *c)
{
	return c->m->resets_unknown ? -1 : c->known->is_reset;
}

static void put_down(struct strbuf *to, const struct metrics_row *row, const struct metrics_chip *c)
{
	if (!c->known->reason)
		return;
	series_begin(to, row->name, c);
	series_put_label(to, "reason", c->known->reason);
	series_end(to, 1, 1);
}

/* Put the fields that are labels of this series, with their present values. */
static void put_field_labels(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	struct strbuf text = { 0 };

	for (enum field_id id = FIELD_NONE + 1; c->s && id < FIELD_COUNT; id++) {
		const struct field *f = &fields[id];

		if (f->metric.type != METRIC_LABEL || strcmp(f->metric.name, row->name) != 0 ||
			!snapshot_is_new(c->s, id))
			continue;
		text.len = 0;
		field_put_value(id, c->s->r[id].value, &text);
		series_put_label(to, f->metric.label, text.text);
	}
	strbuf_clear(&text);
}

static void put_firmware(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	if (!c->is_read)
		return;
	series_begin(to, row->name, c);
	put_field_labels(to, row, c);
	series_end(to, 1, 1);
}

static void put_identity(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	const struct roster_chip *k = c->known;
	const char digit[2][2] = { { (char)('0' + k->tray) }, { (char)('0' + k->position) } };

	series_begin(to, row->name, c);
	series_put_label(to, "serial", k->serial);
	series_put_label(to, "board", k->board);
	series_put_label(to, "asic", c->m->external ? "" : k->asic);
	series_put_label(to, "tray", k->tray ? digit[0] : "");
	series_put_label(to, "position", k->tray ? digit[1] : "");
	series_end(to, 1, 1);
}

static int64_t age_of(const struct metrics_chip *c)
{
	return c->is_read ? c->s->age : -1;
}

static bool is_repeated(const struct snapshot *s, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(s->findings[i].id, s->findings[at].id) == 0)
			return true;
	return false;
}

static void put_findings(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	for (size_t i = 0; c->s && i < c->s->n_findings; i++) {
		if (is_repeated(c->s, i))
			continue;
		series_begin(to, row->name, c);
		series_put_label(to, "kind", c->s->findings[i].id);
		series_end(to, 1, 1);
	}
}

/* A chip without a snapshot has left the bus, unless it is being reset. */
static void put_action(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	struct advice advice = { .action = ACTION_NONE };

	if (c->s)
		advice_take_chip(&advice, c->m->fleet, c->s);
	else if (!c->known->is_reset)
		advice.action = advice_rescan.action;
	if (advice.action == ACTION_NONE)
		return;
	series_begin(to, row->name, c);
	series_put_label(to, "action", action_name(advice.action));
	series_end(to, 1, 1);
}

/* Put the pid as a label; a process that lives where we cannot see it has none. */
static void put_pid(struct strbuf *to, const struct process *p)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)p->pid);
	series_put_label(to, "pid", p->pid > 0 ? pid : "");
}

static void put_holder(struct strbuf *to, const struct metrics *m, const struct process *p)
{
	put_pid(to, p);
	if (m->external)
		return;
	series_put_label(to, "user", strcmp(p->user, "?") == 0 ? "" : p->user);
	series_put_label(to, "container_id", p->group.container.id);
	series_put_label(to, "pod_uid", p->group.container.pod);
	series_put_label(to, "job_id", p->group.job.id);
	series_put_label(to, "command", m->commands ? p->command : "");
}

/* Processes without a pid live where we cannot see them; one of them stands for all. */
static void put_holders(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	const struct fleet *f = c->m->fleet;

	for (size_t i = 0; i < f->n_processes; i++) {
		const struct process *p = &f->processes[i];

		if (p->device != c->known->index || (i > 0 && process_compare(p - 1, p) == 0))
			continue;
		series_begin(to, row->name, c);
		put_holder(to, c->m, p);
		series_end(to, 1, 1);
	}
}

static void put_memory(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	const struct fleet *f = c->m->fleet;

	for (size_t i = 0; i < f->n_processes; i++) {
		const struct process *p = &f->processes[i];

		if (p->device != c->known->index || !p->has_memory || p->pid <= 0 ||
			(i > 0 && process_compare(p - 1, p) == 0))
			continue;
		for (int k = 0; k < PROCESS_MEMORIES; k++) {
			series_begin(to, row->name, c);
			put_pid(to, p);
			series_put_label(to, "kind", process_memory_key((enum process_memory)k));
			series_end(to, p->memory[k], 1);
		}
	}
}

static void put_value(struct strbuf *to, const struct metrics_row *row,
	const struct metrics_chip *c)
{
	const int64_t value = row->value(c);

	if (value < 0)
		return;
	series_begin(to, row->name, c);
	series_end(to, value, row->scale ? row->scale : 1);
}

static int64_t count_findings(const struct metrics_chip *c)
{
	return c->is_read ? (int64_t)c->s->n_findings : -1;
}

/* A number of the link, as row->of says; 0 is not known. */
static void put_link(struct strbuf *to, const struct metrics_row *row, const struct metrics_chip *c)
{
	const bool known = c->is_read && c->s->link.known;
	const int32_t value = known ? *(const int32_t *)((const char *)&c->s->link + row->of) : 0;

	if (value <= 0)
		return;
	series_begin(to, row->name, c);
	series_end(to, (int64_t)value * row->times, 1);
}

static int64_t link_degraded(const struct metrics_chip *c)
{
	return c->is_read && c->s->link.known ? c->s->link.downgraded : -1;
}

/* Put a metric that has only one value. */
static void put_once(struct strbuf *to, const struct metrics_row *row, int64_t value, int64_t scale)
{
	strbuf_puts(to, METRICS_PREFIX);
	strbuf_puts(to, row->name);
	strbuf_putc(to, ' ');
	strbuf_put_decimal(to, value, scale);
	strbuf_putc(to, '\n');
}

static void put_build(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	strbuf_printf(to, METRICS_PREFIX "%s{version=\"", row->name);
	series_put_escaped(to, m->version);
	strbuf_puts(to, "\",source=\"");
	series_put_escaped(to, m->fleet->origin->name);
	strbuf_puts(to, "\"} 1\n");
}

static void put_present(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	put_once(to, row, (int64_t)roster_present(m->roster, m->fleet), 1);
}

static void put_expected(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	if (roster_knows_expected(m->roster))
		put_once(to, row, (int64_t)roster_expected(m->roster), 1);
}

static void put_unread(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	put_once(to, row, (int64_t)fleet_unread(m->fleet), 1);
}

static void put_listed(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	put_once(to, row, !*m->fleet->processes_unknown && !m->fleet->processes_partial, 1);
}

static void put_kept(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	if (m->kept >= 0)
		put_once(to, row, m->kept, 1);
}

static void put_time(struct strbuf *to, const struct metrics_row *row, const struct metrics *m)
{
	put_once(to, row, m->fleet->real / CLOCK_MS, 1000);
}

enum { MT = 1000000 };		/* MT/s to transfers per second */

static const struct metrics_row rows[] = {
	{ .name = "build_info", .put_once = put_build,
		.help = "This program's version, and where its cards come from." },
	{ .name = "chips_present", .put_once = put_present,
		.help = "Chips that are there now, whether or not they can be read." },
	{ .name = "chips_expected", .put_once = put_expected,
		.help = "Chips that there should be: what --expected says, or the most that were "
			"seen." },
	{ .name = "chips_not_read", .put_once = put_unread,
		.help = "Second chips that were not read, so their state is not known." },
	{ .name = "sample_timestamp_seconds", .unit = "seconds", .put_once = put_time,
		.help = "When the cards were last sampled, since 1970." },
	{ .name = "up", .put = put_value, .value = is_up,
		.help = "1: the chip can be read and its firmware lives; 0: it is missing, or was "
			"not so in two samples." },
	{ .name = "down_info", .put = put_down,
		.help = "Why the chip is down; no series of one that is up." },
	{ .name = "reset_in_flight", .put = put_value, .value = is_in_flight,
		.help = "1: another process of this program is resetting the chip, and its "
			"readings are withheld." },
	{ .name = "chip_info", .put = put_identity,
		.help = "What the chip is; of one that is missing, what it was." },
	{ .name = "firmware_info", .put = put_firmware,
		.help = "Versions of the chip's firmware." },
	{ .name = "sample_age_seconds", .unit = "seconds", .put = put_value,
		.value = age_of, .scale = CLOCK_SECOND,
		.help = "Age of the chip's readings at the last sample; 0: they are of that." },
	{ .name = "findings", .put = put_value, .value = count_findings,
		.help = "How many things are wrong with the chip." },
	{ .name = "finding_info", .put = put_findings,
		.help = "A thing that is wrong with the chip, by the name that the manual's "
			"FINDINGS explain." },
	{ .name = "action_info", .put = put_action,
		.help = "What to do next about the chip, by a code of the manual's NEXT STEPS; no "
			"series if that is none." },
	{ .name = "holders_listed", .put_once = put_listed,
		.help = "Whether every process that holds a chip is known: 0 without the privilege "
			"that it takes, or with too many to list." },
	{ .name = "counters_kept", .put_once = put_kept,
		.help = "Whether what is counted outlives this program: 0 while the state folder "
			"cannot be written to, or another process holds its lock and writes "
			"nothing." },
	{ .name = "holder_info", .put = put_holders,
		.help = "A process that holds the chip, whose it is, and its container, pod and "
			"Slurm job." },
	{ .name = "process_memory_bytes", .unit = "bytes", .put = put_memory,
		.help = "Memory of the chip that a process has, by kind, as the runtime "
			"publishes it." },
	{ .name = "pcie_link_transfers_per_second", .unit = "transfers_per_second",
		.put = put_link, .of = offsetof(struct snapshot_link, speed), .times = MT,
		.help = "Speed of each lane of the PCIe link." },
	{ .name = "pcie_link_best_transfers_per_second", .unit = "transfers_per_second",
		.put = put_link, .of = offsetof(struct snapshot_link, speed_best), .times = MT,
		.help = "The speed that card, slot and board allow it." },
	{ .name = "pcie_link_lanes", .put = put_link,
		.of = offsetof(struct snapshot_link, width), .times = 1,
		.help = "Lanes of the PCIe link." },
	{ .name = "pcie_link_best_lanes", .put = put_link,
		.of = offsetof(struct snapshot_link, width_best), .times = 1,
		.help = "The lanes that card, slot and board allow it." },
	{ .name = "pcie_link_degraded", .put = put_value, .value = link_degraded,
		.help = "Whether the PCIe link is slower or narrower than it could be." },
};

static void metrics_put_rows(struct strbuf *to, const struct metrics *m,
	const struct metrics_chip *chips)
{
	struct metrics_head head;

	for (const struct metrics_row *row = rows; row < rows + ARRAY_LEN(rows); row++) {
		if (!metric_begin(to, m, row->name, row->unit ? row->unit : "", "gauge", row->help,
			&head))
			continue;
		if (row->put_once)
			row->put_once(to, row, m);
		for (size_t i = 0; i < m->roster->n && row->put; i++)
			row->put(to, row, &chips[i]);
		metric_end(to, &head);
	}
}

/* The totals of each chip as counters, even of a chip that is missing. */

static void put_total(struct strbuf *to, const struct tally_family *f, enum tally_id id,
	const struct metrics *m, const struct metrics_chip *chips)
{
	const char *name = tally_name(f);
	char labels[TALLY_LABELS];

	tally_labels(id, labels);
	for (size_t i = 0; i < m->roster->n; i++) {
		if (!chips[i].total || !chips[i].total->has[id])
			continue;
		series_begin(to, name, &chips[i]);
		if (*labels)
			strbuf_putc(to, ',');
		strbuf_puts(to, labels);
		series_end(to, (int64_t)chips[i].total->total[id], f->scale);
	}
}

/* A total to which every period between two samples is a gap would stay 0. */
static bool is_countable(const struct metrics *m, const struct tally_family *f)
{
	return !m->sparse || (f->kind != TALLY_ENERGY && f->kind != TALLY_TIME);
}

static void metrics_put_totals(struct strbuf *to, const struct metrics *m,
	const struct metrics_chip *chips)
{
	struct metrics_head head;

	for (size_t k = 0; k < tally_families_len; k++) {
		const struct tally_family *f = &tally_families[k];

		if (!metric_begin(to, m, tally_name(f), f->unit, "counter", tally_help(f), &head))
			continue;
		for (enum tally_id id = f->first; is_countable(m, f) && id <= f->last; id++)
			put_total(to, f, id, m, chips);
		metric_end(to, &head);
	}
}

static void metrics_put_all(struct strbuf *to, const struct metrics *m,
	const struct metrics_chip *chips)
{
	metrics_put_rows(to, m, chips);
	metrics_put_totals(to, m, chips);
	metrics_put_fields(to, m, chips);
}

void metrics_put(struct strbuf *to, const struct metrics *m)
{
	struct metrics_chip chips[DEVICE_MAX];
	char labels[DEVICE_MAX][48];

	for (size_t i = 0; i < m->roster->n; i++) {
		const struct roster_chip *k = &m->roster->chips[i];
		const struct snapshot *s = k->index < 0 || k->is_reset ? NULL :
			&m->fleet->chips[k->index];

		snprintf(labels[i], sizeof(labels[i]), "{bdf=\"%s\",chip=\"%d\"", k->bdf, k->chip);
		chips[i] = (struct metrics_chip){ .m = m, .known = k, .s = s, .labels = labels[i],
			.total = m->totals ? m->totals[i] : NULL,
			.is_read = s && !k->reason && snapshot_is_live(s) && !snapshot_trouble(s) };
	}
	metrics_put_all(to, m, chips);
}

void metrics_put_names(struct strbuf *to)
{
	metrics_put_all(to, NULL, NULL);
}
