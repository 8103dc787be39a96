/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.c - containers, pods and jobs, by the paths of cgroups.
 *
 * Each manager names its cgroups in its own way; the innermost name that is recognised counts.
 * With cgroups v1 each controller has its own path; a path with a pod beats one with a container.
 */
#include "config.h"
#include "telemetry/host/cgroup.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/parse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ID_SHOWN      12	/* hex digits of a container's id, as many as its manager lists */
#define COMPONENT_MAX 256	/* of a path; the kernel allows 255 bytes */

/* A component "PREFIX<id>[.scope]" names a container of MANAGER. */
static const struct {
	const char *prefix, *manager;
} scopes[] = {
	{ "docker-", "docker" },
	{ "libpod-payload-", "podman" },
	{ "libpod-", "podman" },
	{ "cri-containerd-", "containerd" },
	{ "nerdctl-", "containerd" },
	{ "crio-", "cri-o" },
};

/* A component below one of these is the container's id or name. */
static const struct {
	const char *parent, *manager;
	bool named;	/* by a person, not by an id */
} parents[] = {
	{ "docker", "docker", false },
	{ "buildkit", "docker", false },
	{ "cri-containerd", "containerd", false },
	{ "default", "containerd", false },
	{ "k8s.io", "containerd", false },
	{ "libpod_parent", "podman", false },
	{ "lxc", "lxc", true },
	{ "lxc.payload", "lxc", true },
};

/* A component "PREFIX<name>SUFFIX" is named by a person. */
static const struct {
	const char *prefix, *suffix, *manager;
} named[] = {
	{ "lxc.payload.", "", "lxc" },
	{ "systemd-nspawn@", ".service", "nspawn" },
	{ "machine-", ".scope", "machine" },
};

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(const char *text, const char *suffix)
{
	const size_t len = strlen(text), n = strlen(suffix);

	return len >= n && strcmp(text + len - n, suffix) == 0;
}

static bool is_id(const char *text, size_t len)
{
	return len >= 32 && len <= 64 && strspn(text, "0123456789abcdefABCDEF") >= len;
}

/* Copy a component: undo systemd's \x2d, replace blanks and unprintable characters. */
static void take_component(const char *text, size_t len, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < len && at + 1 < size; i++) {
		char c = text[i];

		if (c == '\\' && len - i >= 4 && text[i + 1] == 'x' &&
			isxdigit((unsigned char)text[i + 2]) &&
			isxdigit((unsigned char)text[i + 3])) {
			const char hex[3] = { text[i + 2], text[i + 3], '\0' };
			uint64_t v = 0;

			parse_hex(hex, &v);
			c = (char)v;
			i += 3;
		}
		out[at++] = c > 0x20 && c < 0x7f ? c : '?';
	}
	out[at] = '\0';
}

/* The pod's uid at the end of "pod<uid>" or "kubepods-burstable-pod<uid>.slice". */
static bool take_pod(const char *text, struct cgroup_container *c)
{
	const size_t len = strlen(text) - (has_suffix(text, ".slice") ? 6 : 0);
	char uid[sizeof(c->pod)];
	size_t n, dashes = 0;

	for (n = 36; n >= 32; n -= 4)
		if (len >= n + 3 && memcmp(text + len - n - 3, "pod", 3) == 0)
			break;
	if (n < 32)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char digit = text[len - n + i];
		const bool is_dash = digit == '-' || digit == '_';

		if (!is_dash && !isxdigit((unsigned char)digit))
			return false;
		dashes += is_dash;
		uid[i] = is_dash ? '-' : digit;
	}
	uid[n] = '\0';
	if (dashes != (n == 36 ? 4 : 0))
		return false;
	mem_copy_text(c->pod, sizeof(c->pod), uid);
	return true;
}

static void take_word(const char *text, const char *digits, char *out, size_t size)
{
	const size_t len = strlen(text);

	if (len > 0 && len < size && strspn(text, digits) == len)
		memcpy(out, text, len + 1);
}

