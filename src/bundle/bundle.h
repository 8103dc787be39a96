/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bundle.h - a bundle that is being made: what is put in, and what is missing.
 */
#pragma once

#include "base/tar.h"
#include "base/text.h"
#include "src/options.h"
#include "src/session.h"
#include "telemetry/snapshot.h"

struct scrub {
	size_t n;
	struct {
		uint64_t secret, instead;
	} ids[3 * DEVICE_MAX];		/* of a board, and two of a chip */
};

#define BUNDLE_TOP "tt-smi-bundle/"

/* Something that is missing from the bundle, wholly or in part. */
struct bundle_miss {
	enum code code;
	char what[96], why[200];
};

struct bundle {
	const struct options *o;
	struct session *session;
	struct strbuf text;		/* the archive */
	struct tar_out *tar;
	struct scrub scrub;		/* with --external */
	char **paths;			/* of its files and links, below BUNDLE_TOP */
	size_t n_paths;
	struct bundle_miss *missing;
	size_t n_missing;
	struct error error;		/* the first one; nothing more is put in after it */
};

/* Put in a file or a link at a path below BUNDLE_TOP; a path that is there already is skipped. */
void bundle_put(struct bundle *b, const char *path, const void *data, size_t len);

void bundle_miss(struct bundle *b, const char *what, enum code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The parts with their own source files: each puts in what it finds and notes what is missing. */

/* The kernel's files about the cards, as a tree that --root takes.  patience: ns to wait for files
 * that do not answer, for each 64 cards. */
void bundle_put_tree(struct bundle *b, int64_t patience);

/* The kernel's messages about driver and cards. */
void bundle_put_log(struct bundle *b);

/* On a galaxy: its management controller's lists of parts and events, read by `until`
 * (clock_steady()) at the latest. */
void bundle_put_ipmi(struct bundle *b, int64_t until);

/* Collect the serial numbers of boards and chips that were read. */
void scrub_take(struct scrub *s, const struct fleet *f);
