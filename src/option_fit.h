/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_fit.h - which option a word is, and which options go with a mode, with a command of -b,
 * and with each other.
 */
#pragma once

#include "src/options.h"

/* The option with this spelling, with or without "=VALUE"; OPTIONS: there is none. */
size_t option_find(const char *typed);

/* The commands that the words of -b and -d ask for: 1u << COMMAND_... */
unsigned option_commands(const struct options *o);

/* Whether the option of mode `before` may be given with mode `now` (.beside). */
bool option_is_beside(enum mode before, enum mode now);

/* Whether the mode uses this option, and with -b, whether the command does. */
bool option_fits_mode(const struct options *o, const struct option_row *row);

/* Whether one of them excludes the other. */
bool option_excludes(enum option_id a, enum option_id b);

/* The given option that this one cannot be used together with; OPTIONS: there is none. */
size_t option_conflict(const struct options *o, enum option_id id);
