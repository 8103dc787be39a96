/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer.h - the completions of a word that is being typed.
 *
 * Nothing is offered that a shell would act upon: a name that comes from a file or a recorded tree
 * is left out unless it is made of plain characters.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct offer {
	const char *word;	/* so far */
	size_t from;		/* where its value begins: after "--theme=" */
	size_t part;		/* where its last part begins: after "power," */
	bool is_open;		/* the word may go on: no blank after it */
	bool files, folders;	/* offer these as well */
	size_t command;		/* words before another program's command line; 0: none */
	struct strbuf text;	/* a line each: the whole word, a tab, its help */
};

/* The value is a list: what it has already is not offered again. */
void offer_list(struct offer *to);

/* Offer a word for the last part, if it begins as the part does; help may be "". */
void offer_add(struct offer *to, const char *word, const char *help);
