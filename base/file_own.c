/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_own.c - opens a file that no other user can have written.
 *
 * The path is walked by descriptors.  Each one is checked after it was opened, and the next name
 * is looked up in it, so a rename in between cannot swap in something unchecked.
 */
#include "config.h"
#include "base/file_own.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define LINKS_MAX 40

struct own_walk {
	const char *path;		/* as it was given */
	int dir;			/* O_PATH: the folder that the rest starts from */
	char rest[PATH_SIZE], more[PATH_SIZE], name[256];
	int links;
};

static int open_regular(int dir, const char *name, int flags, const char *path,
	struct error *e)
{
	struct stat st;
	/* Check the type before opening: opening a device may have side effects. */
	int r = fstatat(dir, name, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0), fd = -1;

	if (r == 0 && S_ISREG(st.st_mode)) {
		fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
		r = fd < 0 ? -1 : fstat(fd, &st);
	}
	if (r == 0 && S_ISREG(st.st_mode))
		return fd;
	r = r < 0 ? fail_errno(e, "%s: cannot open", path) :
		fail_as(e, CODE_WRONG_KIND, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL, "%s: is not a "
			"file but a %s", path, file_kind_name(st.st_mode));
	if (fd >= 0)
		close(fd);
	return r;
}

/* 0 if only root can change it, else -EPERM. */
static int judge_owner(const struct own_walk *w, const struct stat *st, struct error *e)
{
	const bool shared = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	if (st->st_uid != 0)
		return fail_as(e, CODE_UNSAFE_PATH, -EPERM, "%s: not read by root: %s '%s' belongs "
			"to user %u", w->path, S_ISLNK(st->st_mode) ? "link" :
			file_kind_name(st->st_mode), w->name, (unsigned)st->st_uid);
	if (S_ISLNK(st->st_mode) || shared || !(st->st_mode & 0022))
		return 0;
	return fail_as(e, CODE_UNSAFE_PATH, -EPERM, "%s: not read by root: others may write to %s "
		"'%s'", w->path, file_kind_name(st->st_mode), w->name);
}

static int open_own_failed(const struct own_walk *w, struct error *e)
{
	return fail_errno(e, "%s: cannot open", w->path);
}

/* Continue in this folder. */
static int enter(struct own_walk *w, int fd)
{
	if (w->dir >= 0)
		close(w->dir);
	w->dir = fd;
	return 0;
}

static int enter_root(struct own_walk *w, struct error *e)
{
	struct stat st;

	mem_copy_text(w->name, sizeof(w->name), "/");
	enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (w->dir < 0 || fstat(w->dir, &st) < 0)
		return open_own_failed(w, e);
	return judge_owner(w, &st, e);
}

/* Put the link's target in front of the rest. */
static int follow_link(struct own_walk *w, int link, struct error *e)
{
	const ssize_t n = readlinkat(link, "", w->more, sizeof(w->more) - 1);

	if (n < 0)
		return open_own_failed(w, e);
	if (++w->links > LINKS_MAX)
		return fail(e, -ELOOP, "%s: cannot open: %s", w->path, strerror(ELOOP));
	if ((size_t)n + strlen(w->rest) + 2 > sizeof(w->more))
		return fail(e, -ENAMETOOLONG, "%s: cannot open: name too long", w->path);
	snprintf(w->more + n, sizeof(w->more) - (size_t)n, "/%s", w->rest);
	memcpy(w->rest, w->more, sizeof(w->rest));
	return w->rest[0] == '/' ? enter_root(w, e) : 0;
}

/* Move the first name of the rest to name; "." if there is none. */
static int take_name(struct own_walk *w, struct error *e)
{
	const char *from = w->rest + strspn(w->rest, "/");
	const size_t len = strcspn(from, "/");

	if (len >= sizeof(w->name))
		return fail(e, -ENAMETOOLONG, "%s: cannot open: name too long", w->path);
	mem_copy_text(w->name, len + 1, len > 0 ? from : ".");
	from += len + strspn(from + len, "/");
	memmove(w->rest, from, strlen(from) + 1);
	return 0;
}

/* Walk one name of the path: 0 to go on, 1 if it is the last and not a link, or -errno. */
static int step(struct own_walk *w, struct error *e)
{
	struct stat st;
	int r = take_name(w, e), fd;

	if (r < 0)
		return r;
	fd = openat(w->dir, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 || fstat(fd, &st) < 0 ? open_own_failed(w, e) : judge_owner(w, &st, e);
	if (r == 0 && !S_ISLNK(st.st_mode) && *w->rest)
		return enter(w, fd);
	if (r == 0)
		r = S_ISLNK(st.st_mode) ? follow_link(w, fd, e) : 1;
	if (fd >= 0)
		close(fd);
	return r;
}

static int open_walked(struct own_walk *w, struct error *e)
{
	struct stat st;
	int r = enter_root(w, e), fd;

	while (r == 0)
		r = step(w, e);
	if (r < 0)
		return r;
	fd = open_regular(w->dir, w->name, O_NOFOLLOW, w->path, e);
	if (fd < 0)
		return fd;
	r = fstat(fd, &st) < 0 ? open_own_failed(w, e) : judge_owner(w, &st, e);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

int file_open_own(const char *path, struct error *e)
{
	struct own_walk *w;
	char *here = NULL;
	int r;

	if (geteuid() != 0)
		return open_regular(AT_FDCWD, path, 0, path, e);
	/* If the file is missing, say only that, not who owns the folders on its path. */
	if (access(path, F_OK) < 0)
		return fail_errno(e, "%s: cannot open", path);
	w = mem_calloc(1, sizeof(*w));
	w->path = path;
	w->dir = -1;
	if (*path != '/')
		here = getcwd(NULL, 0);
	if (strlen(path) + (here ? strlen(here) : 0) + 2 > sizeof(w->rest) ||
		(*path != '/' && !here)) {
		r = fail(e, -ENAMETOOLONG, "%.60s: cannot open: name too long", path);
	} else {
		snprintf(w->rest, sizeof(w->rest), "%s/%s", here ? here : "", path);
		r = open_walked(w, e);
	}
	if (w->dir >= 0)
		close(w->dir);
	free(here);
	free(w);
	return r;
}
