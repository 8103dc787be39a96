/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_new.c - a file that is there whole or not at all: written without a name or
 * under a temporary one, synced, and given its name in one step.
 *
 * The code is long because each step has an alternative (a file system without
 * nameless files, a target that is a link or a device, a folder that others may
 * write to), and whether a step is safe depends on which one an earlier step took.
 */
#include "config.h"
#include "base/file_new.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void put_temp_name(char *out, size_t size, const char *name, pid_t pid)
{
	snprintf(out, size, "%.200s.%ld.tmp", name, (long)pid);
}

/*
 * For when the usual temporary name is taken.  Pids repeat across containers, so the file may be
 * a killed process's or in use by a live one with our pid.  So leave it alone.
 */
static void take_other_temp(struct file_new *f)
{
	unsigned other = 0;

	if (getrandom(&other, sizeof(other), GRND_NONBLOCK) != (ssize_t)sizeof(other))
		other = (unsigned)clock_real();
	snprintf(f->temp, sizeof(f->temp), "%.200s.%ld-%08x.tmp", f->name, (long)getpid(), other);
}

static void clear(struct file_new *f, bool replace)
{
	f->fd = f->dir = f->in_place = -1;
	f->replace = replace;
	f->existed = f->stays = f->streams = f->lazy = f->dir_is_lent = f->nameless = false;
}

static void close_all(struct file_new *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->in_place >= 0)
		close(f->in_place);
	if (f->dir >= 0 && !f->dir_is_lent)
		close(f->dir);
	f->fd = f->dir = f->in_place = -1;
}

/* The /proc path through which a nameless file can be linked. */
static bool put_own_path(const struct file_new *f, char *out, size_t size)
{
	snprintf(out, size, "/proc/self/fd/%d", f->fd);
	return access(out, F_OK) == 0;
}

static bool create_nameless(struct file_new *f)
{
	char path[64];

	f->fd = openat(f->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	f->nameless = f->fd >= 0 && put_own_path(f, path, sizeof(path));
	if (f->fd >= 0 && !f->nameless)
		close(f->fd);
	return f->nameless;
}

static int create_named(struct file_new *f)
{
	f->fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0666);
	return f->fd < 0 ? -errno : 0;
}

static int create_temp(struct file_new *f)
{
	int r;

	put_temp_name(f->temp, sizeof(f->temp), f->name, getpid());
	if (create_nameless(f))
		return 0;
	r = create_named(f);
	if (r != -EEXIST)
		return r;
	take_other_temp(f);
	return create_named(f);
}

static void remove_temp(const struct file_new *f)
{
	if (!f->nameless)
		unlinkat(f->dir, f->temp, 0);
}

/* Give the new file the owner, group and mode of the old one; 0 or -errno. */
static int match(int fd, const struct stat *old)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
		fchown(fd, old->st_uid, old->st_gid) < 0)
		return -errno;
	return fchmod(fd, old->st_mode & 07777) < 0 ? -errno : 0;
}

/* Collect the text in memory, and overwrite the file with it at the end. */
static int open_in_place(struct file_new *f, const struct stat *old)
{
	struct stat st;

	f->in_place = openat(f->dir, f->name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->in_place < 0)
		return -errno;
	if (fstat(f->in_place, &st) < 0 || st.st_dev != old->st_dev || st.st_ino != old->st_ino)
		return -ESTALE;
	f->fd = memfd_create("tt-smi", MFD_CLOEXEC);
	return f->fd < 0 ? -errno : 0;
}

