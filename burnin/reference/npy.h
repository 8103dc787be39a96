/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * npy.h - NumPy's file format, as far as reference data needs it: version 1.0 or
 * 2.0, little-endian, C order, the types of array_type.h.  Everything else is refused by
 * name; data is of float32 alone.
 */
#pragma once

#include "base/error.h"
#include "burnin/reference/array_type.h"

#include <stddef.h>
#include <stdint.h>

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
 * (-EAGAIN: the header is longer than len).  data is left alone.
 */
long npy_parse(const char *bytes, size_t len, struct npy *a, struct error *e);

/* The start of an open file, and whether what follows it is as long as its shape says. */
int npy_read_head(int fd, uint64_t file_size, struct npy *a, uint64_t *start, struct error *e);
int npy_check_size(const struct npy *a, uint64_t data_size, struct error *e);

/*
 * Read a file whole, of float32; npy_clear() frees.  It is exactly as long as its shape says, and
 * that is dims, or -EDOM before anything is read of the data.
 */
int npy_read(const char *path, const size_t *dims, int n_dims, struct npy *a, struct error *e);
void npy_clear(struct npy *a);

/* The bytes before the data, version 1.0, as NumPy writes them; returns their number. */
size_t npy_put_head(const size_t *dims, int n_dims, char *out, size_t size);

/* Write a file that appears whole or not at all, and replaces nothing. */
int npy_write(const char *path, const size_t *dims, int n_dims, const float *data,
	struct error *e);
