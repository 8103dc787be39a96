/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/notice.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The line being filled is at `next`; it counts once its newline has come. */
void ui_log_add(struct ui_log *log, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char *line = log->line[log->next];
		size_t at = strlen(line);

		if (text[i] == '\n') {
			log->next = (log->next + 1) % UI_LOG_LINES;
			log->n += log->n + 1 < UI_LOG_LINES;
			log->total++;
			log->line[log->next][0] = 0;
		} else if (at + 1 < sizeof(log->line[0])) {
			line[at] = text[i];
			line[at + 1] = 0;
		}
	}
}

const char *ui_log_line(const struct ui_log *log, size_t i)
{
	return log->line[(log->next + UI_LOG_LINES - log->n + i) % UI_LOG_LINES];
}

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

/* When the newest of the old values still shown was read; 0: there is none. */
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

static void put_findings(const struct snapshot *s, bool whole, char *buf)
{
	size_t n = whole ? s->n_findings : 1, len = 0;

	if (n < s->n_findings)
		len = (size_t)snprintf(buf, NOTICE_SIZE, "1 of %zu (Enter): ", s->n_findings);
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(buf + len, NOTICE_SIZE - len, "%s%s", i ? "; " : "",
			s->findings[i].text);
}

/* The time it has lasted comes first, so that a short line does not cut it off. */
static void put_loss(const struct model *m, const struct snapshot *s, char *buf)
{
	int64_t newest = newest_value(s);
	char since[24], age[24];

	notice_age(m->now - s->since, since, sizeof(since));
	if (newest)
		snprintf(buf, NOTICE_SIZE, "for %s, values %s old: %s", since,
			notice_age(m->now - newest, age, sizeof(age)), trouble_of(s));
	else
		snprintf(buf, NOTICE_SIZE, "for %s: %s", since, trouble_of(s));
}

static bool put_act(const struct model *m, size_t chip, char *buf)
{
	const struct ui_act *act = model_act(m, chip);

	if (!act)
		return false;
	snprintf(buf, NOTICE_SIZE, "is being reset: %s for %.0f s of %.0f s, %s", act->what,
		(double)(m->now - act->began) / CLOCK_SECOND, (double)act->limit / CLOCK_SECOND,
		act->by);
	return true;
}

bool notice_text(const struct model *m, const struct snapshot *s, bool whole,
	char buf[NOTICE_SIZE], enum style *style)
{
	int64_t waited = m->now - (s->since > m->started ? s->since : m->started);
	char age[24];

	*style = STYLE_WARN;
	if (put_act(m, (size_t)(s - m->fleet->chips), buf))
		return true;
	switch (s->health) {
	case SNAPSHOT_PENDING:
		/* A healthy card answers before the eye sees this line. */
		*style = STYLE_DIM;
		snprintf(buf, NOTICE_SIZE, "waiting for its first answer for %s",
			notice_age(waited, age, sizeof(age)));
		return waited > PATIENCE;
	case SNAPSHOT_FAILED:
	case SNAPSHOT_GONE:
		*style = STYLE_BAD;
		put_loss(m, s, buf);
		return true;
	case SNAPSHOT_NOT_READ:
		*style = STYLE_DIM;
		snprintf(buf, NOTICE_SIZE, "%s%s", trouble_of(s),
			s->local >= 0 && !m->remote ? " (R: read it)" : "");
		return true;
	default:
		break;
	}
	if (s->age >= CLOCK_SECOND) {
		*style = STYLE_WARN;
		snprintf(buf, NOTICE_SIZE, "values %s old: the card has not answered since",
			notice_age(m->now - newest_value(s), age, sizeof(age)));
		return true;
	}
	*style = s->beat == SNAPSHOT_BEAT_STOPPED ? STYLE_BAD :
		s->n_findings > 0 ? STYLE_WARN : STYLE_DIM;
	if (s->n_findings > 0)
		put_findings(s, whole, buf);
	else if (s->beat == SNAPSHOT_BEAT_STOPPED)
		snprintf(buf, NOTICE_SIZE,
			"firmware silent (last values shown): it needs a warm reset");
	else
		snprintf(buf, NOTICE_SIZE, "%s", s->note);
	return buf[0];
}

void notice_draw_line(struct canvas *c, int x, int y, int w, enum style style, const char *text)
{
	static const char key[] = " (Enter)";
	bool named = glyph_text_width(text) <= w || strstr(text, "(Enter");
	int end = canvas_words(c, x, y, named ? w : w - (int)strlen(key), style, text);

	if (!named)
		canvas_text(c, end, y, style, key);
}
