/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, SMALL_PAGE = 4096 };

/* Whole huge pages from 1 MiB on, small pages below. */
static size_t rounded(size_t size)
{
	const size_t page = size >= HUGE_PAGE / 2 ? HUGE_PAGE : SMALL_PAGE;

	return size ? (size + page - 1) / page * page : page;
}

void *pages_alloc(size_t size)
{
	const size_t need = rounded(size);
	const size_t slack = need >= HUGE_PAGE ? HUGE_PAGE : 0;
	char *p;
	size_t head;

	if (size > SIZE_MAX / 2)
		return NULL;
	p = mmap(NULL, need + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!slack)
		return p;
	head = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
	if (head)
		munmap(p, head);
	if (slack - head)
		munmap(p + head + need, slack - head);
	madvise(p + head, need, MADV_HUGEPAGE);
	return p + head;
}

void pages_free(void *p, size_t size)
{
	if (p)
		munmap(p, rounded(size));
}
