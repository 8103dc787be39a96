/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_new.h - a file that appears whole or not at all.
 *
 * It has no name until then, so whatever kills this process leaves nothing.  Where
 * the file system has no such files, it is written under a temporary name beside
 * its target and then renamed.
 * Descriptors are held, not names: the owner of the folder may rename or replace
 * things in it at any time and still not direct a write to another file.
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
	bool dir_is_lent;	/* it stays open */
	int in_place;		/* the target itself, when it is overwritten at the end; -1 */
	bool replace;		/* the target may exist and is replaced */
	bool nameless;		/* there is no temporary name yet */
	bool existed;		/* there was a regular file */
	bool streams;		/* to a device, a pipe or a descriptor that was given */
	bool lazy;		/* file_new_keep() leaves the syncing to the kernel */
	char path[4096];	/* for messages */
	char name[256];		/* in the folder */
	char temp[256 + 32];
};

/*
 * Begin a file at path.  Without replace its end fails with -EEXIST when the
 * target exists by then.  With replace:
 *
 * - Symbolic links are followed to the file they name.
 * - Owner, group and mode of an existing file stay.  Where a new file cannot
 *   have them, or the file has several names, it is overwritten at the end.
 * - A FIFO with a reader, a terminal, /dev/null or a descriptor (/dev/stdout,
 *   /dev/fd/N) is written to; other devices and sockets are refused.
 */
int file_new_open(struct file_new *f, const char *path, bool replace, struct error *e);

/*
 * The same for `name` in the folder `dir`, a descriptor that stays the
 * caller's; links are not followed.  dir_name is for messages.
 */
int file_new_open_at(struct file_new *f, int dir, const char *dir_name, const char *name,
	bool replace, struct error *e);

/* Sync, give it its name, sync the folder; a failure leaves nothing. */
int file_new_keep(struct file_new *f, struct error *e);
void file_new_discard(struct file_new *f);

/* Write this, and end it: kept, or discarded where it cannot be written. */
int file_new_finish(struct file_new *f, const char *data, size_t len, struct error *e);

/* All of it at once, with replace. */
int file_new_write(const char *path, const char *data, size_t len, struct error *e);

/* Remove the temporary file that a killed process left for the target `name`. */
void file_new_sweep(int dir, const char *name, pid_t pid);

/*
 * In a folder where everybody may put names, as /tmp, a link counts only if we
 * or the folder's owner made it: the kernel's own rule, where it is on.
 */
bool file_link_is_trusted(int dir, const struct stat *link);
