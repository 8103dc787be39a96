/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/notice.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define PATIENCE (CLOCK_SECOND / 5)

char *notice_age(int64_t ns, char *buf, size_t size)
{
	int64_t s = ns / CLOCK_SECOND;

	if (ns < 0)
		ns = s = 0;
	if (s < 2)
		snprintf(buf, size, "%" PRId64 ".%d s", s, (int)(ns / (CLOCK_SECOND / 10) % 10));
	else if (s < 120)
		snprintf(buf, size, "%" PRId64 " s", s);
	else if (s < 2 * 3600)
		snprintf(buf, size, "%" PRId64 " min", s / 60);
	else if (s < 48 * 3600)
		snprintf(buf, size, "%" PRId64 " h", s / 3600);
	else
		snprintf(buf, size, "%" PRId64 " d", s / 86400);
	return buf;
}

/* When the newest value that is still shown was read; 0: none is. */
static int64_t newest_value(const struct snapshot *s)
{
	int64_t newest = 0;

	for (size_t id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (fields[id].group == FIELD_GROUP_TELEMETRY && s->r[id].state == READING_STALE &&
			s->r[id].time > newest)
			newest = s->r[id].time;
	return newest;
}

static const char *trouble_of(const struct snapshot *s)
{
	if (s->reason[0])
		return s->reason;
	if (s->health == SNAPSHOT_GONE)
		return "gone from the bus";
	return s->health == SNAPSHOT_FAILED ? "cannot be read" : "not read";
}

bool notice_text(const struct model *m, const struct snapshot *s, char *buf, size_t size,
	enum style *style)
{
	char since[24], age[24];
	int64_t newest;

	switch (s->health) {
	case SNAPSHOT_PENDING:
		/* A look is over before the eye sees this line, unless a card is slow. */
		*style = STYLE_DIM;
		snprintf(buf, size, "reading...");
		return m->now - m->fleet->time > PATIENCE;
	case SNAPSHOT_FAILED:
	case SNAPSHOT_GONE:
		*style = STYLE_BAD;
		newest = newest_value(s);
		notice_age(m->now - s->since, since, sizeof(since));
		if (newest)
			snprintf(buf, size, "%s, for %s; values are %s old", trouble_of(s), since,
				notice_age(m->now - newest, age, sizeof(age)));
		else
			snprintf(buf, size, "%s, for %s", trouble_of(s), since);
		return true;
	case SNAPSHOT_NOT_READ:
		*style = STYLE_DIM;
		snprintf(buf, size, "%s", trouble_of(s));
		return true;
	default:
		break;
	}
	if (s->n_findings > 0) {
		*style = STYLE_WARN;
		if (s->beat == SNAPSHOT_BEAT_STOPPED)
			*style = STYLE_BAD;
		if (s->n_findings > 1)
			snprintf(buf, size, "%s (Enter: %zu more)", s->findings[0].text,
				s->n_findings - 1);
		else
			snprintf(buf, size, "%s", s->findings[0].text);
		return true;
	}
	if (s->beat == SNAPSHOT_BEAT_STOPPED) {
		*style = STYLE_BAD;
		snprintf(buf, size, "firmware silent (last values shown): it needs a warm reset");
		return true;
	}
	if (s->note[0]) {
		*style = STYLE_DIM;
		snprintf(buf, size, "%s", s->note);
		return true;
	}
	return false;
}
