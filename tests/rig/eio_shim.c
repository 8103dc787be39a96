/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eio_shim.c - preloaded below the program: a disk that breaks.
 *
 * EIO_WRITES=N lets N writes to CSV files through, EIO_SYNCS=N as many syncs;
 * all later ones fail with EIO.  SLOW_SYNCS=S makes each sync of any file take
 * S seconds; SYNC_LOG=FILE gets a line for each that worked: when it began, when it
 * ended, the path.  NO_DUP=1 lets no descriptor be duplicated (EMFILE).
 * EVIL_LINK=FILE: the owner of the folder puts a link to FILE in the place of
 * each temporary file in EVIL_DIR just before a stream is opened.
 * LATE_SIGNAL=N: signal N comes when main() has returned.
 * HANG_READ=TEXT, HANG_PREAD=TEXT: a read() or pread() of a file with that in its path
 * never returns, as one of a dead card.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The function that ours stands in front of; a copy, as ISO C knows no such cast. */
static void find(void *function, const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	memcpy(function, &f, sizeof(f));
}

static void path_of(int fd, char *path, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, size - 1);
	path[n > 0 ? n : 0] = '\0';
}

static bool is_journal(int fd)
{
	char path[4096];
	size_t n;

	path_of(fd, path, sizeof(path));
	n = strlen(path);
	return n > 4 && memcmp(path + n - 4, ".csv", 4) == 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line of its own, which no other thread can tear. */
static void log_sync(int fd, double begun)
{
	const char *name = getenv("SYNC_LOG");
	char path[4096], line[4300];
	int n, log = name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (log < 0)
		return;
	path_of(fd, path, sizeof(path));
	n = snprintf(line, sizeof(line), "%.6f %.6f %s\n", begun, seconds(), path);
	if (write(log, line, (size_t)n) < 0)
		abort();
	close(log);
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

	if (!real)
		find(&real, "write");
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
	double begun = seconds();
	int r;

	if (!real)
		find(&real, "fsync");
	sync_slowly();
	r = real(fd);
	if (r == 0)
		log_sync(fd, begun);
	return r;
}

int fdatasync(int fd)
{
	static int (*real)(int);
	static atomic_long count;
	double begun = seconds();
	int r;

	if (!real)
		find(&real, "fdatasync");
	sync_slowly();
	if (is_journal(fd) && used_up("EIO_SYNCS", &count)) {
		errno = EIO;
		return -1;
	}
	r = real(fd);
	if (r == 0)
		log_sync(fd, begun);
	return r;
}

int fcntl(int fd, int command, ...)
{
	static int (*real)(int, int, ...);
	va_list ap;
	void *arg;

	if (!real)
		find(&real, "fcntl");
	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (command == F_DUPFD_CLOEXEC && getenv("NO_DUP")) {
		errno = EMFILE;
		return -1;
	}
	return real(fd, command, arg);
}

static void swap_temporary_files(const char *dir, const char *target)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	char path[4096];

	while (d && (entry = readdir(d))) {
		size_t n = strlen(entry->d_name);

		if (n < 5 || strcmp(entry->d_name + n - 4, ".tmp") != 0)
			continue;
		snprintf(path, sizeof(path), "%.2000s/%s", dir, entry->d_name);
		if (unlink(path) < 0 || symlink(target, path) < 0)
			abort();
	}
	if (d)
		closedir(d);
}

static FILE *open_stream(const char *name, const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *);

	find(&real, name);
	if (getenv("EVIL_LINK") && getenv("EVIL_DIR"))
		swap_temporary_files(getenv("EVIL_DIR"), getenv("EVIL_LINK"));
	return real(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return open_stream("fopen64", path, mode);
}

__attribute__((destructor)) static void end_late(void)
{
	const char *number = getenv("LATE_SIGNAL");

	if (number)
		raise((int)strtol(number, NULL, 10));
}

static void hang(int fd, const char *name)
{
	const char *text = getenv(name);
	char path[4096];

	if (!text)
		return;
	path_of(fd, path, sizeof(path));
	while (strstr(path, text))
		pause();
}

ssize_t read(int fd, void *buf, size_t n)
{
	static ssize_t (*real)(int, void *, size_t);

	if (!real)
		find(&real, "read");
	hang(fd, "HANG_READ");
	return real(fd, buf, n);
}

/* Its name where _FORTIFY_SOURCE knows how much room there is. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	return n > room ? abort(), -1 : read(fd, buf, n);
}

/* Its other name where files may be large. */
ssize_t pread64(int fd, void *buf, size_t n, off64_t at);
ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
	static ssize_t (*real)(int, void *, size_t, off64_t);

	if (!real)
		find(&real, "pread64");
	hang(fd, "HANG_PREAD");
	return real(fd, buf, n, at);
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	return pread64(fd, buf, n, at);
}
