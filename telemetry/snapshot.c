/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.c - names of a snapshot's states; programs read them, so they never change.
 */
#include "config.h"
#include "telemetry/snapshot.h"
#include "base/array.h"
#include "base/want.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name, *word;
} healths[] = {
	[SNAPSHOT_PENDING] = { "pending", "pending" },
	[SNAPSHOT_OK] = { "ok", "ok" },
	[SNAPSHOT_WARN] = { "warn", "warn" },
	[SNAPSHOT_NOT_READ] = { "not-read", "not-read" },
	[SNAPSHOT_FAILED] = { "failed", "FAILED" },
	[SNAPSHOT_GONE] = { "gone", "GONE" },
};

static const char *const beats[] = {
	[SNAPSHOT_BEAT_UNJUDGED] = "unknown",
	[SNAPSHOT_BEAT_ALIVE] = "alive",
	[SNAPSHOT_BEAT_STOPPED] = "stopped",
	[SNAPSHOT_BEAT_NONE] = "none",
};

const char *snapshot_health_name(enum snapshot_health h)
{
	return h < ARRAY_LEN(healths) ? healths[h].name : "unknown";
}

const char *snapshot_health_word(enum snapshot_health h)
{
	return h < ARRAY_LEN(healths) ? healths[h].word : "unknown";
}

const char *snapshot_beat_name(enum snapshot_beat b)
{
	return b < ARRAY_LEN(beats) ? beats[b] : "unknown";
}

bool snapshot_is_live(const struct snapshot *s)
{
	return s->health == SNAPSHOT_OK || s->health == SNAPSHOT_WARN;
}

bool snapshot_is_being_reset(const struct snapshot *s)
{
	return s->raw.sample_error.code == -ECONNRESET;
}

bool snapshot_is_lost(const struct snapshot *s)
{
	return s->health == SNAPSHOT_FAILED || s->health == SNAPSHOT_GONE;
}

bool snapshot_can_be_reset(const struct snapshot *s)
{
	return s->health != SNAPSHOT_GONE && s->raw.sample_error.code != -ENODEV;
}

bool snapshot_is_restless(const struct snapshot *s)
{
	return s->raw.table_error.code == -EINPROGRESS;
}

bool snapshot_is_blind(const struct snapshot *s)
{
	return s->health == SNAPSHOT_FAILED && want_is(s->raw.sample_error.code);
}

const char *snapshot_trouble(const struct snapshot *s)
{
	if (snapshot_is_lost(s))
		return s->reason;
	for (size_t i = 0; s->beat == SNAPSHOT_BEAT_STOPPED && i < s->n_findings; i++)
		if (strcmp(s->findings[i].id, "heartbeat") == 0)
			return s->findings[i].text;
	return NULL;
}

const char *snapshot_miss(const struct snapshot *s)
{
	return s->health == SNAPSHOT_NOT_READ && s->local < 0 ? s->reason : snapshot_trouble(s);
}

enum code snapshot_code(const struct snapshot *s)
{
	return !snapshot_is_lost(s) && snapshot_trouble(s) ? CODE_FIRMWARE_DOWN : s->code;
}

bool snapshot_is_new(const struct snapshot *s, enum field_id id)
{
	return snapshot_is_live(s) && reading_has_value(&s->r[id]) &&
		s->r[id].time >= s->raw.time;
}

bool snapshot_is_current(const struct snapshot *s)
{
	return snapshot_is_live(s) && !snapshot_trouble(s) && !s->raw.repeated;
}
