/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_value.h - a value as typed, checked by its row and put in its place.
 */
#pragma once

#include "src/options.h"

/* What holds where an option is not given. */
void options_set_usual(struct options *o);

/*
 * Parse value by the row's kind and range into its member of *o.  NULL is a
 * flag, or a value that was left out.  False when it is not such a value, with
 * what is wrong in trouble.
 */
bool option_set_value(struct options *o, const struct option_row *row, const char *value,
	char *trouble, size_t size);

/* The same; stderr says what is wrong with what was typed, and the result is -EINVAL. */
int option_set_said(struct options *o, const struct option_row *row, const char *typed,
	const char *value);
int option_complain(const char *typed, const char *trouble);

/* Whether a line of the configuration with this value may stand for it: "yes" is a flag. */
bool option_can_stand(const struct option_row *row, const char *value, char *trouble, size_t size);
/* Whether such a value gives it: that of a flag may be "no". */
bool option_is_on(const struct option_row *row, const char *value);

/* Free what values take. */
void option_clear_values(struct options *o);
