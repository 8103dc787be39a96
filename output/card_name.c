/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/card_name.h"

#include "base/text.h"
#include "telemetry/field.h"

void card_name_put(struct strbuf *to, const struct snapshot *s)
{
	strbuf_printf(to, "%d ", s->index);
	text_put_plain(to, *s->bdf ? s->bdf : "second chip");
	strbuf_putc(to, ' ');
	text_put_plain(to, s->series);
}

const char *card_name_serial(const struct snapshot *s, bool external, char *buf, size_t size)
{
	const struct reading *id = &s->r[FIELD_BOARD_ID];

	return reading_has_value(id) && !external ? field_text(FIELD_BOARD_ID, id, buf, size) :
		NULL;
}

void card_name_put_json(struct json_out *j, const struct snapshot *s, bool external)
{
	char text[32];

	json_int(j, "index", s->index);
	json_text(j, "bdf", *s->bdf ? s->bdf : NULL);
	json_text(j, "board", s->series);
	json_text(j, "serial", card_name_serial(s, external, text, sizeof(text)));
}
