/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/tick.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "telemetry/identity.h"

void card_name_put(struct strbuf *to, const struct snapshot *s)
{
	strbuf_printf(to, "%d ", s->index);
	text_put_plain_in(to, "", *s->bdf ? s->bdf : "second chip", " ");
	text_put_plain(to, s->series);
}

const char *card_name_serial(const struct snapshot *s, bool external, char *buf, size_t size)
{
	return !external && *identity_text(IDENTITY_SERIAL, s, buf, size) ? buf : NULL;
}

void card_name_put_json(struct json_out *j, const struct snapshot *s, bool external)
{
	char text[32];

	identity_put_json(j, "index", IDENTITY_INDEX, s);
	identity_put_json(j, "bdf", IDENTITY_BDF, s);
	json_text(j, "board", s->series);
	json_text(j, "serial", card_name_serial(s, external, text, sizeof(text)));
}

/* The wall clock was stepped if it jumped by more than gradual adjustment explains. */
#define STEP_LEAST (CLOCK_SECOND / 2)

void tick_judge(struct tick_clock *c, const struct fleet *fleet, int64_t start, int64_t interval,
	int64_t late, uint64_t lost, struct tick *t)
{
	int64_t step = fleet->real - c->real - (fleet->time - c->mono);

	*t = (struct tick){ .at = fleet->time > start ? fleet->time - start : 0,
		.real = fleet->real, .stand_in = fleet->origin->stand_in,
		.late = late, .is_late = late > interval / 10, .lost = lost };
	if (c->begun && (step > STEP_LEAST || step < -STEP_LEAST))
		t->stepped = step;
	*c = (struct tick_clock){ .begun = true, .real = fleet->real, .mono = fleet->time };
}
