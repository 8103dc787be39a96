/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_value.h - checks a typed value by its row and stores it, and which options go together.
 */
#pragma once

#include "base/error.h"
#include "src/options.h"

/* What is wrong with "-" in a file's place. */
extern const char option_no_dash[];

/* Set the defaults of options that are not given. */
void options_set_usual(struct options *o);

/*
 * Parse value by the row's kind and range into its member of *o.  NULL is a
 * flag, or a value that was left out.  False if the value is wrong; trouble then
 * says why.
 */
bool option_set_value(struct options *o, const struct option_row *row, const char *value,
	char *trouble, size_t size);

/* The same, but say on stderr what is wrong, and return -EINVAL. */
int option_set_said(struct options *o, const struct option_row *row, const char *typed,
	const char *value);
int option_complain(enum code code, const char *typed, const char *trouble);

/* Whether the configuration may give it this value; of a flag it is "yes" or "no". */
bool option_can_stand(const struct option_row *row, const char *value, char *trouble, size_t size);
/* Whether such a value turns it on; "no" leaves a flag off. */
bool option_is_on(const struct option_row *row, const char *value);

/* Free the memory of all values. */
void option_clear_values(struct options *o);

/* Which option a word is, and which go with a mode, a command of -b, and each other. */

/* The option with this spelling, with or without "=VALUE"; OPTIONS: there is none. */
size_t option_find(const char *typed);

/* The commands that the words of -b and -d ask for: 1u << COMMAND_... */
unsigned option_commands(const struct options *o);

/* Whether the option of mode `before` may be given with mode `now` (.beside). */
bool option_is_beside(enum mode before, enum mode now);

/* Whether the mode uses this option, and with -b, whether the command does. */
bool option_fits_mode(const struct options *o, const struct option_row *row);

/* Whether a mode takes it, maybe not with each command. */
bool option_goes_with(const struct options *o, const struct option_row *row, enum mode mode);

/* Whether one of them excludes the other. */
bool option_excludes(enum option_id a, enum option_id b);

/* The given option that this one cannot be used together with; OPTIONS: there is none. */
size_t option_conflict(const struct options *o, enum option_id id);
