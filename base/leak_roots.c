/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leak_roots.c - under AddressSanitizer: where its check for leaks, at the end of a program, looks
 * for pointers.
 *
 * Left alone it reads every global, its own tables of 8 MB among them, and a page that was never
 * touched is made by being read: 2800 page faults at the end of each program, two thirds of
 * the processor time of a short one.  A page that does not exist holds no pointer, so the roots
 * are the writable pages of all modules that do.  Before the end there are none.
 */
#include "config.h"

#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define PAGES 512UL	/* looked at at a time */
#define GAP   8UL	/* pages that are read, too: each root costs a look at all mappings */

/* Each program is linked with this one: -u. */
void leak_roots_name(void);

/* Read by the sanitizer when it starts. */
const char *__lsan_default_options(void);

const char *__lsan_default_options(void)
{
	return "use_globals=0";
}

struct run {
	uintptr_t begin, end;	/* pages that exist, and gaps */
};

static void end_run(struct run *r)
{
	if (r->end > r->begin)
		__lsan_register_root_region((const void *)r->begin, r->end - r->begin);
	*r = (struct run){ 0 };
}

static void add_page(struct run *r, uintptr_t at, uintptr_t page)
{
	if (r->end && at - r->end > GAP * page)
		end_run(r);
	if (!r->end)
		r->begin = at;
	r->end = at + page;
}

/* One that is swapped out does not seem to exist, so while any is, all count. */
static bool any_swapped(void)
{
	struct sysinfo s;

	return sysinfo(&s) < 0 || s.freeswap != s.totalswap;
}

static void add_segment(uintptr_t begin, uintptr_t end)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const bool all = any_swapped();
	struct run r = { 0 };

	for (uintptr_t at = begin & ~(page - 1); at < end; at += PAGES * page) {
		const size_t left = (end - at + page - 1) / page, n = left < PAGES ? left : PAGES;
		unsigned char exists[PAGES];

		if (all || mincore((void *)at, n * page, exists) < 0)
			memset(exists, 1, n);
		for (size_t i = 0; i < n; i++)
			if (exists[i] & 1)
				add_page(&r, at + i * page, page);
	}
	end_run(&r);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_W)
			add_segment(info->dlpi_addr + p->p_vaddr,
				info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	return 0;
}

/* The check comes after all destructors: what is loaded by now is all that was. */
__attribute__((destructor)) void leak_roots_name(void)
{
	dl_iterate_phdr(add_module, NULL);
}
