/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.h - page-aligned memory; the kernel is asked for huge pages if it is large.
 */
#pragma once

#include <stddef.h>

/* Zeroed; NULL if there is no memory.  A size of 0 is one page. */
void *pages_alloc(size_t size);
void pages_free(void *p, size_t size);		/* NULL is fine */
