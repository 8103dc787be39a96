/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_own.h - opening a file that decides what the program does.
 */
#pragma once

#include "base/error.h"

/*
 * Open a regular file for reading.  Never blocks on a FIFO, opens a device or takes a descriptor.
 * Root gets -EPERM if another user owns or can write to the file or any folder on its path,
 * including those that links lead through.  A sticky folder that others can write to is accepted
 * if root owns it and the entry taken from it.
 */
int file_open_own(const char *path, struct error *e);
