/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/listed.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void listed_card_of(const struct snapshot *s, struct listed_card *c)
{
	const struct reading *id = &s->r[FIELD_BOARD_ID];

	*c = (struct listed_card){ .serial = reading_has_value(id) ? (uint64_t)id->value : 0 };
	mem_copy_text(c->bdf, sizeof(c->bdf), s->bdf);
}

bool listed_is_same(const struct listed_card *a, const struct listed_card *b)
{
	return strcmp(a->bdf, b->bdf) == 0 &&
		(!a->serial || !b->serial || a->serial == b->serial);
}

const char *listed_name(const struct listed_card *c, char *buf, size_t size)
{
	if (c->serial)
		snprintf(buf, size, "%s (serial %" PRIx64 ")", c->bdf, c->serial);
	else
		snprintf(buf, size, "%s", c->bdf);
	return buf;
}
