/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*at_end)(void);

void mem_at_end(void (*f)(void))
{
	at_end = f;
}

/* No atexit(): what it would flush or free may be half made. */
static void *need(void *p)
{
	static const char text[] = "tt-smi: out of memory\n";

	if (p)
		return p;
	if (at_end)
		at_end();
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_FAILURE);
}

void *mem_calloc(size_t n, size_t size)
{
	return need(calloc(n ? n : 1, size ? size : 1));
}

void *mem_realloc(void *old, size_t size)
{
	return need(realloc(old, size));
}

void *mem_share(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return need(p == MAP_FAILED ? NULL : p);
}

void mem_unshare(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

char *mem_copy_text(char *dst, size_t size, const char *src)
{
	size_t n = strlen(src);

	if (n > size - 1)
		n = size - 1;
	memcpy(dst, src, n);
	dst[n] = '\0';
	return dst;
}
