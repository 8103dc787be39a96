/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card.h - a card as a compiler of device images sees it, and whether an image runs on it.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/ident.h"
#include "report/verdict.h"
#include "telemetry/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

/* Texts are safe to print, cut to fit, and "" if the file does not have them. */
struct image {
	char version[32], name[64];
	char arch[32];			/* "Wormhole_B0" */
	char devtype[32];		/* "Silicon", or something that is not a card */
	char pip[96], commit[64], backend_commit[64];
	char graph[64], inputs[200];	/* shapes of its inputs: "[1, 128, 128]" */
	unsigned rows, columns;		/* of compute tiles */
	bool training;
	int64_t microbatch;		/* -1: not known */
	size_t n_chips, n_masks;
	uint16_t chips[DEVICE_MAX];	/* indices of the chips that it runs on */
	uint16_t masks[DEVICE_MAX];	/* harvested rows of each, bit r for NOC row r */
};

/* -EINVAL: not a device.json, or with impossible values; *out is not changed then. */
int image_parse(const char *text, size_t len, struct image *out, struct error *e);

struct image_card {
	const char *arch;		/* as in an image; NULL: the chip is unknown */
	const char *label;		/* the compiler's label for this product; NULL: none */
	unsigned rows, columns;		/* of working compute tiles; 0: not known */
	bool mask_known;
	uint32_t mask;			/* harvested rows, bit r for NOC row r */
	char why[160];			/* why something is not known; "" */
};

void image_card_of(const struct snapshot *s, struct image_card *c);

/*
 * Append a device descriptor with the tiles of this card, as YAML.  False, with nothing appended,
 * if its coordinates are not known.
 */
bool image_card_put_descriptor(struct strbuf *to, const struct snapshot *s,
	const struct image_card *c);

/* Whether the image's chip at this place of chip_ids (-1: any of them) runs on the card; why gets
 * the explanation, or "". */
enum verdict image_fits(const struct image *i, const struct image_card *c, int chip, char *why,
	size_t size);
