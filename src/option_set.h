/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_set.h - words of options whose values are in the burn-in's tables: each word's bits,
 * or 0 with what is wrong in trouble.
 */
#pragma once

#include <stdbool.h>
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

/* A number of chips; "forget" is for one call only. */
bool option_kept_chips(const char *value, char *trouble, size_t size);

/* Fields of a dump that exist; "help" is for one call only. */
bool option_kept_fields(const char *value, char *trouble, size_t size);

/* The absolute path of a file of floors that can be read. */
bool option_kept_floors(const char *value, char *trouble, size_t size);

/* The absolute path of a manifest of versions that can be read. */
bool option_kept_pins(const char *value, char *trouble, size_t size);

/* A time that the live display accepts, too. */
bool option_kept_interval(const char *value, char *trouble, size_t size);
