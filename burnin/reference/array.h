/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - the arrays of a file, of any element type that comparing takes: NumPy's format,
 * or the tensors that torch.save() wrote.  Everything else is refused by name.
 *
 * A file's arrays are described when it is opened, and read one by one.
 */
#pragma once

#include "base/error.h"
#include "burnin/reference/pickle.h"

struct array {
	struct pickle_tensor t;		/* its name, shape and steps, and where it begins */
	uint64_t at;			/* of its storage: bytes in the file */
};

struct array_file {
	int fd;
	size_t n;
	struct array *arrays;
};

/* array_close() frees, also after an error, which names the file. */
int array_open(const char *path, struct array_file *f, struct error *e);
void array_close(struct array_file *f);

/*
 * The elements in C order, each exactly as it is; the caller frees.  -ERANGE: an integer that
 * a double cannot hold.
 */
int array_read(const struct array_file *f, size_t i, double **values, struct error *e);
