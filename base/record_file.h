/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_file.h - a small text in the state directory: a first line with its kind and version,
 * lines, and "end".
 *
 * It is replaced as a whole.  Without its end a text is torn, and with another first line it is
 * not ours: neither is used.
 */
#pragma once

#include "base/state.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* One kind of these files, with functions for the struct that it keeps. */
struct record_file {
	const char *head;	/* the first line, with the version: "tt-smi acts 1" */
	size_t max;		/* bytes; a longer file is an error */
	enum state_share share;
	/* Write and parse the lines in between; false: they make no sense, and *to is undefined. */
	void (*put)(const void *from, struct strbuf *to);
	bool (*parse)(char *lines, void *to);
};

/* The same for the whole text; false also if it is torn or not of this kind. */
void record_file_put(const struct record_file *f, const void *from, struct strbuf *to);
bool record_file_parse(const struct record_file *f, const char *text, size_t len, void *to);

/* -EBADMSG: record_file_parse() is false; other -errno: the file cannot be read. */
int record_file_read(const struct record_file *f, const char *path, void *to, struct error *e);
int record_file_write(const struct record_file *f, const char *path, const void *from,
	struct error *e);

/* For parse(): take the next line and end it with a NUL; NULL: there is none. */
char *record_file_line(char **at);
