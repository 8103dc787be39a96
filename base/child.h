/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - the only way to start a process of our own.  It inherits only the
 * descriptors listed, and it is always reaped or kept on a list of lost children.
 */
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct child_config {
	int (*run)(void *arg, int fd);	/* its work; fd: its socket end; returns the exit status */
	void *arg;
	const int *keep;		/* descriptors that stay open; all others are closed */
	size_t n_keep;
	bool dies_with_parent;		/* killed when we end, however we end */
	bool ignores_terminal;		/* INT, QUIT, TERM, HUP, TSTP are handled by the parent */
};

/* All zeros: no child. */
struct child {
	pid_t pid;	/* 0: none, or reaped */
	int fd;		/* our socket end: packets; end of file once it has ended; -1: closed */
	int status;	/* as from waitpid(), once reaped; SIGKILL: child_end() gave up */
};

/*
 * Start a process.  Its descriptors 0 to 2 lead to /dev/null unless they are
 * kept, no signal is blocked, and handlers are put back to the default; a write
 * over the limit of a file's size is an error, not a signal.
 */
int child_start(struct child *c, const struct child_config *how, struct error *e);

/*
 * In a child: become a program, without what child_start() ignores.  -errno: it is not one that
 * file_prove_program() allows, or cannot be started.
 */
int child_become(const char *path, char *const argv[], char *const envp[], struct error *e);

/* Whether pid was started here and is not reaped yet. */
bool child_is_ours(pid_t pid);

/* Whether pid was started here or by any child of ours, and still runs this program. */
bool child_is_known(pid_t pid);

/* True once the child has ended and is reaped; its socket can still be read. */
bool child_has_ended(struct child *c);

/* Whether a signal or a debugger has stopped it, and it has not been continued. */
bool child_is_stopped(const struct child *c);

/* Whether it runs or waits for a processor, and for nothing else. */
bool child_is_runnable(const struct child *c);

/* The processor time that it has used, in ns; 0 if unknown. */
int64_t child_processor_time(const struct child *c);

void child_kill(struct child *c);

/*
 * Close its socket, wait up to `patience` ns for it to end, then kill it.  A child
 * that does not end even then (blocked in the kernel) is left to child_reap_lost().
 */
void child_end(struct child *c, int64_t patience);

/* The same as child_end() for many children at once; it takes no longer than for one. */
void child_end_all(struct child **all, size_t n, int64_t patience);

/* Close its socket and let it finish; it is reaped by child_reap_lost() once it has ended. */
void child_leave(struct child *c);

/* Reap the lost children that have ended; returns how many are left. */
size_t child_reap_lost(void);

/* A thread with all signals blocked: they are for the one that runs the mode.  0 or -errno. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/* The kernel's data about a process (proc(5), /proc/PID/stat). */
struct proc_stat {
	pid_t parent;
	uint64_t started;	/* clock ticks since boot; identifies the process with its pid */
	char state;		/* R runs or waits for a processor, S and D sleep, T stopped */
	char name[32];		/* may hold any bytes, even blanks and brackets */
};

/* False when there is no such process, or /proc does not show it. */
bool proc_stat_read(pid_t pid, struct proc_stat *out);
