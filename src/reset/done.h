/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * done.h - the cards of a reset, of all its tries: each as the last try that did anything to it
 * left it.  Exit code, report and further tries are made of the same.
 */
#pragma once

#include "reset/reset.h"
#include "src/exit.h"

struct strbuf;

struct reset_done {
	size_t n;
	struct reset_card *cards;	/* room for all of a machine, from reset_done_init() on */
};

/* Take the room before the first card is touched. */
void reset_done_init(struct reset_done *d);
void reset_done_clear(struct reset_done *d);

/* Remember the cards of a try that is over. */
void reset_done_take(struct reset_done *d, const struct reset_card *cards, size_t n);

/* Whether this card did not recover, and may in another try. */
bool reset_done_has_failed(const struct reset_done *d, int index);

/* "2 of 3 cards recovered, 1 lost", and the exit code. */
enum exit_code reset_done_put(const struct reset_done *d, struct strbuf *to);
