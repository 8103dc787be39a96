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
