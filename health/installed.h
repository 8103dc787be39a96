/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * installed.h - which version of a tool is installed, from the files that its installer left: no
 * program is run for it, and nothing is asked of a network.
 */
#pragma once

#include <stdint.h>

/* Of a Debian package, below `root`.  -ENOENT: it is not installed; else: its list cannot be read. */
int installed_package(const char *root, const char *name, uint32_t *version);

/*
 * Of a Python package by the program that is found first in `search` (as PATH): the package stands
 * in the library beside it.  -ENOENT: there is no such program; -ENODATA: its version is not seen.
 */
int installed_python(const char *root, const char *search, const char *program,
	const char *package, uint32_t *version);
