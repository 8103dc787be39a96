/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h - which cards to reset: from words, from a configuration file of
 * upstream's tool, or from a line typed at a question.
 */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "src/listed.h"
#include "src/stop.h"

#include <stdbool.h>

/*
 * Mark the wanted chips.  -wr without words lists the cards and reads a line
 * from standard input ("q", its end or a stop: EXIT_REFUSED); -r without words
 * means all.  On anything but EXIT_DONE the reason is on stderr.
 */
enum exit_code reset_targets_choose(const struct options *o, struct session *s, struct stop *stop,
	bool *wanted);

/* Collect names for select_chips(): those given to -r or -wr, or listed in its files. */
int reset_targets_names(const struct options *o, struct strbuf *names, struct error *e);

/*
 * Find the cards of these names, which a person or a program gave.  An index that meant another
 * card when it was listed is refused by -wr, and reported by -r.
 */
enum exit_code reset_targets_find(const struct options *o, const struct session *s,
	const char *names, struct named *named);

/* --forbid: mark the methods of a list with commas; NULL is none. */
int reset_targets_forbid(const char *list, bool *forbidden, struct error *e);

/* A configuration that -g writes, as -r, -wr and -mr accept it among their words. */

bool reset_config_is(const char *word);		/* named as a file, not a card or a host */

/* Read it and pass it to `take`; -EINVAL: no JSON object, or `take` fails.  *e names the file. */
int reset_config_read(const char *path,
	int (*take)(void *arg, const struct json *doc, struct error *e), void *arg,
	struct error *e);
