/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h - which cards a reset means: words, a configuration file of
 * upstream's tool, or a line that is asked for.
 */
#pragma once

#include "src/session.h"

/*
 * Mark the wanted chips.  -wr without words lists the cards and reads a line
 * from standard input ("q", or its end: EXIT_REFUSED); -r without words means
 * all.  On anything but EXIT_DONE the reason is on stderr.
 */
enum exit_code reset_targets_choose(const struct options *o, struct session *s, bool *wanted);

/* Names of cards for select_chips(): those that -r or -wr was given, or that its files have. */
int reset_targets_names(const struct options *o, struct strbuf *names, struct error *e);

/* --forbid: mark the methods of a list with commas; NULL is none. */
int reset_targets_forbid(const char *list, bool *forbidden, struct error *e);
