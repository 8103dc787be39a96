/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - the arrays of a file, of any element type that can be compared: NumPy's format,
 * or the tensors that torch.save() wrote.  Anything else is refused with an error that names it.
 *
 * A file's arrays are described when it is opened, and read one by one.
 */
#pragma once

#include "base/error.h"
#include "burnin/reference/pickle.h"

struct array {
	struct pickle_tensor t;		/* its name, shape, strides, and offset in its storage */
	uint64_t at;			/* its storage: offset in the file, in bytes */
};

struct array_file {
	int fd;
	size_t n;
	struct array *arrays;
};

/* array_close() frees, also after an error.  The error names the file. */
int array_open(const char *path, struct array_file *f, struct error *e);
void array_close(struct array_file *f);

/*
 * Read the elements in C order, each without rounding; the caller frees.  -ERANGE: an integer of
 * 2^53 or more, in either sign, which a double may not hold.
 */
int array_read(const struct array_file *f, size_t i, double **values, struct error *e);
