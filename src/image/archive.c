/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.c - every member's name is checked, since a second device.json, a link or a name with
 * ".." could make the loader read another file than the one that is read here.
 */
#include "config.h"
#include "src/image/archive.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/tar.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE_JSON  "unzipped_tti/device.json"
#define JSON_MOST    (16 << 20)
#define MEMBERS_MOST 1000000
#define PATH_MOST    4096

static void note_hostile(struct image_archive *a, const char *path, const char *does)
{
	char plain[80];

	if (a->hostile++ == 0)
		snprintf(a->why, sizeof(a->why), "'%s' %s",
			text_plain(plain, sizeof(plain), path), does);
}

/* Copy path without "." and empty parts.  False: it leads out of its folder. */
static bool normalise(const char *path, char *out, size_t size)
{
	size_t at = 0;

	*out = '\0';
	if (*path == '/' || !*path || strlen(path) >= size)
		return false;
	while (*path) {
		const size_t len = strcspn(path, "/");

		if (len == 2 && strncmp(path, "..", 2) == 0)
			return false;
		if (len > 0 && !(len == 1 && *path == '.'))
			at += (size_t)snprintf(out + at, size - at, "%s%.*s", at ? "/" : "",
				(int)len, path);
		path += len + (path[len] == '/');
	}
	return true;
}

static bool ends_with(const char *path, const char *end)
{
	const size_t len = strlen(path), n = strlen(end);

	return len >= n && strcmp(path + len - n, end) == 0;
}

static int take_json(struct tar_in *t, struct image_archive *a, struct error *e)
{
	struct error inner = { 0 };
	char *text = NULL;
	size_t len = 0;
	int r = tar_in_read(t, JSON_MOST, &text, &len, &inner);

	if (r == 0) {
		r = image_parse(text, len, &a->image, &inner);
		free(text);
	}
	return r < 0 ? fail_because(e, r, &inner, "device.json: %s", inner.text) : 0;
}

static int take_member(struct tar_in *t, const struct tar_member *m, char *path,
	struct image_archive *a, bool *found, struct error *e)
{
	a->members++;
	if (a->members > MEMBERS_MOST)
		return fail(e, -EFBIG, "more than %d members", MEMBERS_MOST);
	if (!normalise(m->path, path, PATH_MOST)) {
		note_hostile(a, m->path, "leads out of its folder");
		return 0;
	}
	if (m->kind == TAR_LINK || m->kind == TAR_OTHER) {
		note_hostile(a, path, m->kind == TAR_LINK ? "is a link" : "is not a file");
		return 0;
	}
	a->pickles += m->kind == TAR_FILE && ends_with(path, ".pkl");
	a->modules += m->kind == TAR_FILE && ends_with(path, ".py");
	if (strcmp(path, DEVICE_JSON) != 0)
		return 0;
	if (m->kind != TAR_FILE || *found) {
		note_hostile(a, path, "stands there twice, or is a folder");
		return 0;
	}
	*found = true;
	return take_json(t, a, e);
}

static int walk_members(struct tar_in *t, struct image_archive *a, struct error *e)
{
	char *path = mem_calloc(1, PATH_MOST);
	struct tar_member m = { 0 };
	bool found = false;
	int r;

	while ((r = tar_in_next(t, &m, e)) > 0) {
		r = take_member(t, &m, path, a, &found, e);
		if (r < 0)
			break;
	}
	free(path);
	if (r == 0 && !found)
		return fail(e, -ENODATA, "there is no file " DEVICE_JSON " in it");
	return r;
}

int image_read(const char *path, struct image_archive *out, struct error *e)
{
	struct error inner = { 0 };
	struct tar_in *t = NULL;
	int fd = file_open_read(path, e), r;

	*out = (struct image_archive){ 0 };
	if (fd < 0)
		return fd;
	r = tar_in_open(&t, fd, &inner);
	if (r == 0) {
		r = walk_members(t, out, &inner);
		tar_in_close(t);
	}
	close(fd);
	if (r == -ELIBACC || r == -ELIBBAD)
		return fail_because(e, r, &inner, "%s", inner.text);
	return r < 0 ? fail_because(e, r, &inner, "%s: %s", path, inner.text) : 0;
}
