/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - reading and writing files, making folders, and opening a file that must be trusted.
 */
#pragma once

#include "base/error.h"
#include "base/file_new.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read a small file (sysfs, proc) below dirfd, which no link on its path leaves (AT_FDCWD: the
 * current folder, any link), into buf, at most size - 1 bytes, and add a NUL.  Returns the length
 * or -errno; -EFBIG for a longer file.
 */
ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size);

/* Read a whole file of up to max bytes into *text, with a NUL added; the caller frees it. */
int file_read_all(const char *path, size_t max, char **text, size_t *len, struct error *e);

/* The same for an open file; path is for error messages. */
int file_read_open(int fd, const char *path, size_t max, char **text, size_t *len,
	struct error *e);

/* Read a whole file and parse() it into `to`; errors of parse() get the path in front. */
int file_parse(const char *path, size_t max,
	int (*parse)(const char *text, size_t len, void *to, struct error *e), void *to,
	struct error *e);

/*
 * Open a regular file for reading, or copy the descriptor that the path names
 * (/dev/stdin, /dev/fd/N).  Anything else is refused without blocking.
 */
int file_open_read(const char *path, struct error *e);

#define FILE_PUBLIC 0644	/* a mode that others need, whatever the umask */

/*
 * Open a regular file for appending; a missing one is created as FILE_PUBLIC.  Never
 * follows a link, never blocks on a FIFO, and refuses a file that also has another name.
 * `name` is relative to the folder `dir`; path is for messages.
 */
int file_open_append_at(int dir, const char *name, const char *path, struct error *e);

/*
 * A copy of the descriptor that /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N
 * or /proc/self/fd/N names; -ENOENT for any other path.
 */
int file_open_given(const char *path);

/*
 * Open the terminal or pipe behind fd again, for writes that never block:
 * O_NONBLOCK on fd itself would apply to the shell too.  -1 if fd is neither a
 * terminal nor a pipe, or cannot be opened again.
 */
int file_open_nowait(int fd);

/* "FIFO", "folder", "device" ... */
const char *file_kind_name(mode_t mode);

/* Read exactly len bytes from offset `at`; -ENODATA: the file ends before that. */
int file_read_exact(int fd, void *to, size_t len, uint64_t at);

/* Write all of it; short writes are continued. */
int file_write_all(int fd, const char *data, size_t len);

/*
 * Open the folder of path (O_PATH), after mkdir -p.  A link on the way is followed if it is safe
 * (path.h), else -EACCES.
 */
int file_open_folder(const char *path, struct error *e);

/* The same without opening it. */
int file_make_dirs(const char *path, struct error *e);

/* Create a file for appending; -EEXIST if there is one, or a link. */
int file_create(const char *path, struct error *e);

/*
 * The first of "stem.ext", "stem-2.ext", "stem-3.ext" ... that does not exist
 * yet.  ext may be empty.  A race is caught later by file_new_keep() or mkdir.
 */
int file_free_name(const char *stem, const char *ext, char *out, size_t size);

/* Whether both paths lead to the same file, which need not exist if its folder does. */
bool file_is_same(const char *a, const char *b);

/*
 * Open a regular file for reading.  Never blocks on a FIFO, opens a device or takes a descriptor.
 * Root gets -EPERM if another user owns or can write to the file or any folder on its path,
 * including those that links lead through (path.h).
 */
int file_open_own(const char *path, struct error *e);

/*
 * Whether this program can be run, with nobody else's rights, and by root only if nobody else can
 * have put it there; 0 or -errno.
 */
int file_prove_program(const char *path, struct error *e);
