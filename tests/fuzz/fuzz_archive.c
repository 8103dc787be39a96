/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_archive.c - any bytes as the archive of a compiled model: each member's name ends, and its
 * content is no longer than the archive.
 */
#include "config.h"
#include "base/tar.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("archive", MFD_CLOEXEC);
	struct tar_in *t = NULL;
	struct tar_member m;
	struct error e;
	size_t len;
	char *text;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (tar_in_open(&t, fd, &e) == 0) {
		while (tar_in_next(t, &m, &e) > 0)
			if (m.kind == TAR_FILE && tar_in_read(t, 1 << 20, &text, &len, &e) == 0) {
				if (len > size || text[len])
					abort();
				free(text);
			}
		tar_in_close(t);
	}
	close(fd);
	return 0;
}
