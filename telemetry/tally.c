/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/tally.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

static const char *const powers[] = { "core", "board", NULL };
static const char *const channels[] = { "0", "1", "2", "3", "4", "5", "6", "7", NULL };
static const char *const ends[] = { "card", "bridges", NULL };

static const char *const reset_results[] = {
	[TALLY_RESET_RECOVERED] = "recovered",
	[TALLY_RESET_DEGRADED] = "degraded",
	[TALLY_RESET_LOST] = "lost",
	[TALLY_RESET_UNKNOWN] = "unknown",
	[TALLY_RESET_NOT_DONE] = "not-done",
	[TALLY_RESET_REFUSED] = "refused",
	NULL
};

static const char *const burnin_results[] = {
	[TALLY_BURNIN_PASS] = "pass",
	[TALLY_BURNIN_INCOMPLETE] = "incomplete",
	[TALLY_BURNIN_FAIL] = "fail",
	NULL
};

const struct tally_family tally_families[] = {
	{ "core_energy_joules_total", "joules", TALLY_ENERGY_SCALE, TALLY_ENERGY,
		TALLY_CORE_ENERGY, TALLY_CORE_ENERGY, FIELD_POWER,
		.help = "Energy that the chip drew while it was sampled." },
	{ "board_energy_joules_total", "joules", TALLY_ENERGY_SCALE, TALLY_ENERGY,
		TALLY_BOARD_ENERGY, TALLY_BOARD_ENERGY, FIELD_BOARD_POWER,
		.help = "Energy that the board drew at its input while it was sampled." },
	{ "energy_gaps_total", "", 1, TALLY_BREAKS, TALLY_GAPS, TALLY_GAPS_END,
		.labels = { { "kind", powers } },
		.help = "Times in which the power was not sampled: their energy is in no "
			"counter." },
	{ "energy_gap_seconds_total", "seconds", TALLY_TIME_SCALE, TALLY_BREAK_TIME,
		TALLY_GAP_TIME, TALLY_GAP_TIME_END, .labels = { { "kind", powers } },
		.help = "How long these times were together." },
	{ "throttled_seconds_total", "seconds", TALLY_TIME_SCALE, TALLY_TIME,
		TALLY_THROTTLED, TALLY_THROTTLED_END, FIELD_THROTTLE,
		.labels = { { "reason", throttle_reasons + THROTTLE_NONE + 1 } },
		.help = "How long each reason held the AI clock down." },
	{ NULL, "", 1, TALLY_GROWTH, TALLY_HEARTBEATS, TALLY_HEARTBEATS,
		.field = FIELD_HEARTBEAT },
	{ NULL, "", 1, TALLY_GROWTH, TALLY_THERM_TRIPS, TALLY_THERM_TRIPS,
		.field = FIELD_THERM_TRIPS },
	{ NULL, "", 1, TALLY_GROWTH, TALLY_NOP_STARTS, TALLY_NOP_STARTS,
		.field = FIELD_NOP_STARTS },
	{ NULL, "", 1, TALLY_GROWTH, TALLY_CORRECTED, TALLY_CORRECTED_END,
		.field = FIELD_GDDR_CORR_ERRS },
	{ "gddr_uncorrected_errors_total", "", 1, TALLY_RISES, TALLY_UNCORRECTED,
		TALLY_UNCORRECTED_END, FIELD_GDDR_UNCORR_ERRS,
		.labels = { { "channel", channels } },
		.help = "How often a flag of each memory module's uncorrected errors was set." },
	{ "pcie_aer_errors_total", "", 1, TALLY_LINK_ERRORS, TALLY_AER, TALLY_AER_END,
		.labels = { { "device", ends }, { "kind", aer_kinds } },
		.help = "Errors of PCIe links as the kernel counts them: of the card, and of the "
			"bridges above it, which other cards may share." },
	{ "resets_total", "", 1, TALLY_ACTS, TALLY_RESETS, TALLY_RESETS_END,
		.labels = { { "result", reset_results } },
		.help = "Resets of the chip by this program, by what came of them." },
	{ "burnins_total", "", 1, TALLY_ACTS, TALLY_BURNINS, TALLY_BURNINS_END,
		.labels = { { "result", burnin_results } },
		.help = "Burn-ins and memory tests of the chip by this program, by verdict." },
};

