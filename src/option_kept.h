/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_kept.h - checks of a value in the configuration beyond those of its option, so that no
 * mode fails because of it later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
