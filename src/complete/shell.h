/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell.h - what differs from shell to shell: how the line comes, and how the answer is read.
 */
#pragma once

#include "src/complete/offer.h"

enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH, SHELLS };

/* The files that make install puts where each shell looks for them. */
extern const char *const shell_scripts[SHELLS];

/*
 * The words of a line of bash, up to the cursor, without quotes and backslashes; what bash would
 * expand stays as it is.  The last word is the one at the cursor, maybe "".  Returns how many, at
 * least one; *words is the caller's to free, and points into line, which is changed.
 */
size_t shell_split(char *line, const char ***words, bool *in_quotes);

/*
 * What the scripts read.  First a line of words: open, files, folders, command=N.  Then a line for
 * each word that is offered, with its help after a tab.
 */
void shell_put(struct strbuf *to, const struct offer *offer);

/*
 * The same for bash, which shows no help, quotes nothing itself, and replaces only `tail`: the end
 * of the word that it takes for the whole, since it parts words at colons, too.
 */
void shell_put_bash(struct strbuf *to, const struct offer *offer, const char *tail, bool in_quotes);
