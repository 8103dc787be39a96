/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - read a reset configuration of upstream's tool: a file that -g
 * writes, and that -r, -wr and -mr accept among their words.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"

#include <stdbool.h>

bool reset_config_is(const char *word);		/* named as a file, not a card or a host */

/* Read it and pass it to `take`; -EINVAL: no JSON object, or `take` fails.  *e names the file. */
int reset_config_read(const char *path,
	int (*take)(void *arg, const struct json *doc, struct error *e), void *arg,
	struct error *e);
