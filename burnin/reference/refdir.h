/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refdir.h - a directory of reference data, in the layout of the guide's PyTorch
 * script, written by that script or by this program.
 *
 *	DIR/config.json, system_info.json, README.md
 *	DIR/{bfloat16,float32}/k0072_ic008_{conv2d_input,...,matmul_output}.npy
 *	DIR/{bfloat16,float32}/k0072_ic008_metadata.json
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "burnin/kernels/case.h"
#include "burnin/reference/compare.h"
#include "burnin/reference/data.h"
#include "burnin/reference/sha256.h"

#include <stdbool.h>

/* The description of the data, as JSON: a file for each case and type, and two for all. */

/* The card that computed the results, if the host did not. */
struct metadata_card {
	const char *device;	/* "tenstorrent:0" */
	const char *chip, *board, *firmware;	/* firmware "": not known */
	const char *simulator;	/* simulates the chip; NULL: it is silicon */
	const char *cores;	/* "1-1 1-2": those that computed */
	unsigned phases;	/* of fidelity, 4 or 3 */
};

struct metadata {
	const struct burn_case *c;
	enum burn_dtype dtype;
	char hashes[BURN_OPS][BURN_ROLES][SHA256_TEXT];	/* of the inputs; "" if there is none */
	bool our_inputs;	/* drawn by our rule: they can be drawn again and compared */
	bool our_outputs;	/* golden by our rule: they can be computed again, bit for bit */
	const struct metadata_card *card;	/* for writing; NULL: the host computed them */
};

/* The cases and types that a directory has, or that a command works on. */
struct burn_choice {
	uint32_t cases;		/* 1u << a place in burn_cases */
	uint32_t dtypes;	/* 1u << BURN_FLOAT32 ...; no directory has float64 */
};

static inline bool burn_choice_has(const struct burn_choice *which, enum burn_dtype t, int place)
{
	return which->dtypes >> t & which->cases >> place & 1;
}

/* Write m, with the rules by which this program draws inputs and computes outputs. */
void metadata_put(struct strbuf *to, const struct metadata *m);

/*
 * Read a file of metadata_put() or of the guide's PyTorch script.  Hashes are
 * required; shapes, type and channels are checked if they are present.  The caller
 * fills m->c and m->dtype from the file's path.
 */
int metadata_parse(const char *text, size_t len, struct metadata *m, struct error *e);

/* card: it computed the results; or NULL. */
void metadata_put_config(struct strbuf *to, const struct burn_choice *which,
	const struct metadata_card *card);

/*
 * Read which cases and types a config.json lists; *which is empty if another program
 * wrote the file without such lists.  *ours: metadata_put_config() wrote the file;
 * -EBADMSG: it did, but the file was changed since.
 */
int metadata_parse_config(const char *text, size_t len, struct burn_choice *which, bool *ours,
	struct error *e);

void metadata_put_system(struct strbuf *to, const struct metadata_card *card);	/* card: or NULL */
void metadata_put_readme(struct strbuf *to);

enum { REFDIR_PATH = 4096 };

/* The path of an array or, with its name NULL, of the metadata; -ENAMETOOLONG. */
int refdir_path(const char *dir, enum burn_dtype t, const struct burn_case *c, enum burn_op op,
	const char *name, char out[static REFDIR_PATH], struct error *e);

/*
 * Case, operation and type (BURN_DTYPES if the folder names none) of a path like
 * ".../bfloat16/k0072_ic008_conv2d_output.npy".  False if it is not an output of
 * this layout.
 */
bool refdir_parse_output(const char *path, const struct burn_case **c, enum burn_op *op,
	enum burn_dtype *t);

/* Whether there is metadata of this case. */
bool refdir_has(const char *dir, enum burn_dtype t, const struct burn_case *c);

/* Make the folders; -EEXIST if dir exists and is not empty, -ENOSPC if it cannot hold all data. */
int refdir_create(const char *dir, const struct burn_choice *which, struct error *e);

/*
 * Write the files about the whole directory.  Call this last: without config.json the directory
 * is not finished.  card: the card that computed the results; NULL: this program did.
 */
int refdir_finish(const char *dir, const struct burn_choice *which,
	const struct metadata_card *card, struct error *e);

/* Remove the empty folders that refdir_create() made; dir only if it did not exist before. */
void refdir_abandon(const char *dir, bool existed);

/*
 * Compute the golden results of drawn data, unless d has them from a card; hash the inputs; write
 * all files.  *bytes: size of the array data written.
 */
int refdir_write(const char *dir, struct data *d, int threads, const struct metadata_card *card,
	uint64_t *bytes, struct error *e);

/* Read one array; it has to have this shape, and numbers of type t.  The caller frees *values. */
int refdir_read(const char *path, const struct burn_shape *s, enum burn_role role,
	enum burn_dtype t, float **values, struct error *e);

/* Read the arrays of one operation into *d, which data_init() has made; data_clear() frees them. */
int refdir_read_op(const char *dir, struct data *d, enum burn_op op, struct error *e);

/* Whether the case's metadata beside an output follow another rule than ours; -errno: unknown. */
int refdir_is_foreign(const char *output, enum burn_dtype t, const struct burn_case *c);

struct refdir_check {
	struct metadata meta;
	bool hash_ok[BURN_OPS][BURN_ROLES];	/* of the inputs, and of those there are not */
	bool exact;		/* every input is a number that the type has */
	bool drawn_ok;		/* the inputs are those of our rule; only if meta.our_inputs */
	struct compare outputs[BURN_OPS];	/* stored against computed */
	bool stepwise[BURN_OPS];	/* most that are stored are equal to refdir_stepwise()'s */
	size_t odd[BURN_OPS];		/* the others; only if stepwise */
};

/*
 * Read the cases and types that config.json lists.  -ENOENT: there is no config.json, so the
 * directory is another program's or not finished; -EBADMSG: the file is ours, but was changed.
 */
int refdir_lists(const char *dir, struct burn_choice *which, bool *ours, struct error *e);

/* Read a case and compute it again.  A negative verdict is in *out, not in the return value. */
int refdir_verify(const char *dir, enum burn_dtype t, const struct burn_case *c, int threads,
	struct refdir_check *out, struct error *e);

/*
 * Compute the bfloat16 results that PyTorch before 2.1 writes on a processor without AVX-512; the
 * caller frees them.
 */
float *refdir_stepwise(const struct data *d, enum burn_op op, int threads);

/*
 * Outputs by our rule, and stepwise ones, have to be equal; others have to pass compare_passes()
 * with pcc.
 */
bool refdir_passes(const struct refdir_check *c, double pcc);
