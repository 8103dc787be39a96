/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array_type.h - the element types that files of arrays may have, and their names in each format.
 */
#pragma once

#include "burnin/kernels/case.h"

#include <stddef.h>

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
