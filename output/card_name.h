/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_name.h - the name of a card, as text and as JSON.
 */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "telemetry/snapshot.h"

/* "3 0000:41:00.0 p150a" */
void card_name_put(struct strbuf *to, const struct snapshot *s);

/* The board's serial number; NULL if it is not known, or external. */
const char *card_name_serial(const struct snapshot *s, bool external, char *buf, size_t size);

/* Keys of an object: index, bdf, board, serial. */
void card_name_put_json(struct json_out *j, const struct snapshot *s, bool external);
