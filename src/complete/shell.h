/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell.h - differences between shells: how they pass the line, and how they read the answer.
 */
#pragma once

#include "src/complete/offer.h"

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
