/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - when a card is left alone: a lock between processes, which is an flock() on a
 * file that all can open, and a board whose node, if opened, may keep it from powering down.
 */
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Lock an existing file and keep its descriptor in *fd, which is -1 before the
 * first call.  -EBUSY: process *holder has the lock (0 if that cannot be known).
 * If the file has been replaced since it was locked, lock the new one.
 */
int lock_take(const char *path, int *fd, pid_t *holder, struct error *e);

/* The same for a file that only root can open; other users only check whether it is locked. */
int lock_take_roots(const char *path, int *fd, pid_t *holder, struct error *e);

/* Unlock it, also for children that inherited it: the kernel may keep one of them for ever. */
void lock_release(int *fd);

/* Only close it: a child that inherited the lock keeps it until that child ends. */
void lock_leave(int *fd);

/*
 * For root: a process of another user that has the lock, even if inherited; else 0.  Any user may
 * open the file, so one user could keep all others away with it.
 */
pid_t lock_stranger(const char *path);

/* Whether fd is still the file at this path. */
bool lock_is_of(int fd, const char *path);

/*
 * Whether opening a card's node may keep it from powering down.  After the last close of a client
 * that asked for power, the driver waits for a while before it powers a Wormhole down.  Any open
 * within that time cancels the power-down, and closing a passive handle does not schedule it again:
 * the board stays at full clock until the next job (driver-behaviour 11).
 *
 * Returns 0 if the node may be opened; -EINPROGRESS: the board may be about to power
 * down, but sysfs can be read.  To notice that the driver's waiting time is over,
 * call it at intervals below half that time.
 */
int linger_check(struct device *d, struct error *e);

/*
 * Call it after an open that linger_check() allowed.  A job may have ended between the two, so that
 * the open cancelled its power-down.  A vote for no power then makes the driver power the board
 * down at once: a vote is sent to the firmware even if it changes nothing, and the votes of other
 * clients stay (tt-kmd, chardev.c: ioctl_set_power_state()).
 */
void linger_repair(struct device *d);