const size_t tally_families_len = ARRAY_LEN(tally_families);

/* The metric of the field that this total is made from. */
static const struct field_metric *metric_of(const struct tally_family *f, enum tally_id id)
{
	return &fields[f->field + (id - f->first)].metric;
}

const struct tally_family *tally_family_of(enum tally_id id)
{
	const struct tally_family *f = tally_families;

	while (id > f->last)
		f++;
	return f;
}

const char *tally_name(const struct tally_family *f)
{
	return f->name ? f->name : metric_of(f, f->first)->name;
}

const char *tally_help(const struct tally_family *f)
{
	const char *help = f->help ? f->help : metric_of(f, f->first)->help;

	return help ? help : fields[f->field].help;
}

static unsigned count_values(const char *const *values)
{
	unsigned n = 0;

	while (values && values[n])
		n++;
	return n;
}

const char *tally_labels(enum tally_id id, char buf[static TALLY_LABELS])
{
	const struct tally_family *f = tally_family_of(id);
	const struct tally_label *l = f->labels;
	const unsigned at = id - f->first, inner = count_values(l[1].values);
	const char *given;

	buf[0] = '\0';
	if (f->kind == TALLY_GROWTH) {
		given = metric_of(f, id)->label;
		mem_copy_text(buf, TALLY_LABELS, given ? given : "");
	} else if (inner) {
		snprintf(buf, TALLY_LABELS, "%s=\"%s\",%s=\"%s\"", l[0].name,
			l[0].values[at / inner], l[1].name, l[1].values[at % inner]);
	} else if (l[0].name) {
		snprintf(buf, TALLY_LABELS, "%s=\"%s\"", l[0].name, l[0].values[at]);
	}
	return buf;
}

const char *tally_full_name(enum tally_id id, char name[static TALLY_NAME])
{
	char labels[TALLY_LABELS];

	snprintf(name, TALLY_NAME, "%s{%s}", tally_name(tally_family_of(id)),
		tally_labels(id, labels));
	return name;
}

int tally_find(const char *full_name)
{
	char name[TALLY_NAME];

	for (enum tally_id id = 0; id < TALLY_COUNT; id++)
		if (strcmp(tally_full_name(id, name), full_name) == 0)
			return (int)id;
	return -1;
}

void tally_init(struct tally *t)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < tally_families_len; i++)
		for (unsigned id = tally_families[i].first; id <= tally_families[i].last; id++)
			t->has[id] = tally_families[i].kind == TALLY_ACTS;
}

/* The longest time between two readings that is no gap: one of them may come late. */
static int64_t longest_step(const struct snapshot *s, int64_t interval)
{
	const int64_t ns = 2 * interval + snapshot_silence(s) / 2;

	return interval > 0 && ns < TALLY_GAP ? ns : TALLY_GAP;
}

/* ns since the last reading; 0: there is no last one, or this one is not newer. */
static int64_t since(const struct tally_last *last, const struct reading *r)
{
	return last->known && r->time > last->time ? r->time - last->time : 0;
}

static void take_energy(struct tally *t, const struct tally_family *f, const struct reading *r)
{
	const struct tally_last *last = &t->last[f->first];
	const unsigned kind = f->first - TALLY_CORE_ENERGY;
	const int64_t ns = since(last, r), steps = 2 * fields[f->field].scale;

	t->has[f->first] = t->has[TALLY_GAPS + kind] = t->has[TALLY_GAP_TIME + kind] = true;
	if (last->is_broken) {
		t->total[TALLY_GAPS + kind]++;
		t->total[TALLY_GAP_TIME + kind] += (uint64_t)ns;
	} else {
		const int64_t over = steps * (CLOCK_SECOND / TALLY_ENERGY_SCALE);

		t->total[f->first] +=
			(uint64_t)(((last->value + r->value) * ns + over / 2) / over);
	}
}

static void add_time(struct tally *t, const struct tally_family *f, int64_t reason, int64_t ns)
{
	if (reason > THROTTLE_NONE && reason < THROTTLE_REASONS)
		t->total[f->first + reason - 1] += (uint64_t)ns;
}

static void take_time(struct tally *t, const struct tally_family *f, const struct reading *r)
{
	const int64_t ns = since(&t->last[f->first], r);

	for (unsigned id = f->first; id <= f->last; id++)
		t->has[id] = true;
	if (t->last[f->first].is_broken)
		return;
	add_time(t, f, t->last[f->first].value, ns / 2);
	add_time(t, f, r->value, ns - ns / 2);
}

