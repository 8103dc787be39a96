/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listed.h - which card an index meant when a person saw it.
 */
#pragma once

#include "telemetry/fleet.h"

#include <stdint.h>

/* What a card is called, however the others come and go. */
struct listed_card {
	char bdf[16];		/* "" for a second chip */
	uint64_t serial;	/* of its board; 0: not known */
};

void listed_card_of(const struct snapshot *s, struct listed_card *c);

/* False: they are two.  A serial that is not known is no difference. */
bool listed_is_same(const struct listed_card *a, const struct listed_card *b);

/* "0000:01:00.0 (serial 100...)" for people. */
const char *listed_name(const struct listed_card *c, char *buf, size_t size);
