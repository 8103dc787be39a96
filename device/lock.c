/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.c - a lock that the kernel gives back when its holder ends, however it
 * ends.
 */
#include "config.h"
#include "device/lock.h"
#include "base/file.h"

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

#define LOCKS_MAX (1 << 20)	/* of /proc/locks, in bytes */

/*
 * "3: FLOCK  ADVISORY  WRITE 4242 00:16:1234 0 EOF", numbers of the device in
 * hex; a holder in another pid namespace is not listed, or has no pid.
 */
static pid_t find_holder(const struct stat *st)
{
	char *text, *save = NULL, want[64];
	pid_t holder = 0;
	size_t len;

	if (file_read_all("/proc/locks", LOCKS_MAX, &text, &len, NULL) < 0)
		return 0;
	snprintf(want, sizeof(want), "%02x:%02x:%llu", major(st->st_dev), minor(st->st_dev),
		(unsigned long long)st->st_ino);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char kind[16], file[64];
		long pid;

		/* One that has died left the lock to a child, which the list does not name. */
		if (sscanf(line, "%*s %15s %*s %*s %ld %63s", kind, &pid, file) == 3 &&
		    strcmp(kind, "FLOCK") == 0 && strcmp(file, want) == 0 && pid > 0 &&
		    (kill((pid_t)pid, 0) == 0 || errno != ESRCH))
			holder = (pid_t)pid;
	}
	free(text);
	return holder;
}

bool lock_is_of(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

int lock_take(const char *path, int *fd, pid_t *holder, struct error *e)
{
	struct stat st;
	int r = 0;

	*holder = 0;
	/* The holder may have put another file in its place, and ended, since we opened it. */
	while (*fd < 0 || !lock_is_of(*fd, path)) {
		lock_release(fd);
		*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
		return fail(e, r, "%s: is locked by process %ld", path, (long)*holder);
	return fail(e, r, "%s: cannot be locked: %s", path,
		r == -EBUSY ? "another process has it" : strerror(-r));
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
