/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.c - describes pids from their files in /proc, and the jobs that they belong to.
 */
#include "config.h"
#include "telemetry/host/process.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Containers, pods and jobs, by the paths of cgroups.
 *
 * Each manager names its cgroups in its own way; the innermost name that is recognised counts.
 * With cgroups v1 each controller has its own path; a path with a pod beats one with a container.
 */

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
	const size_t len = strlen(text) - (text_ends(text, ".slice") ? 6 : 0);
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

/* Below a user's own service manager he makes cgroups of any name: no job is one of them. */
static bool is_delegated(const char *component)
{
	return has_prefix(component, "user@") && text_ends(component, ".service");
}

/* Slurm's job_N, below uid_N (v1) or the scope of slurmstepd (v2), and step_NAME below that. */
static void take_job(const char *text, const char *before, struct cgroup_job *job)
{
	if (has_prefix(text, "job_") &&
		(has_prefix(before, "uid_") || text_ends(before, "slurmstepd.scope")))
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
	const size_t len = strlen(text), bare = len - (text_ends(text, ".scope") ? 6 : 0);

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

		if (has_prefix(text, named[i].prefix) && text_ends(text + n, named[i].suffix) &&
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
	bool is_users = false;

	while (path < end) {
		size_t n = 0;

		while (path + n < end && path[n] != '/' && path[n] != ':')
			n++;
		if (n > 0 && n < COMPONENT_MAX) {
			take_component(path, n, text, sizeof(text));
			is_users |= is_delegated(text);
			if (!take_pod(text, &c->container) &&
				!take_container(text, before, &c->container) && !is_users)
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

/* Processes. */

/* Read the start of a process's file, however long that is; the length or -1. */
static ssize_t read_some(const char *root, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[512];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/proc/%d/%s", root, (int)pid, name);
	if (path_resolve_below(path, sizeof(path), strlen(root)) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

/* NUL and newline become blanks, unprintable bytes \xNN; outer blanks go (chip-facts 1.7). */
static void put_command(const char *raw, size_t len, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)raw[i];
		bool plain = c >= 0x20 && c <= 0x7e;

		if (c == '\0' || c == '\n') {
			c = ' ';
			plain = true;
		}
		if (c == ' ' && at == 0)
			continue;
		if (at + (plain ? 1 : 4) >= size)
			break;
		if (plain)
			out[at++] = (char)c;
		else
			at += (size_t)snprintf(out + at, size - at, "\\x%02x", c);
	}
	while (at > 0 && out[at - 1] == ' ')
		at--;
	out[at] = '\0';
}

/* The name of a uid below another root, which NSS does not know: from its passwd file. */
static bool find_user(const char *root, uint64_t uid, char *out, size_t size)
{
	char path[512], line[512];
	bool found = false;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%s/etc/passwd", root);
	fd = path_resolve_below(path, sizeof(path), strlen(root));
	if (fd == 0)
		fd = file_open_read(path, NULL);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		char *name_end = strchr(line, ':');
		char *id = name_end ? strchr(name_end + 1, ':') : NULL;
		uint64_t v;

		if (!id)
			continue;
		id++;
		id[strcspn(id, ":\n")] = '\0';
		*name_end = '\0';
		found = parse_u64(id, &v) && v == uid;
		if (found)
			text_plain(out, size, line);
	}
	fclose(file);
	return found;
}

static void fill_user(const char *root, uint64_t uid, struct process *p)
{
	char buf[4096];
	struct passwd pw, *found = NULL;

	p->uid = (int64_t)uid;
	snprintf(p->user, sizeof(p->user), "%llu", (unsigned long long)uid);
	if (strcmp(root, "/") != 0)
		find_user(root, uid, p->user, sizeof(p->user));
	else if (getpwuid_r((uid_t)uid, &pw, buf, sizeof(buf), &found) == 0 && found)
		text_plain(p->user, sizeof(p->user), found->pw_name);
}

/* The first number of the line of status that starts with `begin`, or with `last` the last one. */
static bool find_number(const char *text, const char *begin, bool last, uint64_t *number)
{
	const char *line = strstr(text, begin);
	char digits[24];
	size_t len;

	if (!line)
		return false;
	line += strlen(begin);
	for (;;) {
		len = strcspn(line, "\t\n");
		if (!last || line[len] != '\t')
			break;
		line += len + 1;
	}
	mem_copy_text(digits, len < sizeof(digits) ? len + 1 : sizeof(digits), line);
	return parse_u64(digits, number);
}

static void read_status(const char *root, struct process *p)
{
	char text[4096];
	const ssize_t n = read_some(root, p->pid, "status", text, sizeof(text));
	uint64_t number;

	if (n <= 0)
		return;
	if (find_number(text, "\nUid:\t", false, &number) && number <= UINT32_MAX)
		fill_user(root, number, p);
	/* Its pid in each pid namespace, the innermost last; kernels before 4.1 lack the line. */
	if (find_number(text, "\nNSpid:\t", true, &number) && number <= INT32_MAX)
		p->seen_as = (pid_t)number;
	else if (!strstr(text, "\nNSpid:") && (size_t)n < sizeof(text) - 1)
		p->seen_as = p->pid;
}

/* "btime" of a recorded /proc/stat: when the machine was booted, in seconds since 1970. */
static int64_t recorded_boot(const char *root)
{
	char path[512], line[256], digits[24];
	uint64_t seconds = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	file = path_resolve_below(path, sizeof(path), strlen(root)) < 0 ? NULL : fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "btime %20[0-9]", digits) == 1 && parse_u64(digits, &seconds))
			break;
	if (file)
		fclose(file);
	return seconds < INT64_MAX / CLOCK_SECOND / 2 ? (int64_t)seconds : 0;
}

/* The same for this machine, without reading the long /proc/stat. */
static int64_t own_boot(void)
{
	struct timespec now, up;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return 0;
	return now.tv_sec - up.tv_sec - (now.tv_nsec < up.tv_nsec);
}

/* Word 22 of stat is the start in ticks after boot; word 2, "(name)", may hold any character. */
static int64_t find_start(const char *root, pid_t pid)
{
	const int64_t hertz = sysconf(_SC_CLK_TCK);
	char text[4096], *at, *save = NULL;
	uint64_t ticks = 0;
	int64_t boot;

	if (hertz <= 0 || read_some(root, pid, "stat", text, sizeof(text)) <= 0)
		return 0;
	at = strrchr(text, ')');
	at = at ? strtok_r(at + 1, " ", &save) : NULL;
	for (int word = 3; at && word < 22; word++)
		at = strtok_r(NULL, " ", &save);
	boot = strcmp(root, "/") == 0 ? own_boot() : recorded_boot(root);
	if (!at || !parse_u64(at, &ticks) || ticks > INT64_MAX / CLOCK_SECOND || boot <= 0)
		return 0;
	return (boot + (int64_t)ticks / hertz) * CLOCK_SECOND;
}

static enum process_exe find_exe(const char *root, pid_t pid)
{
	char path[512], name[512];
	struct stat own, st;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%d/exe", root, (int)pid);
	if (strcmp(root, "/") != 0 || stat(path, &st) < 0 || stat("/proc/self/exe", &own) < 0)
		return EXE_UNKNOWN;
	if (st.st_dev == own.st_dev && st.st_ino == own.st_ino)
		return EXE_OURS;
	/* The kernel's name of the file; one that a newer package has replaced is " (deleted)". */
	n = readlink(path, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = '\0';
	if (text_ends(name, " (deleted)"))
		name[n - 10] = '\0';
	return st.st_uid == 0 && text_ends(name, "/tt-smi") ? EXE_OURS : EXE_OTHER;
}

bool process_describe(const char *root, pid_t pid, struct process *p)
{
	char text[4096];
	ssize_t n;

	*p = (struct process){ .device = p->device, .pid = pid, .user = "?", .command = "?",
		.pinned = -1, .uid = -1 };
	if (pid <= 0)
		return false;
	p->started = find_start(root, pid);
	p->exe = find_exe(root, pid);
	read_status(root, p);
	if (read_some(root, pid, "cgroup", text, sizeof(text)) > 0) {
		cgroup_parse(text, &p->group);
		cgroup_label(&p->group, p->container, sizeof(p->container));
	}
	n = read_some(root, pid, "cmdline", text, sizeof(text));
	if (n <= 0)
		n = read_some(root, pid, "comm", text, sizeof(text));
	if (n > 0)
		put_command(text, (size_t)n, p->command, sizeof(p->command));
	return n > 0 || strcmp(p->user, "?") != 0;
}

const char *process_memory_key(enum process_memory kind)
{
	static const char *const keys[PROCESS_MEMORIES] = { "dram", "l1", "l1_small", "trace",
		"cb" };

	return keys[kind];
}

int process_compare(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	if (p->device != q->device)
		return p->device < q->device ? -1 : 1;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}
