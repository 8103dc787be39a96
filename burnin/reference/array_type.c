/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/array_type.h"

const struct array_type_row array_types[ARRAY_TYPES] = {
	[ARRAY_BOOL] = { "bool", "|b1", "BoolStorage", 1, BURN_INTEGER },
	[ARRAY_UINT8] = { "uint8", "|u1", "ByteStorage", 1, BURN_INTEGER },
	[ARRAY_INT8] = { "int8", "|i1", "CharStorage", 1, BURN_INTEGER },
	[ARRAY_INT16] = { "int16", "<i2", "ShortStorage", 2, BURN_INTEGER },
	[ARRAY_INT32] = { "int32", "<i4", "IntStorage", 4, BURN_INTEGER },
	[ARRAY_INT64] = { "int64", "<i8", "LongStorage", 8, BURN_INTEGER },
	[ARRAY_FLOAT16] = { "float16", "<f2", "HalfStorage", 2, BURN_FLOAT16 },
	[ARRAY_BFLOAT16] = { "bfloat16", NULL, "BFloat16Storage", 2, BURN_BFLOAT16 },
	[ARRAY_FLOAT32] = { "float32", "<f4", "FloatStorage", 4, BURN_FLOAT32 },
	[ARRAY_FLOAT64] = { "float64", "<f8", "DoubleStorage", 8, BURN_FLOAT64 },
};
