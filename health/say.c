/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every check needs to say what it found, or why it could not look. */
#include "config.h"
#include "health/checks_local.h"

#include "telemetry/chip/chip.h"

#include <stdarg.h>
#include <stdio.h>

void health_say(struct health_item *i, enum verdict result, const char *fmt, ...)
{
	va_list ap;

	i->result = result;
	va_start(ap, fmt);
	vsnprintf(i->text, sizeof(i->text), fmt, ap);
	va_end(ap);
}

bool check_is_unseen(const struct snapshot *s, enum field_id id)
{
	const struct reading *r = &s->r[id];

	if (r->state == READING_ABSENT)
		return s->raw.table_error.code && chip_may_have(chip_find(s->chip), id);
	return !reading_is_ok(r);
}

bool check_is_unread(const struct snapshot *s, struct health_item *i)
{
	if (snapshot_is_live(s))
		return false;
	health_say(i, VERDICT_INCOMPLETE, "%s", s->health == SNAPSHOT_PENDING ? CHECK_LATE :
		CHECK_UNREAD);
	return true;
}
