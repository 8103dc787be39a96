/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.h - what to reset: from words, from a configuration file of
 * upstream's tool, or from a line typed at a question.
 */
#pragma once

#include "base/error.h"
#include "reset/outside/outside.h"
#include "src/listed.h"
#include "src/stop.h"

#include <stdbool.h>

#define RESET_MOBOS 8

/*
 * The words of -r, -wr and -mr, and the files among them, which -g writes: read once.  The caller
 * clears the names.
 */
struct reset_order {
	bool of_mobos;		/* -mr: words are a mobo and its ports, no cards */
	struct strbuf names;	/* of cards, for named_find() */
	size_t n;
	struct mobo mobos[RESET_MOBOS];
};

int reset_order_read(const struct options *o, struct reset_order *order, struct error *e);

/* Take the word as the mobo's host or, once it has one, as a port of it. */
int reset_order_take_mobo(struct mobo *m, const char *word, struct error *e);

/*
 * Mark the wanted chips.  -wr without words lists the cards and reads a line
 * from standard input ("q", its end or a stop: EXIT_REFUSED); -r without words
 * means all.  On anything but EXIT_DONE the reason is on stderr.
 */
enum exit_code reset_targets_choose(const struct options *o, struct session *s, struct stop *stop,
	struct strbuf *names, bool *wanted);

/*
 * Find the cards of these names, which a person or a program gave.  An index that meant another
 * card when it was listed is refused by -wr, and reported by -r.
 */
enum exit_code reset_targets_find(const struct options *o, const struct session *s,
	const char *names, struct named *named);

/* --forbid: mark the methods of a list with commas; NULL is none. */
int reset_targets_forbid(const char *list, bool *forbidden, struct error *e);
