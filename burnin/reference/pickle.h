/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pickle.h - the tensors that a pickle of torch.save() describes: one, or a list or a
 * dictionary of them.
 *
 * A pickle is a program, but here it is read as data.  Only the few opcodes that such a file
 * has are accepted, and only two names may be called: one makes a tensor, the other an ordered
 * dictionary.  Every other opcode or name is refused, and nothing is executed.
 */
#pragma once

#include "base/error.h"
#include "burnin/reference/npy.h"

#include <stdint.h>

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
