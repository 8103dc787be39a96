/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer.h - what a word that is being typed may become.
 *
 * Nothing is offered that a shell would act upon: a name that comes from a file or a recorded tree
 * is left out unless it is made of plain characters.
 */
#pragma once

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct offer {
	const char *word;	/* so far */
	size_t from;		/* where in it begins what is offered: after "--theme=" */
	size_t part;		/* and its last part: after "power," */
	bool is_open;		/* what is offered may go on: no blank after it */
	bool files, folders;	/* these as well */
	size_t command;		/* words before another program's command line; 0: none */
	struct strbuf text;	/* a line each: the whole word, a tab, its help */
};

/* It is one of a list: what stands there already is not offered again. */
void offer_list(struct offer *to);

/* A word for the last part, unless it begins otherwise; help may be "". */
void offer_add(struct offer *to, const char *word, const char *help);
