/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/dl.h"

#include "base/array.h"

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

int dl_load(enum dl_id id, const struct dl_slot *slots, size_t n, struct error *e)
{
	const struct dl_library *l = &dl_libraries[id];
	const char *missing, *why;
	void *handle = NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(l->sonames) && l->sonames[i]; i++) {
		handle = dl_open(l->sonames[i], &why);
		if (handle)
			break;
	}
	if (!handle)
		return fail(e, -ELIBACC, "cannot load %s %s: install %s", l->sonames[0],
			l->purpose, l->package);
	missing = dl_fill(handle, slots, n);
	if (!missing)
		return 0;
	dlclose(handle);
	return fail(e, -ELIBBAD, "%s has no %s: install a newer %s", l->sonames[i], missing,
		l->package);
}
