/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_set.h - words of options whose values are in the burn-in's tables: each word's bits,
 * or 0 with what is wrong in trouble.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "8": 1u << its place in burn_cases. */
uint32_t option_cases(const char *word, char *trouble, size_t size);
/* "float32": 1u << BURN_FLOAT32. */
uint32_t option_dtypes(const char *word, char *trouble, size_t size);
/* "2" or "4-7": memory channels of a card. */
uint32_t option_channels(const char *word, char *trouble, size_t size);
/* "avx2": 1u << its place in impls; "v3": all of this version. */
uint32_t option_impls(const char *word, char *trouble, size_t size);
