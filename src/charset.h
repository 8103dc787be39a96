/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * charset.h - the program writes UTF-8; where the locale has another character set, text for
 * people becomes ASCII just before it is written.  Text for programs stays UTF-8.
 */
#pragma once

#include "base/text.h"

/* Look up the character set of the locale.  Before, everything is UTF-8. */
void charset_open(void);

/* Leave stdout UTF-8 from now on: programs read it. */
void charset_keep_stdout(void);

/* Make what `text` holds from this byte on fit stdout; text that fits already stays as it is. */
void charset_fit(struct strbuf *text, size_t from);

/* The same for all of a text for stderr, which is always for people. */
void charset_fit_message(struct strbuf *text);
