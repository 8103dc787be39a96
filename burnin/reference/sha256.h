/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256.h - the hash of FIPS 180-4.  Sixty lines of our own: a library would be
 * a dependency of every installation for this one use.
 */
#pragma once

#include <stddef.h>

/* 64 hex digits in lower case and a NUL. */
enum { SHA256_TEXT = 65 };

void sha256_text(const void *data, size_t len, char out[static SHA256_TEXT]);
