/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/record_file.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LAST_LINE "end\n"

void record_file_put(const struct record_file *f, const void *from, struct strbuf *to)
{
	strbuf_printf(to, "%s\n", f->head);
	f->put(from, to);
	strbuf_puts(to, LAST_LINE);
}

bool record_file_parse(const struct record_file *f, const char *text, size_t len, void *to)
{
	const size_t head = strlen(f->head) + 1, tail = strlen(LAST_LINE);
	char *lines;
	bool is_good;

	if (len < head + tail || memcmp(text, f->head, head - 1) != 0 || text[head - 1] != '\n' ||
		memcmp(text + len - tail, LAST_LINE, tail) != 0 || text[len - tail - 1] != '\n' ||
		memchr(text, '\0', len))
		return false;
	len -= head + tail;
	lines = mem_calloc(1, len + 1);
	memcpy(lines, text + head, len);
	is_good = f->parse(lines, to);
	free(lines);
	return is_good;
}

int record_file_read(const struct record_file *f, const char *path, void *to, struct error *e)
{
	char *text;
	size_t len;
	int r = state_read(path, f->share, f->max, &text, &len, e);

	if (r < 0)
		return r;
	if (!record_file_parse(f, text, len, to))
		r = fail(e, -EBADMSG, "%s: torn or not ours", path);
	free(text);
	return r;
}

int record_file_write(const struct record_file *f, const char *path, const void *from,
	struct error *e)
{
	struct strbuf text = { 0 };
	int r;

	record_file_put(f, from, &text);
	r = state_write(path, f->share, text.text, text.len, e);
	strbuf_clear(&text);
	return r;
}

char *record_file_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}
