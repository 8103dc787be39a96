/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dl_shim.c - preloaded below the program: libraries that are not installed.
 *
 * DL_MISSING="NAME NAME": dlopen() of these fails, as it does where there is no such file.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int is_missing(const char *name)
{
	const char *list = getenv("DL_MISSING");
	const size_t n = strlen(name);

	for (const char *at = list; at && (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return 1;
	return 0;
}

void *dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int);
	void *f = dlsym(RTLD_NEXT, "dlopen");

	memcpy(&next, &f, sizeof(next));
	return name && is_missing(name) ? NULL : next(name, flags);
}
