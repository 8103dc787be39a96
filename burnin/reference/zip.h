/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zip.h - the files of a zip archive that are stored as they are, for torch's, which
 * compress nothing.
 *
 * A library would inflate, repair and guess; here an archive that is not exactly one is
 * refused: by its directory alone, nothing compressed or encrypted, no name twice, no two
 * files over each other, nothing behind its end.  Names are compared and never opened.
 * Checksums are left alone: torch writes wrong ones where it was asked to.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct zip_file {
	const char *name;	/* not ended */
	size_t len;
	uint64_t at, size;	/* its bytes, in the archive */
};

struct zip {
	char *directory;
	struct zip_file *files;	/* by name */
	size_t n;
};

/* -EINVAL: it is none, or not as it has to be.  zip_close() frees, also after an error. */
int zip_open(int fd, struct zip *z, struct error *e);
void zip_close(struct zip *z);

/* NULL: there is none of this name. */
const struct zip_file *zip_find(const struct zip *z, const char *name);
