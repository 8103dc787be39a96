/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.c - paths are walked by descriptors.  Each name is looked up in the folder that was judged
 * before, so a rename in between cannot swap in something that was not.
 *
 * Most paths have no links, and the kernel finds that out in one call.
 */
#include "config.h"
#include "base/path.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define LINKS_MAX 40

struct walk {
	int top;			/* where "/" leads */
	enum path_use use;
	bool is_refused;		/* a link that is not safe */
	uid_t root;			/* who owns "/": in a user namespace perhaps not 0 */
	bool is_shared;			/* p->dir is sticky, and others may write to it */
	struct path *p;
	char rest[PATH_SIZE], more[PATH_SIZE];
	int links;
};

int path_open_resolved(int dir, const char *path, int flags, uint64_t resolve)
{
	const struct open_how how = { .flags = (unsigned)flags, .resolve = resolve };
	const int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static const char *kind_of(const struct stat *st)
{
	return S_ISLNK(st->st_mode) ? "link" : S_ISDIR(st->st_mode) ? "folder" : "file";
}

/* A group with the user's own number has no other members. */
static bool others_may_write(const struct stat *st)
{
	const bool is_own_group = st->st_gid == geteuid() && st->st_gid != 0;

	return st->st_mode & (is_own_group ? 0002 : 0022);
}

/* The first name on the path that is not safe decides. */
static void judge(struct walk *w, const struct stat *st)
{
	const bool is_link = S_ISLNK(st->st_mode), is_folder = S_ISDIR(st->st_mode);
	const bool is_own = w->use == PATH_OWN;
	struct path *p = w->p;

	if (!p->is_safe)
		return;
	if ((is_link || is_folder || is_own || w->is_shared) && st->st_uid != w->root &&
		st->st_uid != geteuid())
		snprintf(p->fault, sizeof(p->fault), "%s '%s' belongs to user %u", kind_of(st),
			p->name, (unsigned)st->st_uid);
	else if (others_may_write(st) &&
		(is_folder ? !(st->st_mode & S_ISVTX) : is_own && !is_link))
		snprintf(p->fault, sizeof(p->fault), "others may write to %s '%s'", kind_of(st),
			p->name);
	else if (S_ISREG(st->st_mode) && st->st_nlink > 1 && w->is_shared)
		/* Its owner need not be who gave it this name. */
		snprintf(p->fault, sizeof(p->fault), "others may have made file '%s'", p->name);
	p->is_safe = !*p->fault;
}

static int enter(struct walk *w, int fd, const struct stat *st)
{
	if (w->p->dir >= 0)
		close(w->p->dir);
	w->p->dir = fd;
	w->is_shared = others_may_write(st) && st->st_mode & S_ISVTX;
	return 0;
}

static int enter_top(struct walk *w)
{
	const int fd = openat(w->top, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	w->root = st.st_uid;
	mem_copy_text(w->p->name, sizeof(w->p->name), "/");
	judge(w, &st);
	return enter(w, fd, &st);
}

/* Put the link's target in front of the rest. */
static int follow(struct walk *w, int link)
{
	const ssize_t n = readlinkat(link, "", w->more, sizeof(w->more) - 1);

	if (n < 0)
		return -errno;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)n + strlen(w->rest) + 2 > sizeof(w->more))
		return -ENAMETOOLONG;
	w->more[n] = '\0';
	if (*w->rest)
		snprintf(w->more + n, sizeof(w->more) - (size_t)n, "/%s", w->rest);
	memcpy(w->rest, w->more, sizeof(w->rest));
	return w->rest[0] == '/' ? enter_top(w) : 0;
}

/* Move the first name of the rest to p->name; "." if there is none. */
static int take_name(struct walk *w)
{
	const char *from = w->rest + strspn(w->rest, "/");
	const size_t len = strcspn(from, "/");
	struct stat top;

	if (len >= sizeof(w->p->name))
		return -ENAMETOOLONG;
	mem_copy_text(w->p->name, len + 1, len > 0 ? from : ".");
	from += len + strspn(from + len, "/");
	memmove(w->rest, from, strlen(from) + 1);
	/* Nothing is above the top. */
	if (strcmp(w->p->name, "..") == 0 && fstat(w->top, &top) == 0 &&
		fstat(w->p->dir, &w->p->st) == 0 && top.st_dev == w->p->st.st_dev &&
		top.st_ino == w->p->st.st_ino)
		mem_copy_text(w->p->name, sizeof(w->p->name), ".");
	return 0;
}

