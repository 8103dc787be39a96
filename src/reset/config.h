/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - a reset configuration of upstream's tool, a file that -g
 * writes, and -r, -wr and -mr take among their words.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"

#include <stdbool.h>

bool reset_config_is(const char *word);		/* a file by its name, not a card or a host */

/* Read it, and hand it to `take`, whose 0 or -errno is the result; the error names the file. */
int reset_config_read(const char *path,
	int (*take)(void *arg, const struct json *doc, struct error *e), void *arg,
	struct error *e);
