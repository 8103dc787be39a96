/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - files that are whole or not there, and small files read at once.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Read a small file (sysfs, proc) below dirfd (AT_FDCWD: where we are) into buf,
 * at most size - 1 bytes, ended by NUL.  Returns the length or -errno; a longer file is -EFBIG.
 */
ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size);

/* Read a whole file of up to max bytes; *text is the caller's to free(), ended by NUL. */
int file_read_all(const char *path, size_t max, char **text, size_t *len, struct error *e);

/* A file under a temporary name beside its target; see file_new_open(). */
struct file_new {
	int fd;			/* write here; -1 when not open */
	bool replace;		/* the target may exist and is replaced */
	char path[4096];	/* the target; changed by file_new_keep() if taken and unique */
	char temp[4096 + 32];
};

/*
 * Begin a file that appears whole or not at all.  With replace an existing
 * target is replaced at the end, without it the end fails with -EEXIST.
 */
int file_new_open(struct file_new *f, const char *path, bool replace, struct error *e);

/* Write all of it; short writes are continued. */
int file_write_all(int fd, const char *data, size_t len);

/* fsync, give it its name, fsync the folder; after a failure nothing is left behind. */
int file_new_keep(struct file_new *f, struct error *e);
void file_new_discard(struct file_new *f);

/* mkdir -p; an existing folder is fine. */
int file_make_dirs(const char *path, struct error *e);

/*
 * The first of "stem.ext", "stem-2.ext", "stem-3.ext" ... that does not exist
 * yet.  ext may be empty.  A race is caught later by file_new_keep() or mkdir.
 */
int file_free_name(const char *stem, const char *ext, char *out, size_t size);
