/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_json.h - reads from a compiled model's device.json which cards it was made for.
 */
#pragma once

#include "base/error.h"
#include "device/ident.h"

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
