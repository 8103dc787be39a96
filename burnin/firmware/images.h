/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h - the kernel's programs, ready to be loaded: for each chip, one for each
 * core that takes part.
 */
#pragma once

#include "burnin/firmware/mailbox.h"
#include "device/ident.h"

#include <stddef.h>

enum { KERNEL_CORES = 5, KERNEL_IMAGES = 2 * KERNEL_CORES };

struct kernel_image {
	enum device_chip chip;
	uint32_t at;			/* enum kernel_place */
	const uint32_t *words;
	size_t n;
};

extern const struct kernel_image kernel_images[KERNEL_IMAGES];
extern const char kernel_source_hash[];	/* SHA-256 of their sources, in hex */
extern const char kernel_compiler[];	/* that built them */
