/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/csv_read.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (4 * CSV_LINE_MAX)

struct csv_reader {
	int fd;			/* -1: all of it is in `at` */
	char *own;		/* the buffer of a file */
	const char *at;		/* not yet taken: at[0 .. have-1] */
	size_t have;
	bool ended;		/* no more than `have` will come */
	char name[256];
	uint64_t line, bytes;
	size_t columns;		/* of the first line; 0 before it */
	size_t torn;
	char text[CSV_LINE_MAX + 1];
	const char *cells[CSV_CELL_MAX];
};

int csv_read_open(const char *path, struct csv_reader **out, struct error *e)
{
	int fd = file_open_read(path, e);
	struct csv_reader *r;

	*out = NULL;
	if (fd < 0)
		return fd;
	r = mem_calloc(1, sizeof(*r));
	r->fd = fd;
	r->own = mem_calloc(1, CHUNK);
	r->at = r->own;
	mem_copy_text(r->name, sizeof(r->name), path);
	*out = r;
	return 0;
}

struct csv_reader *csv_read_text(const char *name, const char *text, size_t len)
{
	struct csv_reader *r = mem_calloc(1, sizeof(*r));

	r->fd = -1;
	r->at = text;
	r->have = len;
	r->ended = true;
	mem_copy_text(r->name, sizeof(r->name), name);
	return r;
}

void csv_read_close(struct csv_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->own);
	free(r);
}

/* Read more of the file behind the bytes that are not taken yet; 0 or -errno. */
static int refill(struct csv_reader *r, struct error *e)
{
	ssize_t n;

	memmove(r->own, r->at, r->have);
	r->at = r->own;
	do
		n = read(r->fd, r->own + r->have, CHUNK - r->have);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_errno(e, "%s: cannot read", r->name);
	r->ended = n == 0;
	r->have += (size_t)n;
	return 0;
}

/* Take the next line with its newline.  Returns 1; 0: no whole line is left; or -errno. */
static int take_line(struct csv_reader *r, const char **line, size_t *len, struct error *e)
{
	const char *end = r->have ? memchr(r->at, '\n', r->have) : NULL;
	int err;

	while (!end && !r->ended && r->have < CHUNK) {
		err = refill(r, e);
		if (err < 0)
			return err;
		end = r->have ? memchr(r->at, '\n', r->have) : NULL;
	}
	if (!end && r->ended) {
		r->torn = r->have;
		return 0;
	}
	*line = r->at;
	*len = end ? (size_t)(end - r->at) + 1 : r->have;
	r->at += *len;
	r->have -= *len;
	r->bytes += *len;
	r->line++;
	return 1;
}

/* Strict UTF-8 without control characters, up to the end of the line. */
static bool text_is_clean(const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = utf8_len_printed(text + i);

		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

/* One cell from p on into `to`; returns the comma or end after it, NULL if malformed. */
static const char *take_cell(const char *p, const char *end, char **to)
{
	char *out = *to;

	if (p == end || *p != '"') {
		for (; p < end && *p != ','; p++) {
			if (*p == '"')
				return NULL;
			*out++ = *p;
		}
	} else {
		for (p++;; p++) {
			if (p == end)
				return NULL;
			if (*p == '"' && (++p == end || *p != '"'))
				break;
			*out++ = *p;
		}
		if (p < end && *p != ',')
			return NULL;
	}
	*out++ = '\0';
	*to = out;
	return p;
}

static const char *split(struct csv_reader *r, const char *line, size_t len, size_t *n)
{
	const char *p = line, *end;
	char *to = r->text;

	*n = 0;
	if (len > CSV_LINE_MAX || len < 2 || line[len - 1] != '\n' || line[len - 2] != '\r')
		return "does not end as a line of a dump does";
	end = line + len - 2;
	if (p == end)
		return "is empty";
	if (!text_is_clean(line, len - 2))
		return "is not clean UTF-8 text";
	for (;; p++) {
		if (*n == CSV_CELL_MAX)
			return "has too many cells";
		r->cells[(*n)++] = to;
		p = take_cell(p, end, &to);
		if (!p)
			return "has quotes that do not match";
		if (p == end)
			break;
	}
	return r->columns && *n != r->columns ? "has not as many cells as the header" : NULL;
}

int csv_read_row(struct csv_reader *r, const char *const **cells, size_t *n, struct error *e)
{
	const char *line, *wrong;
	size_t len;
	int got = take_line(r, &line, &len, e);

	if (got <= 0)
		return got;
	wrong = split(r, line, len, n);
	if (wrong)
		return fail(e, -EBADMSG, "%s: line %llu %s", r->name,
			(unsigned long long)r->line, wrong);
	if (!r->columns)
		r->columns = *n;
	*cells = r->cells;
	return 1;
}

size_t csv_read_torn(const struct csv_reader *r)
{
	return r->torn;
}

uint64_t csv_read_bytes(const struct csv_reader *r)
{
	return r->bytes;
}
