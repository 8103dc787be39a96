/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leak_roots.c - under AddressSanitizer: where its check for leaks, at the end of a program, looks
 * for pointers.
 *
 * Left alone it reads every global, its own tables of 8 MB among them, and a page that was never
 * touched is made by being read: 2800 page faults at the end of each program, two thirds of
 * the processor time of a short one.  A page that does not exist holds no pointer, so what could be
 * pointers is copied from the writable pages of all modules that do.  It is one root, since for
 * each the check reads the list of all mappings.  Before the end there is none.
 */
#include "config.h"

#include <link.h>
#include <sanitizer/lsan_interface.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define PAGES 512UL	/* looked at at a time */
#define HIGH  48	/* no address has this bit or one above */
/* Where the heap can begin: on x86-64 it is at 0x600000000000, with large blocks above. */
#ifdef __x86_64__
#define LOW (1UL << 44)
#else
#define LOW 1UL
#endif

/* Each program is linked with this one: -u. */
void leak_roots_name(void);

/* Read by the sanitizer when it starts. */
const char *__lsan_default_options(void);

const char *__lsan_default_options(void)
{
	return "use_globals=0";
}

/* What could be pointers. */
static struct {
	uintptr_t *words;
	size_t n, bytes;
} roots;

/* Redzones are read, too. */
__attribute__((no_sanitize_address)) static void add_page(const uintptr_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i] >= LOW && words[i] >> HIGH == 0)
			roots.words[roots.n++] = words[i];
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

	for (uintptr_t at = begin & ~(page - 1); at < end; at += PAGES * page) {
		const size_t left = (end - at + page - 1) / page, n = left < PAGES ? left : PAGES;
		unsigned char exists[PAGES];

		if (all || mincore((void *)at, n * page, exists) < 0)
			memset(exists, 1, n);
		for (size_t i = 0; i < n; i++)
			if (exists[i] & 1)
				add_page((const void *)(at + i * page), page / sizeof(uintptr_t));
	}
}

static void measure_segment(uintptr_t begin, uintptr_t end)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	roots.bytes += end - begin + 2 * page;
}

static int each_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
	void (*const *visit)(uintptr_t begin, uintptr_t end) = arg;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_W)
			(*visit)(info->dlpi_addr + p->p_vaddr,
				info->dlpi_addr + p->p_vaddr + p->p_memsz);
	}
	return 0;
}

/* The check comes after all destructors: what is loaded by now is all that was. */
__attribute__((destructor)) void leak_roots_name(void)
{
	void (*visit)(uintptr_t, uintptr_t) = measure_segment;

	dl_iterate_phdr(each_segment, &visit);
	roots.words = mmap(NULL, roots.bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (roots.words == MAP_FAILED)
		abort();
	visit = add_segment;
	dl_iterate_phdr(each_segment, &visit);
	__lsan_register_root_region(roots.words, roots.n * sizeof(*roots.words));
}
