/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.h - the kernel's data about a process (proc(5), /proc/PID/stat).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	pid_t parent;
	uint64_t started;	/* clock ticks since boot; identifies the process with its pid */
	char state;		/* R runs or waits for a processor, S and D sleep, T stopped */
	char name[32];		/* may hold any bytes, even blanks and brackets */
};

/* False when there is no such process, or /proc does not show it. */
bool proc_stat_read(pid_t pid, struct proc_stat *out);
