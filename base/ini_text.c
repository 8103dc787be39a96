/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ini_text.c - gives libinih one line at a time, so that we know which line it has, and report
 * every bad line, not only the first.  Lines that it would cut or misread (longer than its buffer,
 * with a NUL byte, a heading without an end) never reach it.
 */
#include "config.h"
#include "base/ini_text.h"

#include "base/dl.h"
#include "base/mem.h"

#include <ctype.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NOWHERE "[?]"		/* the section of lines below an invalid heading */

#define INI_FUNCTIONS(F) F(ini_parse_stream)
DL_LIBRARY(DL_INIH, INI_FUNCTIONS)

struct ini_text {
	const char *at, *end;
	size_t line;		/* number of the line that the library has now */
	bool waits;		/* the library must take it: neither a comment nor a heading */
	const struct ini_text_ops *ops;
	void *arg;
};

/* Report the current line if the library should have taken it and did not. */
static void ini_text_settle(struct ini_text *t)
{
	if (t->waits)
		t->ops->trouble(t->arg, t->line, "is neither \"key = value\" nor a [section]");
	t->waits = false;
}

static bool has_control(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == '\x7f')
			return true;
	return false;
}

/* "[name]" with at most a comment after it; the library silently ignores anything else there. */
static bool is_heading(const char *line, size_t len)
{
	const char *end = memchr(line, ']', len), *stop = line + len;

	if (!end || end == line + 1 || memchr(line, ';', (size_t)(end - line)))
		return false;
	for (end++; end < stop && (*end == ' ' || *end == '\t'); end++)
		;
	return end == stop || *end == ';' || *end == '#';
}

/* Why a line cannot be given to the library; NULL if it can. */
static const char *ini_text_flaw(const char *line, size_t len, size_t size)
{
	if (memchr(line, '\0', len))
		return "has a NUL byte";
	if (has_control(line, len))
		return "has a control character";
	/* The library would treat the rest as a separate line. */
	if (len + 2 > size)
		return "is too long";
	return NULL;
}

/* The library's fgets(): copies the next line to `to`; NULL at the end. */
static char *ini_text_next(char *to, int size, void *stream)
{
	struct ini_text *t = stream;
	const char *line = t->at, *stop, *flaw;
	size_t len;

	ini_text_settle(t);
	if (t->at == t->end || size < (int)sizeof(NOWHERE))
		return NULL;
	stop = memchr(line, '\n', (size_t)(t->end - line));
	t->at = stop ? stop + 1 : t->end;
	stop = stop ? stop : t->end;
	if (t->line++ == 0 && stop - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		line += 3;
	/* The library would treat a line with leading blanks as the rest of the line above. */
	while (line < stop && (*line == ' ' || *line == '\t'))
		line++;
	while (line < stop && isspace((unsigned char)stop[-1]))
		stop--;
	len = (size_t)(stop - line);
	to[0] = '\0';
	if (len == 0 || *line == '#' || *line == ';')
		return to;
	flaw = ini_text_flaw(line, len, (size_t)size);
	if (!flaw && *line == '[' && !is_heading(line, len))
		flaw = "is not a [section]";
	if (flaw) {
		t->ops->trouble(t->arg, t->line, flaw);
		/* Lines below an invalid heading must not go to the section before it. */
		snprintf(to, (size_t)size, "%s", *line == '[' ? NOWHERE : "");
		return to;
	}
	/* A tab is a blank, also within a value. */
	for (size_t i = 0; i < len; i++)
		to[i] = line[i] == '\t' ? ' ' : line[i];
	to[len] = '\0';
	t->waits = *line != '[';
	return to;
}

static int ini_text_take(void *user, const char *section, const char *name, const char *value)
{
	struct ini_text *t = user;

	t->waits = false;
	if (strcmp(section, "?") != 0)
		t->ops->take(t->arg, t->line, section, name, value);
	return 1;
}

int ini_text_read(const char *text, size_t len, const struct ini_text_ops *ops, void *arg,
	struct error *e)
{
	struct ini_text t = { .at = text, .end = text + len, .ops = ops, .arg = arg };
	int r = lib_load(e);

	if (r < 0)
		return r;
	lib.ini_parse_stream(ini_text_next, &t, ini_text_take, &t);
	ini_text_settle(&t);
	return 0;
}
