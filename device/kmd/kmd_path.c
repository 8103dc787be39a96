/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_path.c - paths of sysfs below a root.
 *
 * A recorded tree that went through an archive or a checkout without symbolic
 * links has plain files in their place, each holding the link's target.  To
 * read such a tree as well, a path that cannot be opened is walked part by
 * part, following those files.
 */
#include "config.h"
#include "base/file.h"
#include "base/parse.h"
#include "device/kmd/kmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 16	/* more on one path are taken for a loop */

/* Append a part, or go up for "..", but never above the root of `least` bytes. */
static void add_part(char *out, size_t size, size_t least, const char *part, size_t len)
{
	size_t have = strlen(out);

	if (len == 0 || (len == 1 && part[0] == '.'))
		return;
	if (len == 2 && part[0] == '.' && part[1] == '.') {
		char *slash = strrchr(out, '/');

		if (slash && (size_t)(slash - out) >= least)
			*slash = '\0';
		return;
	}
	if (have + 1 + len < size)
		snprintf(out + have, size - have, "/%.*s", (int)len, part);
}

/* If out is a link that became a plain file, put its target in front of the rest of the path. */
static bool follow_plain(char *out, size_t least, char *rest, size_t size)
{
	char target[KMD_PATH];
	size_t have = strlen(rest);
	char *slash = strrchr(out, '/');
	struct stat st;
	ssize_t len;

	if (lstat(out, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	len = file_read_at(AT_FDCWD, out, target, sizeof(target));
	if (len <= 0 || !strchr(target, '/') || (size_t)len + 1 + have >= size)
		return false;
	if (slash && (size_t)(slash - out) >= least)
		*slash = '\0';
	memmove(rest + len + 1, rest, have + 1);
	memcpy(rest, target, (size_t)len);
	rest[len] = '/';
	return true;
}

/* The first `least` bytes of out are the root. */
static int walk_path(char *out, size_t least, size_t size)
{
	char rest[2 * KMD_PATH];
	int links = 0;

	snprintf(rest, sizeof(rest), "%s", out + least);
	out[least] = '\0';
	for (char *p = rest; *p;) {
		size_t len = strcspn(p, "/");
		char *next = p + len + (p[len] == '/');

		add_part(out, size, least, p, len);
		memmove(rest, next, strlen(next) + 1);
		p = rest;
		if (*p && follow_plain(out, least, rest, sizeof(rest)) && ++links > LINKS_MAX)
			return -ELOOP;
	}
	return access(out, F_OK) == 0 ? 0 : -errno;
}

int kmd_path(const char *root, char *out, size_t size, const char *fmt, ...)
{
	size_t len = strlen(root);
	va_list ap;
	int n;

	while (len > 0 && root[len - 1] == '/')
		len--;
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(out, root, len);
	va_start(ap, fmt);
	n = vsnprintf(out + len, size - len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= size - len)
		return -ENAMETOOLONG;
	if (access(out, F_OK) == 0)
		return 0;
	if (len == 0 || errno != ENOTDIR)
		return -errno;
	return walk_path(out, len, size);
}

int kmd_link_name(const char *path, char *name, size_t size)
{
	char target[KMD_PATH];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *slash;

	if (n < 0 && errno == EINVAL)
		n = file_read_at(AT_FDCWD, path, target, sizeof(target));
	else if (n < 0)
		n = -errno;
	if (n < 0)
		return (int)n;
	target[n] = '\0';
	slash = strrchr(target, '/');
	n = snprintf(name, size, "%s", slash ? slash + 1 : target);
	return (size_t)n < size ? 0 : -ENAMETOOLONG;
}

bool kmd_is_number(const char *text, int *out)
{
	uint64_t v;

	if (strchr(text, '\n') || !parse_u64(text, &v) || v > INT_MAX)
		return false;
	*out = (int)v;
	return true;
}
