/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_npy.c - any bytes as the start of a NumPy file: a shape that is taken has
 * to be the same when it is written and read again.
 */
#include "config.h"
#include "burnin/reference/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct array a = { .n_dims = 0 }, again = a;
	struct error e = { .code = 0 };
	size_t elements = 1, len;
	char head[512];
	long start = npy_parse((const char *)data, size, &a, &e);

	if (start < 0) {
		if (e.code != start || !e.text[0])
			abort();
		return 0;
	}
	for (int i = 0; i < a.n_dims; i++)
		elements *= a.dims[i];
	if ((size_t)start > size || elements != a.elements)
		abort();
	len = npy_put_head(a.dims, a.n_dims, head, sizeof(head));
	if (len % 64 != 0 || npy_parse(head, len, &again, &e) != (long)len ||
		again.n_dims != a.n_dims || again.elements != a.elements ||
		memcmp(again.dims, a.dims, sizeof(a.dims[0]) * (size_t)a.n_dims) != 0)
		abort();
	return 0;
}
