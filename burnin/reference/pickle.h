/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pickle.h - the tensors that a pickle of torch.save() describes: one, or a list or a
 * dictionary of them.
 *
 * A pickle is a program.  It is read here as data: the few opcodes that such a file has, of
 * which one makes a tensor and one an ordered dictionary; every other name that it calls, and
 * every other opcode, is refused.  Nothing that it says is executed.
 */
#pragma once

#include "base/error.h"
#include "burnin/reference/array_type.h"

#include <stdint.h>

enum { PICKLE_MOST = 4 << 20, PICKLE_TEXT = 200 };

struct pickle_tensor {
	char name[PICKLE_TEXT];		/* its key or place; "": it is alone */
	char storage[PICKLE_TEXT];	/* the name of the file of its elements */
	enum array_type type;
	uint64_t stored;		/* elements there */
	uint64_t offset;		/* the first; both are in elements */
	int n_dims;
	size_t dims[ARRAY_DIMS], strides[ARRAY_DIMS];
	size_t elements;
};

struct pickle {
	struct pickle_tensor *tensors;
	size_t n;
};

/*
 * -EINVAL: something else is in it, or a tensor lies outside what is stored, or has more
 * elements.  pickle_clear() frees, also after an error.
 */
int pickle_parse(const char *bytes, size_t len, struct pickle *p, struct error *e);
void pickle_clear(struct pickle *p);
