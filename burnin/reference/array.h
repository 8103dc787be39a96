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

enum { ARRAY_DIMS = 8 };

struct array_type_row {
	const char *name;		/* "float32" */
	const char *npy;		/* "<f4"; NULL: NumPy has none */
	const char *torch;		/* "FloatStorage" */
	size_t size;			/* bytes */
	enum burn_dtype as;		/* the type whose ULP apply */
};

extern const struct array_type_row array_types[ARRAY_TYPES];

/*
 * NumPy's file format, as far as reference data needs it: version 1.0 or 2.0, little-endian, C
 * order, the types of array_types[].  Anything else is refused with an error that names it; data is
 * read for float32 only.
 */

enum { NPY_DIMS = ARRAY_DIMS, NPY_HEAD_MOST = 65536 };

struct npy {
	enum array_type type;
	int n_dims;
	size_t dims[NPY_DIMS];
	size_t elements;	/* their product; 1 without dimensions */
	float *data;
};

/*
 * Parse the start of a file.  Returns the offset of the data, or -EINVAL
 * (-EAGAIN: the header is longer than len).  a->data is not touched.
 */
long npy_parse(const char *bytes, size_t len, struct npy *a, struct error *e);

/* Read the start of an open file; check that its data is as long as its shape requires. */
int npy_read_head(int fd, uint64_t file_size, struct npy *a, uint64_t *start, struct error *e);
int npy_check_size(const struct npy *a, uint64_t data_size, struct error *e);

/*
 * Read a whole file of float32; npy_clear() frees.  The file has to be exactly as long as its
 * shape requires.  If the shape is not dims, returns -EDOM before any data is read.
 */
int npy_read(const char *path, const size_t *dims, int n_dims, struct npy *a, struct error *e);
void npy_clear(struct npy *a);

/* Put the bytes before the data, version 1.0, as NumPy writes them; returns their number. */
size_t npy_put_head(const size_t *dims, int n_dims, char *out, size_t size);

/* Write a file that appears whole or not at all, and that replaces no other file. */
int npy_write(const char *path, const size_t *dims, int n_dims, const float *data,
	struct error *e);

/*
 * The tensors that a pickle of torch.save() describes: one, or a list or a dictionary of them.
 * A pickle is a program, but here it is read as data.  Only the few opcodes that such a file
 * has are accepted, and only two names may be called: one makes a tensor, the other an ordered
 * dictionary.  Every other opcode or name is refused, and nothing is executed.
 */

enum { PICKLE_MOST = 4 << 20, PICKLE_TEXT = 200 };

struct pickle_tensor {
	char name[PICKLE_TEXT];		/* its key or index; "": a tensor alone */
	char storage[PICKLE_TEXT];	/* the name of the file with its elements */
	enum array_type type;
	uint64_t stored;		/* elements in that file */
	uint64_t offset;		/* its first element there */
	int n_dims;
	size_t dims[ARRAY_DIMS], strides[ARRAY_DIMS];
	size_t elements;
};

struct pickle {
	struct pickle_tensor *tensors;
	size_t n;
};

/*
 * -EINVAL: it holds something else, or a tensor reaches outside its storage or has more
 * elements than that.  pickle_clear() frees, also after an error.
 */
int pickle_parse(const char *bytes, size_t len, struct pickle *p, struct error *e);
void pickle_clear(struct pickle *p);

/* The arrays of a file. */

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
