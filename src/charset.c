/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/charset.h"

#include "ui/canvas.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>

static bool ascii_stdout, ascii_stderr;

void charset_open(void)
{
	/* The program's own locale stays C: a number must never come out as "71,5". */
	const locale_t user = newlocale(LC_CTYPE_MASK, "", NULL);

	ascii_stderr = !user || strcmp(nl_langinfo_l(CODESET, user), "UTF-8") != 0;
	ascii_stdout = ascii_stderr;
	if (user)
		freelocale(user);
}

void charset_keep_stdout(void)
{
	ascii_stdout = false;
}

static void fit(struct strbuf *text, size_t from)
{
	struct strbuf plain = { 0 };

	if (from >= text->len)
		return;
	glyph_put_ascii(&plain, text->text + from);
	text->len = from;
	strbuf_add(text, plain.text, plain.len);
	strbuf_clear(&plain);
}

void charset_fit(struct strbuf *text, size_t from)
{
	if (ascii_stdout)
		fit(text, from);
}

void charset_fit_message(struct strbuf *text)
{
	if (ascii_stderr)
		fit(text, 0);
}
