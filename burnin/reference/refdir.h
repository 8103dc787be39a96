/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refdir.h - a directory of reference data: the layout of the PyTorch script of
 * the guide, written by it or by us.
 *
 *	DIR/config.json, system_info.json, README.md
 *	DIR/{bfloat16,float32}/k0072_ic008_{conv2d_input,...,matmul_output}.npy
 *	DIR/{bfloat16,float32}/k0072_ic008_metadata.json
 */
#pragma once

#include "base/error.h"
#include "burnin/reference/compare.h"
#include "burnin/reference/data.h"
#include "burnin/reference/metadata.h"

#include <stdbool.h>

enum { REFDIR_PATH = 4096 };

/* The path of an array or, with its name NULL, of the metadata; false if it is too long. */
bool refdir_path(const char *dir, enum burn_dtype t, const struct burn_case *c, enum burn_op op,
	const char *name, char out[static REFDIR_PATH]);

/*
 * Case, operation and type (BURN_DTYPES if the folder names none) of a path like
 * ".../bfloat16/k0072_ic008_conv2d_output.npy".  False if it is not an output of
 * this layout.
 */
bool refdir_parse_output(const char *path, const struct burn_case **c, enum burn_op *op,
	enum burn_dtype *t);

/* Which cases have metadata there; the number of those among wanted. */
int refdir_has(const char *dir, const struct burn_choice *wanted,
	bool has[BURN_DTYPES][BURN_CASES]);

/* Make the folders; -EEXIST when dir is there and not empty, -ENOSPC when it cannot hold all. */
int refdir_create(const char *dir, const struct burn_choice *which, struct error *e);

/*
 * The files about the whole directory.  Write them last: without config.json it is not finished.
 * card: what has computed the results; NULL: we have.
 */
int refdir_finish(const char *dir, const struct burn_choice *which,
	const struct metadata_card *card, struct error *e);

/* Remove the empty folders that refdir_create() has made; dir only where it did not exist. */
void refdir_abandon(const char *dir, bool existed);

/*
 * Golden results of drawn data, unless d has them from a card, its hashes, all its files;
 * *bytes is what was written.
 */
int refdir_write(const char *dir, struct data *d, int threads, const struct metadata_card *card,
	uint64_t *bytes, struct error *e);

/* One array: right shape, and of the type that its folder says.  *values is for free(). */
int refdir_read(const char *path, const struct burn_shape *s, enum burn_role role,
	enum burn_dtype t, float **values, struct error *e);

struct refdir_check {
	struct metadata meta;
	bool hash_ok[BURN_OPS][BURN_ROLES];	/* of the inputs */
	bool exact;		/* every input is a number that the type has */
	bool drawn_ok;		/* the inputs are those of our rule; only if meta.our_inputs */
	struct compare outputs[BURN_OPS];	/* stored against computed */
};

/*
 * The cases and types that config.json says are there.  -ENOENT: there is none, so it is
 * of another program, or not finished; -EBADMSG: it is ours, and was changed.
 */
int refdir_lists(const char *dir, struct burn_choice *which, bool *ours, struct error *e);

/* Read a case and compute it again.  A negative verdict is in *out, not in the return value. */
int refdir_verify(const char *dir, enum burn_dtype t, const struct burn_case *c, int threads,
	struct refdir_check *out, struct error *e);

/* Outputs by our rule have to be equal; others correlate with at least pcc. */
bool refdir_passes(const struct refdir_check *c, double pcc);
