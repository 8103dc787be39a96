/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * want.c - limits are found by trying to reach them.  They cannot be computed: other
 * programs use processes of this user, and a control group counts memory its own way.
 */
#include "config.h"
#include "base/want.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

bool want_is(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM || code == -EAGAIN ||
		code == -ENOBUFS;
}

const char *want_limit(int code)
{
	switch (code) {
	case -EMFILE:
		return "descriptors: ulimit -n";
	case -ENFILE:
		return "open files: sysctl fs.file-max";
	case -EAGAIN:
		return "processes: ulimit -u";
	default:
		return "memory: ulimit -v";
	}
}

/* True: there may be room for more now. */
static bool raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= l.rlim_max)
		return false;
	l.rlim_cur = l.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &l) == 0;
}

static int prove_files(size_t n, struct error *e)
{
	int *fds = mem_calloc(n + 1, sizeof(*fds)), r = 0;
	size_t have = 0;

	while (have < n) {
		/* Any descriptor will do: only the number of them counts. */
		fds[have] = have ? fcntl(fds[0], F_DUPFD_CLOEXEC, 3)
			: open("/", O_PATH | O_CLOEXEC);
		if (fds[have] >= 0)
			have++;
		else if (r < 0 || (r = -errno) != -EMFILE || !raise_files())
			break;
	}
	if (have == n)
		r = 0;
	else
		fail(e, r, "%zu more file descriptors are needed, and there are %zu: %s "
			"(ulimit -n)", n, have, strerror(-r));
	while (have > 0)
		close(fds[--have]);
	free(fds);
	return r;
}

static int wait_for_end(void *arg, int fd)
{
	struct pollfd p = { .fd = fd };

	(void)arg;
	return poll(&p, 1, -1) < 0;
}

static int prove_processes(size_t n, struct error *e)
{
	const struct child_config how = { .run = wait_for_end, .dies_with_parent = true,
		.ignores_terminal = true };
	struct child *children = mem_calloc(n + 1, sizeof(*children));
	struct child **all = mem_calloc(n + 1, sizeof(struct child *));
	struct error why = { 0 };
	size_t have = 0;
	int r = 0;

	while (have < n && r == 0) {
		r = child_start(&children[have], &how, &why);
		if (r == 0) {
			all[have] = &children[have];
			have++;
		}
	}
	child_end_all(all, have, CLOCK_SECOND);
	free(all);
	free(children);
	return r == 0 ? 0 : fail_because(e, r, &why, "%zu more processes are needed, and there %s "
		"%zu: %.150s (ulimit -u)", n, have == 1 ? "is" : "are", have, why.text);
}

static int prove_memory(size_t bytes, struct error *e)
{
	void *p = bytes ? malloc(bytes) : NULL;
	/* A volatile copy: without it the compiler may leave out both calls. */
	void *volatile kept = p;

	if (bytes && !kept)
		return fail(e, -ENOMEM, "%zu MiB more of memory are needed, and are not there "
			"(ulimit -v)", bytes >> 20);
	free(kept);
	return 0;
}

int want_prove(const struct want *w, struct error *e)
{
	int r = prove_memory(w->bytes, e);

	if (r == 0)
		r = prove_files(w->files, e);
	return r == 0 ? prove_processes(w->processes, e) : r;
}
