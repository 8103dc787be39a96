/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - a program that the user named, run as if in our place.  It inherits what we were
 * given (descriptors, environment, limits, blocked and ignored signals), and nothing of our own.
 *
 * It stays in our process group, so it can use the terminal, and signals of the terminal reach it
 * directly.  Signals that other programs send to us are passed on.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct program {
	pid_t pid;		/* kept after it was reaped */
	uint64_t started;	/* as in its /proc/PID/stat */
	bool has_ended;
	int status;		/* as from waitpid(), once it has ended */
};

/* A process that the program started and that outlives it. */
struct program_left {
	pid_t pid;
	char name[32];
};

/* Ignore this signal from now on.  A program started later gets the disposition we were given. */
void program_ignore(int number);

/* Save our limit of descriptors for the program; to be called before anything changes it. */
void program_prepare(void);

/*
 * Start argv[0], found as a shell finds it; from now on signals are passed on.  -errno if it
 * cannot be started, -ENOENT if there is no such program.  Only one program at a time.
 */
int program_start(struct program *p, char *const *argv, struct error *e);

/* Readable when a child of ours may have ended. */
int program_fd(void);

/* True once it has ended; also reaps processes that it left behind, once they have ended. */
bool program_has_ended(struct program *p);

/* Whose a process is; unknown once it has ended. */
enum program_whose { PROGRAM_UNKNOWN, PROGRAM_OWN, PROGRAM_OTHER };

/* Whether it is the program, or was started by it. */
enum program_whose program_whose(const struct program *p, pid_t pid);

/* List the processes that it left behind: returns their number, fills in the first `most`. */
size_t program_list_left(const struct program *p, struct program_left *left, size_t most);

/* Whether a signal that ends programs has come since the program ended. */
bool program_is_asked_to_end(void);

/* Its exit code as a shell gives it: 128 plus the signal number if a signal killed it. */
int program_exit_code(const struct program *p);
