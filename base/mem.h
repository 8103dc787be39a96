/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem.h - allocation that never fails.  Running out of memory ends the program
 * with a message and exit code 1; callers need no check.
 */
#pragma once

#include <stddef.h>

/* f is called before the program ends for lack of memory, to restore the terminal; NULL: none. */
void mem_at_end(void (*f)(void));

/* n * size zeroed bytes; free() frees. */
void *mem_calloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));

/* realloc() that does not fail; size is not 0. */
void *mem_realloc(void *old, size_t size) __attribute__((returns_nonnull));

/*
 * Zeroed bytes that stay shared with child processes forked later.  The pages
 * cost nothing until touched.  mem_unshare() gives them back.
 */
void *mem_share(size_t size) __attribute__((returns_nonnull));
void mem_unshare(void *p, size_t size);

/* For a child that could do harm: unmaps all shared memory except `kept`. */
void mem_unshare_others(const void *kept);

/* Copy a string into a buffer, cut to fit, always NUL-terminated; returns dst. */
char *mem_copy_text(char *dst, size_t size, const char *src);

/* A copy of src; free() frees. */
char *mem_dup_text(const char *src) __attribute__((malloc, returns_nonnull));

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
