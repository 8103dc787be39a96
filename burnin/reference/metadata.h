/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - the description of a reference directory's data, as JSON: a file for
 * each case and type, and two for the whole directory.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "burnin/kernels/case.h"
#include "burnin/reference/sha256.h"

#include <stdbool.h>

/* The card that computed the results, if the host did not. */
struct metadata_card {
	const char *device;	/* "tenstorrent:0" */
	const char *chip, *board, *firmware;	/* firmware "": not known */
	const char *simulator;	/* simulates the chip; NULL: it is silicon */
	const char *cores;	/* "1-1 1-2": those that computed */
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
	bool cases[BURN_CASES];
	bool dtypes[BURN_COMPUTED];	/* no directory has float64 */
};

/* Write m, with the rules by which this program draws inputs and computes outputs. */
void metadata_put(struct strbuf *to, const struct metadata *m);

/*
 * Read a file of metadata_put() or of the guide's PyTorch script.  Hashes are
 * required; shapes, type and channels are checked if they are present.  The caller
 * fills m->c and m->dtype from the file's path.
 */
int metadata_parse(const char *text, size_t len, struct metadata *m, struct error *e);

/* by_card: a card computed the results. */
void metadata_put_config(struct strbuf *to, const struct burn_choice *which, bool by_card);

/*
 * Read which cases and types a config.json lists; *which is empty if another program
 * wrote the file without such lists.  *ours: metadata_put_config() wrote the file;
 * -EBADMSG: it did, but the file was changed since.
 */
int metadata_parse_config(const char *text, size_t len, struct burn_choice *which, bool *ours,
	struct error *e);

void metadata_put_system(struct strbuf *to, const struct metadata_card *card);	/* card: or NULL */
void metadata_put_readme(struct strbuf *to);
