/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.h - what the kernel says of a process (proc(5), /proc/PID/stat).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	pid_t parent;
	uint64_t started;	/* clock ticks since boot: with the pid, which process it is */
	char state;		/* R runs or waits for a processor, S and D sleep, T stopped */
	char name[32];		/* may hold anything, blanks and brackets too */
};

/* False when there is no such process, or /proc does not show it. */
bool proc_stat_read(pid_t pid, struct proc_stat *out);
