/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - the one way to start a process of our own: it inherits what is
 * listed and nothing else, and it is reaped, or accounted for.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct child_config {
	int (*run)(void *arg, int fd);	/* its work, with its end of the socket; the exit status */
	void *arg;
	const int *keep;		/* descriptors that stay open; all others are closed */
	size_t n_keep;
	bool dies_with_parent;		/* killed when we end, however we end */
	bool ignores_terminal;		/* INT, QUIT, TERM, HUP, TSTP are handled by the parent */
};

/* All zeros: none. */
struct child {
	pid_t pid;	/* 0: none, or reaped */
	int fd;		/* our end: packets both ways, end of file once it has ended; -1: closed */
	int status;	/* as from waitpid(), once reaped */
};

/*
 * Start a process.  Its descriptors 0 to 2 lead to /dev/null unless they are
 * kept, no signal is blocked, and handlers are put back to the default.
 */
int child_start(struct child *c, const struct child_config *how, struct error *e);

/* Whether it was started here, and is not reaped yet. */
bool child_is_ours(pid_t pid);

/* True once it has ended (it is reaped then); its socket can still be read. */
bool child_has_ended(struct child *c);

/* Whether a signal or a debugger has stopped it, and it has not been continued. */
bool child_is_stopped(const struct child *c);

/* Whether it runs, or would if it had a processor: it does not wait for anything else. */
bool child_is_runnable(const struct child *c);

/* The processor time that it has used, in ns; 0 when that is not known. */
int64_t child_processor_time(const struct child *c);

void child_kill(struct child *c);

/*
 * Close its socket, wait up to `patience` ns for it to end, then kill it.  What
 * even then does not end (it is blocked in the kernel) goes to the account below.
 */
void child_end(struct child *c, int64_t patience);

/* The same as child_end() for many at once, in the time of one. */
void child_end_all(struct child **all, size_t n, int64_t patience);

/* Close its socket and let it finish; it is reaped by child_reap_lost() once it has ended. */
void child_leave(struct child *c);

/* Reap those of the account that could die by now; returns how many are left. */
size_t child_reap_lost(void);
