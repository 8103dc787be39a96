/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/say.h"

#include "base/text.h"
#include "src/commit.h"
#include "src/options.h"
#include "ui/canvas.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char version_own[] = PACKAGE_VERSION VERSION_COMMIT;
const char version_whole[] = VERSION_SHOWN VERSION_COMMIT;

const char *version_said(const struct options *o)
{
	return o->version_as ? o->version_as : version_whole;
}

const char *version_served(const struct options *o)
{
	return o->version_as ? o->version_as : VERSION_SERVES;
}

static bool shows_codes;

void say_codes(void)
{
	shows_codes = true;
}

/* The one way of a line to stdout or stderr: whatever it quotes, it is one line and plain. */
__attribute__((format(printf, 4, 0)))
static void put(FILE *to, const char *before, enum code code, const char *fmt, va_list ap)
{
	char text[5000];	/* with a path in it */
	struct strbuf line = { 0 };

	vsnprintf(text, sizeof(text), fmt, ap);
	text_put_plain_in(&line, before, text, "");
	if (shows_codes && code != CODE_NONE)
		strbuf_printf(&line, " [%s]", code_word(code));
	if (to == stdout)
		charset_fit(&line, 0);
	else
		charset_fit_message(&line);
	fprintf(to, "%s\n", line.text);
	strbuf_clear(&line);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(stderr, "tt-smi: ", CODE_NONE, fmt, ap);
	va_end(ap);
}

void say_result(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(stdout, "", CODE_NONE, fmt, ap);
	va_end(ap);
}

void say_as(enum code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(stderr, "tt-smi: ", code, fmt, ap);
	va_end(ap);
}

void say_error(const struct error *e)
{
	say_as(e->word, "%s", e->text);
}

enum exit_code exit_of_verdict(enum verdict v)
{
	static const enum exit_code codes[VERDICTS] = { [VERDICT_NONE] = EXIT_PARTIAL,
		[VERDICT_INCOMPLETE] = EXIT_PARTIAL, [VERDICT_FAIL] = EXIT_NEGATIVE };

	return codes[v];
}

enum exit_code exit_of_error(int r)
{
	switch (r) {
	case 0:
		return EXIT_DONE;
	case -EINVAL:
		return EXIT_USAGE;
	case -ENODEV:
		return EXIT_NO_DEVICE;
	case -EACCES:
	case -EPERM:
	case -ECANCELED:
		return EXIT_REFUSED;
	default:
		return EXIT_FAILED;
	}
}

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
