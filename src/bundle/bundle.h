/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bundle.h - a bundle that is being made: what is put in, and what is missing.
 */
#pragma once

#include "base/child.h"
#include "base/tar.h"
#include "base/text.h"
#include "src/options.h"
#include "src/session.h"
#include "telemetry/snapshot.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define BUNDLE_TOP "tt-smi-bundle/"

/* Something that is missing from the bundle, wholly or in part. */
struct bundle_miss {
	enum code code;
	char what[96], why[200];
};

struct bundle_path {
	char *path;		/* below BUNDLE_TOP */
	bool is_in;
	size_t lines;		/* left out by --external */
};

struct bundle {
	const struct options *o;
	struct session *session;
	struct strbuf text;		/* the archive */
	struct tar_out *tar;
	size_t unlisted;		/* files that no list names, with --external */
	struct bundle_path *paths;	/* of its files and links */
	size_t n_paths;
	struct bundle_miss *missing;
	size_t n_missing;
	struct error error;		/* the first one; nothing more is put in after it */
};

/* Put in a file or a link at a path below BUNDLE_TOP; a path that is there already is skipped. */
void bundle_put(struct bundle *b, const char *path, const void *data, size_t len);
void bundle_put_text(struct bundle *b, const char *path, struct strbuf *text);	/* and clear it */

void bundle_miss(struct bundle *b, const char *what, enum code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The parts: each puts in what it finds and notes what is missing. */

/* The kernel's files about the cards, as a tree that --root takes.  patience: ns to wait for files
 * that do not answer, for each 64 cards. */
void bundle_put_tree(struct bundle *b, int64_t patience);

/* The kernel's messages about driver and cards. */
void bundle_put_log(struct bundle *b);

/* Those of the messages of /dev/kmsg in this text, which strtok_r() cuts. */
void bundle_put_messages(struct strbuf *to, const struct fleet *f, char *record);

/* On a galaxy: its management controller's lists of parts and events, read by `until`
 * (clock_steady()) at the latest. */
void bundle_put_ipmi(struct bundle *b, int64_t until);

/*
 * Files of one card (or of the host), read by a separate process, which a dead card may block for
 * ever.  Each file is handed over in shared memory as soon as it is read.  No link is followed to
 * read a file: the folders are resolved once, and must be below the root.
 */

struct sheet_shared {
	atomic_size_t used;
	atomic_bool is_done, is_cut;	/* all files were read; some did not fit */
	char now[PATH_MAX];		/* being read; "" before the first and after the last */
	char bytes[512 << 10];
};

struct sheet {
	struct child child;
	struct sheet_shared *shared;
	size_t at;		/* bytes handed over */
	char *root, bdf[16];	/* bdf "": the host's files */
	int node;
};

/*
 * Begin to read the files of this card's PCI function, of the bridges above it, and of its node.
 * NULL: those that belong to no card.
 */
int sheet_start(struct sheet **s, const char *root, const struct device *card, struct error *e);

enum sheet_kind { SHEET_FILE, SHEET_LINK, SHEET_ERROR };	/* the last two have text as data */

/*
 * Get the next entry, each once: true, with a path below the root and its data, which both lie in
 * the sheet; false if there is none yet.  Can be called at any time, and gives all entries once the
 * process has ended.
 */
bool sheet_next(struct sheet *s, enum sheet_kind *kind, const char **path, const char **data,
	size_t *len);

/* To be called only once its process has ended or was given up. */
void sheet_free(struct sheet *s);
