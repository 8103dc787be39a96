/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/file.h"

#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size)
{
	/* Do not block on a FIFO in the file's place. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = dirfd < 0 ? open(path, flags) : path_open_below(dirfd, path, flags);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return dirfd < 0 ? -errno : fd;
	do {
		n = read(fd, buf + len, size - len);
		if (n > 0)
			len += (size_t)n;
	} while ((n > 0 && len < size) || (n < 0 && errno == EINTR));
	if (n < 0)
		n = -errno;
	else if (len == size)
		n = -EFBIG;
	else
		buf[len] = '\0';
	close(fd);
	return n < 0 ? n : (ssize_t)len;
}

int file_open_append_at(int dir, const char *name, const char *path, struct error *e)
{
	const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	struct stat st;
	int fd = openat(dir, name, flags);

	if (fd < 0 && errno == ENOENT) {
		fd = openat(dir, name, flags | O_CREAT | O_EXCL, FILE_PUBLIC);
		if (fd >= 0)
			fchmod(fd, FILE_PUBLIC);
		else if (errno == EEXIST)	/* another process was faster */
			fd = openat(dir, name, flags);
	}
	if (fd < 0)
		return fail_errno(e, "%s: cannot be written", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1)
		return fd;
	close(fd);
	return fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: is not a regular file with one name",
		path);
}

int file_open_given(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
	int given = -1;

	for (int i = 0; i < (int)ARRAY_LEN(names); i++)
		if (strcmp(path, names[i]) == 0)
			given = i;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		size_t len = strlen(folders[i]);
		int64_t n;

		if (strncmp(path, folders[i], len) == 0 && parse_i64(path + len, &n) && n >= 0 &&
			n <= INT_MAX)
			given = (int)n;
	}
	if (given < 0)
		return -ENOENT;
	given = fcntl(given, F_DUPFD_CLOEXEC, 3);
	return given < 0 ? -errno : given;
}

int file_open_nowait(int fd)
{
	char path[64];
	struct stat st;

	if (!isatty(fd) && (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode)))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

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

int file_open_read(const char *path, struct error *e)
{
	const int fd = file_open_given(path);

	if (fd == -ENOENT)
		return open_regular(AT_FDCWD, path, 0, path, e);
	return fd < 0 ? fail(e, fd, "%s: cannot open: %s", path, strerror(-fd)) : fd;
}

const char *file_kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return "file";
	case S_IFDIR: return "folder";
	case S_IFIFO: return "FIFO";
	case S_IFSOCK: return "socket";
	default: return "device";
	}
}

int file_read_open(int fd, const char *path, size_t max, char **text, size_t *len,
	struct error *e)
{
	size_t have = 0, size = 4096;
	char *buf = mem_realloc(NULL, size);
	ssize_t n;

	while ((n = read(fd, buf + have, size - have - 1)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (have += (size_t)n) > max)
			break;
		if (size - have < size / 2)
			buf = mem_realloc(buf, size *= 2);
	}
	if (n == 0) {
		buf[have] = '\0';
		*text = buf;
		*len = have;
	} else {
		n = n < 0 ? fail_errno(e, "%s: cannot read", path)
			  : fail(e, -EFBIG, "%s: larger than %zu bytes", path, max);
		free(buf);
	}
	return (int)n;
}

int file_read_all(const char *path, size_t max, char **text, size_t *len, struct error *e)
{
	const int fd = file_open_read(path, e);
	int r;

	if (fd < 0)
		return fd;
	r = file_read_open(fd, path, max, text, len, e);
	close(fd);
	return r;
}

int file_parse(const char *path, size_t max,
	int (*parse)(const char *text, size_t len, void *to, struct error *e), void *to,
	struct error *e)
{
	struct error why = { 0 };
	char *text;
	size_t len;
	int r = file_read_all(path, max, &text, &len, e);

	if (r < 0)
		return r;
	r = parse(text, len, to, &why);
	free(text);
	return r < 0 ? fail_because(e, r, &why, "%s: %s", path, why.text) : 0;
}

int file_read_exact(int fd, void *to, size_t len, uint64_t at)
{
	char *p = to;

	while (len > 0) {
		ssize_t n = pread(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENODATA;
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_open_folder(const char *path, struct error *e)
{
	struct path p;
	const int r = path_find(&p, path, PATH_FOLDER, e);

	return r < 0 ? r : p.dir;
}

int file_make_dirs(const char *path, struct error *e)
{
	const int fd = file_open_folder(path, e);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int file_create(const char *path, struct error *e)
{
	struct path p;
	int r = path_find(&p, path, PATH_NEW, e), fd;

	if (r < 0)
		return r;
	fd = openat(p.dir, p.name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	r = fd < 0 ? fail_errno(e, "%s: cannot create", path) : fd;
	close(p.dir);
	return r;
}

int file_free_name(const char *stem, const char *ext, char *out, size_t size)
{
	struct stat st;

	for (int i = 1; i < 10000; i++) {
		int n = i == 1 ? snprintf(out, size, "%s%s", stem, ext)
			       : snprintf(out, size, "%s-%d%s", stem, i, ext);

		if (n < 0 || (size_t)n >= size)
			return -ENAMETOOLONG;
		if (lstat(out, &st) < 0)
			return errno == ENOENT ? 0 : -errno;
	}
	return -EEXIST;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool stat_folder(const char *path, struct stat *st)
{
	char folder[PATH_MAX];

	return snprintf(folder, sizeof(folder), "%.*s.", (int)(base_of(path) - path), path) <
		(int)sizeof(folder) && stat(folder, st) == 0;
}

bool file_is_same(const char *a, const char *b)
{
	struct stat x, y;
	const bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;

	if (has_a != has_b)
		return false;
	if (!has_a && (strcmp(base_of(a), base_of(b)) != 0 || !stat_folder(a, &x) ||
		!stat_folder(b, &y)))
		return false;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Find a file for root. */
static int find_own(struct path *p, const char *path, struct error *e)
{
	int r;

	/* If the file is missing, say only that, not who owns the folders on its path. */
	if (access(path, F_OK) < 0)
		return fail_errno(e, "%s: cannot open", path);
	r = path_find(p, path, PATH_OWN, e);
	if (r < 0 || p->is_safe)
		return r;
	close(p->dir);
	return fail_as(e, CODE_UNSAFE_PATH, -EPERM, "%s: not used by root: %s", path, p->fault);
}

int file_open_own(const char *path, struct error *e)
{
	struct path p;
	int r;

	if (geteuid() != 0)
		return open_regular(AT_FDCWD, path, 0, path, e);
	r = find_own(&p, path, e);
	if (r < 0)
		return r;
	r = open_regular(p.dir, p.name, O_NOFOLLOW, path, e);
	close(p.dir);
	return r;
}

int file_prove_program(const char *path, struct error *e)
{
	struct path p;
	struct stat st;
	int r;

	if (path[0] != '/')
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "%s: has to be an absolute path", path);
	if (stat(path, &st) < 0)
		return fail_errno(e, "%s: cannot be run", path);
	if (!S_ISREG(st.st_mode))
		return fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: cannot be run: not a regular file",
			path);
	if (st.st_mode & (S_ISUID | S_ISGID) || getauxval(AT_SECURE))
		return fail_as(e, CODE_UNSAFE_PATH, -EINVAL, "%s: is not run with the rights of "
			"somebody else", path);
	if (access(path, X_OK) < 0)
		return fail_errno(e, "%s: cannot be run", path);
	if (geteuid() != 0)
		return 0;
	r = find_own(&p, path, e);
	if (r == 0)
		close(p.dir);
	return r;
}
