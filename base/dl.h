/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dl.h - a library that few modes need, loaded when one of them does.  The other modes start
 * without it, and work where it is not installed.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A function of the library, and the pointer to a function that receives its address. */
struct dl_slot {
	const char *name;
	void *to;
};

#define DL_POINTER(name) __typeof__(name) *name;
#define DL_SLOT(name) { #name, &lib.name },

/*
 * The functions of a library in one table, and lib_load(), which loads them at its first call:
 *
 *	#define ARCHIVE_FUNCTIONS(F) F(archive_read_new) F(archive_read_free)
 *	DL_LIBRARY(DL_ARCHIVE, ARCHIVE_FUNCTIONS)
 *	... lib.archive_read_new() ...
 */
#define DL_LIBRARY(id, functions) \
	static struct { \
		functions(DL_POINTER) \
		bool is_loaded; \
	} lib; \
	static int lib_load(struct error *e) \
	{ \
		static const struct dl_slot slots[] = { functions(DL_SLOT) }; \
		const int r = lib.is_loaded ? 0 : \
			dl_load(id, slots, sizeof(slots) / sizeof(*slots), e); \
		lib.is_loaded = r == 0; \
		return r; \
	}

/* In the order of dl_libraries[]. */
enum dl_id {
	DL_ARCHIVE,
	DL_CJSON,
	DL_CURL,
	DL_INIH,
	DL_MICROHTTPD,
	DL_PCI,
	DL_TINFO,
	DL_XLSXWRITER,
	DL_LIBRARIES
};

/* A row of base/dl.c. */
struct dl_library {
	const char *need;		/* how a package names it: "Depends" or "Recommends" */
	const char *sonames[3];		/* tried in this order; ends with NULL */
	const char *package;		/* what to install on Debian */
	const char *purpose;		/* "to list the PCI functions" */
};
extern const struct dl_library dl_libraries[DL_LIBRARIES];

/*
 * Fill all slots, and leave the library open for good.  -ELIBACC: it cannot be loaded; -ELIBBAD:
 * it lacks a function.  Both name its package.
 */
int dl_load(enum dl_id id, const struct dl_slot *slots, size_t n, struct error *e);

/* Open the library at path; NULL on failure, with the reason in *why, which dlerror() owns. */
void *dl_open(const char *path, const char **why);

/* Fill the slots from an open library; returns the first function that it lacks, or NULL. */
const char *dl_fill(void *handle, const struct dl_slot *slots, size_t n);
