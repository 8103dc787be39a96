/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/ndjson.h"
#include "base/clock.h"
#include "base/json.h"
#include "output/chip_json.h"

static bool is_asked(const struct sink_choice *choice, int f)
{
	if (choice->external && fields[f].engineering)
		return false;
	return choice->wanted ? choice->wanted[f] : fields[f].group == FIELD_GROUP_TELEMETRY;
}

static void put_readings(struct json_out *j, const struct snapshot *s,
	const struct sink_choice *choice)
{
	bool live = snapshot_is_live(s), odd = false;

	json_begin(j, "readings", '{');
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
		const struct reading *r = &s->r[f];

		if (r->state == READING_ABSENT || !is_asked(choice, f))
			continue;
		if (live && reading_is_ok(r))
			chip_json_put_value(j, fields[f].key, (enum field_id)f, r);
		else
			json_null(j, fields[f].key);
		odd |= !reading_is_ok(r);
	}
	json_end(j, '}');
	if (!odd)
		return;
	json_begin(j, "states", '{');
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
		if (s->r[f].state != READING_ABSENT && !reading_is_ok(&s->r[f]) &&
			is_asked(choice, f))
			json_text(j, fields[f].key,
				reading_state_name((enum reading_state)s->r[f].state));
	json_end(j, '}');
}

static void put_findings(struct json_out *j, const struct snapshot *s)
{
	if (!s->n_findings)
		return;
	json_begin(j, "findings", '[');
	for (size_t i = 0; i < s->n_findings; i++)
		json_text(j, NULL, s->findings[i].id);
	json_end(j, ']');
}

/* Put the alerts raised and cleared in the tick. */
static void put_alerts(struct json_out *j, const struct snapshot *s, const struct tick *t)
{
	bool any = false;
	size_t n;
	const struct alerts_event *news = alerts_news(t->alerts, &n);

	for (size_t i = 0; i < n; i++) {
		if (news[i].chip != s->index)
			continue;
		if (!any)
			json_begin(j, "alerts", '[');
		any = true;
		json_begin(j, NULL, '{');
		json_text(j, "name", news[i].rule->name);
		json_text(j, "state", news[i].raised ? "raised" : "cleared");
		json_end(j, '}');
	}
	if (any)
		json_end(j, ']');
}

void ndjson_put(struct strbuf *to, const struct snapshot *s, const struct tick *t,
	const struct sink_choice *choice)
{
	size_t at = to->len;
	struct json_out j;
	char utc[40];

	json_out_init(&j, to, true);
	json_begin(&j, NULL, '{');
	json_decimal(&j, "timestamp", t->at / 1000, 1000000);
	json_text(&j, "utc", clock_iso_utc(t->real, utc, sizeof(utc)));
	json_int(&j, "index", s->index);
	json_text(&j, "board", s->series[0] ? s->series : s->board);
	json_text(&j, "bdf", s->bdf[0] ? s->bdf : NULL);
	if (t->stand_in)
		json_text(&j, "boards", t->stand_in);
	json_text(&j, "health", snapshot_health_name(s->health));
	if (s->reason[0])
		json_text(&j, "reason", s->reason);
	if (s->note[0])
		json_text(&j, "note", s->note);
	if (s->code != CODE_NONE)
		json_code(&j, s->code);
	if (s->raw.repeated)
		json_bool(&j, "repeated", true);
	put_alerts(&j, s, t);
	put_findings(&j, s);
	if (t->is_late)
		json_decimal(&j, "late", t->late, CLOCK_SECOND);
	if (t->lost)
		json_int(&j, "lost", (int64_t)t->lost);
	if (t->stepped)
		json_decimal(&j, "wall_clock_stepped", t->stepped, CLOCK_SECOND);
	if (s->age)
		json_decimal(&j, "old", s->age, CLOCK_SECOND);
	else if (snapshot_is_live(s))
		json_decimal(&j, "skew_ms", s->skew / 1000, 1000);
	put_readings(&j, s, choice);
	json_end(&j, '}');
	if (to->len > at && to->text[to->len - 1] != '\n')
		strbuf_putc(to, '\n');
}

static void put_tick(struct strbuf *to, const struct tick *t, const struct sink_card *cards,
	size_t n, const struct sink_choice *choice)
{
	for (size_t i = 0; i < n; i++)
		ndjson_put(to, cards[i].s, t, choice);
}

const struct sink sink_ndjson = {
	.name = "ndjson",
	.extension = ".ndjson",
	.streams = true,
	.tick = put_tick,
};