/* A container's file is often one; no other file can take its name. */
static bool is_mount_point(const struct file_new *f)
{
	struct statx x;

	return statx(f->dir, f->name, AT_SYMLINK_NOFOLLOW, 0, &x) == 0 &&
		x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* In a sticky folder only root and its owner can replace another user's file. */
static bool may_replace(const struct file_new *f, const struct stat *old)
{
	const uid_t us = geteuid();
	struct stat st;

	return us == 0 || old->st_uid == us || fstat(f->dir, &st) < 0 ||
		!(st.st_mode & S_ISVTX) || st.st_uid == us;
}

/*
 * Another user's file is replaced by one of ours, and so is one of ours to which others can have
 * given this name.
 */
static int open_existing(struct file_new *f, const struct path *p)
{
	const bool has_names = p->st.st_nlink > 1, is_mount = is_mount_point(f);
	int err = is_mount ? -EBUSY : may_replace(f, &p->st) ? 0 : -EPERM;

	f->existed = true;
	if (p->st.st_uid != geteuid() || (has_names && !p->is_safe))
		return err < 0 ? err : create_temp(f);
	f->stays = true;
	err = has_names ? -EMLINK : is_mount ? -EBUSY : create_temp(f);
	if (err == 0) {
		err = match(f->fd, &p->st);
		if (err == 0)
			return 0;
		remove_temp(f);
		close(f->fd);
		f->fd = -1;
	}
	return open_in_place(f, &p->st);
}

/* FIFOs, terminals, and the memory devices that are meant to be written to. */
static bool takes_text(const struct stat *st)
{
	unsigned first = major(st->st_rdev), second = minor(st->st_rdev);

	if (!S_ISCHR(st->st_mode))
		return S_ISFIFO(st->st_mode);
	return (first == 1 && (second == 3 || second == 5 || second == 7)) || first == 4 ||
		first == 5 || (first >= 136 && first <= 143);
}

static int open_stream(struct file_new *f, const struct path *p, struct error *e)
{
	int flags;

	if (!takes_text(&p->st))
		return fail_as(e, CODE_WRONG_KIND, S_ISDIR(p->st.st_mode) ? -EISDIR : -EINVAL,
			"%s: is a %s", f->path, file_kind_name(p->st.st_mode));
	if (!p->is_safe)
		return fail_as(e, CODE_UNSAFE_PATH, -EACCES, "%s: not written to: %s", f->path,
			p->fault);
	f->fd = openat(f->dir, f->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (f->fd < 0 && errno == ENXIO)
		return fail_as(e, CODE_NOT_FOUND, -ENXIO, "%s: no process reads this FIFO",
			f->path);
	flags = f->fd < 0 ? -1 : fcntl(f->fd, F_GETFL);
	if (flags < 0 || fcntl(f->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return fail_errno(e, "%s: cannot open", f->path);
	f->streams = true;
	return 0;
}

static int open_target(struct file_new *f, struct error *e)
{
	struct path p;
	int err;

	f->fd = f->replace ? file_open_given(f->path) : -ENOENT;
	if (f->fd != -ENOENT) {
		f->streams = true;
		return f->fd < 0 ? fail(e, f->fd, "%s: cannot open: %s", f->path, strerror(-f->fd))
				 : 0;
	}
	err = path_find(&p, f->path, f->replace ? PATH_WRITE : PATH_NEW, e);
	if (err < 0)
		return err;
	f->dir = p.dir;
	mem_copy_text(f->name, sizeof(f->name), p.name);
	if (p.st.st_nlink == 0)
		err = create_temp(f);
	else if (!f->replace)
		return fail(e, -EEXIST, "%s: exists already", f->path);
	else if (S_ISREG(p.st.st_mode))
		err = open_existing(f, &p);
	else
		return open_stream(f, &p, e);
	return err < 0 ? fail(e, err, "%s: cannot create: %s", f->path, strerror(-err)) : 0;
}

int file_new_open(struct file_new *f, const char *path, bool replace, struct error *e)
{
	int err;

	clear(f, replace);
	if (strlen(path) >= sizeof(f->path))
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", path);
	mem_copy_text(f->path, sizeof(f->path), path);
	err = open_target(f, e);
	if (err < 0)
		close_all(f);
	return err;
}

int file_new_open_at(struct file_new *f, int dir, const char *dir_name, const char *name,
	bool replace, struct error *e)
{
	struct stat st;
	int err;

	clear(f, replace);
	if (strlen(name) >= sizeof(f->name) ||
		strlen(dir_name) + strlen(name) + 2 > sizeof(f->path))
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", name);
	snprintf(f->path, sizeof(f->path), "%.3800s/%.255s", dir_name, name);
	mem_copy_text(f->name, sizeof(f->name), name);
	if (!replace && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return fail(e, -EEXIST, "%s: exists already", f->path);
	f->dir = dir;
	f->dir_is_lent = true;
	err = create_temp(f);
	if (err < 0) {
		fail(e, err, "%s: cannot create: %s", f->path, strerror(-err));
		close_all(f);
	}
	return err;
}

/* The folder's entry must survive a power cut too.  A failure is not an error. */
static void sync_folder(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int sync_file(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

/* Take the room that this many bytes need, if the file system can; the file stays as it is. */
static int take_room(int fd, off_t size)
{
	struct stat st;
	int err;

	if (size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 || errno == EOPNOTSUPP ||
		errno == ENOSYS || errno == EINVAL || errno == EINTR)
		return 0;
	err = -errno;
	/* Give back what was taken beyond the end. */
	return fstat(fd, &st) == 0 && ftruncate(fd, st.st_size) < 0 ? -errno : err;
}

/* The old text goes only once there is room for the new one. */
static int overwrite(struct file_new *f)
{
	struct stat st;
	char buf[4096];
	off_t at = 0;
	int err = fstat(f->fd, &st) < 0 ? -errno : take_room(f->in_place, st.st_size);

	while (err == 0 && at < st.st_size) {
		const ssize_t n = pread(f->fd, buf, sizeof(buf), at);

		err = n > 0 ? file_write_all(f->in_place, buf, (size_t)n) : n < 0 ? -errno : -EIO;
		at += n;
	}
	if (err == 0 && ftruncate(f->in_place, at) < 0)
		err = -errno;
	if (err == 0 && !f->lazy)
		err = sync_file(f->in_place);
	return err;
}

/* The owner of the folder may have put something else in the temporary file's place. */
static bool temp_is_ours(const struct file_new *f)
{
	struct stat mine, there;

	return fstat(f->fd, &mine) == 0 &&
	       fstatat(f->dir, f->temp, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

static int link_nameless(const struct file_new *f, const char *name)
{
	char path[64];

	return put_own_path(f, path, sizeof(path)) &&
		linkat(AT_FDCWD, path, f->dir, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

/* To replace, rename() needs a temporary name.  Otherwise link() the file to its name. */
static int name_nameless(struct file_new *f)
{
	int r = link_nameless(f, f->replace ? f->temp : f->name);

	if (r == -EEXIST && f->replace) {
		take_other_temp(f);
		r = link_nameless(f, f->temp);
	}
	if (r == 0)
		f->nameless = !f->replace;
	return r;
}

static int give_name(struct file_new *f)
{
	int err = f->lazy ? 0 : sync_file(f->fd);

	if (err == 0 && f->nameless)
		err = name_nameless(f);
	if (err == 0 && !f->nameless && !temp_is_ours(f))
		err = -ESTALE;
	if (close(f->fd) < 0 && err == 0)
		err = -errno;
	f->fd = -1;
	if (err == 0 && f->replace && renameat(f->dir, f->temp, f->dir, f->name) < 0)
		err = -errno;
	if (err == 0 && !f->replace && !f->nameless) {
		/* Unlike rename(), link() never replaces; some file systems have no links. */
		if (linkat(f->dir, f->temp, f->dir, f->name, 0) == 0)
			unlinkat(f->dir, f->temp, 0);
		else if (errno == EEXIST || renameat2(f->dir, f->temp, f->dir, f->name,
							RENAME_NOREPLACE) < 0)
			err = -errno;
	}
	if (err < 0)
		remove_temp(f);
	else if (!f->lazy)
		sync_folder(f->dir);
	return err;
}

int file_new_keep(struct file_new *f, struct error *e)
{
	int err = f->streams ? 0 : f->in_place >= 0 ? overwrite(f) : give_name(f);

	if (err < 0)
		fail(e, err, "%s: cannot write: %s", f->path, strerror(-err));
	close_all(f);
	return err;
}

void file_new_discard(struct file_new *f)
{
	if (f->fd >= 0 && f->in_place < 0 && !f->streams)
		remove_temp(f);
	close_all(f);
}

int file_new_end(struct file_new *f, int written, struct error *e)
{
	if (written == 0)
		return file_new_keep(f, e);
	file_new_discard(f);
	return fail(e, written, "%s: cannot write: %s", f->path, strerror(-written));
}

int file_new_finish(struct file_new *f, const char *data, size_t len, struct error *e)
{
	return file_new_end(f, file_write_all(f->fd, data, len), e);
}

void file_new_publish(const struct file_new *f)
{
	if (!f->streams && !f->stays)
		fchmod(f->fd, FILE_PUBLIC);
}

int file_new_draft(struct file_new *f, const char *data, size_t len, struct error *e)
{
	char path[sizeof(f->path)];
	int r;

	if (f->streams)
		return 0;
	mem_copy_text(path, sizeof(path), f->path);
	r = file_new_finish(f, data, len, e);
	return r < 0 ? r : file_new_open(f, path, true, e);
}

int file_new_write(const char *path, const char *data, size_t len, struct error *e)
{
	struct file_new f;
	int r = file_new_open(&f, path, true, e);

	return r < 0 ? r : file_new_finish(&f, data, len, e);
}

void file_new_sweep_at(int dir, const char *name, pid_t pid)
{
	char temp[256 + 32];

	put_temp_name(temp, sizeof(temp), name, pid);
	unlinkat(dir, temp, 0);
}

void file_new_sweep(const char *path, pid_t pid)
{
	struct path p;

	if (path_find(&p, path, PATH_NEW, NULL) < 0)
		return;
	file_new_sweep_at(p.dir, p.name, pid);
	close(p.dir);
}