/* A 32-bit counter wraps to 0; any counter restarts at 0 when the chip is reset. */
static uint64_t growth(const struct field *f, const struct tally_last *last, int64_t now)
{
	const int64_t quarter = INT64_C(1) << 30;
	const bool wraps = f->high >= UINT32_MAX - 1;

	if (!last->known)
		return (uint64_t)now;
	if (now >= last->value)
		return (uint64_t)(now - last->value);
	if (wraps && last->value > 3 * quarter && now < quarter)
		return (uint64_t)(now + 4 * quarter - last->value);
	return (uint64_t)now;
}

static void take_rises(struct tally *t, const struct tally_family *f, const struct reading *r)
{
	const struct tally_last *last = &t->last[f->first];
	const int64_t risen = r->value & ~(last->known ? last->value : 0);

	for (unsigned id = f->first; id <= f->last; id++) {
		const int64_t both = risen >> 2 * (id - f->first);

		t->has[id] = true;
		t->total[id] += (uint64_t)((both & 1) + (both >> 1 & 1));
	}
}

static void take_reading(struct tally *t, const struct tally_family *f, enum tally_id id,
	const struct reading *r, int64_t longest)
{
	struct tally_last *last = &t->last[id];

	if (last->known && r->time == last->time)
		return;
	last->is_broken = last->known && (last->is_broken || since(last, r) > longest);
	switch (f->kind) {
	case TALLY_ENERGY:
		take_energy(t, f, r);
		break;
	case TALLY_TIME:
		take_time(t, f, r);
		break;
	case TALLY_GROWTH:
		t->has[id] = true;
		t->total[id] += growth(&fields[f->field + (id - f->first)], last, r->value);
		break;
	case TALLY_RISES:
		take_rises(t, f, r);
		break;
	default:
		return;
	}
	*last = (struct tally_last){ .known = true, .value = r->value, .time = r->time };
}

void tally_break(struct tally *t)
{
	for (enum tally_id id = 0; id < TALLY_COUNT; id++)
		t->last[id].is_broken = true;
}

void tally_take(struct tally *t, const struct snapshot *s, int64_t interval)
{
	const int64_t longest = longest_step(s, interval);

	/* An old one is no break: the next one may be in time. */
	if (snapshot_trouble(s) || !(snapshot_is_current(s) || snapshot_is_old(s)))
		tally_break(t);
	for (size_t i = 0; snapshot_is_current(s) && i < tally_families_len; i++) {
		const struct tally_family *f = &tally_families[i];
		const unsigned n = f->kind == TALLY_GROWTH ? f->last - f->first + 1 : 1;

		for (unsigned k = 0; f->field != FIELD_NONE && k < n; k++) {
			const struct reading *r = &s->r[f->field + k];

			if (reading_is_ok(r))
				take_reading(t, f, f->first + k, r, longest);
			else
				t->last[f->first + k].is_broken = true;
		}
	}
}

/* The counts kept for the link at this place; they are 0 if another link was there before. */
static struct tally_link *find_link(struct tally *t, size_t place, const char *bdf)
{
	struct tally_link *l = &t->links[place];

	if (strcmp(l->bdf, bdf) != 0) {
		*l = (struct tally_link){ 0 };
		mem_copy_text(l->bdf, sizeof(l->bdf), bdf);
	}
	return l;
}

void tally_take_links(struct tally *t, const struct aer *links, size_t n)
{
	for (size_t i = 0; i < n && i < AER_LINKS; i++) {
		struct tally_link *l = links[i].known ? find_link(t, i, links[i].bdf) : NULL;
		const enum tally_id first = TALLY_AER + (i > 0 ? AER_KINDS : 0);

		for (unsigned k = 0; l && k < AER_KINDS; k++) {
			const uint64_t now = links[i].errors[k];

			t->has[first + k] = true;
			t->total[first + k] += now < l->errors[k] ? now : now - l->errors[k];
			l->errors[k] = now;
		}
	}
}

void tally_subtract(struct tally *t, const struct tally *before)
{
	for (unsigned id = 0; id < TALLY_COUNT; id++)
		t->total[id] -= before->total[id];
}
