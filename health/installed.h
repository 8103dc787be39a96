/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * installed.h - which version of a tool is installed, from the files that its installer left.  No
 * program is run for it, and no network is used.
 */
#pragma once

#include <stdint.h>

/* Of a Debian package below `root`.  -ENOENT: not installed; else: the list cannot be read. */
int installed_package(const char *root, const char *name, uint32_t *version);

/*
 * Of a Python package, from the library beside the first `program` that is found in `search` (in
 * the form of PATH).  -ENOENT: there is no such program; -ENODATA: its version was not found.
 */
int installed_python(const char *root, const char *search, const char *program,
	const char *package, uint32_t *version);
