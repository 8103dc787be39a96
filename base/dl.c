/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/dl.h"

#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/*
 * Every library that is loaded on demand.  Packages, doc/packaging.md and the tests take the list
 * from here (--dump-libraries).
 */
const struct dl_library dl_libraries[DL_LIBRARIES] = {
	[DL_ARCHIVE] = { "Recommends", { "libarchive.so.13" }, "libarchive13",
		"for archives" },
	[DL_CJSON] = { "Depends", { "libcjson.so.1" }, "libcjson1",
		"to read JSON" },
	[DL_CURL] = { "Recommends", { "libcurl.so.4", "libcurl-gnutls.so.4" }, "libcurl4",
		"to ask over HTTP" },
	[DL_INIH] = { "Depends", { "libinih.so.1", "libinih.so.0" }, "libinih1",
		"to read the configuration" },
	[DL_MICROHTTPD] = { "Recommends", { "libmicrohttpd.so.12" }, "libmicrohttpd12",
		"to serve metrics over HTTP" },
	[DL_PCI] = { "Recommends", { "libpci.so.3" }, "libpci3",
		"to list the PCI functions" },
	/* Some systems have terminfo in its own library, others in curses. */
	[DL_TINFO] = { "Depends", { "libtinfo.so.6", "libncursesw.so.6" }, "libtinfo6",
		"to learn what the terminal can do" },
	/* The version of the header we were compiled with; Debian's package name contains it. */
	[DL_XLSXWRITER] = { "Recommends", { "libxlsxwriter.so." XLSX_SOVERSION },
		"libxlsxwriter" XLSX_SOVERSION, "to make the workbook (the CSV files are whole)" },
};

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
