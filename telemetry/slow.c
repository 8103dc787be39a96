/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slow.c - a table of causes: each has its finding and the function that writes its text.
 *
 * A Blackhole's clock is the lower one of the requested clock (the highest lower bound, word
 * AICLK_ARB_MIN) and the allowed clock (the lowest upper bound, AICLK_ARB_MAX); each word names
 * its arbiter.  Of arbiters with the same clock the last one is named, so even a card that nothing
 * holds down names one.  Only a bound below the requested clock is a reason (lib/tenstorrent/
 * bh_arc/aiclk_ppm.c of tt-system-firmware; chip-facts 2.2.1).
 */
#include "config.h"
#include "telemetry/slow.h"
#include "base/array.h"
#include "telemetry/link.h"

#include <stdio.h>
#include <string.h>

#define MHZ	 0xffff		/* mask of an arbiter's word; the arbiter is in the high half */
#define PPM_HIGH 16		/* shift of AICLK_PPM_INFO: the rule that set the clock */

enum { PPM_SWEEP = 3, PPM_FORCED = 4 };

static bool clock_of(const struct snapshot *s, enum field_id id, int64_t *mhz)
{
	const struct reading *r = &s->r[id];
	const bool is_word = fields[id].kind == FIELD_HEX;

	if (!reading_is_ok(r))
		return false;
	*mhz = is_word ? r->value & MHZ : r->value;
	return true;
}

/* The requested clock does not exceed the allowed one, or the chip's highest clock is allowed. */
static bool is_allowed(const struct snapshot *s)
{
	int64_t asked, allowed, most;

	return clock_of(s, FIELD_AICLK_ARB_MAX, &allowed) &&
		((clock_of(s, FIELD_AICLK_ARB_MIN, &asked) && asked <= allowed) ||
			(clock_of(s, FIELD_AICLK_LIMIT, &most) && most <= allowed));
}

void slow_settle(struct snapshot *s)
{
	if (reading_is_ok(&s->r[FIELD_THROTTLE]) && is_allowed(s))
		s->r[FIELD_THROTTLE].value = THROTTLE_NONE;
}

static bool is_below_most(const struct snapshot *s)
{
	int64_t now, most;

	return clock_of(s, FIELD_AICLK, &now) && clock_of(s, FIELD_AICLK_LIMIT, &most) &&
		now < most;
}

/* The rule that set a lower clock in place of the arbiters; NULL: none did. */
static const char *set_by_hand(const struct snapshot *s)
{
	const struct reading *r = &s->r[FIELD_AICLK_PPM_INFO];
	const int64_t rule = reading_is_ok(r) ? r->value >> PPM_HIGH : 0;

	return !is_below_most(s) ? NULL : rule == PPM_FORCED ? "forced" :
		rule == PPM_SWEEP ? "sweep" : NULL;
}

static bool put_clock(const struct snapshot *s, char *buf, size_t size)
{
	const struct reading *r = &s->r[FIELD_THROTTLE];
	const char *hand = set_by_hand(s);
	char reason[32], clock[16];

	if (!hand && (!reading_is_ok(r) || r->value == THROTTLE_NONE))
		return false;
	if (!hand)
		hand = field_text(FIELD_THROTTLE, r, reason, sizeof(reason));
	if (reading_is_ok(&s->r[FIELD_AICLK]))
		snprintf(buf, size, "clock held at %s MHz (%s)",
			field_text(FIELD_AICLK, &s->r[FIELD_AICLK], clock, sizeof(clock)), hand);
	else
		snprintf(buf, size, "clock held down (%s)", hand);
	return true;
}

/* The clock does not show this: idle instructions slow the cores down at any clock. */
static bool put_cores(const struct snapshot *s, char *buf, size_t size)
{
	const struct reading *r = &s->r[FIELD_NOP_TIME], *period = &s->r[FIELD_UPDATE_SPEED];
	char time[16], of[32] = "";

	if (!reading_is_ok(r) || r->value == 0)
		return false;
	if (reading_is_ok(period) && period->value > 0)
		snprintf(of, sizeof(of), " of %lld", (long long)period->value);
	snprintf(buf, size, "the firmware slows the cores down: idle instructions for %s%s ms",
		field_text(FIELD_NOP_TIME, r, time, sizeof(time)), of);
	return true;
}

static bool put_link(const struct snapshot *s, char *buf, size_t size)
{
	char words[96];

	if (!s->link.downgraded)
		return false;
	snprintf(buf, size, "PCIe link DOWNGRADED to %s",
		link_words(&s->link, words, sizeof(words)));
	return true;
}

static const struct {
	const char *finding;
	bool (*put)(const struct snapshot *s, char *buf, size_t size);
} causes[SLOW_CAUSES] = {
	{ .finding = "throttled", .put = put_clock },
	{ .finding = "kernels-throttled", .put = put_cores },
	{ .finding = "link-downgraded", .put = put_link },
};

const char *slow_cause(const struct snapshot *s, size_t i, char buf[static SLOW_TEXT])
{
	return causes[i].put(s, buf, SLOW_TEXT) ? causes[i].finding : NULL;
}

bool slow_tells(const char *finding)
{
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (strcmp(causes[i].finding, finding) == 0)
			return true;
	return false;
}

/* Why the clock is below its highest although no cause holds it down. */
static enum slow why_low(const struct snapshot *s, char buf[static SLOW_TEXT])
{
	int64_t now, most, asked;
	bool is_idle;

	if (!is_below_most(s) || !clock_of(s, FIELD_AICLK, &now) ||
		!clock_of(s, FIELD_AICLK_LIMIT, &most))
		return SLOW_NOT;
	is_idle = clock_of(s, FIELD_AICLK_ARB_MIN, &asked) && asked < most && now >= asked;
	snprintf(buf, SLOW_TEXT, "clock at %lld of %lld MHz: %s", (long long)now, (long long)most,
		is_idle ? "idle, no program asks for more" : "the firmware does not say why");
	return is_idle ? SLOW_IDLE : SLOW_UNSAID;
}

enum slow slow_why(const struct snapshot *s, char buf[static SLOW_TEXT])
{
	char text[SLOW_TEXT];
	size_t at = 0;

	buf[0] = '\0';
	if (!snapshot_is_live(s))
		return SLOW_NOT;
	for (size_t i = 0; i < ARRAY_LEN(causes) && at < SLOW_TEXT; i++)
		if (slow_cause(s, i, text))
			at += (size_t)snprintf(buf + at, SLOW_TEXT - at, "%s%s", at ? "; " : "",
				text);
	return at ? SLOW_HELD : why_low(s, buf);
}
