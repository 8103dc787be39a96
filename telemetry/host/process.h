/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - the processes that hold a card: pids from the device, names from /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The container, Kubernetes pod or Slurm job that a process belongs to, from the text of its
 * /proc/PID/cgroup.  Only the kernel is asked; no manager's socket is needed.
 */

#define CGROUP_LABEL 80	/* bytes; longer than any label */

/* Each text is "" where the cgroups do not name it. */
struct cgroup {
	struct cgroup_container {
		char manager[12];	/* "docker", "podman", "lxc", ...; "container": unknown */
		char id[65];		/* in full, or the name a person gave it */
		char pod[37];		/* uid with its dashes; a static pod's has none */
	} container;
	struct cgroup_job {
		char id[12], step[16];	/* of Slurm: "4711" and "0", "batch", ... */
	} job;
};

void cgroup_parse(const char *text, struct cgroup *c);

/* A label for people: "pod:UID", else "docker:3f4e8c1b2a7d", else "job:4711.0", or "". */
void cgroup_label(const struct cgroup *c, char *out, size_t size);

#define PROCESS_OF_CHIP 64	/* holders of a chip that are listed */
#define PROCESS_LISTED	2048	/* and of all chips */

/* Kinds of a chip's memory: the buffer types of the runtime. */
enum process_memory {
	PROCESS_MEMORY_DRAM, PROCESS_MEMORY_L1, PROCESS_MEMORY_L1_SMALL, PROCESS_MEMORY_TRACE,
	PROCESS_MEMORY_CB, PROCESS_MEMORIES
};

/* Whose program a process runs, by its executable file; its argv is what its user wrote. */
enum process_exe {
	EXE_UNKNOWN,	/* we may not look at it, or it is a recording's */
	EXE_OURS,		/* the file that we run, or one of root's that is called tt-smi */
	EXE_OTHER
};

struct process {
	int device;		/* index of the chip it holds */
	pid_t pid;		/* 0: in another pid namespace */
	char user[33];		/* the uid where it has no name, "?" where unknown */
	char container[CGROUP_LABEL];	/* label of its cgroup; "" where it has none */
	struct cgroup group;	/* the same in full; empty when loaded from a file */
	char command[256];	/* command line, control characters as \xNN (chip-facts 1.7) */
	int64_t started;	/* ns since 1970, to the second; 0: not known */
	int64_t pinned;		/* bytes that the driver has pinned for it; -1: not known */
	pid_t seen_as;		/* its pid in its own pid namespace; 0: not known */
	int64_t uid;		/* -1: not known */
	enum process_exe exe;
	bool has_memory;	/* memory[] is known: the runtime published it */
	int64_t memory[PROCESS_MEMORIES];	/* bytes */
};

/*
 * Fill *p with all that <root>/proc says about a pid; pinned and memory become unknown.  False:
 * /proc says nothing, because the process has ended or lives where we cannot see it.
 */
bool process_describe(const char *root, pid_t pid, struct process *p);

const char *process_memory_key(enum process_memory kind);	/* "dram", "l1", "l1_small" ... */

/* qsort order: by device, then pid. */
int process_compare(const void *a, const void *b);
