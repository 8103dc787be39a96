/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_new.h - a file that appears whole or not at all.
 *
 * It has no name until then, so a killed process leaves nothing behind.  Where the
 * file system has no nameless files, it is written under a temporary name beside
 * its target and then renamed.
 * We hold descriptors, not names, so the owner of the folder cannot redirect a write
 * to another file by renaming or replacing things in it.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct file_new {
	int fd;			/* write here; -1 when not open */
	int dir;		/* the target's folder; -1 when it is not needed */
	bool dir_is_lent;	/* dir is the caller's and stays open */
	int in_place;		/* the target itself, if it is overwritten at the end; else -1 */
	bool replace;		/* the target may exist and is replaced */
	bool nameless;		/* there is no temporary name yet */
	bool existed;		/* the target was a regular file already */
	bool stays;		/* that was ours, whose owner, group and mode stay */
	bool streams;		/* fd is a device, a pipe or a given descriptor */
	bool lazy;		/* file_new_keep() leaves the syncing to the kernel */
	char path[4096];	/* for messages */
	char name[256];		/* in the folder */
	char temp[256 + 32];
};

/*
 * Begin a file at path.  Without replace, this or file_new_keep() fails with
 * -EEXIST if the target exists.  With replace:
 *
 * - Symbolic links are followed to the file they name, if they are safe (path.h).
 * - An existing file of ours keeps its owner, group and mode.  If a new file cannot get
 *   them, or the file has several names, it is overwritten in place at the end.
 * - Another user's file is replaced by a new one of ours, and so is a file with several
 *   names in a folder that others may write to.
 * - A FIFO with a reader, a terminal or /dev/null is written to if it is safe, and so is a
 *   descriptor (/dev/stdout, /dev/fd/N); other devices and sockets are refused.
 */
int file_new_open(struct file_new *f, const char *path, bool replace, struct error *e);

/*
 * The same for `name` in the folder `dir`, a descriptor that stays the caller's.
 * Links are not followed, and owner, group and mode of an existing file are not
 * kept.  dir_name is for messages.
 */
int file_new_open_at(struct file_new *f, int dir, const char *dir_name, const char *name,
	bool replace, struct error *e);

/* Let everybody read the file, if it is new: other users' programs need it, whatever the umask. */
void file_new_publish(const struct file_new *f);

/* Sync the file, give it its name, sync the folder; a new file that fails is removed. */
int file_new_keep(struct file_new *f, struct error *e);
void file_new_discard(struct file_new *f);

/* Keep the file if `written` is 0; else discard it, and fail with this -errno of its write. */
int file_new_end(struct file_new *f, int written, struct error *e);

/* Write data, then file_new_end(). */
int file_new_finish(struct file_new *f, const char *data, size_t len, struct error *e);

/*
 * Keep this much already, for the case that we are killed, and begin the file anew: it was opened
 * with replace.  A stream gets nothing yet.
 */
int file_new_draft(struct file_new *f, const char *data, size_t len, struct error *e);

/* Open with replace, write and keep, all in one call. */
int file_new_write(const char *path, const char *data, size_t len, struct error *e);

/* Remove the temporary file that a killed process left for the target. */
void file_new_sweep(const char *path, pid_t pid);
void file_new_sweep_at(int dir, const char *name, pid_t pid);
