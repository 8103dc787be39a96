/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/stop_rules.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const load_pattern_names[LOAD_PATTERNS + 1] = {
	[LOAD_STEADY] = "steady", [LOAD_PULSE] = "pulse", [LOAD_RAMP] = "ramp", NULL
};

const struct load_pattern_row load_patterns[LOAD_PATTERNS] = {
	[LOAD_STEADY] = { "", 0, 0 },
	[LOAD_PULSE] = { "in bursts", 100 * CLOCK_MS, 0 },
	[LOAD_RAMP] = { "in ramps", 100 * CLOCK_MS, 60 * CLOCK_SECOND },
};

/* The first window of a ramp has none of the load, the last one all of it. */
int load_pattern_share(enum load_pattern p, int64_t into)
{
	const int64_t window = load_patterns[p].window, period = load_patterns[p].period;

	if (window == 0)
		return 1000;
	return period ? (int)(into % period / window * 1000 / (period / window - 1)) : 500;
}

int64_t load_pattern_rest(enum load_pattern p, int64_t into)
{
	const int64_t window = load_patterns[p].window;

	if (window == 0 || into % window < window * load_pattern_share(p, into) / 1000)
		return 0;
	return window - into % window;
}

#define PATIENCE   (10 * CLOCK_SECOND)	/* for --max-temp without a temperature of the host */
#define STEP	   CLOCK_SECOND		/* the most of it that one judgement uses up */
#define NEAR_TIME  (5 * CLOCK_SECOND)	/* how long a card may be near its limit */
#define UNSEEN	   (5 * CLOCK_SECOND)	/* how old a reading of a card or a sensor may be */
#define CALM	   (5 * CLOCK_SECOND)	/* how long its fan may stand still */

void stop_rules_begin(struct stop_rules *r, int64_t max_temp, int64_t now)
{
	*r = (struct stop_rules){ .max_temp = max_temp, .judged = now, .blind = 1 };
}

void stop_rules_clear(struct stop_rules *r)
{
	for (size_t i = 0; i < DEVICE_MAX; i++) {
		free(r->own[i]);
		r->own[i] = NULL;
	}
}

static bool is_known(const struct sensor *x)
{
	return x->kind == SENSOR_TEMP && x->state == READING_OK;
}

/* The first sensor that was read once and has no value of now; NULL: none. */
static const struct sensor *find_lost(const struct sensors *host, int64_t now)
{
	for (size_t i = 0; i < host->n; i++) {
		const struct sensor *x = &host->s[i];

		if (x->kind == SENSOR_TEMP && x->time > 0 &&
			!(is_known(x) && now - x->time < UNSEEN))
			return x;
	}
	return NULL;
}

/* What keeps --max-temp from being watched. */
static const char *blind_text(const struct stop_rules *r, char text[static 96])
{
	snprintf(text, 96, "%s", "no temperature of the host is known");
	if (r->missing[0])
		snprintf(text, 96, "the temperature of %s is known no more", r->missing);
	return text;
}

static void end_blind(struct stop_rules *r)
{
	char text[96];

	fail_as(&r->why, CODE_NOT_WATCHED, -ENODATA, "--max-temp cannot be watched: %s",
		blind_text(r, text));
}

/* A sensor that is lost may be the one that would have been the hottest. */
static void note_blind(struct stop_rules *r, const struct sensors *host, bool seen, int64_t now)
{
	const struct sensor *lost = seen ? find_lost(host, now) : NULL;
	const int64_t step = now - r->judged;

	/* While the program was stopped, no reading could arrive and the load rested. */
	r->blind = seen && !lost ? 0 : r->blind + (step < STEP ? step : STEP);
	r->judged = now;
	mem_copy_text(r->missing, sizeof(r->missing), lost ? lost->name : "");
	if (r->max_temp && r->blind >= PATIENCE)
		end_blind(r);
}

static void judge_host(struct stop_rules *r, const struct sensors *host, int64_t now)
{
	bool seen = false;
	char text[32];

	for (size_t i = 0; host && i < host->n; i++) {
		const struct sensor *x = &host->s[i];

		if (!is_known(x))
			continue;
		seen = seen || now - x->time < UNSEEN;
		if (x->has_limit && x->value >= x->limit)
			fail_as(&r->why, CODE_TOO_HOT, -ECANCELED,
				"%s is at %s, its critical temperature", x->name,
				sensor_text(x, text, sizeof(text)));
		else if (r->max_temp && x->value >= r->max_temp)
			fail_as(&r->why, CODE_TOO_HOT, -ECANCELED, "%s is at %s, over --max-temp",
				x->name, sensor_text(x, text, sizeof(text)));
		if (r->why.text[0])
			return;
	}
	note_blind(r, host, seen, now);
}

/* Where the reason goes: to end all loads, or only the card's own, once, if the card burns. */
static struct error *end_of(struct stop_rules *r, size_t i)
{
	if (!r->burns[i])
		return &r->why;
	if (r->own[i])
		return NULL;
	return r->own[i] = mem_calloc(1, sizeof(*r->own[i]));
}

static void judge_card(struct stop_rules *r, const struct fleet *f, size_t i)
{
	const struct snapshot *s = &f->chips[i];
	const struct reading *limit = &s->r[FIELD_THROTTLE_TEMP];
	enum field_level level = FIELD_LEVEL_FINE;
	char text[32];

	/* An old value says nothing, and its time does not count as time near the limit. */
	if (snapshot_is_live(s))
		level = field_level_now(FIELD_USE_BURN, FIELD_ASIC_TEMP, s->r);
	if (level < FIELD_LEVEL_HIGH) {
		r->near[i] = 0;
		return;
	}
	if (r->near[i] == 0)
		r->near[i] = s->time;
	if (level < FIELD_LEVEL_OVER && s->time - r->near[i] < NEAR_TIME)
		return;
	fail_as(end_of(r, i), CODE_TOO_HOT, -ECANCELED, "card %d %s is at %s °C, and throttles at "
		"%lld °C", s->index, s->bdf,
		field_text(FIELD_ASIC_TEMP, &s->r[FIELD_ASIC_TEMP], text, sizeof(text)),
		(long long)(limit->value / fields[FIELD_THROTTLE_TEMP].scale));
}

