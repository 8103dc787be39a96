/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_own.h - a file that decides what the program does.
 */
#pragma once

#include "base/error.h"

/*
 * Open a regular file for reading, and nothing else: no FIFO is waited for, no device opened, no
 * descriptor taken.  Root gets -EPERM where anybody else may write to the file, to a folder of its
 * path or to one that a link of it leads through, or owns one of them.  A folder that all may
 * write to is passed where it is sticky and what is taken from it is root's.
 */
int file_open_own(const char *path, struct error *e);
