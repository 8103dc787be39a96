/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - the arrays of a file, of any element type that can be compared: NumPy's format,
 * or the tensors that torch.save() wrote.  Anything else is refused with an error that names it.
 *
 * A file's arrays are described when it is opened, and read one by one.
 */
#pragma once

#include "base/error.h"
#include "burnin/kernels/case.h"

#include <stddef.h>
#include <stdint.h>

/* The element types that files may have, and their names in each format. */

enum array_type {
	ARRAY_BOOL, ARRAY_UINT8, ARRAY_INT8, ARRAY_INT16, ARRAY_INT32, ARRAY_INT64,
	ARRAY_FLOAT16, ARRAY_BFLOAT16, ARRAY_FLOAT32, ARRAY_FLOAT64,
	ARRAY_TYPES
};

enum {
	ARRAY_DIMS = 8, ARRAY_NAME = 200,
	ARRAY_READINGS = 64	/* reading all arrays of a file is at most so many times its size */
};

struct array_type_row {
	const char *name;		/* "float32" */
	const char *npy;		/* "<f4"; NULL: NumPy has none */
	const char *torch;		/* "FloatStorage" */
	size_t size;			/* bytes */
	enum burn_dtype as;		/* the type whose ULP apply */
};

extern const struct array_type_row array_types[ARRAY_TYPES];

/* An array of a file.  Its elements are in a storage, which is a part of the file. */
struct array {
	char name[ARRAY_NAME];		/* its key or index; "": it is alone */
	char storage[ARRAY_NAME];	/* of torch: the name of the file with its elements */
	enum array_type type;
	uint64_t at;			/* its storage: offset in the file, in bytes */
	uint64_t stored;		/* elements in its storage */
	uint64_t offset;		/* its first element there */
	int n_dims;
	size_t dims[ARRAY_DIMS], strides[ARRAY_DIMS];
	size_t elements;		/* the product of dims; 1 without dimensions */
};

struct array_file {
	int fd;
	size_t n;
	struct array *arrays;
};

/* A little-endian number of up to 8 bytes. */
uint64_t array_number(const char *from, size_t bytes);

/* file_read_exact() with an error that says why it cannot be read. */
int array_read_at(int fd, void *to, size_t len, uint64_t at, struct error *e);

/*
 * NumPy's file format, as far as reference data needs it: version 1.0 or 2.0, little-endian, C
 * order, the types of array_types[].  Anything else is refused with an error that names it; data is
 * read for float32 only.
 */

enum { NPY_HEAD_MOST = 65536 };

/*
 * Parse the start of a file, and set all but the name and the storage.  Returns the offset of the
 * data, or -EINVAL (-EAGAIN: the header is longer than len).
 */
long npy_parse(const char *bytes, size_t len, struct array *a, struct error *e);

/* Read the start of an open file; check that its data is as long as its shape requires. */
int npy_read_head(int fd, uint64_t file_size, struct array *a, struct error *e);
int npy_check_size(const struct array *a, uint64_t file_size, struct error *e);

/*
 * Read a whole file of float32; the caller frees *values, which is NULL after an error.  The file
 * has to be exactly as long as its shape requires.  If the shape is not dims, returns -EDOM before
 * any data is read.
 */
int npy_read(const char *path, const size_t *dims, int n_dims, float **values, struct error *e);

/* Put the bytes before the data, version 1.0, as NumPy writes them; returns their number. */
size_t npy_put_head(const size_t *dims, int n_dims, char *out, size_t size);

/* Write a file that appears whole or not at all, and that replaces no other file. */
int npy_write(const char *path, const size_t *dims, int n_dims, const float *data, struct error *e);

/*
 * The tensors that a pickle of torch.save() describes: one, or a list or a dictionary of them.
 * A pickle is a program, but here it is read as data.  Only the few opcodes that such a file
 * has are accepted, and only two names may be called: one makes a tensor, the other an ordered
 * dictionary.  Every other opcode or name is refused, and nothing is executed.
 */

enum { PICKLE_MOST = 4 << 20 };

/*
 * Set f->arrays but for their places in the file.  -EINVAL: it holds something else, or a tensor
 * reaches outside its storage or has more elements than that.
 */
int pickle_parse(const char *bytes, size_t len, struct array_file *f, struct error *e);

/* array_close() frees, also after an error: then *f has no arrays.  The error names the file. */
int array_open(const char *path, struct array_file *f, struct error *e);
void array_close(struct array_file *f);

/*
 * Read the elements in C order, each without rounding; the caller frees.  -ERANGE: an integer of
 * 2^53 or more, in either sign, which a double may not hold.
 */
int array_read(const struct array_file *f, size_t i, double **values, struct error *e);
