/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_tensors.c - any bytes as a file of torch.save(), and as the pickle in it: what is taken
 * can be read whole, and has no more elements than are stored.
 */
#include "config.h"
#include "burnin/reference/array.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(int r, const struct error *e)
{
	if (r > 0 || (r < 0 && (e->code != r || !e->text[0])))
		abort();
}

static void read_all(const struct array_file *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct error e = { .code = 0 };
		double *values;
		int r = array_read(f, i, &values, &e);

		check_error(r, &e);
		if (r == 0 && f->arrays[i].elements > f->arrays[i].stored)
			abort();
		if (r == 0)
			free(values);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = { .code = 0 };
	struct array_file p = { .fd = -1 };
	struct array_file f;
	char path[40];
	int fd;

	check_error(pickle_parse((const char *)data, size, &p, &e), &e);
	array_close(&p);
	fd = memfd_create("tensors", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	e = (struct error){ .code = 0 };
	check_error(array_open(path, &f, &e), &e);
	read_all(&f);
	array_close(&f);
	close(fd);
	return 0;
}
