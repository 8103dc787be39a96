/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/dl.h"

#include "base/array.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

void *dl_open(const char *path, const char **why)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	*why = handle ? NULL : dlerror();
	return handle;
}

const char *dl_fill(void *handle, const struct dl_slot *slots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(handle, slots[i].name);

		if (!f)
			return slots[i].name;
		memcpy(slots[i].to, &f, sizeof(f));
	}
	return NULL;
}

/*
 * Open the first of its libraries that can be loaded; returns its name, or NULL with an error.  To
 * install it helps only where none is there.
 */
static const char *open_library(const struct dl_library *l, void **handle, struct error *e)
{
	char reason[200] = "";
	const char *why;

	for (size_t i = 0; i < ARRAY_LEN(l->sonames) && l->sonames[i]; i++) {
		*handle = dl_open(l->sonames[i], &why);
		if (*handle)
			return l->sonames[i];
		if (!*reason && why && !strstr(why, strerror(ENOENT)))
			mem_copy_text(reason, sizeof(reason), why);
	}
	if (*reason)
		fail(e, -ELIBACC, "cannot load a library of %s %s: %s", l->package, l->purpose,
			reason);
	else
		fail(e, -ELIBACC, "cannot load %s %s: install %s", l->sonames[0], l->purpose,
			l->package);
	return NULL;
}

int dl_load(enum dl_id id, const struct dl_slot *slots, size_t n, struct error *e)
{
	const struct dl_library *l = &dl_libraries[id];
	void *handle;
	const char *name = open_library(l, &handle, e), *missing;

	if (!name)
		return -ELIBACC;
	missing = dl_fill(handle, slots, n);
	if (!missing)
		return 0;
	dlclose(handle);
	return fail(e, -ELIBBAD, "%s has no %s: install a newer %s", name, missing, l->package);
}