/* Slurm's job_N, below uid_N (v1) or the scope of slurmstepd (v2), and step_NAME below that. */
static void take_job(const char *text, const char *before, struct cgroup_job *job)
{
	if (has_prefix(text, "job_") &&
		(has_prefix(before, "uid_") || has_suffix(before, "slurmstepd.scope")))
		take_word(text + 4, "0123456789", job->id, sizeof(job->id));
	else if (has_prefix(text, "step_") && has_prefix(before, "job_") && *job->id)
		take_word(text + 5, "0123456789abcdefghijklmnopqrstuvwxyz", job->step,
			sizeof(job->step));
}

static bool note_container(struct cgroup_container *c, const char *manager, const char *name,
	size_t len)
{
	mem_copy_text(c->manager, sizeof(c->manager), manager);
	if (len >= sizeof(c->id))
		len = sizeof(c->id) - 1;
	memcpy(c->id, name, len);
	c->id[len] = '\0';
	return true;
}

static bool take_container(const char *text, const char *before, struct cgroup_container *c)
{
	const size_t len = strlen(text), bare = len - (has_suffix(text, ".scope") ? 6 : 0);

	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		const size_t n = strlen(scopes[i].prefix);

		if (has_prefix(text, scopes[i].prefix) && is_id(text + n, bare - n))
			return note_container(c, scopes[i].manager, text + n, bare - n);
	}
	for (size_t i = 0; i < ARRAY_LEN(parents); i++)
		if (strcmp(before, parents[i].parent) == 0 &&
			(parents[i].named || is_id(text, len)))
			return note_container(c, parents[i].manager, text, len);
	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		const size_t n = strlen(named[i].prefix), end = strlen(named[i].suffix);

		if (has_prefix(text, named[i].prefix) && has_suffix(text + n, named[i].suffix) &&
			len > n + end)
			return note_container(c, named[i].manager, text + n, len - n - end);
	}
	return len == 64 && is_id(text, len) && note_container(c, "container", text, len);
}

/* Take one cgroup's path.  Containerd's systemd driver writes colons for slashes. */
static void take_path(const char *path, size_t len, struct cgroup *c)
{
	char text[COMPONENT_MAX], before[COMPONENT_MAX] = "";
	const char *end = path + len;

	while (path < end) {
		size_t n = 0;

		while (path + n < end && path[n] != '/' && path[n] != ':')
			n++;
		if (n > 0 && n < COMPONENT_MAX) {
			take_component(path, n, text, sizeof(text));
			if (!take_pod(text, &c->container) &&
				!take_container(text, before, &c->container))
				take_job(text, before, &c->job);
			memcpy(before, text, sizeof(before));
		}
		path += n + 1;
	}
}

/* How much a path says about a container. */
static int weigh(const struct cgroup_container *c)
{
	return *c->pod ? 2 : *c->id ? 1 : 0;
}

void cgroup_parse(const char *text, struct cgroup *c)
{
	memset(c, 0, sizeof(*c));
	while (*text) {
		const size_t len = strcspn(text, "\n");
		const char *colon = memchr(text, ':', len);
		struct cgroup one = { 0 };

		if (colon)
			colon = memchr(colon + 1, ':', len - (size_t)(colon + 1 - text));
		if (colon)
			take_path(colon + 1, len - (size_t)(colon + 1 - text), &one);
		if (weigh(&one.container) > weigh(&c->container))
			c->container = one.container;
		/* Not every controller's path goes down to the Slurm step. */
		if (!*c->job.step && *one.job.id)
			c->job = one.job;
		text += len + (text[len] == '\n');
	}
}

void cgroup_label(const struct cgroup *c, char *out, size_t size)
{
	const size_t len = strlen(c->container.id);

	if (*c->container.pod)
		snprintf(out, size, "pod:%s", c->container.pod);
	else if (*c->container.id)
		snprintf(out, size, "%s:%.*s", c->container.manager,
			is_id(c->container.id, len) ? ID_SHOWN : (int)len,
			c->container.id);
	else if (*c->job.id)
		snprintf(out, size, "job:%s%s%s", c->job.id, *c->job.step ? "." : "", c->job.step);
	else
		snprintf(out, size, "%s", "");
}