/* True once the condition `is` has held for `limit` ns. */
static bool lasts(bool is, int64_t *since, int64_t now, int64_t limit)
{
	if (!is)
		*since = 0;
	else if (*since == 0)
		*since = now;
	return *since != 0 && now - *since >= limit;
}

/* A card that cannot be watched, or whose fan stands still, must not burn. */
static void judge_burning(struct stop_rules *r, const struct fleet *f, size_t i)
{
	const struct snapshot *s = &f->chips[i];
	const struct reading *fan = &s->r[FIELD_FAN_RPM];
	const bool live = snapshot_is_live(s) && s->beat != SNAPSHOT_BEAT_STOPPED;

	if (lasts(!live, &r->lost[i], f->time, UNSEEN))
		fail_as(end_of(r, i), CODE_NOT_WATCHED, -ENODATA, "card %d %s could not be watched "
			"for 5 s: %.100s", s->index, s->bdf,
			s->reason[0] ? s->reason : "its firmware stands still");
	if (!live || !reading_is_ok(fan))
		return;
	r->has_fan[i] = r->has_fan[i] || fan->value > 0;
	if (lasts(r->has_fan[i] && fan->value == 0, &r->calm[i], f->time, CALM))
		fail_as(end_of(r, i), CODE_FAN_STOPPED, -ECANCELED, "the fan of card %d %s stands "
			"still", s->index, s->bdf);
}

bool stop_rules_judge(struct stop_rules *r, const struct sensors *host, const struct fleet *f,
	int64_t now)
{
	if (r->why.text[0])
		return true;
	judge_host(r, host, now);
	for (size_t i = 0; f && i < f->n && i < DEVICE_MAX && !r->why.text[0]; i++)
		if (f->wanted[i]) {
			judge_card(r, f, i);
			if (r->burns[i])
				judge_burning(r, f, i);
		}
	return r->why.text[0] != '\0';
}

bool stop_rules_end(struct stop_rules *r)
{
	if (r->why.text[0] || !r->max_temp || r->blind == 0)
		return r->why.text[0] != '\0';
	end_blind(r);
	return true;
}

struct list {
	struct stop_rule *out;
	size_t n;
	int card;		/* of the next rules */
};

__attribute__((format(printf, 3, 4)))
static void rule_add(struct list *l, bool applied, const char *fmt, ...)
{
	struct stop_rule *x = &l->out[l->n];
	va_list args;

	if (l->n == STOP_RULES_WATCHED)
		return;
	l->n++;
	x->card = l->card;
	x->applied = applied;
	va_start(args, fmt);
	vsnprintf(x->text, sizeof(x->text), fmt, args);
	va_end(args);
}

static void list_host(const struct stop_rules *r, const struct sensors *host, struct list *l)
{
	size_t temps = 0, limits = 0;
	char text[96];

	for (size_t i = 0; host && i < host->n; i++) {
		const struct sensor *x = &host->s[i];

		if (x->kind != SENSOR_TEMP)
			continue;
		temps++;
		limits += x->has_limit;
		if (is_known(x) && x->has_limit)
			rule_add(l, true, "%s: ends the burn at %.1f °C", x->name,
				(double)x->limit / 1000);
		else if (!is_known(x) && (x->has_limit || r->max_temp))
			rule_add(l, false, "%s: its temperature is not known", x->name);
	}
	if (temps == 0)
		rule_add(l, false, "host temperature: there is no sensor");
	else if (limits == 0)
		rule_add(l, false, "host temperature: no sensor reports its critical temperature");
	if (r->max_temp && r->blind == 0)
		rule_add(l, true, "--max-temp: ends the burn at %.1f °C of any sensor of the host",
			(double)r->max_temp / 1000);
	else if (r->max_temp)
		rule_add(l, false, "--max-temp: %s", blind_text(r, text));
}

size_t stop_rules_list(const struct stop_rules *r, const struct sensors *host,
	const struct fleet *f, struct stop_rule out[STOP_RULES_WATCHED])
{
	struct list l = { .out = out, .n = 0, .card = -1 };

	list_host(r, host, &l);
	for (size_t i = 0; f && i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		/* A card that is left alone on purpose is not a failed sensor. */
		if (!f->wanted[i] || s->health == SNAPSHOT_NOT_READ)
			continue;
		l.card = s->index;
		if (snapshot_has(s, FIELD_ASIC_TEMP) &&
			reading_has_value(&s->r[FIELD_THROTTLE_TEMP]))
			rule_add(&l, true, "card %d %s: ends %s burn near its throttle temperature",
				s->index, s->bdf, r->burns[i] ? "its" : "the");
		else
			rule_add(&l, false, "card %d %s: its core temperature, or its limit, is "
				"not known", s->index, s->bdf);
		if (!r->burns[i])
			continue;
		rule_add(&l, true, "card %d %s: ends its burn when it cannot be watched for 5 s",
			s->index, s->bdf);
		if (r->has_fan[i])
			rule_add(&l, true, "card %d %s: ends its burn when its fan stands still",
				s->index, s->bdf);
		if (reading_has_value(&s->r[FIELD_GDDR_MAX_TEMP]))
			rule_add(&l, false, "card %d %s: its memory's temperature, whose limit is "
				"not published", s->index, s->bdf);
	}
	return l.n;
}
