/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*at_end)(void);

static struct {
	void *at;
	size_t size;
} *shared;
static size_t n_shared;

void mem_at_end(void (*f)(void))
{
	at_end = f;
}

/* Skip the atexit() functions: the data that they flush or free may be incomplete. */
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

	need(p == MAP_FAILED ? NULL : p);
	shared = mem_realloc(shared, (n_shared + 1) * sizeof(*shared));
	shared[n_shared].at = p;
	shared[n_shared++].size = size;
	return p;
}

void mem_unshare(void *p, size_t size)
{
	if (!p)
		return;
	munmap(p, size);
	for (size_t i = 0; i < n_shared; i++)
		if (shared[i].at == p) {
			shared[i] = shared[--n_shared];
			break;
		}
	if (n_shared > 0)
		return;
	free(shared);
	shared = NULL;
}

void mem_unshare_others(const void *kept)
{
	for (size_t i = n_shared; i-- > 0;)
		if (shared[i].at != kept)
			mem_unshare(shared[i].at, shared[i].size);
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

char *mem_dup_text(const char *src)
{
	const size_t size = strlen(src) + 1;

	return memcpy(mem_calloc(1, size), src, size);
}
