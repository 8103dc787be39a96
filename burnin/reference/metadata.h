/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - what a reference directory says of its data, as JSON: a file for
 * each case and type, and two for the whole.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "burnin/kernels/case.h"
#include "burnin/reference/sha256.h"

#include <stdbool.h>

/* What has computed the results, where that is not a host. */
struct metadata_card {
	const char *device;	/* "tenstorrent:0" */
	const char *chip, *board, *firmware;	/* firmware "": not known */
	const char *simulator;	/* what plays the chip; NULL: it is silicon */
	const char *cores;	/* "1-1 1-2": those that computed */
};

struct metadata {
	const struct burn_case *c;
	enum burn_dtype dtype;
	char hashes[BURN_OPS][BURN_ROLES][SHA256_TEXT];	/* of the inputs; "" where there is none */
	bool our_inputs;	/* drawn by our rule: they can be drawn again and compared */
	bool our_outputs;	/* golden by our rule: they can be computed again, bit for bit */
	const struct metadata_card *card;	/* to be written; NULL: the host has computed */
};

/* Which cases and types a directory has or a command is about. */
struct burn_choice {
	bool cases[BURN_CASES];
	bool dtypes[BURN_COMPUTED];	/* float64 is of no directory */
};

/* Names the rules too by which this program draws inputs and computes outputs. */
void metadata_put(struct strbuf *to, const struct metadata *m);

/*
 * Read what metadata_put() or the PyTorch script of the guide wrote: hashes are
 * needed; shapes, type and channels are checked where they are present.  The
 * caller fills m->c and m->dtype from the file's path.
 */
int metadata_parse(const char *text, size_t len, struct metadata *m, struct error *e);

/* by_card: the results are. */
void metadata_put_config(struct strbuf *to, const struct burn_choice *which, bool by_card);

/*
 * Which cases and types a config.json lists; it stands empty for one of another
 * program that has no such lists.  *ours: metadata_put_config() wrote it, and it is
 * as it was then; -EBADMSG: it was changed since.
 */
int metadata_parse_config(const char *text, size_t len, struct burn_choice *which, bool *ours,
	struct error *e);

void metadata_put_system(struct strbuf *to, const struct metadata_card *card);	/* card: or NULL */
void metadata_put_readme(struct strbuf *to);
