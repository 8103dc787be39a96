/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zip.h - the files of a zip archive that are stored uncompressed, for the archives of
 * torch, which compresses nothing.
 *
 * A library would inflate, repair and guess.  Here only the directory defines the files,
 * and an archive is refused if a file is compressed or encrypted, if a name occurs twice,
 * if two files overlap, or if anything follows its end.  Names are compared, and never
 * opened.  Checksums are not verified: torch writes wrong ones if it was asked to.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct zip_file {
	const char *name;	/* not NUL-terminated */
	size_t len;
	uint64_t at, size;	/* its bytes, in the archive */
};

struct zip {
	char *directory;
	struct zip_file *files;	/* sorted by name */
	size_t n;
};

/* -EINVAL: not an archive, or not one as above.  zip_close() frees, also after an error. */
int zip_open(int fd, struct zip *z, struct error *e);
void zip_close(struct zip *z);

/* NULL if there is no file of this name. */
const struct zip_file *zip_find(const struct zip *z, const char *name);
