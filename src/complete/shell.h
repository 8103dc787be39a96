/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell.h - what is offered to complete a word, and how each shell passes the line and reads that.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct line;

/*
 * The completions of a word.  Nothing is offered that a shell would act upon: a name from a file or
 * a recorded tree is left out unless it is made of plain characters.
 */
struct offer {
	const struct line *line;	/* the whole command line */
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

enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH, SHELLS };

/* The files that make install puts where each shell looks for them. */
extern const char *const shell_scripts[SHELLS];

/*
 * Split a line of bash, up to the cursor, into words without quotes and backslashes; nothing is
 * expanded.  The last word is the one at the cursor, maybe "".  Returns how many, at least one.
 * The caller frees *words, which points into line; line is changed.
 */
size_t shell_split(char *line, const char ***words, bool *in_quotes);

/*
 * Put what the scripts read.  First a line of words: open, files, folders, command=N.  Then a line
 * for each word that is offered, with its help after a tab.
 */
void shell_put(struct strbuf *to, const struct offer *offer);

/*
 * The same for bash, which shows no help, quotes nothing itself, and replaces only `tail`: it also
 * splits words at colons, so it takes this end of the word for the whole word.
 */
void shell_put_bash(struct strbuf *to, const struct offer *offer, const char *tail, bool in_quotes);
