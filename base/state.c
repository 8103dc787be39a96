/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.c - the state directory.
 */
#include "config.h"
#include "base/state.h"
#include "base/file.h"
#include "base/file_new.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *set(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int directory(char *out, size_t size)
{
	const char *own = set("TT_SMI_STATE_DIR"), *xdg = set("XDG_STATE_HOME");
	const char *home = set("HOME");

	if (own)
		return snprintf(out, size, "%s", own);
	if (geteuid() == 0)
		return snprintf(out, size, "/var/lib/tt-smi");
	/* The specification says to ignore a relative XDG_STATE_HOME. */
	if (xdg && *xdg == '/')
		return snprintf(out, size, "%s/tt-smi", xdg);
	return home ? snprintf(out, size, "%s/.local/state/tt-smi", home) : -1;
}

bool state_is_chosen(void)
{
	return set("TT_SMI_STATE_DIR");
}

int state_path(const char *name, char *out, size_t size, struct error *e)
{
	int n = directory(out, size), r, more;

	if (n < 0)
		return fail(e, -ENOENT, "no state directory: neither TT_SMI_STATE_DIR nor"
			" XDG_STATE_HOME nor HOME is set");
	if ((size_t)n >= size)
		return fail(e, -ENAMETOOLONG, "the state directory's name is too long");
	r = file_make_dirs(out, e);
	if (r < 0)
		return r;
	more = snprintf(out + n, size - (size_t)n, "/%s", name);
	if (more < 0 || (size_t)(n + more) >= size)
		return fail(e, -ENAMETOOLONG, "the state directory's name is too long");
	return 0;
}

int state_write(const char *path, const char *data, size_t len, struct error *e)
{
	struct file_new f;
	int r = file_new_open(&f, path, true, e);

	if (r < 0)
		return r;
	file_new_publish(&f);
	return file_new_finish(&f, data, len, e);
}
