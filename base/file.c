/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
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

int file_read_all(const char *path, size_t max, char **text, size_t *len, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0, size = 65536;
	char *buf;
	ssize_t n;

	if (fd < 0)
		return fail_errno(e, "%s: cannot open", path);
	buf = mem_realloc(NULL, size);
	while ((n = read(fd, buf + have, size - have - 1)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (have += (size_t)n) > max)
			break;
		if (size - have < 32768)
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
	close(fd);
	return (int)n;
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

int file_new_open(struct file_new *f, const char *path, bool replace, struct error *e)
{
	struct stat st;

	f->fd = -1;
	f->replace = replace;
	if (strlen(path) >= sizeof(f->path))
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", path);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return fail(e, -EISDIR, "%s: is a folder", path);
	if (!replace && lstat(path, &st) == 0)
		return fail(e, -EEXIST, "%s: exists already", path);
	mem_copy_text(f->path, sizeof(f->path), path);
	snprintf(f->temp, sizeof(f->temp), "%s.%ld.tmp", path, (long)getpid());
	f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (f->fd < 0)
		return fail_errno(e, "%s: cannot create", path);
	return 0;
}

/* The folder's entry must survive a power cut too; a file system that cannot is not an error. */
static void sync_folder(const char *path)
{
	char dir[4096];
	char *slash;
	int fd;

	mem_copy_text(dir, sizeof(dir), path);
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

int file_new_keep(struct file_new *f, struct error *e)
{
	int r = 0;

	if (fsync(f->fd) < 0 && errno != EINVAL && errno != EROFS)
		r = fail_errno(e, "%s: cannot write", f->path);
	if (close(f->fd) < 0 && r == 0)
		r = fail_errno(e, "%s: cannot write", f->path);
	f->fd = -1;
	if (r == 0 && f->replace && rename(f->temp, f->path) < 0)
		r = fail_errno(e, "%s: cannot create", f->path);
	if (r == 0 && !f->replace) {
		/* Unlike rename(), link() never replaces; some file systems have no links. */
		if (link(f->temp, f->path) == 0)
			unlink(f->temp);
		else if (errno == EEXIST || renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->path,
							RENAME_NOREPLACE) < 0)
			r = fail_errno(e, "%s: cannot create", f->path);
	}
	if (r == 0)
		sync_folder(f->path);
	else
		unlink(f->temp);
	return r;
}

void file_new_discard(struct file_new *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	unlink(f->temp);
}

int file_make_dirs(const char *path, struct error *e)
{
	char part[4096];
	struct stat st;

	if (strlen(path) >= sizeof(part))
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", path);
	for (const char *p = path; *p;) {
		p += strspn(p, "/");
		p += strcspn(p, "/");
		mem_copy_text(part, (size_t)(p - path) + 1, path);
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return fail_errno(e, "%s: cannot create folder", part);
	}
	if (stat(path, &st) < 0)
		return fail_errno(e, "%s: cannot use folder", path);
	if (!S_ISDIR(st.st_mode))
		return fail(e, -ENOTDIR, "%s: is not a folder", path);
	return 0;
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
