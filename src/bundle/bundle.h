/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bundle.h - a bundle while it is made: what is put in, and what could not be had.
 */
#pragma once

#include "base/tar.h"
#include "src/bundle/scrub.h"
#include "src/options.h"
#include "src/session.h"

#define BUNDLE_TOP "tt-smi-bundle/"

/* Something that is not in it, or not all of it. */
struct bundle_miss {
	char what[96], why[200];
};

struct bundle {
	const struct options *o;
	struct session *session;
	struct strbuf text;		/* the archive */
	struct tar_out *tar;
	struct scrub scrub;		/* with --external */
	char **paths;			/* that it has, below BUNDLE_TOP */
	size_t n_paths;
	struct bundle_miss *missing;
	size_t n_missing;
	struct error error;		/* the first; nothing more is put in then */
};

/* A file or a link of the bundle, named from its top; the first one of a name counts. */
void bundle_put(struct bundle *b, const char *path, const void *data, size_t len);
void bundle_put_link(struct bundle *b, const char *path, const char *target);

void bundle_miss(struct bundle *b, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The parts that have a file of their own here: what each finds, and what is missing. */

/* The kernel's files that the cards are known by, as a tree that --root takes.  patience: ns for
 * cards whose files do not answer, 64 at a time. */
void bundle_put_tree(struct bundle *b, int64_t patience);

/* What the kernel logged of driver and cards. */
void bundle_put_log(struct bundle *b);

/* Of a galaxy: what its management controller says of its parts and of what happened, until then
 * (clock_steady()) at the latest. */
void bundle_put_ipmi(struct bundle *b, int64_t until);
