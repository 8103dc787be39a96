/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eio_shim.c - preloaded below the program: a disk that breaks.
 *
 * EIO_WRITES=N lets N writes to CSV files through, EIO_SYNCS=N as many syncs;
 * all later ones fail with EIO.  SLOW_SYNCS=S makes each sync of any file take
 * S seconds.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_journal(int fd)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	return n > 4 && memcmp(path + n - 4, ".csv", 4) == 0;
}

/* One more of what the variable counts; true when it is to fail. */
static bool used_up(const char *name, atomic_long *count)
{
	const char *limit = getenv(name);

	return limit && atomic_fetch_add(count, 1) >= strtol(limit, NULL, 10);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);
	static atomic_long count;
	void *f;

	if (!real) {
		f = dlsym(RTLD_NEXT, "write");
		memcpy(&real, &f, sizeof(f));
	}
	if (is_journal(fd) && used_up("EIO_WRITES", &count)) {
		errno = EIO;
		return -1;
	}
	return real(fd, buf, n);
}

/* A disk that takes its time; a sync that a signal cuts short would be none. */
static void sync_slowly(void)
{
	const char *text = getenv("SLOW_SYNCS");
	struct timespec left = { .tv_sec = text ? strtol(text, NULL, 10) : 0 };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

int fsync(int fd)
{
	static int (*real)(int);
	void *f;

	if (!real) {
		f = dlsym(RTLD_NEXT, "fsync");
		memcpy(&real, &f, sizeof(f));
	}
	sync_slowly();
	return real(fd);
}

int fdatasync(int fd)
{
	static int (*real)(int);
	static atomic_long count;
	void *f;

	if (!real) {
		f = dlsym(RTLD_NEXT, "fdatasync");
		memcpy(&real, &f, sizeof(f));
	}
	sync_slowly();
	if (is_journal(fd) && used_up("EIO_SYNCS", &count)) {
		errno = EIO;
		return -1;
	}
	return real(fd);
}
