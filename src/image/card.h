/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card.h - a card as a compiler of device images sees it, and whether an image runs on it.
 */
#pragma once

#include "base/strbuf.h"
#include "src/image/device_json.h"
#include "telemetry/snapshot.h"

struct image_card {
	const char *arch;		/* as an image has it; NULL: of an unknown chip */
	const char *label;		/* the compiler's for this product; NULL: none */
	unsigned rows, columns;		/* of compute tiles that live; 0: not known */
	bool mask_known;
	uint32_t mask;			/* harvested rows, bit r for NOC row r */
	char why[160];			/* of what is not known; "" */
};

void image_card_of(const struct snapshot *s, struct image_card *c);

/*
 * A device descriptor with the tiles of this card, as YAML; false where its coordinates are
 * not known, and nothing is appended.
 */
bool image_card_put_descriptor(struct strbuf *to, const struct snapshot *s,
	const struct image_card *c);

enum image_fit { IMAGE_RUNS, IMAGE_UNKNOWN, IMAGE_FAILS };

/* Whether the image's chip at this place of chip_ids (-1: any of them) runs on the card; why gets
 * what to say of it. */
enum image_fit image_fits(const struct image *i, const struct image_card *c, int chip, char *why,
	size_t size);
