/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - files read at once, written fully, and folders.
 */
#pragma once

#include "base/error.h"
#include "base/file_new.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read a small file (sysfs, proc) below dirfd (AT_FDCWD: where we are) into buf,
 * at most size - 1 bytes, ended by NUL.  Returns the length or -errno; a longer file is -EFBIG.
 */
ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size);

/* Read a whole file of up to max bytes; *text is the caller's to free(), ended by NUL. */
int file_read_all(const char *path, size_t max, char **text, size_t *len, struct error *e);

/* The same of a file that is open; path is for the error. */
int file_read_open(int fd, const char *path, size_t max, char **text, size_t *len,
	struct error *e);

/* The same, and parse() it into `to`; what is wrong in the file begins with its path. */
int file_parse(const char *path, size_t max,
	int (*parse)(const char *text, size_t len, void *to, struct error *e), void *to,
	struct error *e);

/*
 * Open a regular file for reading, or take a descriptor that the path gives
 * (/dev/stdin, /dev/fd/N).  Anything else is refused without waiting for it.
 */
int file_open_read(const char *path, struct error *e);

/*
 * Open a file to add lines to, made where there is none; 0644.  A link is not followed,
 * a FIFO not waited for, and nothing taken but a regular file.
 */
int file_open_append(const char *path, struct error *e);

/*
 * A copy of the descriptor that /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N
 * or /proc/self/fd/N names; -ENOENT for any other path.
 */
int file_open_given(const char *path);

/*
 * An open file of our own on the terminal or pipe that fd is, writes to which
 * never wait: O_NONBLOCK on fd itself would be set for the shell as well.  -1
 * where fd is neither, or cannot be opened again.
 */
int file_open_nowait(int fd);

/* "FIFO", "folder", "device" ... */
const char *file_kind_name(mode_t mode);

/* Read exactly so many bytes from there; -ENODATA: the file ends before. */
int file_read_exact(int fd, void *to, size_t len, uint64_t at);

/* Write all of it; short writes are continued. */
int file_write_all(int fd, const char *data, size_t len);

/* mkdir -p; an existing folder is fine, a link to one too if it is trusted as a file's would be. */
int file_make_dirs(const char *path, struct error *e);

/*
 * The first of "stem.ext", "stem-2.ext", "stem-3.ext" ... that does not exist
 * yet.  ext may be empty.  A race is caught later by file_new_keep() or mkdir.
 */
int file_free_name(const char *stem, const char *ext, char *out, size_t size);
