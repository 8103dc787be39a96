/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - one of us at a time: an flock() on a file that all can open.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Take the lock of a file that exists; *fd is where it is kept, -1 before the
 * first time.  -EBUSY: another process has it, *holder, or 0 where that cannot
 * be known.  A lock on a file that has since been replaced is taken anew.
 */
int lock_take(const char *path, int *fd, pid_t *holder, struct error *e);

/* The same of a file that root alone can open.  Others look who has it, and take nothing. */
int lock_take_roots(const char *path, int *fd, pid_t *holder, struct error *e);

/* Give it back: also from children that inherited it, of which the kernel may keep one for good. */
void lock_release(int *fd);

/* Close it: a child that inherited it keeps it until that one ends. */
void lock_leave(int *fd);

/*
 * For root: a process of another user that has the lock, be it by inheritance; else 0.  Anybody
 * may open what is locked, so this is how one user would keep all others away.
 */
pid_t lock_stranger(const char *path);

/* Whether fd is the file that has this name now. */
bool lock_is_of(int fd, const char *path);
