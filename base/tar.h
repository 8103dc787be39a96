/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar.h - archives, by libarchive, which is loaded for the first one: made in memory and
 * compressed, and read member by member without ever unpacking one.
 *
 * Errors of both are -errno; -ELIBACC and -ELIBBAD as of dl_load().
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

struct tar_out;

/* Begin an archive, gzip over POSIX tar, in *to, which stays the caller's.  when: its members'
 * time, in s since 1970. */
int tar_out_open(struct tar_out **t, struct strbuf *to, int64_t when, struct error *e);

/* A file that its owner alone may read, or a symbolic link. */
int tar_out_file(struct tar_out *t, const char *path, const void *data, size_t len,
	struct error *e);
int tar_out_link(struct tar_out *t, const char *path, const char *target, struct error *e);

/* End it; *to has all of it then.  Also after an error. */
int tar_out_close(struct tar_out *t, struct error *e);

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK, TAR_OTHER };

struct tar_member {
	const char *path;	/* as it stands there: anything; valid until the next one */
	enum tar_kind kind;	/* TAR_LINK: symbolic or hard */
};

struct tar_in;

/*
 * Read a tar that is not compressed from a file's beginning; fd stays the caller's.  Members that
 * are passed over are not read.
 */
int tar_in_open(struct tar_in **t, int fd, struct error *e);

/* The next member: 1, 0 at the end, -EBADMSG where the archive is damaged or cut short. */
int tar_in_next(struct tar_in *t, struct tar_member *m, struct error *e);

/* What a file has, ended by NUL, the caller's to free(); -EFBIG for more than max bytes. */
int tar_in_read(struct tar_in *t, size_t max, char **text, size_t *len, struct error *e);

void tar_in_close(struct tar_in *t);
