/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar.h - archives through libarchive, which is loaded for the first one.  They are written to
 * memory compressed, and read member by member without ever being unpacked.
 *
 * Errors are -errno, with -ELIBACC and -ELIBBAD as from dl_load().
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct tar_out;

/* Begin an archive, gzip over POSIX tar, in *to, which stays the caller's.  when: the time of its
 * members, in s since 1970. */
int tar_out_open(struct tar_out **t, struct strbuf *to, int64_t when, struct error *e);

/* Add a file that only its owner may read and write, or a symbolic link. */
int tar_out_file(struct tar_out *t, const char *path, const void *data, size_t len,
	struct error *e);
int tar_out_link(struct tar_out *t, const char *path, const char *target, struct error *e);

/* End the archive, after which *to has all of it, and free t.  Call it after an error too. */
int tar_out_close(struct tar_out *t, struct error *e);

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK, TAR_OTHER };

struct tar_member {
	const char *path;	/* unchecked, as in the archive; valid until the next member */
	enum tar_kind kind;	/* TAR_LINK: symbolic or hard */
};

struct tar_in;

/*
 * Read an uncompressed tar from the beginning of a file; fd stays the caller's.  Skipped members
 * are not read.
 */
int tar_in_open(struct tar_in **t, int fd, struct error *e);

/* Go to the next member: 1, 0 at the end, -EBADMSG if the archive is damaged or cut short. */
int tar_in_next(struct tar_in *t, struct tar_member *m, struct error *e);

/* The member's content with a NUL added, the caller's to free(); -EFBIG above max bytes. */
int tar_in_read(struct tar_in *t, size_t max, char **text, size_t *len, struct error *e);

void tar_in_close(struct tar_in *t);
