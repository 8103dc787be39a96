/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - where this program keeps files that must survive it: logs of resets, locks, counts.
 *
 * Files are opened relative to a descriptor of the directory, and links in it are never followed.
 * The directory may belong to another user, like that of a service that exports metrics.  Root
 * then uses it with the file system rights of its owner, who therefore cannot make root write
 * anywhere else.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The path of `name` in the state directory, which is created if it is missing:
 * $TT_SMI_STATE_DIR, else for root /var/lib/tt-smi, for others
 * $XDG_STATE_HOME/tt-smi or ~/.local/state/tt-smi.
 */
int state_path(const char *name, char *out, size_t size, struct error *e);

/* The same for files that are useless after a reboot: root has them in /run/tt-smi. */
int state_boot_path(const char *name, char *out, size_t size, struct error *e);

/* Whom a file is for. */
enum state_share {
	STATE_SHARED,	/* everybody may read it: the exporter is another user */
	/*
	 * This user, in this boot: no other user's file is read, no foreign directory is used
	 * (-EPERM: its owner would decide what the file says), and nothing waits for the disk.
	 */
	STATE_OWN
};

/* The directory of a file, while it is used; for code that needs more than the calls below. */
struct state_dir {
	int fd;
	bool is_foreign;	/* root runs, and the directory is another user's */
};

/*
 * Open the directory of `path`.  If it is foreign, this thread has the file system rights of its
 * owner until state_leave(); -EPERM: it cannot have them.
 */
int state_enter(struct state_dir *d, const char *path, enum state_share share, struct error *e);
void state_leave(const struct state_dir *d);

/* Open a regular file for appending; a missing one is created, for everybody to read. */
int state_append(const char *path, struct error *e);

/*
 * Create and lock PATH.lock, a file of its own because state_write() replaces the file at path;
 * wait up to `patience` ns.  Returns a descriptor that holds the lock; -EWOULDBLOCK: another
 * process has it.
 */
int state_lock(const char *path, int64_t patience, struct error *e);

/* Like file_read_all(). */
int state_read(const char *path, enum state_share share, size_t max, char **text, size_t *len,
	struct error *e);

/* Replace a file by a new one. */
int state_write(const char *path, enum state_share share, const char *data, size_t len,
	struct error *e);

#define STATE_BOOT 40

/* The kernel's id of this boot; false: it is unknown, and "". */
bool state_boot_id(char id[static STATE_BOOT]);

/* Whether TT_SMI_STATE_DIR names it: then state of simulated and recorded cards is kept too. */
bool state_is_chosen(void);