/* What a link in /proc leads to may have no path, like the pipe of a process: the kernel knows. */
static int open_in_proc(const struct walk *w, struct stat *st)
{
	struct statfs fs;
	int fd = -1;

	if (fstatfs(w->p->dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC)
		fd = openat(w->p->dir, w->p->name, O_PATH | O_CLOEXEC);
	if (fd < 0 || (fstat(fd, st) == 0 && S_ISDIR(st->st_mode) == !!*w->rest &&
		!S_ISREG(st->st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* `fd` is the present name: 0 to go on, 1 if it is the last. */
static int pass(struct walk *w, int *fd)
{
	struct path *p = w->p;
	struct stat st;
	int real;

	if (fstat(*fd, &p->st) < 0)
		return -errno;
	judge(w, &p->st);
	if (S_ISLNK(p->st.st_mode) && (*w->rest || w->use != PATH_NEW)) {
		w->is_refused = !p->is_safe && w->use != PATH_OWN && w->use != PATH_BELOW;
		if (w->is_refused)
			return -EACCES;
		real = open_in_proc(w, &st);
		if (real < 0)
			return follow(w, *fd);
		close(*fd);
		*fd = real;
		p->st = st;
	}
	if (!*w->rest)
		return 1;
	real = *fd;
	*fd = -1;
	return enter(w, real, &p->st);
}

static int step(struct walk *w)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	struct path *p = w->p;
	int r = take_name(w), fd;

	if (r < 0)
		return r;
	p->st = (struct stat){ 0 };
	fd = openat(p->dir, p->name, flags);
	if (fd < 0 && errno == ENOENT && w->use == PATH_FOLDER) {
		if (mkdirat(p->dir, p->name, 0777) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(p->dir, p->name, flags);
	}
	if (fd < 0)
		return errno == ENOENT && !*w->rest ? 1 : -errno;
	r = pass(w, &fd);
	if (fd >= 0)
		close(fd);
	return r;
}

static int walk_path(struct walk *w)
{
	int r = enter_top(w);

	while (r == 0)
		r = step(w);
	return r < 0 ? r : 0;
}

/* Without links, and with nothing at its end whose place matters. */
static bool find_at_once(struct walk *w, const char *path)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	struct path *p = w->p;
	int r;

	if (w->use == PATH_FOLDER)
		last = path + strlen(path);
	if (w->use == PATH_OWN || strlen(last) >= sizeof(p->name) || strlen(path) >= PATH_SIZE)
		return false;
	mem_copy_text(w->rest, (size_t)(last - path) + 1, path);
	p->dir = path_open_resolved(AT_FDCWD, last == path ? "." : w->rest,
		O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (p->dir < 0)
		return false;
	mem_copy_text(p->name, sizeof(p->name), *last ? last : ".");
	r = fstatat(p->dir, p->name, &p->st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
	if (r == -ENOENT)
		p->st = (struct stat){ 0 };
	if (r == -ENOENT || (r == 0 && (w->use != PATH_WRITE || S_ISDIR(p->st.st_mode) ||
		(S_ISREG(p->st.st_mode) && p->st.st_nlink == 1))))
		return true;
	close(p->dir);
	p->dir = -1;
	return false;
}

static int find(struct walk *w, const char *path)
{
	const char *here = "";
	int r;

	if (!*path)
		return -ENOENT;
	if (w->use != PATH_FOLDER && path[strlen(path) - 1] == '/')
		return -EISDIR;
	if (find_at_once(w, path))
		return 0;
	if (*path != '/')
		here = getcwd(w->more, sizeof(w->more));
	if (!here)
		return -errno;
	if ((size_t)snprintf(w->rest, sizeof(w->rest), "%s/%s%s", here, path,
		w->use == PATH_FOLDER ? "/." : "") >= sizeof(w->rest))
		return -ENAMETOOLONG;
	w->top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = w->top < 0 ? -errno : walk_path(w);
	if (w->top >= 0)
		close(w->top);
	return r;
}

int path_find(struct path *p, const char *path, enum path_use use, struct error *e)
{
	static const char *const troubles[] = {
		[PATH_OWN] = "cannot open", [PATH_NEW] = "cannot create",
		[PATH_WRITE] = "cannot create", [PATH_FOLDER] = "cannot use folder"
	};
	struct walk *w = mem_calloc(1, sizeof(*w));
	int r;

	*p = (struct path){ .dir = -1, .is_safe = true };
	w->p = p;
	w->use = use;
	r = find(w, path);
	if (r < 0 && p->dir >= 0)
		close(p->dir);
	if (w->is_refused)
		fail_as(e, CODE_UNSAFE_PATH, r, "%s: link not followed: %s", path, p->fault);
	else if (r < 0)
		fail(e, r, "%s: %s: %s", path, troubles[use], strerror(-r));
	free(w);
	return r;
}

int path_open_below(int root, const char *path, int flags)
{
	struct walk *w;
	struct path p = { .dir = -1 };
	int r, tries = 0;

	/* -EAGAIN: something was renamed meanwhile, anywhere. */
	do
		r = path_open_resolved(root, path, flags, RESOLVE_IN_ROOT);
	while (r == -EAGAIN && tries++ < 100);
	if (r != -ENOSYS && r != -EPERM)
		return r;
	w = mem_calloc(1, sizeof(*w));
	w->top = root;
	w->use = PATH_BELOW;
	w->p = &p;
	r = (size_t)snprintf(w->rest, sizeof(w->rest), "%s", path) < sizeof(w->rest)
		? walk_path(w) : -ENAMETOOLONG;
	if (r == 0)
		r = openat(p.dir, p.name, flags | O_NOFOLLOW);
	if (p.dir >= 0)
		close(p.dir);
	free(w);
	return r == -1 ? -errno : r;
}

/* Where an open file is. */
static int find_place(int fd, char out[static PATH_SIZE])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, out, PATH_SIZE - 1);
	out[n < 0 ? 0 : n] = '\0';
	return n < 0 ? -errno : 0;
}

int path_resolve_below(char *path, size_t size, size_t len)
{
	char (*real)[PATH_SIZE], *top;
	size_t above;
	int root, fd, r;

	if (len <= 1 && path[0] == '/')
		return 0;
	real = mem_calloc(2, sizeof(*real));
	top = real[1];
	mem_copy_text(top, len < PATH_SIZE ? len + 1 : PATH_SIZE, path);
	root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = fd = root < 0 ? -errno : path_open_below(root, path + len, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		r = find_place(fd, real[0]) < 0 || find_place(root, top) < 0 ? -ENOENT : 0;
	above = strcmp(top, "/") == 0 ? 0 : strlen(top);
	if (r == 0 && (strncmp(real[0], top, above) != 0 ||
		(size_t)snprintf(path + len, size - len, "%s", real[0] + above) >= size - len))
		r = -EXDEV;
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	free(real);
	return r;
}
