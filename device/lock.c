/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.c - a lock that the kernel releases when its holder ends for whatever
 * reason, and a board that is about to power down.
 */
#include "config.h"
#include "device/lock.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/bus.h"
#include "device/kind.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Leave alone a board that is above its idle clock and not held, until it is idle or held, or has
 * been seen like that for longer than the driver waits.
 */

#define MARGIN CLOCK_SECOND	/* added to the driver's time */

struct linger {
	int64_t since, last;	/* first and last seen above idle and not held; 0: never */
};

static bool is_above_idle(struct device *d)
{
	char text[ATTR_TEXT];
	ssize_t n = d->ops->attr ? d->ops->attr(d, ATTR_TT_AICLK, text, sizeof(text)) : -ENOENT;
	uint64_t mhz;

	if (n <= 0)
		return false;	/* firmware that reports no clock has no power states */
	/* 65535 is a clock without a limit, which the firmware does not measure. */
	return parse_u64(text, &mhz) && mhz > kind_of(d->chip)->idle_mhz && mhz < UINT16_MAX;
}

static bool is_held(struct device *d)
{
	pid_t pid;
	bool partial = false;

	return d->ops->holders && d->ops->holders(d, &pid, 1, &partial) > 0;
}

/* How long the driver waits before it powers the board down; 0: it does not wait. */
static int64_t grace_of(struct device *d)
{
	return d->ops->grace && kind_of(d->chip)->lingers ? d->ops->grace(d) * CLOCK_MS : 0;
}

int linger_check(struct device *d, struct error *e)
{
	int64_t grace = grace_of(d);
	struct bus_own *own = d->bus->own;
	int64_t now = clock_mono() + 1;
	struct linger *l;

	if (grace <= 0)
		return 0;
	if (!own->linger)
		own->linger = mem_calloc(DEVICE_MAX, sizeof(own->linger[0]));
	l = &own->linger[d->index];
	if (!is_above_idle(d) || is_held(d)) {
		*l = (struct linger){ 0 };
		return 0;
	}
	/* After a long gap start again: a whole job may have run in it. */
	if (!l->since || now - l->last > grace / 2)
		l->since = now;
	l->last = now;
	if (now - l->since > grace + MARGIN)
		return 0;
	return fail(e, -EINPROGRESS, "only sysfs is read: opening the card now could keep it from"
		" powering down");
}

void linger_repair(struct device *d)
{
	const struct linger *l = d->bus->own->linger;

	/* If it was already above idle and not held at the check, this open cancelled nothing. */
	if (grace_of(d) > 0 && l && !l[d->index].since && is_above_idle(d) && !is_held(d))
		d->ops->power(d, 0);
}

/* The lock. */

#define LOCKS_MAX (1 << 20)	/* most bytes of /proc/locks */
#define FILE_TEXT 64

/* The file's name in the kernel's lists of locks. */
static void name_file(const struct stat *st, char text[static FILE_TEXT])
{
	snprintf(text, FILE_TEXT, "%02x:%02x:%llu", major(st->st_dev), minor(st->st_dev),
		(unsigned long long)st->st_ino);
}

/*
 * "3: FLOCK  ADVISORY  WRITE 4242 00:16:1234 0 EOF", with the device's numbers
 * in hex.  A holder in another pid namespace is not listed, or has no pid.
 */
static pid_t find_holder(const struct stat *st)
{
	char *text, *save = NULL, want[FILE_TEXT];
	pid_t holder = 0;
	size_t len;

	if (file_read_all("/proc/locks", LOCKS_MAX, &text, &len, NULL) < 0)
		return 0;
	name_file(st, want);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char kind[16], file[64];
		long pid;

		/* A dead holder left the lock to a child, which the list does not name. */
		if (sscanf(line, "%*s %15s %*s %*s %ld %63s", kind, &pid, file) == 3 &&
		    strcmp(kind, "FLOCK") == 0 && strcmp(file, want) == 0 && pid > 0 &&
		    (kill((pid_t)pid, 0) == 0 || errno != ESRCH))
			holder = (pid_t)pid;
	}
	free(text);
	return holder;
}

/* Whether a descriptor of this process holds the file's lock: "1: FLOCK ... 00:16:12 ". */
static bool has_lock(const char *pid, const char *file)
{
	char path[32], text[4096], want[FILE_TEXT + 2];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/fdinfo", pid);
	snprintf(want, sizeof(want), " %s ", file);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)))
		found = file_read_at(dirfd(dir), entry->d_name, text, sizeof(text)) > 0 &&
			strstr(text, "FLOCK") && strstr(text, want);
	if (dir)
		closedir(dir);
	return found;
}

pid_t lock_stranger(const char *path)
{
	struct stat st, owner;
	char file[FILE_TEXT];
	struct dirent *entry;
	pid_t found = 0;
	DIR *proc;

	if (geteuid() != 0 || stat(path, &st) < 0)
		return 0;
	name_file(&st, file);
	proc = opendir("/proc");
	while (proc && found == 0 && (entry = readdir(proc))) {
		const long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 0 && fstatat(dirfd(proc), entry->d_name, &owner, 0) == 0 &&
			owner.st_uid != 0 && has_lock(entry->d_name, file))
			found = (pid_t)pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

bool lock_is_of(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

static int fail_held(const char *path, pid_t holder, struct error *e)
{
	return fail(e, -EBUSY, "%s: is locked by process %ld", path, (long)holder);
}

int lock_take(const char *path, int *fd, pid_t *holder, struct error *e)
{
	struct stat st;
	int r = 0;

	*holder = 0;
	/* Since we opened it, the holder may have replaced the file and ended. */
	while (*fd < 0 || !lock_is_of(*fd, path)) {
		lock_release(fd);
		*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
		if (*fd < 0)
			return fail_errno(e, "%s: cannot be locked", path);
		do
			r = flock(*fd, LOCK_EX | LOCK_NB);
		while (r < 0 && errno == EINTR);
		if (r < 0)
			break;
	}
	if (r == 0)
		return 0;
	r = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (r == -EBUSY && fstat(*fd, &st) == 0)
		*holder = find_holder(&st);
	lock_release(fd);
	if (*holder)
		return fail_held(path, *holder, e);
	return fail(e, r, "%s: cannot be locked: %s", path,
		r == -EBUSY ? "another process has it" : strerror(-r));
}

int lock_take_roots(const char *path, int *fd, pid_t *holder, struct error *e)
{
	struct stat st;
	int r = lock_take(path, fd, holder, e);

	if (r != -EACCES && r != -EPERM)
		return r;
	*holder = stat(path, &st) == 0 ? find_holder(&st) : 0;
	return *holder ? fail_held(path, *holder, e) : 0;
}

void lock_release(int *fd)
{
	if (*fd >= 0)
		flock(*fd, LOCK_UN);
	lock_leave(fd);
}

void lock_leave(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
