/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h - the container, Kubernetes pod or Slurm job that a process belongs to, from the text of
 * its /proc/PID/cgroup.  Only the kernel is asked; no manager's socket is needed.
 */
#pragma once

#include <stddef.h>

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
