/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - find a file by its path, and judge who can have put it there.
 *
 * Only root and the user who runs are trusted.  A name is safe if nobody else can have put it on
 * the path: these two own every folder and link on the way, and nobody else may write to a folder.
 * In a sticky folder of theirs, like /tmp, others may write, but what they put there is their own.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum path_use {
	PATH_OWN,	/* to read or run: -EPERM if the file or a name on the way is not safe */
	PATH_NEW,	/* to create: a link as the last name is not followed */
	PATH_WRITE,	/* to create or replace */
	PATH_FOLDER,	/* a folder: missing ones are made, and its last name is "." */
	PATH_BELOW	/* for path_open_below() only */
};

struct path {
	int dir;		/* O_PATH: the folder of the last name; the caller's to close */
	char name[256];		/* the last name */
	struct stat st;		/* what has this name; st_nlink is 0 if nothing has */
	bool is_safe;		/* of the name; false if it was not asked */
	char fault[320];	/* why it is not: "folder 'x' belongs to user 1000" */
};

/*
 * Find a file, which need not exist.  To write, only safe links are followed: else -EACCES.
 * A link in /proc that stands for something without a path is the last name.
 */
int path_find(struct path *p, const char *path, enum path_use use, struct error *e);

/*
 * Open a file below the folder `root`, which no link on its path leaves: "/" and ".." end there.
 * -errno.
 */
int path_open_below(int root, const char *path, int flags);

/*
 * Follow the links of a path whose first `len` bytes are such a folder, in place; 0 or -errno.  A
 * path below "/" stays as it is.
 */
int path_resolve_below(char *path, size_t size, size_t len);

/* openat2() with these flags and this RESOLVE_ mask; -errno. */
int path_open_resolved(int dir, const char *path, int flags, uint64_t resolve);
