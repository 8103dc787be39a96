/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - a program that the user named, run in our place: it inherits what we were given
 * (descriptors, environment, limits, blocked and ignored signals), and nothing of our own.
 *
 * It stays in our process group, so that the terminal is its own and what the terminal sends
 * reaches it without us.  What other programs send to us is passed on.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct program {
	pid_t pid;		/* also once it was reaped */
	uint64_t started;	/* as in its /proc/PID/stat */
	bool has_ended;
	int status;		/* as from waitpid(), once it has ended */
};

/* A process that the program started, and that outlives it. */
struct program_left {
	pid_t pid;
	char name[32];
};

/* From now on this signal is ignored; a program that is started gets it as we were given it. */
void program_ignore(int number);

/* Before anything changes our limits: these are what the program gets. */
void program_prepare(void);

/*
 * Start argv[0], found as a shell finds it; from now on signals are passed on.  -errno when it
 * cannot be started: -ENOENT where there is no such program.  One at a time.
 */
int program_start(struct program *p, char *const *argv, struct error *e);

/* Readable when a child of ours may have ended. */
int program_fd(void);

/* True once it has ended; also reaps what it left behind and what has ended since. */
bool program_has_ended(struct program *p);

/* Whose a process is: where it has ended, nobody can tell any more. */
enum program_whose { PROGRAM_UNKNOWN, PROGRAM_OWN, PROGRAM_OTHER };

/* Whether it is the program, or was started by it. */
enum program_whose program_whose(const struct program *p, pid_t pid);

/* What it left behind: how many there are, and the first `most` of them. */
size_t program_list_left(const struct program *p, struct program_left *left, size_t most);

/* Whether a signal that ends programs has come since the program ended. */
bool program_is_asked_to_end(void);

/* Its exit code as a shell says it: 128 and the signal that killed it. */
int program_exit_code(const struct program *p);
