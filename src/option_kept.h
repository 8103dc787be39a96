/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_kept.h - what a value in the configuration has to be beyond what its option takes, so that
 * a mode that has it does not fail for it later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A number of chips: "forget" is for one call. */
bool option_kept_chips(const char *value, char *trouble, size_t size);
/* Fields of a dump that exist: "help" is for one call. */
bool option_kept_fields(const char *value, char *trouble, size_t size);
/* A file of floors that can be read, by its whole path. */
bool option_kept_floors(const char *value, char *trouble, size_t size);
/* A manifest of versions that can be read, the same. */
bool option_kept_pins(const char *value, char *trouble, size_t size);
/* A time that the live display takes, too. */
bool option_kept_interval(const char *value, char *trouble, size_t size);
